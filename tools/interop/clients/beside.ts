/**
 * Plays one of our worlds beside the original's server, with the same ids and actions, and reports every difference in
 * observation, reward and end. Actions are our oracle's in every other episode, else chosen at random among those that
 * the server's text offers.
 */

import type { Feedback, World, WorldOptions } from '../../../src/envs/env.ts';
import { randomAction } from '../../../src/envs/random-player.ts';
import { RemoteWorld } from '../../../src/envs/transport/remote.ts';
import { agentGymKinds } from '../../../src/worlds/agentgym/index.ts';
import { AgentGymWorld } from '../../../src/worlds/agentgym/world.ts';
import { openWorld, worldModule, worldModules } from '../../../src/worlds/registry.ts';

export interface Beside {
  kind: string;
  /** Our own world, with the options that match the original. */
  own: { name: string; options: WorldOptions };
  /** Points of the original per point of ours. */
  points?: number;
  /** The part of a first observation that must be equal, if the rest depends on the machine. */
  opening?(observation: string): string;
}

export interface Comparison {
  episodes: number;
  starts: number;
  steps: number;
  won: number;
  differences: string[];
  /** Number of first observations that differ elsewhere but agree in the required part. */
  otherOpenings: number;
}

const TURNS = 20;

async function openOriginal(kind: string, address: string): Promise<RemoteWorld> {
  const found = agentGymKinds(worldModules).find((each) => each.kind === kind)!;
  const module = worldModule(`agentgym-${kind}`);
  return new RemoteWorld(module, await AgentGymWorld.open(module, found, { address }));
}

/** Comparable form of a feedback; the original's points in ScienceWorld are whole numbers. */
const comparable = ({ observation, reward, done }: Feedback, points = 1) =>
  JSON.stringify({ observation, reward: points === 1 ? reward : Math.round(points * reward), done });

export async function playBeside(
  { kind, own, points, opening = (text) => text }: Beside,
  address: string,
  episodes: number,
): Promise<Comparison> {
  const theirs = await openOriginal(kind, address);
  const ours = await openWorld(own.name);
  const result: Comparison = { episodes, starts: 0, steps: 0, won: 0, differences: [], otherOpenings: 0 };
  const all = await theirs.tasks({}, 'test');
  const stride = Math.max(1, Math.floor(all.length / episodes));
  const tasks = all.filter((_, k) => k % stride === 0);
  try {
    for (const [episode, task] of tasks.slice(0, episodes).entries()) {
      const [their] = await theirs.reset([0], [task]);
      const [our] = await ours.reset([0], [{ world: own.name, id: task.id, options: own.options, strata: {} }]);
      result.starts++;
      if (opening(their.observation) !== opening(our.observation))
        result.differences.push(`item ${task.id}, start:\n  theirs ${comparable(their)}\n  ours   ${comparable(our)}`);
      else if (their.observation !== our.observation) result.otherOpenings++;
      await playOn({ theirs, ours, id: task.id, episode, result, their, points });
    }
  } finally {
    await Promise.all([theirs.close(), ours.close()]);
  }
  return result;
}

interface Game {
  theirs: World;
  ours: World;
  id: number;
  episode: number;
  result: Comparison;
  their: Feedback;
  points?: number;
}

async function playOn({ theirs, ours, id, episode, result, their, points }: Game): Promise<void> {
  let offered = their.validActions ?? [];
  for (let turn = 0; turn < TURNS; turn++) {
    const [plan] = episode % 2 ? [null] : await ours.oracle([0]);
    const action = plan?.[0] ?? randomAction(offered.length ? offered : ['inventory'], 0, id, turn);
    const [theirFeedback] = await theirs.step([0], [action]);
    const [ourFeedback] = await ours.step([0], [action]);
    result.steps++;
    if (theirFeedback.failure !== undefined || comparable(theirFeedback) !== comparable(ourFeedback, points)) {
      const shown = theirFeedback.failure ?? comparable(theirFeedback);
      result.differences.push(
        `item ${id}, turn ${turn + 1}, ${JSON.stringify(action)}:\n  theirs ${shown}\n  ours   ${comparable(ourFeedback, points)}`,
      );
      return;
    }
    offered = theirFeedback.validActions ?? offered;
    if (theirFeedback.done) {
      result.won += theirFeedback.reward > 0 ? 1 : 0;
      return;
    }
  }
}
