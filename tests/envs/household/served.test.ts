// The household behind AgentGym's protocol: our client of the original server plays it as the world itself.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildWasm } from '../../../scripts/build-wasm.mjs';
import { RemoteWorld } from '../../../src/envs/transport/remote.ts';
import type { Server } from '../../../src/server/server.ts';
import { agentGymKinds } from '../../../src/worlds/agentgym/index.ts';
import { AgentGymWorld } from '../../../src/worlds/agentgym/world.ts';
import { openWorld, worldModule, worldModules } from '../../../src/worlds/registry.ts';
import { startServer } from '../../server/helpers.ts';

let server: Server;
let address: string;

beforeAll(async () => {
  await buildWasm();
  server = await startServer(['household']);
  address = await server.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await server?.close();
});

it('is played by AgentGym’s client of ALFWorld, to the reward', async () => {
  const kind = agentGymKinds(worldModules).find((each) => each.kind === 'alfworld')!;
  const module = worldModule('agentgym-alfworld');
  const theirs = new RemoteWorld(module, await AgentGymWorld.open(module, kind, { address: `${address}/alfworld` }));
  const ours = await openWorld('household');
  const task = (await ours.tasks({ dialect: 'put' }, 'train'))[9];
  const [first] = await ours.reset([0], [task]);
  const [their] = await theirs.reset([0], [{ ...task, world: module.name, id: 9, options: {} }]);
  const opening = first.observation.split('\n\n').slice(1).join('\n');
  expect(their.observation).toBe(`${opening}\nAVAILABLE ACTIONS: ${first.validActions!.join(',')}`);
  expect(their.validActions).toEqual(first.validActions);
  const [plan] = await ours.oracle([0]);
  for (const action of plan!) {
    const [[answer], [own]] = await Promise.all([theirs.step([0], [action]), ours.step([0], [action])]);
    expect(answer.observation).toBe(own.observation.replace(/^You arrive at loc \d+\. /, ''));
    expect([answer.reward, answer.done]).toEqual([own.done ? 1 : 0, own.done]);
  }
  await theirs.close();
});

it('answers as upstream’s routes: ids, kinds of worlds, games out of range, the end', async () => {
  const send = async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const answer = await server.app.inject({ method, url: `/alfworld${path}`, ...(payload && { payload }) });
    return JSON.parse(answer.body);
  };
  const { id } = await send('POST', '/create');
  expect(await send('POST', '/reset', { id, game: 0, world_type: 'Dream' })).toEqual({
    error: 'world_type must be one of "Text", "Embody" and "Hybrid"',
  });
  expect(await send('POST', '/reset', { id, game: 10_000_000, world_type: 'Text' })).toEqual({
    error: 'list index out of range',
  });
  expect(await send('POST', '/step', { id: 99, action: 'look' })).toEqual({ error: 'The id 99 is not valid.' });
  const begun = await send('POST', '/reset', { id, game: 0, world_type: 'Text' });
  expect(Object.keys(begun)).toEqual(['id', 'observation', 'available_actions', 'task_type']);
  const step = await send('POST', '/step', { id, action: 'dance' });
  expect(step).toEqual({
    observation: 'Nothing happens.',
    reward: 0,
    available_actions: begun.available_actions,
    done: false,
  });
  expect(await send('GET', `/available_actions?id=${id}`)).toEqual(begun.available_actions);
  expect(await send('GET', `/observation?id=${id}`)).toBe('Nothing happens.');
  expect(await send('GET', `/detail?id=${id}`)).toMatchObject({ world_type: 'Text', game: 0, done: false });
});
