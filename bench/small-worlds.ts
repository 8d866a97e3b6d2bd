/**
 * Measures the household, Maze, Wordle and typed worlds at the World contract: batches of 64, text in and text out, in this process, with a random
 * player's actions. Measured in CPU time, which a busy machine does not change. Beside TextWorld: `household.ts`.
 */
import type { Task, World, WorldOptions } from '../src/envs/env.ts';
import { randomAction } from '../src/envs/random-player.ts';
import { openWorld, worldNames, worldTemplates } from '../src/worlds/registry.ts';
import { cpuSeconds } from './result.ts';

export interface SmallWorldRow {
  name: string;
  resetsPerSecond: number;
  stepsPerSecond: number;
}

const BATCH = 64;
const TURNS = 6;
const SECONDS = 1;
const slots = Array.from({ length: BATCH }, (_, k) => k);

/** Measures rounds of a reset and some steps, after a first round that is not counted. */
async function measure(name: string, world: World, options: WorldOptions): Promise<SmallWorldRow> {
  const tasks = await world.tasks(options, 'train');
  const spent = { reset: 0, step: 0 };
  let rounds = 0;
  await playRound(world, tasks, 0, { reset: 0, step: 0 });
  while (spent.reset + spent.step < SECONDS) await playRound(world, tasks, ++rounds, spent);
  const row = {
    name,
    resetsPerSecond: (rounds * BATCH) / spent.reset,
    stepsPerSecond: (rounds * BATCH * TURNS) / spent.step,
  };
  const [resets, steps] = [row.resetsPerSecond, row.stepsPerSecond].map((rate) =>
    Math.round(rate).toLocaleString('en-US'),
  );
  console.log(`${name.padEnd(36)} ${resets} resets/s, ${steps} steps/s`);
  return row;
}

async function playRound(world: World, tasks: readonly Task[], round: number, spent: { reset: number; step: number }) {
  let before = cpuSeconds();
  const starts = await world.reset(
    slots,
    slots.map((k) => tasks[(round * BATCH + k) % tasks.length]),
  );
  spent.reset += cpuSeconds() - before;
  for (let turn = 0; turn < TURNS; turn++) {
    const actions = slots.map((k) => randomAction(starts[k].validActions!, round, k, turn));
    before = cpuSeconds();
    await world.step(slots, actions);
    spent.step += cpuSeconds() - before;
  }
}

const settings: readonly [title: string, world: string, options: WorldOptions][] = [
  ['household, 12 receptacles', 'household', {}],
  ['household, 24 receptacles, brief', 'household', { receptacles: 24, clutter: 40, observation: 'brief' }],
  ['maze, 5 by 5 rooms', 'maze', {}],
  ['maze, 20 by 20 rooms, compact', 'maze', { size: 20, observation: 'compact' }],
  ['maze, the original', 'maze', { upstream: true }],
  ['wordle, common words', 'wordle', {}],
  ['wordle, 100 words, compact, spelled', 'wordle', { words: 100, observation: 'compact', spelled: true }],
  ['wordle, the original', 'wordle', { upstream: true }],
];

/** Templates of typed worlds whose episodes outlast a round. */
async function typedSettings(): Promise<typeof settings> {
  const templates = await worldTemplates();
  return ['guess', 'vending', 'keys', 'shop'].map((name) => [`typed, ${name}`, 'own-world', { code: templates[name] }]);
}

export async function benchSmallWorlds(): Promise<SmallWorldRow[]> {
  const rows: SmallWorldRow[] = [];
  for (const [title, name, options] of [...settings, ...(await typedSettings())].filter(([, name]) =>
    worldNames.includes(name),
  ))
    rows.push(await measure(title, await openWorld(name), options));
  return rows;
}
