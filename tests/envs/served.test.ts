// Our clients connected to our own server: an episode through both equals the episode of the world itself.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorldOptions } from '../../src/envs/env.ts';
import { RemoteWorld } from '../../src/envs/transport/remote.ts';
import type { Server } from '../../src/server/server.ts';
import { checkAgentGym } from '../../src/worlds/agentgym/check.ts';
import { agentGymKinds } from '../../src/worlds/agentgym/index.ts';
import { AgentGymWorld } from '../../src/worlds/agentgym/world.ts';
import { checkOpenEnv } from '../../src/worlds/openenv/check.ts';
import { openenv } from '../../src/worlds/openenv/index.ts';
import { OpenEnvWorld } from '../../src/worlds/openenv/world.ts';
import { openWorld, worldModule, worldModules } from '../../src/worlds/registry.ts';
import { startServer } from '../server/helpers.ts';
import { hasWorlds, rowsHere } from '../worlds.ts';

const names = ['textcraft', 'babyai', 'sciworld', 'maze', 'wordle'].filter((name) => hasWorlds(name));
let server: Server;
let address: string;

beforeAll(async () => {
  server = await startServer(names);
  address = await server.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await server?.close();
});

/** Address of each kind on the server. */
const placeOf = (name: string) => `${address}/${name}`;

const cases: [string, WorldOptions][] = [
  ['textcraft', {}],
  ['babyai', { upstream: true }],
  ['sciworld', { upstream: true }],
  ['maze', { upstream: true }],
];

describe.each(rowsHere(cases))('AgentGym’s %s', (name, options) => {
  it('equals the world itself, from the first text to the reward', async () => {
    const kind = agentGymKinds(worldModules).find((each) => each.kind === name)!;
    const module = worldModule(`agentgym-${name}`);
    const settings = { address: placeOf(name) };
    expect((await checkAgentGym(kind, settings)).ms).toBeGreaterThan(0);
    const theirs = new RemoteWorld(module, await AgentGymWorld.open(module, kind, settings));
    const ours = await openWorld(name);
    const [task] = await theirs.tasks({}, 'test');
    const [their] = await theirs.reset([0], [task]);
    const [our] = await ours.reset([0], [{ world: name, id: task.id, options, strata: {} }]);
    expect(their.failure).toBeUndefined();
    const [plan] = await ours.oracle([0]);
    let last = { their, our };
    for (const action of plan!.slice(0, 12)) {
      last = { their: (await theirs.step([0], [action]))[0], our: (await ours.step([0], [action]))[0] };
      expect([action, last.their.observation, last.their.done]).toEqual([action, last.our.observation, last.our.done]);
    }
    if (last.our.done) expect(last.their.reward).toBeGreaterThanOrEqual(module.successReward);
    await theirs.close();
    await ours.close();
  });
});

it('OpenEnv’s socket plays an episode to its end', async () => {
  const settings = { address: `${address}/openenv/textcraft` };
  const report = await checkOpenEnv(settings);
  expect([report.works, report.findings]).toEqual([true, []]);
  const world = new RemoteWorld(openenv, await OpenEnvWorld.open(settings));
  const options = { taskBy: 'index', testItems: '0-3' };
  const [task] = await world.tasks(options, 'test');
  const [opening] = await world.reset([0], [task]);
  expect(opening.failure).toBeUndefined();
  expect(opening.observation).toContain('Goal: craft');
  const ours = await openWorld('textcraft');
  const [same] = await ours.reset([0], [(await ours.tasks({}, 'test'))[0]]);
  expect(opening.observation).toBe(same.observation);
  const [plan] = await ours.oracle([0]);
  let last = opening;
  for (const action of plan!) [last] = await world.step([0], [action]);
  expect(last).toMatchObject({ done: true, reward: 1 });
  await world.close();
});
