/**
 * Walks through made houses: a house of random size, a dialect, and commands by chance and by the oracle, with the
 * world's own answers.
 */
import type { Feedback } from '../../src/envs/env.ts';
import { mixSeeds, Random } from '../../src/envs/random.ts';
import type { House } from '../../src/worlds/household/house.ts';
import { drawHouse } from '../../src/worlds/household/made/draw-house.ts';
import { taskKinds } from '../../src/worlds/household/made/task-kinds.ts';
import type { Dialect } from '../../src/worlds/household/original/grammar.ts';
import type { Household } from '../../src/worlds/household/world.ts';

/** An answer in the form of `play.py`: text, commands in order, score, end. */
export type Answer = [text: string, commands: readonly string[], score: number, done: boolean];

export interface Walk {
  seed: number;
  dialect: Dialect;
  house: House;
  commands: string[];
  answers: Answer[];
}

/** The house of a walk. */
export function walkHouse(seed: number): House {
  const random = new Random(mixSeeds(seed, 0x77616c6b));
  const kind = taskKinds[seed % taskKinds.length];
  // Most houses are small, since TextWorld takes seconds for a large one.
  const large = random.chance(10);
  const receptacles = random.between(8, large ? 24 : 10);
  const shape = { receptacles, clutter: random.below(large ? 40 : 8), sharedPlaces: random.pick([0, 10, 30]) };
  return drawHouse(kind, seed, random.chance(20), shape);
}

/** A command by chance: verbs are drawn first, so that the rare ones are tried as often as going. */
function byChance(commands: readonly string[], random: Random): string {
  const verb = random.pick([...new Set(commands.map((each) => each.split(' ')[0]))]);
  return random.pick(commands.filter((each) => each.split(' ')[0] === verb));
}

/** A command that is not possible, or not exactly written. */
function damaged(command: string, random: Random): string {
  return random.pick([
    `${command} 1`,
    command.toUpperCase(),
    command.slice(1),
    `  ${command} `,
    'open fridge',
    '',
    'put it down',
  ]);
}

export const answerOf = ({ observation, done }: Feedback, commands: readonly string[]): Answer => [
  observation,
  commands,
  done ? 1 : 0,
  done,
];

/** Plays a walk: `steps` commands by chance, with the oracle's among them, then the oracle to the end. */
export async function walk(world: Household, seed: number, dialect: Dialect, steps: number): Promise<Walk> {
  const random = new Random(mixSeeds(seed, 1));
  const house = walkHouse(seed);
  const [start] = await world.resetHouses([0], [house], { dialect, oracle: random.chance(50) ? 'sees' : 'explores' });
  let listed = start.validActions!;
  const found: Walk = { seed, dialect, house, commands: [], answers: [answerOf(start, listed)] };
  const act = async (command: string) => {
    const [feedback] = await world.step([0], [command]);
    listed = feedback.validActions ?? listed;
    found.commands.push(command);
    found.answers.push(answerOf(feedback, listed));
    return feedback.done;
  };
  for (let step = 0; step < steps; step++) {
    const advised = random.chance(25) ? (await world.oracle([0]))[0]?.[0] : undefined;
    const command = advised ?? byChance(listed, random);
    if (await act(random.chance(8) ? damaged(command, random) : command)) return found;
  }
  for (const command of (await world.oracle([0]))[0] ?? []) if (await act(command)) break;
  return found;
}
