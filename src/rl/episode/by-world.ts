/** The open worlds of a rollout, by the names that tasks give them. */
import type { Split, Task, World, WorldOptions } from '../../envs/env.ts';
import { groupBy } from '../common/numbers.ts';

/** A task names a world that is not open. */
class RolloutError extends Error {
  override name = 'RolloutError';
}

export function worldNamed(worlds: ReadonlyMap<string, World>, name: string): World {
  const world = worlds.get(name);
  if (!world) throw new RolloutError(`There is no world "${name}"; open are ${[...worlds.keys()].join(', ')}.`);
  return world;
}

/** Tasks of a split under each of several options of worlds. */
export const tasksOf = (
  worlds: ReadonlyMap<string, World>,
  entries: readonly { name: string; options: WorldOptions }[],
  split: Split,
): Promise<Task[][]> => Promise.all(entries.map(({ name, options }) => worldNamed(worlds, name).tasks(options, split)));

/** Runs a batched call once for each world, over the rows that live in it. */
export async function perWorld<T extends { readonly task: Task }>(
  worlds: ReadonlyMap<string, World>,
  rows: readonly T[],
  call: (world: World, members: T[]) => Promise<void>,
): Promise<void> {
  const byWorld = groupBy(rows, ({ task }) => task.world);
  await Promise.all([...byWorld].map(([name, members]) => call(worldNamed(worlds, name), members)));
}
