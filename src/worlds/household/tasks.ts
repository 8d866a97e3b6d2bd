/** Tasks of made houses: an id is a number of a house and a kind of task. */

import type { Split, Task } from '../../envs/env.ts';
import { WorldError } from '../../envs/env.ts';
import { mixSeeds } from '../../envs/random.ts';
import { householdDescription } from './description.ts';
import type { House } from './house.ts';
import { drawHouse } from './made/draw-house.ts';
import { taskKinds } from './made/task-kinds.ts';
import type { HouseholdOptions } from './options.ts';

/** Room for kinds of tasks in an id: another kind changes no other task. */
const kindRoom = 16;
/** First house of the held-out tasks; all larger numbers are held out as well. */
const firstHeldOut = 1_000_000;
const lastId = 0x7fffffff;

export function madeTasks(options: HouseholdOptions, split: Split): Task[] {
  const [first, count] = split === 'train' ? [0, options.houses] : [firstHeldOut, options.testHouses];
  return Array.from({ length: count }, (_, k) => first + k).flatMap((house) =>
    options.tasks.map((task) => ({
      world: householdDescription.name,
      id: house * kindRoom + taskKinds.indexOf(task),
      options: { ...options },
      strata: { task },
    })),
  );
}

/** The house of a task's id. */
export function madeHouse(id: number, options: HouseholdOptions): House {
  const kind = taskKinds[id % kindRoom];
  if (!Number.isInteger(id) || id < 0 || id > lastId || !kind)
    throw new WorldError(`A household has no task ${id}: choose one that its list of tasks names.`);
  const house = Math.floor(id / kindRoom);
  return drawHouse(kind, mixSeeds(options.seed, id), house >= firstHeldOut, options);
}
