/** The maze's four actions, as the original's server lists them. */
import { moves } from './view-data.ts';

export const mazeActions: readonly string[] = Object.freeze(moves.map((move) => `move ${move}`));
