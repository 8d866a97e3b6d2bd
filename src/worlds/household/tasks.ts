/** Tasks of made houses: an id is a number of a house and a kind of task. */

import type { Split, Task } from '../../envs/env.ts';
import { WorldError } from '../../envs/env.ts';
import { mixSeeds } from '../../envs/random.ts';
import { householdDescription } from './description.ts';
import type { House } from './house.ts';
import { drawHouse } from './made/draw-house.ts';
import type { HouseholdOptions } from './options.ts';
import { firstHeldOut, partsOfId, taskId } from './task-ids.ts';

const lastId = 0x7fffffff;

export function madeTasks(options: HouseholdOptions, split: Split): Task[] {
  const [first, count] = split === 'train' ? [0, options.houses] : [firstHeldOut, options.testHouses];
  return Array.from({ length: count }, (_, k) => first + k).flatMap((house) =>
    options.tasks.map((task) => ({
      world: householdDescription.name,
      id: taskId(house, task),
      options: { ...options },
      strata: { task },
    })),
  );
}

/** The house of a task's id. */
export function madeHouse(id: number, options: HouseholdOptions): House {
  const { house, kind } = partsOfId(id);
  if (!Number.isInteger(id) || id < 0 || id > lastId || !kind)
    throw new WorldError(`A household has no task ${id}: choose one that its list of tasks names.`);
  return drawHouse(kind, mixSeeds(options.seed, id), house >= firstHeldOut, options);
}
