/** Maze's part of `npm run replay`. */
import { Maze } from '../../src/worlds/maze/world.ts';
import { type Player, readEpisodes, replayLmrlGym } from './lmrlgym.ts';
import { readRecordingFile } from './recording-file.ts';
import type { ReplayResult } from './result.ts';

async function mazePlayer(): Promise<Player> {
  const world = await Maze.open();
  const answer = async (call: ReturnType<Maze['step']>) => (await call)[0];
  return {
    reset: (item) =>
      answer(world.reset([0], [{ world: 'maze', id: Number(item), options: { upstream: true }, strata: {} }])),
    step: (action) => answer(world.step([0], [action])),
  };
}

/** Compares recorded episodes, given as the text of their file. */
export const replayMaze = async (text: string): Promise<ReplayResult> =>
  replayLmrlGym('maze', await mazePlayer(), readEpisodes(text));

export const mazeForm = (file: string) => replayMaze(readRecordingFile(file));
