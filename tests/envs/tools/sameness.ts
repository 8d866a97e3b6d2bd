/** Episodes of the worlds of tools and of SQL that must be the same on every engine, to the byte. */
import type { World } from '../../../src/envs/env.ts';
import type { WorldModule } from '../../../src/envs/module.ts';
import { sql } from '../../../src/worlds/sql/index.ts';
import { toolWorlds } from '../../../src/worlds/tools/index.ts';
import { sha256 } from '../search/sameness.ts';

/** SHA-256 of the texts of each world's episodes, computed once on Node. */
export const expectedEpisodes: { [world: string]: string } = {
  sql: '69636bf83109a1b0b50d364ecb32b28d3bcd0b9046c26d91bfc3e90b9b698990',
  'tools-films': 'f8d0fb99fdcb300d069806b43d4f71c80956e210bddf87d540efd395fc2ef7ee',
  'tools-papers': 'e3353d984a17cbdc46b5915b4c728c68956d25f1e4e0fbb7347a6d0c962e11b7',
  'tools-table': '0f4e1efb37fd94ca291a51aac33c96c683cca1d8b2310c0af0ab95172f5b3fbe',
  'tools-todo': 'd99a3c6934a2d29db6482090553eef236010836431ad15dc5f7babff57258be6',
  'tools-weather': 'ee35fee0bd0fab679f66ecd2c07085afefa7a0ab5f3ce200de3fc4da59dc21d2',
};

/** All texts of an episode: the oracle's, after one call that does not exist. */
async function episodeOf(world: World, task: Parameters<World['reset']>[1][number]): Promise<unknown[]> {
  const [start] = await world.reset([0], [task]);
  const [plan] = await world.oracle([0]);
  const texts: unknown[] = [start.observation, start.validActions];
  for (const action of ['no_such_tool 1', ...plan!]) {
    const [{ observation, reward, done, validActions }] = await world.step([0], [action]);
    texts.push(action, observation, reward, done, validActions);
  }
  return texts;
}

/** One task of each template in training and held out, by our rules and by AgentGym's. */
async function hashOf(module: WorldModule): Promise<string> {
  const world = await module.open({});
  const rules = [false, true].map((upstream) => ({ upstream, instances: 1, testInstances: 1 }));
  const episodes: unknown[] = [];
  for (const options of rules)
    for (const split of ['train', 'test'] as const)
      for (const task of await world.tasks(options, split)) episodes.push(await episodeOf(world, task));
  await world.close();
  return sha256(JSON.stringify(episodes));
}

export async function hashesOfEpisodes(): Promise<{ [world: string]: string }> {
  const hashes: { [world: string]: string } = {};
  for (const module of [...toolWorlds([]), sql]) hashes[module.name] = await hashOf(module);
  return hashes;
}
