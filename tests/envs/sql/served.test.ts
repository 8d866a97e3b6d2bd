// SQL behind AgentGym's protocol: our client of the original server plays it as the world itself.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RemoteWorld } from '../../../src/envs/transport/remote.ts';
import type { Server } from '../../../src/server/server.ts';
import { agentGymKinds } from '../../../src/worlds/agentgym/index.ts';
import { AgentGymWorld } from '../../../src/worlds/agentgym/world.ts';
import { openWorld, worldModule, worldModules } from '../../../src/worlds/registry.ts';
import { startServer } from '../../server/helpers.ts';

let server: Server;
let address: string;

beforeAll(async () => {
  server = await startServer(['sql']);
  address = await server.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await server?.close();
});

it('is played by AgentGym’s client of SQLGym, to the reward', async () => {
  const kind = agentGymKinds(worldModules).find((each) => each.kind === 'sqlgym')!;
  const module = worldModule('agentgym-sqlgym');
  const theirs = new RemoteWorld(module, await AgentGymWorld.open(module, kind, { address: `${address}/sqlgym` }));
  const ours = await openWorld('sql');
  const [task] = (await ours.tasks({ upstream: true }, 'train')).slice(20);
  const [first] = await ours.reset([0], [task]);
  const [their] = await theirs.reset([0], [{ ...task, world: module.name, id: 20, options: {} }]);
  expect(their.observation).toBe(first.observation);
  expect(their.observation).toMatch(/^\w+ contains tables such as .* is the primary key\..*\n\n/);
  const [plan] = await ours.oracle([0]);
  const [[answer], [own]] = await Promise.all([theirs.step([0], plan!), ours.step([0], plan!)]);
  expect([answer.observation, answer.reward, answer.done]).toEqual([own.observation, 1, true]);
  await theirs.close();
});

it('answers as upstream’s routes: ids, environments, items out of range, errors', async () => {
  const send = async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const answer = await server.app.inject({ method, url: `/sqlgym${path}`, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.body };
  };
  const id = Number((await send('POST', '/create')).body);
  expect((await send('GET', `/observation?env_idx=${id}`)).status).toBe(500);
  const begun = JSON.parse((await send('POST', '/reset', { env_idx: id, item_id: 3 })).body);
  expect(begun).toEqual([expect.any(String), null]);
  expect(JSON.parse((await send('GET', `/observation?env_idx=${id}`)).body)).toBe(begun[0]);
  expect(JSON.parse((await send('GET', '/list_envs')).body)).toContain(id);
  const step = JSON.parse((await send('POST', '/step', { env_idx: id, action: 'SELECT x' })).body);
  expect(step).toMatchObject({ state: 'no such column: x', reward: 0, done: true });
  const right = JSON.parse((await send('POST', '/step', { env_idx: id, action: step.info.ground_truth })).body);
  expect(right).toMatchObject({ reward: 1, done: true });
  expect((await send('POST', '/reset', { env_idx: id, item_id: 1_000_000_000 })).status).toBe(500);
  expect((await send('POST', '/step', { env_idx: 999, action: 'x' })).status).toBe(500);
});
