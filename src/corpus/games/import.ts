/** Brings games: each is tried by the world that plays it, and those that it knows are kept. */
import { CorpusError } from '../lines.ts';
import { checkGames, type GameFile, type GameStore } from './store.ts';

/** Throws with the name of what the world does not know. */
export type GameCheck = (text: string) => void;

export interface GamesImport {
  /** Games that are kept. */
  games: number;
  /** Games left out, and the first reasons, each with its path. */
  refused: number;
  examples: string[];
}

const mostExamples = 3;

function faultOf(text: string, check: GameCheck): string | null {
  try {
    check(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Keeps the games that pass the check. Throws CorpusError if none does. */
export async function importGames(
  store: GameStore,
  name: string,
  files: readonly GameFile[],
  check: GameCheck,
): Promise<GamesImport> {
  if (!name.trim()) throw new CorpusError('Games need a name.');
  checkGames(files);
  const faults = files.map(({ text }) => faultOf(text, check));
  const good = files.filter((_, k) => faults[k] === null);
  const examples = files.flatMap(({ path }, k) => (faults[k] === null ? [] : [`${path}: ${faults[k]}`]));
  if (!good.length) throw new CorpusError(`None of the games can be played here. ${examples[0]}`);
  await store.keep(name, good);
  return { games: good.length, refused: files.length - good.length, examples: examples.slice(0, mostExamples) };
}
