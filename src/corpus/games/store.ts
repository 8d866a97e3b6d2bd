/** Storage of game files that a person brings, for the world Household: in the browser, or in a folder on Node. */

import { CorpusError } from '../lines.ts';
import { isShadowFile } from '../shadow-files.ts';

/** A game file with its path in the folder or archive that it came from. */
export interface GameFile {
  path: string;
  text: string;
}

/** Facts about kept games, for lists. */
export interface KeptGames {
  name: string;
  games: number;
}

export interface GameStore {
  list(): Promise<KeptGames[]>;
  /** Throws CorpusError if there are none of this name. */
  read(name: string): Promise<readonly GameFile[]>;
  keep(name: string, games: readonly GameFile[]): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Maximum number of characters of all games of a collection: they are held in memory while a world plays them. */
const largestGames = 400_000_000;

/** File name of a game in ALFWorld's data. */
export const isGamePath = (path: string): boolean => path.endsWith('.tw-pddl') && !isShadowFile(path);

/** Checks a collection: game files alone, at least one, within bounds. */
export function checkGames(games: readonly GameFile[]): void {
  if (!games.length)
    throw new CorpusError('There is no game.tw-pddl among the files: choose a folder or a zip of them.');
  const size = games.reduce((sum, { text }) => sum + text.length, 0);
  if (size > largestGames)
    throw new CorpusError(`The games have ${size} characters, and ${largestGames} is the most: choose fewer games.`);
}

export const noGames = (name: string): string =>
  `There are no games named "${name}" here: bring their files under Storage or by npm run corpus -- add-games.`;
