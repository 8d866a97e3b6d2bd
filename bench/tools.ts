/**
 * Measures the worlds of tools and SQL at the World contract, in this process: resets and steps per second of one
 * episode and of 64 at once, with a random player's actions, and the memory of an episode. Measured in CPU time, which a
 * busy machine does not change.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Feedback, type Task, validActionsAfter, type World } from '../src/envs/env.ts';
import { randomAction } from '../src/envs/random-player.ts';
import { openWorld, worldModules } from '../src/worlds/registry.ts';
import { cell, cpu, cpuSeconds, type Result } from './result.ts';

interface ToolsRow {
  name: string;
  resetsPerSecond: number;
  stepsPerSecond: number;
  kilobytes: number;
}

const TURNS = 6;
/** Episodes that are held for the measurement of memory. */
const HELD = 256;

interface Spent {
  resets: number;
  resetSeconds: number;
  steps: number;
  stepSeconds: number;
}

/** Plays a round of `count` episodes. The player's choices, and the lists that they read, are not timed. */
async function playRound(world: World, tasks: readonly Task[], count: number, round: number, spent: Spent) {
  const slots = Array.from({ length: count }, (_, k) => k);
  let start = cpuSeconds();
  let answers: Feedback[] = await world.reset(
    slots,
    slots.map((k) => tasks[(round * count + k) % tasks.length]),
  );
  spent.resetSeconds += cpuSeconds() - start;
  spent.resets += count;
  let listed = slots.map((k) => answers[k].validActions!);
  for (let turn = 0; turn < TURNS; turn++) {
    const actions = slots.map((k) => randomAction(listed[k], round, k, turn));
    start = cpuSeconds();
    answers = await world.step(slots, actions);
    spent.stepSeconds += cpuSeconds() - start;
    spent.steps += count;
    listed = slots.map((k) => validActionsAfter(listed[k], answers[k])!);
  }
}

async function measure(name: string, world: World, count: number, seconds: number) {
  const tasks = await world.tasks({}, 'train');
  const spent: Spent = { resets: 0, resetSeconds: 0, steps: 0, stepSeconds: 0 };
  const warm = { ...spent };
  for (let round = 0; warm.resets < 64; round++) await playRound(world, tasks, count, round, warm);
  for (let round = 64; spent.resetSeconds + spent.stepSeconds < seconds; round++)
    await playRound(world, tasks, count, round, spent);
  return {
    name: `${name}, ${count === 1 ? 'one' : `${count} at once`}`,
    resetsPerSecond: spent.resets / spent.resetSeconds,
    stepsPerSecond: spent.steps / spent.stepSeconds,
  };
}

/** Memory that an episode holds after some turns. */
async function heldKilobytes(world: World): Promise<number> {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  const tasks = await world.tasks({}, 'train');
  const unused = { resets: 0, resetSeconds: 0, steps: 0, stepSeconds: 0 };
  await playRound(world, tasks, 1, 0, unused);
  gc();
  const before = process.memoryUsage();
  await playRound(world, tasks, HELD, 0, unused);
  gc();
  const after = process.memoryUsage();
  return (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / HELD / 1024;
}

export async function benchTools(match?: string): Promise<Result> {
  const names = worldModules.filter(({ view }) => view === 'tools' || view === 'sql').map(({ name }) => name);
  const details: ToolsRow[] = [];
  for (const name of names.filter((each) => !match || each.includes(match))) {
    const world = await openWorld(name);
    const kilobytes = await heldKilobytes(world);
    for (const count of [1, 64]) {
      const row = { ...(await measure(name, world, count, 1)), kilobytes };
      const [resets, steps] = [row.resetsPerSecond, row.stepsPerSecond].map(cell);
      console.log(`${row.name}: ${resets} resets/s, ${steps} steps/s, ${cell(kilobytes)} KB an episode`);
      details.push(row);
    }
    await world.close();
  }
  const columns = ['', 'resets/s', 'steps/s', 'KB an episode'];
  return { on: cpu(), adapter: null, columns, rows: details.map((row) => Object.values(row)), details };
}
