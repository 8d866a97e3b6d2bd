/**
 * Measures the household at the World contract, in this process and with one world at a time, and TextWorld on the same
 * games with the same commands, if TABGYM_TEXTWORLD_PYTHON names a Python with textworld[pddl] and alfworld
 * (docs/worlds/household.md). Measured in CPU time, which a busy machine does not change.
 */
import { execFileSync } from 'node:child_process';
import { repositoryRoot } from '../src/envs/transport/wasm.ts';
import { parseHousehold } from '../src/worlds/household/options.ts';
import { writeProblem } from '../src/worlds/household/original/problem.ts';
import { madeHouse } from '../src/worlds/household/tasks.ts';
import { Household } from '../src/worlds/household/world.ts';
import { type Beside, besideOriginal, cpuSeconds, type Result } from './result.ts';

/** Games that both play, with the oracle's commands. TextWorld takes seconds to read one. */
const games = 12;
const seconds = 2;
const aim = 100;

interface Game {
  id: number;
  task: string;
  problem: string;
  commands: string[];
  /** Texts of all answers, the first for the reset. */
  texts: string[];
}

/** Seconds of CPU time by part, and what was played. */
interface Times {
  resets: number;
  resetSeconds: number;
  steps: number;
  stepSeconds: number;
}

async function makeGames(world: Household): Promise<Game[]> {
  const tasks = (await world.tasks({ oracle: 'explores', houses: games }, 'train')).slice(0, games);
  const made: Game[] = [];
  for (const task of tasks) {
    const house = madeHouse(task.id, parseHousehold(task.options));
    const [start] = await world.reset([0], [task]);
    const [commands] = await world.oracle([0]);
    const texts = [start.observation];
    for (const command of commands!) texts.push((await world.step([0], [command]))[0].observation);
    made.push({ id: task.id, task: house.task, problem: writeProblem(house), commands: commands!, texts });
  }
  return made;
}

/** Plays the games again and again: houses are made anew at each reset, as TextWorld reads each game anew. */
async function playHere(all: readonly Game[]): Promise<Times> {
  const times: Times = { resets: 0, resetSeconds: 0, steps: 0, stepSeconds: 0 };
  const options = parseHousehold({ oracle: 'explores' });
  const world = await Household.open();
  for (let round = 0; times.resetSeconds + times.stepSeconds < seconds; round++) {
    const { id, commands } = all[round % all.length];
    let before = cpuSeconds();
    await world.resetHouses([0], [madeHouse(id, options)], options);
    // The first round compiles.
    if (round >= all.length) {
      times.resetSeconds += cpuSeconds() - before;
      times.resets++;
    }
    before = cpuSeconds();
    for (const command of commands) await world.step([0], [command]);
    if (round >= all.length) {
      times.stepSeconds += cpuSeconds() - before;
      times.steps += commands.length;
    }
  }
  return times;
}

/** TextWorld's times and texts, or null if no Python is named. */
async function playThere(all: readonly Game[]): Promise<(Times & { texts: string[][] }) | null> {
  const python = process.env.TABGYM_TEXTWORLD_PYTHON;
  if (!python) {
    console.log('TextWorld was not measured: set TABGYM_TEXTWORLD_PYTHON (docs/worlds/household.md)');
    return null;
  }
  const input = JSON.stringify(all.map(({ task, problem, commands }) => ({ task, problem, commands })));
  const script = `${await repositoryRoot()}/bench/compare/textworld_steps.py`;
  return JSON.parse(execFileSync(python, [script], { input, encoding: 'utf8', maxBuffer: 1 << 28 }));
}

export async function benchHousehold(): Promise<Result> {
  const all = await makeGames(await Household.open());
  const theirs = await playThere(all);
  const equal = theirs?.texts.filter((texts, k) => texts.join('\n') === all[k].texts.join('\n')).length;
  if (theirs) console.log(`${equal} of ${all.length} games have the same texts here and in TextWorld`);
  const ours = await playHere(all);
  const row = (name: string, unit: string, rate: (times: Times) => number): Beside => {
    return { name, unit, ours: rate(ours), original: theirs && rate(theirs), aim };
  };
  return besideOriginal('TextWorld', [
    row('household, steps', 'steps/s', ({ steps, stepSeconds }) => steps / stepSeconds),
    row('household, resets of a new game', 'resets/s', ({ resets, resetSeconds }) => resets / resetSeconds),
  ]);
}
