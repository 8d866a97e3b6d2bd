// The shop behind AgentGym's protocol: our client of the original server plays it as the world itself.
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
  server = await startServer(['shop']);
  address = await server.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await server?.close();
});

it('is played by AgentGym’s client of WebShop, to the reward', async () => {
  const kind = agentGymKinds(worldModules).find((each) => each.kind === 'webshop')!;
  const module = worldModule('agentgym-webshop');
  const theirs = new RemoteWorld(module, await AgentGymWorld.open(module, kind, { address: `${address}/webshop` }));
  const ours = await openWorld('shop');
  const options = { upstream: true, matcher: 'levenshtein', goals: 'synthetic', order: 'agentgym' };
  const [task] = (await ours.tasks(options, 'train')).slice(20);
  const [first] = await ours.reset([0], [task]);
  const [their] = await theirs.reset([0], [{ ...task, world: module.name, id: 20, options: {} }]);
  expect(their.observation).toBe(first.observation);
  const [plan] = await ours.oracle([0]);
  for (const action of plan!) {
    const [[answer], [own]] = await Promise.all([theirs.step([0], [action]), ours.step([0], [action])]);
    expect([answer.observation, answer.reward, answer.done]).toEqual([own.observation, own.reward, own.done]);
  }
  expect((await theirs.step([0], ['x']))[0].reward).toBe(1);
  await theirs.close();
});

it('answers as upstream’s routes: ids, buttons, instruction, state, errors', async () => {
  const send = async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const answer = await server.app.inject({ method, url: `/webshop${path}`, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.body };
  };
  const json = async (...request: Parameters<typeof send>) => JSON.parse((await send(...request)).body);
  const id = Number((await send('POST', '/create')).body);
  expect(await json('GET', '/list_envs')).toContain(id);
  expect(await json('GET', `/available_actions?env_idx=${id}`)).toEqual({
    has_search_bar: true,
    clickables: ['search'],
  });
  const [observation, nothing] = await json('POST', '/reset', { env_idx: id, session_id: 3 });
  expect([observation, nothing]).toEqual([expect.stringMatching(/^WebShop \[SEP\] /), null]);
  expect(await json('GET', `/observation?env_idx=${id}`)).toBe(observation);
  expect(await json('GET', `/instruction_text?env_idx=${id}`)).toBe(observation.split(' [SEP] ').slice(1, 3).join(' '));
  expect(await json('POST', '/step', { env_idx: id, action: 'search[lamps]' })).toMatchObject({
    reward: 0,
    done: false,
    info: null,
  });
  expect((await json('GET', `/available_actions?env_idx=${id}`)).clickables.slice(0, 2)).toEqual([
    'back to search',
    'next >',
  ]);
  expect(await json('GET', `/state?env_idx=${id}`)).toMatchObject({
    instruction_text: expect.stringMatching(/^Instruction: /),
  });
  expect((await send('POST', '/reset', { env_idx: id, session_id: 1_000_000_000 })).status).toBe(500);
  expect((await send('POST', '/reset', { env_idx: id })).status).toBe(200);
  expect((await send('POST', '/step', { env_idx: 999, action: 'x' })).status).toBe(500);
});
