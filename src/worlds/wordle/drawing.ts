/** Varies a training task at each draw, if its oracle draws its guesses: it draws others. */
import type { Draw, Task, WorldOptions } from '../../envs/env.ts';
import { uniformAt } from '../../envs/random-player.ts';
import { MOST_SEED, parseWordleOptions } from './options.ts';

export const drawingUnder = (options: WorldOptions): typeof otherGuesses | null =>
  parseWordleOptions(options).oracle === 'any' ? otherGuesses : null;

function otherGuesses(task: Task, { key, member }: Draw): Task {
  const oracleSeed = Math.floor(uniformAt(key, member, 0) * (MOST_SEED + 1));
  return { ...task, options: { ...task.options, oracleSeed } };
}
