/** Measures of games beside success and score, by the rules of their world. */
import type { World } from '../../envs/env.ts';
import type { PlayedGame } from '../../envs/game.ts';
import type { Measures } from '../common/measured.ts';
import { worldNamed } from './by-world.ts';
import type { Trajectory } from './trajectory.ts';

/** Measures of a finished game; undefined: its world has none. */
export async function measuresOf(world: World, game: PlayedGame): Promise<Measures | undefined> {
  const measure = await world.describe().seats?.measures?.();
  return measure?.(game);
}

/** The game of an episode. */
export const gameOf = ({ task, turns }: Pick<Trajectory, 'task' | 'turns'>): PlayedGame => ({
  task,
  actions: turns.filter(({ valid }) => valid).map(({ action }) => action),
});

/** Measures of each game; undefined: its world has none, or it was not played to its end. */
export const measuresOfAll = (
  worlds: ReadonlyMap<string, World>,
  played: readonly Trajectory[],
): Promise<(Measures | undefined)[]> =>
  Promise.all(
    played.map(async (trajectory) => {
      const { task, ending } = trajectory;
      if (ending !== 'success' && ending !== 'done') return undefined;
      return measuresOf(worldNamed(worlds, task.world), gameOf(trajectory));
    }),
  );
