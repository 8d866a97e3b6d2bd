/**
 * Measures TextCraft at the World contract: batches of 64, text in and text out, in this process and through a worker.
 *
 * Our figures stand beside the original's (its Python environment called directly, without HTTP): 11,800 steps and 207
 * resets per second. The floor is 20 times that, the aim 100 times. Steps are a uniform random player's: a mixture of
 * accepted and refused actions. Resets go through the items in turn; "new lists" gives each reset its own list seed, so
 * that the command list is computed anew and no cache helps.
 */
import type { Task, World } from '../src/envs/env.ts';
import { randomAction } from '../src/envs/random-player.ts';
import { openWorldPool } from '../src/workers/spawn-world.ts';
import { openWorld } from '../src/worlds/registry.ts';
import type { WorldRow } from './result.ts';

const BATCH = 64;
const ORIGINAL_STEPS = 11_800;
const ORIGINAL_RESETS = 207;
const TURNS = 30;

const WINDOWS = 20;

/**
 * Rate per second in the best window of about `seconds` of calls to `work`, each worth `each`; other windows may be
 * disturbed.
 */
async function rate(each: number, seconds: number, work: (round: number) => Promise<unknown>): Promise<number> {
  let round = 0;
  for (const start = performance.now(); performance.now() - start < 200; ) await work(round++);
  let best = 0;
  for (let window = 0; window < WINDOWS; window++) {
    const start = performance.now();
    let done = 0;
    while (performance.now() - start < (seconds * 1000) / WINDOWS) {
      await work(round++);
      done += each;
    }
    best = Math.max(best, (done * 1000) / (performance.now() - start));
  }
  return best;
}

const slots = Array.from({ length: BATCH }, (_, k) => k);

async function measureSteps(world: World, tasks: readonly Task[], seconds: number): Promise<number> {
  const chosen = slots.map((k) => tasks[(k * 7) % tasks.length]);
  const starts = await world.reset(slots, chosen);
  // Drawn before the clock starts, because the player is not part of the measurement.
  const turns = Array.from({ length: TURNS }, (_, turn) =>
    slots.map((k) => randomAction(starts[k].validActions ?? [''], 1, k, turn)),
  );
  return rate(BATCH, seconds, async (round) => {
    if (round % TURNS === 0) await world.reset(slots, chosen);
    return world.step(slots, turns[round % TURNS]);
  });
}

async function measureResets(
  world: World,
  tasks: readonly Task[],
  seconds: number,
  newLists: boolean,
): Promise<number> {
  const batchOf = (round: number) =>
    slots.map((k) => {
      const task = tasks[(round * BATCH + k) % tasks.length];
      return newLists ? { ...task, options: { ...task.options, listSeed: round * BATCH + k } } : task;
    });
  return rate(BATCH, seconds, (round) => world.reset(slots, batchOf(round)));
}

async function measure(world: World, where: string, seconds: number): Promise<WorldRow[]> {
  const tasks = await world.tasks({}, 'train');
  const row = (name: string, value: number, original: number): WorldRow => ({
    name: `TextCraft ${name}, ${where}`,
    value: Math.round(value),
    unit: name.startsWith('steps') ? 'steps/s' : 'resets/s',
    floor: 20 * original,
    aim: 100 * original,
    original,
  });
  const rows = [
    row('steps', await measureSteps(world, tasks, seconds), ORIGINAL_STEPS),
    row('resets', await measureResets(world, tasks, seconds, false), ORIGINAL_RESETS),
    row('resets, new lists', await measureResets(world, tasks, seconds, true), ORIGINAL_RESETS),
  ];
  await world.close();
  return rows;
}

function print(rows: readonly WorldRow[]): void {
  const number = (value: number) => value.toLocaleString('en-US').padStart(11);
  console.log(`${''.padEnd(42)}${['ours', 'original', 'floor', 'aim'].map((h) => h.padStart(11)).join(' ')}   times`);
  for (const { name, value, original, floor, aim } of rows) {
    const times = (value / original).toFixed(1).padStart(6);
    console.log(`${name.padEnd(42)}${[value, original, floor, aim].map(number).join(' ')} ${times}x`);
  }
}

/** Measures, prints a table, and returns its rows. */
export async function benchWorld(seconds = 3): Promise<WorldRow[]> {
  const rows = [
    ...(await measure(await openWorld('textcraft'), 'in process', seconds)),
    ...(await measure(await openWorldPool('textcraft'), 'through a worker', seconds)),
  ];
  print(rows);
  return rows;
}
