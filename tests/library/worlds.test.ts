/** The library's worlds alone, and mounted in a Fastify of the caller's own. */
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { serve, worldsPlugin } from '../../src/library/server.ts';
import { createWorld, createWorlds, worlds } from '../../src/library/worlds.ts';

const options = { depths: [1], distractors: 3 };

test('an oracle solves a world step by step', async () => {
  const world = await createWorld('textcraft', { options });
  let feedback = await world.reset({ split: 'test', task: 5 });
  for (const action of await world.oracle()) feedback = await world.step(action);
  expect(feedback).toMatchObject({ done: true, reward: 1 });
  await world.close();
});

test('slots of a batch are independent', async () => {
  const batch = await createWorlds('textcraft', 3, { options });
  const first = await batch.reset([{ task: 0 }, { task: 1 }, { task: 0 }]);
  expect(first[0].observation).toBe(first[2].observation);
  expect(first[0].observation).not.toBe(first[1].observation);
  const [plan] = await batch.oracle([0]);
  await batch.step([plan![0]], [0]);
  const [left, whole] = await batch.oracle([0, 2]);
  expect(left).toHaveLength(whole!.length - 1);
  await expect(batch.reset([{}, {}, {}, {}])).rejects.toThrow('3 slots');
  await batch.close();
});

test('an option out of range is refused by name', async () => {
  await expect(createWorld('textcraft', { options: { distractors: -1 } })).rejects.toThrow('options.distractors');
  expect(worlds.map(({ name }) => name)).toContain('textcraft');
});

test('the worlds are mounted below a prefix, and leave other routes alone', async () => {
  const app = fastify();
  app.get('/own', async () => 'own');
  app.post('/body', async ({ body }) => body);
  await app.register(worldsPlugin, { prefix: '/worlds', worlds: ['textcraft'] });
  expect((await app.inject('/own')).body).toBe('own');
  expect((await app.inject({ method: 'POST', url: '/body', payload: { a: 1 } })).json()).toEqual({ a: 1 });
  const made = await app.inject({ method: 'POST', url: '/worlds/textcraft/create', payload: {} });
  expect(made.statusCode).toBe(200);
  const wrong = await app.inject('/worlds/textcraft/create');
  expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, 'POST']);
  const slash = await app.inject({ method: 'POST', url: '/worlds/textcraft/create/', payload: {} });
  expect([slash.statusCode, slash.headers.location]).toEqual([307, '/worlds/textcraft/create']);
  expect((await app.inject('/worlds/nothing')).json()).toEqual({ detail: 'Not Found' });
  expect((await app.inject('/nothing')).json()).toMatchObject({ error: 'Not Found' });
  await app.close();
});

test('a server of its own listens, and its token guards it', async () => {
  const token = 'a-token-of-many-letters';
  const server = await serve({ worlds: ['textcraft'], port: 0, token });
  expect((await fetch(`${server.address}/textcraft/`)).status).toBe(403);
  expect((await fetch(`${server.address}/${token}/textcraft/`)).status).toBe(200);
  await server.close();
});
