/**
 * Measures BabyAI at the World contract, by level: batches of 64, text in and text out, in this process.
 *
 * Our figures stand beside the original's (its Python environment called directly, without HTTP). Both are process CPU
 * time, which other work on the machine affects less. A text step is a macro action of a uniform random player over the
 * listed actions, with its observation and its list. Finished worlds are replaced and actions chosen while the clock is
 * stopped. A low-level step has no text. Resets include text; the original's do not. Floor: 200 times on text steps;
 * aim: 1,000 times.
 */

import type { Feedback, Task } from '../src/envs/env.ts';
import { randomAction, uniformAt } from '../src/envs/random-player.ts';
import { BabyAiWasm } from '../src/worlds/babyai/wasm.ts';
import { BabyAi } from '../src/worlds/babyai/world.ts';
import { makeEveryLevel } from '../tools/fuzz/play-babyai.ts';
import { type Result, type WorldRow, worldResult } from './result.ts';

const BATCH = 64;
const WINDOWS = 10;
const slots = Array.from({ length: BATCH }, (_, k) => k);
/** The original's low-level steps, resets and text steps per second, by level. */
const ORIGINAL: { [level: number]: [low: number, resets: number, text: number] } = {
  1: [1854, 497, 76],
  6: [1649, 185, 123],
  17: [1712, 79, 69],
  36: [1563, 153, 72],
  39: [1430, 113, 73],
};

const taskOf = (level: number, seed: number): Task => ({
  world: 'babyai',
  id: level - 1 + 40 * seed,
  options: {},
  strata: {},
});

/** Rate per second in the best of ten windows of `work`, which returns the milliseconds that its batch took. */
async function best(seconds: number, work: (round: number) => Promise<number>): Promise<number> {
  let round = 0;
  let rate = 0;
  for (const start = performance.now(); performance.now() - start < 200; ) await work(round++);
  for (let window = 0; window < WINDOWS; window++) {
    let ms = 0;
    let done = 0;
    for (const start = performance.now(); performance.now() - start < (seconds * 1000) / WINDOWS; done += BATCH)
      ms += await work(round++);
    rate = Math.max(rate, (1000 * done) / ms);
  }
  return rate;
}
async function timed(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

async function textSteps(world: BabyAi, level: number, seconds: number): Promise<number> {
  let seed = BATCH;
  let answers: Feedback[] = await world.reset(
    slots,
    slots.map((slot) => taskOf(level, slot)),
  );
  return best(seconds, async (round) => {
    const finished = slots.filter((slot) => answers[slot].done);
    const fresh = await world.reset(
      finished,
      finished.map(() => taskOf(level, seed++)),
    );
    for (const [k, slot] of finished.entries()) answers[slot] = fresh[k];
    const actions = slots.map((slot) => randomAction(answers[slot].validActions!, 1, slot, round));
    return timed(async () => {
      answers = await world.step(slots, actions);
    });
  });
}
function resets(world: BabyAi, level: number, seconds: number): Promise<number> {
  return best(seconds, (round) => {
    const tasks = slots.map((slot) => taskOf(level, round * BATCH + slot));
    return timed(() => world.reset(slots, tasks));
  });
}
function lowSteps(wasm: BabyAiWasm, level: number, seconds: number): Promise<number> {
  wasm.generate(
    slots,
    slots.map((seed) => ({ level, seed, upstream: false, compact: false })),
  );
  return best(seconds, (round) => {
    const actions = slots.map((slot) => Math.floor(uniformAt(1, slot, round) * 7));
    return timed(() => wasm.act(slots, actions));
  });
}

async function measure(level: number, seconds: number): Promise<WorldRow[]> {
  const [low, reset, text] = ORIGINAL[level];
  const world = await BabyAi.open();
  const row = (name: string, unit: string, value: number, original: number, floor = 0, aim = 0): WorldRow => ({
    name: `BabyAI level ${level}, ${name}`,
    value: Math.round(value),
    unit,
    floor,
    aim,
    original,
  });
  return [
    row('text steps', 'steps/s', await textSteps(world, level, seconds), text, 200 * text, 1000 * text),
    row('resets with text', 'resets/s', await resets(world, level, seconds), reset),
    row('low-level steps', 'steps/s', await lowSteps(await BabyAiWasm.open(), level, seconds), low),
  ];
}

function print(rows: readonly WorldRow[]): void {
  const number = (value: number) => (value ? value.toLocaleString('en-US') : '').padStart(11);
  console.log(`${''.padEnd(42)}${['ours', 'original', 'floor', 'aim'].map((h) => h.padStart(11)).join(' ')}   times`);
  for (const { name, value, original, floor, aim } of rows) {
    const times = (value / original).toFixed(0).padStart(6);
    console.log(`${name.padEnd(42)}${[value, original, floor, aim].map(number).join(' ')} ${times}x`);
  }
}

/**
 * Prints the levels that take longest to generate, because of rejected layouts: wall time, worlds with text, one at a
 * time.
 */
async function printSlowestLevels(seeds: number): Promise<void> {
  const times = await makeEveryLevel(await BabyAi.open(), seeds);
  times.sort((a, b) => b.meanMicroseconds - a.meanMicroseconds);
  console.log(`slowest of the ${times.length} levels to generate, over ${seeds} seeds:`);
  for (const { level, meanMicroseconds, worstMilliseconds, worstSeed } of times.slice(0, 6))
    console.log(
      `  level ${level}: ${meanMicroseconds.toFixed(0)} us on average, at most ${worstMilliseconds.toFixed(1)} ms (seed ${worstSeed})`,
    );
}

/**
 * Measures levels 1, 6, 17, 36 and 39, prints a table and the levels slowest to generate, and returns the table's rows.
 */
async function measured(seconds = 2): Promise<WorldRow[]> {
  const rows: WorldRow[] = [];
  for (const level of Object.keys(ORIGINAL)) rows.push(...(await measure(Number(level), seconds)));
  print(rows);
  await printSlowestLevels(1000);
  return rows;
}

export const benchBabyai = async (): Promise<Result> => worldResult(await measured());
