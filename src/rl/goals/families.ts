/** Families of training goals: the tasks of a world with one value of a stratum. */
import type { Task } from '../../envs/env.ts';
import { hash } from '../common/random.ts';
import { Epochs, type TaskSource } from '../schedule/tasks.ts';

/** Maximum number of families of a run: each has a row on the page and numbers in the checkpoint. */
const mostFamilies = 64;

const STREAM_ORDER = 0x676f726f;
const STREAM_INSTANCE = 0x676f696e;

/** Goals that the experiment cannot have. */
export class GoalsError extends Error {
  override name = 'GoalsError';
}

/** One draw: the family, and the number of its earlier draws. It determines the tasks. */
export interface Draw {
  family: number;
  before: number;
}

export const isSameDraw = (a: Draw, b: Draw): boolean => a.family === b.family && a.before === b.before;

/** Tasks of one family, in shuffled epochs. */
export interface FamilyTasks {
  name: string;
  weight: number;
  tasks: readonly Task[];
  /** True if the world draws another instance of a task each time. */
  isDrawn: boolean;
  /** Task for one of the `siblings` groups of a draw: each group has another instance, or the next task. */
  task(before: number, siblings: number, member: number): Task;
}

/** Value of `goals.by` under which each entry of the mixture is a family. */
const byWorld = 'world';

/** Stratum that makes a source's families; null: the source is one family. */
function stratumOf({ tasks }: TaskSource, by: string | null): string | null {
  const shared = Object.keys(tasks[0]?.strata ?? {}).filter((name) => tasks.every(({ strata }) => name in strata));
  if (by === null) return shared[0] ?? null;
  return shared.includes(by) ? by : null;
}

/** Tasks of a source by family, in the order of their first tasks. */
function grouped(source: TaskSource, by: string | null): Map<string, Task[]> {
  const stratum = stratumOf(source, by);
  const families = new Map<string, Task[]>();
  for (const task of source.tasks) {
    const name = stratum === null ? task.world : `${task.world}, ${stratum} ${task.strata[stratum]}`;
    const known = families.get(name);
    if (known) known.push(task);
    else families.set(name, [task]);
  }
  return families;
}

/**
 * Families of all sources. `by`: stratum that makes them; a world without it is one family. Throws GoalsError if no
 * world has it, or if there are too many.
 */
export function familiesOf(sources: readonly TaskSource[], by: string | null, seed: number): FamilyTasks[] {
  const used = sources.filter(({ weight, tasks }) => weight > 0 && tasks.length > 0);
  if (by !== null && by !== byWorld && used.every((source) => stratumOf(source, by) === null)) {
    const known = [...new Set(used.flatMap(({ tasks }) => Object.keys(tasks[0].strata)))];
    throw new GoalsError(
      `goals.by is "${by}", which no task has: ${known.length ? `choose ${[...known, byWorld].join(' or ')}` : 'these tasks have no properties, leave it out'}.`,
    );
  }
  const total = used.reduce((sum, { weight }) => sum + weight, 0);
  const families = used.flatMap((source) =>
    [...grouped(source, by)].map(([name, tasks]) => ({
      name,
      weight: ((source.weight / total) * tasks.length) / source.tasks.length,
      tasks,
      drawn: source.drawn,
    })),
  );
  if (families.length > mostFamilies)
    throw new GoalsError(
      `There are ${families.length} families of goals, at most ${mostFamilies} are allowed: choose a coarser property in goals.by.`,
    );
  const names = families.map(({ name }) => name);
  return families.map(({ name, weight, tasks, drawn }, index) => {
    const epochs = new Epochs(tasks, seed, STREAM_ORDER, index);
    return {
      // The same world may stand in a mixture twice, with different options.
      name: names.indexOf(name) === index ? name : `${name} (${index + 1})`,
      weight,
      tasks,
      isDrawn: drawn !== undefined,
      task: (before, siblings, member) =>
        drawn
          ? drawn(epochs.task(before), { key: hash(seed, STREAM_INSTANCE, index, before), member })
          : epochs.task(before * siblings + member),
    };
  });
}
