// The phone behind AgentGym's protocol and OpenEnv's: the same answers as the world itself.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Task } from '../../../src/envs/env.ts';
import type { Server } from '../../../src/server/server.ts';
import { openWorld } from '../../../src/worlds/registry.ts';
import { post, startServer } from '../../server/helpers.ts';

let server: Server;
beforeAll(async () => {
  server = await startServer(['phone']);
});
afterAll(async () => {
  await server?.close();
});

/** Answers of the world itself to the oracle's plan of its first task, opening first. */
async function ownAnswers() {
  const world = await openWorld('phone');
  const [task]: Task[] = await world.tasks({}, 'train');
  const [{ observation }] = await world.reset([0], [task]);
  const [plan] = await world.oracle([0]);
  const answers = [];
  for (const action of plan!) {
    const [{ observation, reward, done }] = await world.step([0], [action]);
    answers.push({ action, observation, reward, done });
  }
  expect(answers.at(-1)).toMatchObject({ reward: 1, done: true });
  return { observation, answers };
}

it('answers over AgentGym’s protocol as the world does, to the reward', async () => {
  const own = await ownAnswers();
  const created = (await post(server, '/phone/create')).json;
  const begun = (await post(server, '/phone/reset', { id: created.id, data_idx: 0 })).json;
  expect(begun.observation).toBe(own.observation);
  for (const { action, ...answer } of own.answers)
    expect((await post(server, '/phone/step', { id: created.id, action })).json).toEqual(answer);
  expect((await post(server, '/phone/reset', { id: created.id, data_idx: 10_000_000 })).json.error).toMatch(/no item/);
});

it('answers over OpenEnv’s socket as the world does, to the reward', async () => {
  const own = await ownAnswers();
  const address = (await server.app.listen({ port: 0 })).replace('http', 'ws');
  const socket = new WebSocket(`${address}/phone/ws`);
  await new Promise((resolve) => socket.once('open', resolve));
  const ask = (message: object) =>
    // biome-ignore lint/suspicious/noExplicitAny: whatever a server answers.
    new Promise<any>((resolve) => {
      socket.once('message', (data) => resolve(JSON.parse(String(data)).data));
      socket.send(JSON.stringify(message));
    });
  const begun = await ask({ type: 'reset', data: { index: 0 } });
  expect(begun.observation.text).toBe(own.observation);
  for (const { action, observation, reward, done } of own.answers) {
    const answer = await ask({ type: 'step', data: { message: action } });
    expect([answer.observation.text, answer.reward, answer.done]).toEqual([observation, reward, done]);
  }
  socket.terminate();
});
