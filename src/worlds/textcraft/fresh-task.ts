/**
 * Varies a training task at each draw: other names, another list of recipes, fewer distractors; siblings of a group get
 * the same list with different goals.
 */
import type { Draw, Task, WorldOptions } from '../../envs/env.ts';
import { Draws } from './draws.ts';
import { parseTextCraftOptions } from './options.ts';

/** Share of draws with the full number of distractors, as in evaluations; the others draw a number up to it. */
const fullListShare = 0.35;

/** Returns the function that varies a task at each draw, or null if tasks stay the same. */
export function freshTaskUnder(options: WorldOptions): typeof freshTask | null {
  const { fresh, madeUp } = parseTextCraftOptions(options);
  return fresh || madeUp ? freshTask : null;
}

function freshTask(task: Task, { key, member }: Draw): Task {
  const options = parseTextCraftOptions(task.options);
  const { madeUp, distractors } = options;
  if (madeUp) return { ...task, options: { ...options, listSeed: key % 0x4000_0000, asked: member } };
  const draws = new Draws(key);
  const count = draws.next() < fullListShare ? distractors : draws.below(distractors + 1);
  const [listSeed, naming] = [draws.below(2 ** 32), 1 + draws.below(2 ** 32 - 1)];
  return { ...task, options: { ...options, distractors: count, listSeed, naming, keepKinds: true, asked: member } };
}
