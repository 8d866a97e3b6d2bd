/** OpenEnv's Task API: the tasks of a world's splits by index. A reset takes the same `split` and `index`. */
import * as v from 'valibot';
import type { Split, Task } from '../../envs/env.ts';
import { parseBody, Unreadable, UnreadableBody } from '../agentgym/fields.ts';
import type { Answer, Request, Router } from '../router.ts';
import type { ServedWorld } from '../served-world.ts';
import { InvalidMessage, readMessage } from './episode.ts';

const splits = ['train', 'test'] as const;
const split = v.picklist(splits);
const whole = v.pipe(v.number(), v.safeInteger());
const SplitSchema = v.object({ split });
const IndexSchema = v.object({ split, index: whole });
const RangeSchema = v.object({ split, start: v.nullish(whole), stop: v.nullish(whole) });

/**
 * Description of a task. `item` is its id in the world; the strata (depth, level, task) give its difficulty and kind.
 */
const describeTask = (task: Task, of: Split, index: number) => ({
  ...task.strata,
  id: `${task.world}/${of}/${index}`,
  split: of,
  index,
  item: task.id,
});

class OutOfRange extends Error {
  override name = 'OutOfRange';
}

type Query = (served: ServedWorld, body: unknown) => Promise<object>;

const queries: { readonly [name: string]: Query } = {
  async tasks(served, body) {
    const { split } = readMessage(SplitSchema, body, 'request');
    const tasks = await served.tasks(split);
    return { tasks: tasks.map((task, k) => describeTask(task, split, k)), env_name: served.module.name };
  },
  async num_tasks(served, body) {
    const { split } = readMessage(SplitSchema, body, 'request');
    return { num_tasks: (await served.tasks(split)).length };
  },
  async task(served, body) {
    const { split, index } = readMessage(IndexSchema, body, 'request');
    const tasks = await served.tasks(split);
    if (index < 0 || index >= tasks.length)
      throw new OutOfRange(`The split "${split}" has the tasks 0 to ${tasks.length - 1} (index is ${index}).`);
    return { task: describeTask(tasks[index], split, index) };
  },
  async task_range(served, body) {
    const { split, start, stop } = readMessage(RangeSchema, body, 'request');
    const tasks = await served.tasks(split);
    const [first, end] = [start ?? 0, stop ?? tasks.length];
    if (first < 0 || end > tasks.length || first > end)
      throw new OutOfRange(
        `The split "${split}" has the tasks 0 to ${tasks.length - 1} (requested: ${first} to ${end}).`,
      );
    return { tasks: tasks.slice(first, end).map((task, k) => describeTask(task, split, first + k)) };
  },
};

async function answer(query: Query, served: ServedWorld, request: Request): Promise<Answer> {
  try {
    return { status: 200, json: await query(served, parseBody(request.body, request.contentType)) };
  } catch (error) {
    if (error instanceof OutOfRange) return { status: 400, json: { detail: error.message } };
    if (error instanceof InvalidMessage) return { status: 422, json: { detail: error.errors } };
    if (error instanceof Unreadable) return { status: 422, json: { detail: error.problems } };
    if (error instanceof UnreadableBody) return { status: 400, json: { detail: error.message } };
    throw error;
  }
}

/** `base`: prefix of the list of worlds. */
export function mountTaskApi(router: Router, base: string, worlds: readonly ServedWorld[]): void {
  router.add('GET', `${base}/list_environments`, async () => ({
    status: 200,
    json: worlds.map(({ module }) => module.name),
  }));
  for (const served of worlds) {
    const prefix = `${base}/${served.module.name}`;
    router.add('GET', `${prefix}/splits`, async () => ({
      status: 200,
      json: splits.map((name) => ({ name, type: name })),
    }));
    for (const [name, query] of Object.entries(queries))
      router.add('POST', `${prefix}/${name}`, (request) => answer(query, served, request));
  }
}
