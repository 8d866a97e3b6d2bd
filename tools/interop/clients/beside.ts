/**
 * One of our worlds beside the original's server, under the same ids and the same actions: every observation, reward and end that differs is
 * reported. Actions are our oracle's in every other episode, else drawn from what the server's text offers.
 */

import type { Feedback, World, WorldOptions } from '../../../src/envs/env.ts';
import { randomAction } from '../../../src/envs/random-player.ts';
import { RemoteWorld } from '../../../src/envs/transport/remote.ts';
import { agentGymKinds } from '../../../src/worlds/agentgym/index.ts';
import { AgentGymWorld } from '../../../src/worlds/agentgym/world.ts';
import { openWorld, worldModule, worldModules } from '../../../src/worlds/registry.ts';

export interface Beside {
  kind: string;
  /** Our own world, as the original plays it. */
  own: { name: string; options: WorldOptions };
  /** What one point of ours is there. */
  points?: number;
  /** Of a first observation, what must be equal, where the rest hangs on the machine. */
  opening?(observation: string): string;
}

export interface Comparison {
  episodes: number;
  starts: number;
  steps: number;
  won: number;
  differences: string[];
  /** First observations that differ as a whole and agree in what must. */
  otherOpenings: number;
}

const TURNS = 20;

export async function openOriginal(kind: string, address: string): Promise<RemoteWorld> {
  const found = agentGymKinds(worldModules).find((each) => each.kind === kind)!;
  const module = worldModule(`agentgym-${kind}`);
  return new RemoteWorld(module, await AgentGymWorld.open(module, found, { address }));
}

/** ScienceWorld's points are whole numbers there. */
const seen = ({ observation, reward, done }: Feedback, points = 1) =>
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
        result.differences.push(`item ${task.id}, start:\n  theirs ${seen(their)}\n  ours   ${seen(our)}`);
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
    const [said] = await theirs.step([0], [action]);
    const [own] = await ours.step([0], [action]);
    result.steps++;
    if (said.failure !== undefined || seen(said) !== seen(own, points)) {
      const words = said.failure ?? seen(said);
      result.differences.push(
        `item ${id}, turn ${turn + 1}, ${JSON.stringify(action)}:\n  theirs ${words}\n  ours   ${seen(own, points)}`,
      );
      return;
    }
    offered = said.validActions ?? offered;
    if (said.done) {
      result.won += said.reward > 0 ? 1 : 0;
      return;
    }
  }
}
