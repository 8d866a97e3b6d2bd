/** The four actions of Maze, in the order of the original's server. */
import { moves } from './view-data.ts';

export const mazeActions: readonly string[] = Object.freeze(moves.map((move) => `move ${move}`));
