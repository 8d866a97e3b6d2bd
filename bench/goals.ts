/**
 * Draws 10,000 goals of TextCraft with every part of the choice of goals on, and records the memory of the heap and the
 * size of what a checkpoint holds of them; neither may grow once the lists are full. Chance plays instead of a policy.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Task } from '../src/envs/env.ts';
import { uniform } from '../src/rl/common/random.ts';
import type { Trajectory } from '../src/rl/episode/trajectory.ts';
import { Goals } from '../src/rl/goals/goals.ts';
import { proposable } from '../src/rl/goals/proposer.ts';
import { type GoalsSettings, newGoals } from '../src/rl/goals/registry.ts';
import { openWorld } from '../src/worlds/registry.ts';

interface GoalsRow {
  goals: number;
  heapBytes: number;
  textBytes: number;
  notes: number;
}

const all = 10_000;
const every = 1000;
const groups = 20;
const groupSize = 4;

const settings = {
  ...newGoals('level-replay'),
  ...{ retryShare: 0.2, retryTurns: 1, partsShare: 0.1, relabels: 8, skills: 16 },
  ...{ keep: 128, keptShare: 0.2, distilEvery: 4, familyWeight: 1, inventedShare: 0.1 },
} as GoalsSettings;

/** An episode of random length and outcome, of a hundred tokens. */
function episode(task: Task, group: number, member: number, key: number): Trajectory {
  const count = 100;
  const turns = 1 + Math.floor(5 * uniform(key, group, member, 1));
  const success = uniform(key, group, member, 2) < 0.3;
  return {
    ...{ task, group, member, prompt: '', promptLength: 60, horizon: 6, oracleTurns: null, advantage: 0 },
    tokens: new Int32Array(count).fill(1 + member),
    source: new Uint8Array(count),
    turnOf: new Int16Array(count),
    logprob: new Float32Array(count),
    choices: null,
    turns: Array.from({ length: turns }, (_, turn) => ({
      ...{
        action: `get ${Math.floor(50 * uniform(key, group, member, turn, 3))} logs`,
        observation: 'Got it',
        reward: 0,
      },
      ...{ valid: true, actionStart: 0, actionEnd: 0, observationStart: 0, observationEnd: 0 },
    })),
    ...{ score: success ? 1 : 0, success, ending: success ? 'success' : 'horizon' },
    advantages: new Float32Array(0),
  };
}

export async function benchGoals(): Promise<GoalsRow[]> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const world = await openWorld('textcraft');
  const worlds = new Map([['textcraft', world]]);
  const options = { depths: [1, 2], distractors: 3 };
  const tasks = await world.tasks(options, 'train');
  const invented = await proposable(worlds, [{ name: 'textcraft', options }], 1);
  const memory = { notes: new Map<string, number>(), texts: new Map<string, string>() };
  const goals = Goals.of([{ weight: 1, tasks }], settings, 1, memory, invented);
  const rows: GoalsRow[] = [];
  for (let step = 1; step <= all / groups; step++) {
    goals.begin(step);
    const chosen = goals.tasks(groups);
    const played = chosen.flatMap((task, group) =>
      Array.from({ length: groupSize }, (_, member) => episode(task, group, member, step)),
    );
    goals.observe(played);
    const failed = goals.failedGroups(played);
    const parts = (await world.subgoals?.(failed.map(({ task }) => task))) ?? [];
    for (const [i, { draw, members }] of failed.entries()) {
      if (draw) goals.divide(draw, parts[i]);
      if (parts[i].length > 0) goals.keepRelabelled({ ...members[0], task: parts[i][0], success: true });
    }
    goals.commit();
    if ((step * groups) % every !== 0) continue;
    collect();
    const textBytes = [...memory.texts.values()].reduce((sum, text) => sum + text.length, 0);
    rows.push({ goals: step * groups, heapBytes: process.memoryUsage().heapUsed, textBytes, notes: memory.notes.size });
  }
  await world.close();
  return rows;
}
