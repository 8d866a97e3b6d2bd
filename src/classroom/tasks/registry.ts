/** Kinds of tasks. A new kind is a file beside this one and a line in `kinds`. */
import * as v from 'valibot';
import { bound } from './bound.ts';
import { choice } from './choice.ts';
import { collapse } from './collapse.ts';
import { episode } from './episode.ts';
import { success } from './success.ts';
import type { CommonTask, TaskKind } from './task.ts';
import { text } from './text.ts';

const kinds = { success, bound, choice, text, episode, collapse };

/** A task of any kind. */
export const taskSchema = v.variant(
  'kind',
  Object.values(kinds).map(({ schema }) => schema) as never,
) as unknown as v.GenericSchema<unknown, CommonTask>;

/** Module of a task. */
export const kindOf = ({ kind }: Pick<CommonTask, 'kind'>): TaskKind<CommonTask> =>
  kinds[kind as keyof typeof kinds] as unknown as TaskKind<CommonTask>;
