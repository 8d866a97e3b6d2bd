/**
 * `npm run fuzz:sciworld [-- COUNT [SEED]]`: plays unlikely commands in all thirty tasks: grammatical ones with random
 * verbs and objects, valid actions, answers to questions, and arbitrary Unicode. Fails on a trap, on a command over the
 * bound of work (a count of visits, pairs and comparisons, without a clock), and on memory over the bounds, for a world
 * or for the whole instance (with data shared by its worlds and scratch space).
 */
import { pathToFileURL } from 'node:url';
import { uniformAt } from '../../src/envs/random-player.ts';
import { SciWorldSimulator } from '../../src/worlds/sciworld/simulator.ts';
import { bitsOf, sciWorldTasks } from '../../src/worlds/sciworld/tasks.ts';

/** Maximum work of one command, and maximum memory of one world (bytes). */
export const MOST_WORK = 5_000_000;
export const MOST_BYTES = 16 << 20;
/** Maximum memory of the instance when fuzzing one world at a time (bytes). */
export const MOST_INSTANCE_BYTES = 64 << 20;
const EPISODE = 200;

const verbs = [
  'open',
  'close',
  'go',
  'go to',
  'teleport to',
  'look',
  'look at',
  'examine',
  'look in',
  'activate',
  'turn on',
  'deactivate',
  'eat',
  'move',
  'put',
  'pour',
  'focus on',
  'reset task',
  'use',
  'read',
  'flush',
  'connect',
  'disconnect',
  'wait',
  'wait1',
  'inventory',
  'pick up',
  'take',
  'drop',
  'put down',
  'mix',
  'stir',
  'task',
  'dunk',
  'help',
  'objects',
];
const joints = ['', ' to ', ' in ', ' into ', ' on ', ' with ', ' a ', ' the '];
const generic = [
  'door',
  'object',
  'substance',
  'cup',
  'table',
  'terminal',
  'terminal 1',
  'anode',
  'living thing',
  'room',
  'drain',
  'water',
  'ground',
  'shovel',
  'agent',
  'inventory',
  'container',
  'a',
  'the an a',
  '0',
  '-1',
  '+1',
  '99999999999',
];

class Dice {
  private turn = 0;
  constructor(
    private readonly seed: number,
    private readonly stream: number,
  ) {}
  next(n: number): number {
    return Math.floor(uniformAt(this.seed, this.stream, this.turn++) * n);
  }
  pick<T>(list: readonly T[]): T {
    return list[this.next(list.length)];
  }
}

/** A string of any code points, including lone surrogates and control characters. */
function noise(dice: Dice): string {
  const length = dice.next(dice.next(20) === 0 ? 4000 : 40);
  const ranges = [0x20, 0x80, 0x800, 0x10000, 0x110000];
  const top = dice.pick(ranges);
  return Array.from({ length }, () => String.fromCodePoint(dice.next(top))).join('');
}

function shaped(dice: Dice, words: readonly string[]): string {
  const object = () => dice.pick(dice.next(3) === 0 ? generic : words);
  const parts = [dice.pick(verbs), ' ', object()];
  for (let k = dice.next(3); k > 0; k--) parts.push(dice.pick(joints), object());
  const line = parts.join('');
  return dice.next(8) === 0 ? line.toUpperCase() : line;
}

function command(simulator: SciWorldSimulator, world: number, dice: Dice): string {
  const kind = dice.next(10);
  if (kind === 0) return noise(dice);
  if (kind === 1 || simulator.pending(world) > 0) return dice.next(4) === 0 ? noise(dice) : String(dice.next(12) - 1);
  if (kind < 5) return dice.pick(simulator.validActions(world, dice.next(2) === 0));
  return shaped(dice, [...simulator.possibleObjects(world), ...generic]);
}

export interface FuzzReport {
  commands: number;
  accepted: number;
  mostWork: number;
  mostBytes: number;
  instanceBytes: number;
}

/** Plays `count` commands and returns the largest figures seen. Throws what the simulator throws. */
export async function fuzzSciworld(count: number, seed: number): Promise<FuzzReport> {
  const simulator = await SciWorldSimulator.open();
  const world = simulator.create();
  const report: FuzzReport = { commands: 0, accepted: 0, mostWork: 0, mostBytes: 0, instanceBytes: 0 };
  for (let episode = 0; report.commands < count; episode++) {
    const { name, variations } = sciWorldTasks[episode % sciWorldTasks.length];
    const dice = new Dice(seed, episode);
    simulator.load(world, name, dice.next(variations), dice.next(2) === 0 ? 0 : bitsOf(['easy'], name));
    for (let k = 0; k < EPISODE && report.commands < count; k++) {
      const line = command(simulator, world, dice);
      simulator.step(world, line);
      report.commands++;
      if (simulator.accepted()) report.accepted++;
      report.mostWork = Math.max(report.mostWork, simulator.lastWork());
      report.mostBytes = Math.max(report.mostBytes, simulator.bytesOf(world));
    }
  }
  report.instanceBytes = simulator.memoryBytes();
  return report;
}

async function main(count: number, seed: number): Promise<void> {
  const { commands, accepted, mostWork, mostBytes, instanceBytes } = await fuzzSciworld(count, seed);
  console.log(`${commands} commands, ${accepted} of them accepted; no trap`);
  console.log(`maximum work of a command: ${mostWork} of ${MOST_WORK} allowed`);
  console.log(`maximum memory of a world: ${mostBytes} of ${MOST_BYTES} bytes allowed`);
  console.log(`memory of the instance: ${instanceBytes} of ${MOST_INSTANCE_BYTES} bytes allowed`);
  if (mostWork > MOST_WORK || mostBytes > MOST_BYTES || instanceBytes > MOST_INSTANCE_BYTES) process.exitCode = 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await main(Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 1));
