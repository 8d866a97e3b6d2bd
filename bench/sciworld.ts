/**
 * Measures ScienceWorld at the World contract: batches of 16, text in and text out, in this process. Compares with the
 * original on the JVM: 83 to 172 steps, 28 to 35 full steps with valid actions, 39 to 72 lists and about 20 loads per
 * second of CPU time, of which the higher figures are used. Our figures are also per second of CPU time, which a busy
 * machine does not change. They must be at least 50 times the original's; the aim is 500 times. A random player chooses
 * the commands.
 */

import type { Task } from '../src/envs/env.ts';
import { randomAction } from '../src/envs/random-player.ts';
import { SciWorld } from '../src/worlds/sciworld/world.ts';
import { cpuSeconds, type Result, type WorldRow, worldResult } from './result.ts';

const BATCH = 16;
const TURNS = 40;
const ORIGINAL = { steps: 172, full: 35, lists: 72, loads: 20 };

const slots = Array.from({ length: BATCH }, (_, k) => k);

/** Rate per second of CPU time, the median over windows. */
async function rate(
  seconds: number,
  each: number,
  work: (round: number) => Promise<unknown> | unknown,
): Promise<number> {
  const rates: number[] = [];
  let round = 0;
  for (const start = cpuSeconds(); cpuSeconds() - start < 0.3; ) await work(round++);
  for (let window = 0; window < 9; window++) {
    const start = cpuSeconds();
    let done = 0;
    while (cpuSeconds() - start < seconds / 9) {
      await work(round++);
      done += each;
    }
    rates.push(done / (cpuSeconds() - start));
  }
  return rates.sort((a, b) => a - b)[4];
}

const withLists = (task: Task, validActions: boolean): Task => ({
  ...task,
  options: { ...task.options, validActions },
});

/** Commands of sixteen random players, played once with lists of valid actions so that they have an effect. */
async function record(world: SciWorld, tasks: readonly Task[]): Promise<string[][]> {
  let feedback = await world.reset(
    slots,
    tasks.map((task) => withLists(task, true)),
  );
  const turns: string[][] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const actions = slots.map((k) => randomAction(feedback[k].validActions ?? ['look around'], 7, k, turn));
    turns.push(actions);
    feedback = await world.step(slots, actions);
    const over = slots.filter((k) => feedback[k].done);
    if (over.length > 0) {
      const again = await world.reset(
        over,
        over.map((k) => withLists(tasks[k], true)),
      );
      over.forEach((k, i) => {
        feedback[k] = again[i];
      });
    }
  }
  return turns;
}

async function steps(world: SciWorld, tasks: readonly Task[], turns: string[][], lists: boolean, seconds: number) {
  const started = tasks.map((task) => withLists(task, lists));
  return rate(seconds, BATCH, async (round) => {
    if (round % TURNS === 0) await world.reset(slots, started);
    const feedback = await world.step(slots, turns[round % TURNS]);
    const over = slots.filter((k) => feedback[k].done);
    if (over.length > 0)
      await world.reset(
        over,
        over.map((k) => started[k]),
      );
  });
}

/** Memory of one world at its start and after a thousand steps. */
async function growth(world: SciWorld, task: Task): Promise<[number, number]> {
  const { simulator } = world;
  const single = simulator.create();
  simulator.load(single, task.strata.task as string, 0, 0);
  const start = simulator.bytesOf(single);
  for (let turn = 0; turn < 1000; turn++)
    simulator.step(single, randomAction(simulator.validActions(single), 3, 0, turn));
  return [start, simulator.bytesOf(single)];
}

async function measured(seconds = 3): Promise<WorldRow[]> {
  const world = await SciWorld.open();
  const all = await world.tasks({}, 'train');
  const tasks = slots.map((k) => all[Math.floor((k * all.length) / BATCH)]);
  const turns = await record(world, tasks);
  const row = (name: string, value: number, unit: string, original: number): WorldRow => ({
    name: `ScienceWorld ${name}`,
    value: Math.round(value),
    unit,
    original,
    floor: 50 * original,
    aim: 500 * original,
  });
  const { simulator } = world;
  const rows = [
    row('steps', await steps(world, tasks, turns, false, seconds), 'steps/s', ORIGINAL.steps),
    row('steps with valid actions', await steps(world, tasks, turns, true, seconds), 'steps/s', ORIGINAL.full),
    row(
      'lists of valid actions',
      await rate(seconds, BATCH, () => slots.map((k) => simulator.validActions(k))),
      'lists/s',
      ORIGINAL.lists,
    ),
    row(
      'loads',
      await rate(seconds, BATCH, () =>
        world.reset(
          slots,
          tasks.map((task) => withLists(task, false)),
        ),
      ),
      'loads/s',
      ORIGINAL.loads,
    ),
  ];
  for (const { name, value, unit, original } of rows)
    console.log(
      `${name.padEnd(40)} ${value.toLocaleString('en-US').padStart(9)} ${unit}  JVM ${original}  ${(value / original).toFixed(0)}x`,
    );
  const [start, grown] = await growth(world, tasks[0]);
  console.log(`bytes of a world: ${start} at its start, ${grown} after 1,000 random steps`);
  return rows;
}

export const benchSciworld = async (): Promise<Result> => worldResult(await measured());
