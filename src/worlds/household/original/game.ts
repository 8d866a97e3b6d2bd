/** Game files of ALFWorld (`game.tw-pddl`): JSON with domain, grammar, problem and a walkthrough. */
import { WorldError } from '../../../envs/env.ts';
import type { House } from '../house.ts';
import { readDomain, writeDomain } from './domain.ts';
import { type Dialect, readGrammar, writeGrammar } from './grammar.ts';
import { readProblem, writeProblem } from './problem.ts';

export interface Game {
  house: House;
  dialect: Dialect;
  /** Commands that win, as the file gives them; empty if it gives none. */
  walkthrough: string[];
}

interface GameFile {
  pddl_domain: string;
  grammar: string;
  pddl_problem: string;
  solvable?: boolean | null;
  walkthrough?: string[] | null;
}

/** Largest game file, in characters: the original's have some 80,000. */
const largestGame = 4_000_000;

function parseFile(text: string): GameFile {
  if (text.length > largestGame)
    throw new WorldError(`The game has ${text.length} characters, and ${largestGame} is the most.`);
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new WorldError('The game is not JSON.');
  }
  const game = (file ?? {}) as GameFile;
  for (const name of ['pddl_domain', 'grammar', 'pddl_problem'] as const)
    if (typeof game[name] !== 'string') throw new WorldError(`The game lacks "${name}": it is no game.tw-pddl.`);
  if (game.solvable === false) throw new WorldError('The game is marked as not solvable.');
  return game;
}

/** Reads a game file. Throws with the name of what the household does not know. */
export function readGame(text: string): Game {
  const { pddl_domain, grammar, pddl_problem, walkthrough } = parseFile(text);
  const { dialect, task } = readGrammar(grammar, readDomain(pddl_domain));
  const commands = Array.isArray(walkthrough) ? walkthrough.filter((each) => typeof each === 'string') : [];
  return { house: readProblem(pddl_problem, task), dialect, walkthrough: commands };
}

/** A game file of a house. */
export function writeGame(house: House, dialect: Dialect, walkthrough: readonly string[]): string {
  const game: GameFile = {
    pddl_domain: writeDomain(dialect === 'move'),
    grammar: writeGrammar(dialect, house.task),
    pddl_problem: writeProblem(house),
    solvable: true,
    walkthrough: [...walkthrough],
  };
  return JSON.stringify(game);
}
