// A world of tools behind AgentGym's protocol: our client plays it as the world itself, and the routes answer as upstream's.
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
  server = await startServer(['tools-todo']);
  address = await server.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await server?.close();
});

it('is played by AgentGym’s client of the to-do server, to the reward', async () => {
  const kind = agentGymKinds(worldModules).find((each) => each.kind === 'todo')!;
  const module = worldModule('agentgym-todo');
  const theirs = new RemoteWorld(module, await AgentGymWorld.open(module, kind, { address: `${address}/todo` }));
  const ours = await openWorld('tools-todo');
  const [task] = (await ours.tasks({ upstream: true }, 'train')).slice(20);
  const [first] = await ours.reset([0], [task]);
  const [their] = await theirs.reset([0], [{ ...task, world: module.name, id: 20, options: {} }]);
  expect(their.observation).toBe(first.observation);
  const [plan] = await ours.oracle([0]);
  for (const action of ['nonsense', ...plan!]) {
    const [[their], [our]] = await Promise.all([theirs.step([0], [action]), ours.step([0], [action])]);
    expect([their.observation, their.reward, their.done]).toEqual([our.observation, our.reward, our.done]);
  }
  await theirs.close();
});

it('answers as upstream’s routes: ids, environments, items out of range', async () => {
  const send = async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const answer = await server.app.inject({ method, url: `/todo${path}`, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.body };
  };
  const { body: id } = await send('POST', '/create', { id: 3 });
  const begun = await send('GET', `/observation?env_idx=${id}`);
  expect(begun.body).toContain('Now new trial starts.');
  expect(JSON.parse((await send('GET', '/list_envs')).body)).toContain(Number(id));
  const step = await send('POST', '/step', { env_idx: Number(id), action: 'get_projects' });
  expect(JSON.parse(step.body)).toMatchObject({ reward: 0, done: false });
  expect((await send('GET', `/observation?env_idx=${id}`)).body).toBe(begun.body);
  expect((await send('POST', '/create', { id: 1_000_000_000 })).status).toBe(500);
  expect((await send('POST', '/step', { env_idx: 999, action: 'x' })).status).toBe(500);
  const again = await send('POST', '/reset', { env_idx: Number(id) });
  expect(again.body).toBe(begun.body);
});
