/** Task: make success collapse, and name the signal that moved first. */
import * as v from 'valibot';
import { fallOf } from '../../rl/evaluation/fall.ts';
import { type TaskKind, taskFields } from './task.ts';

const schema = v.strictObject({
  ...taskFields,
  kind: v.literal('collapse'),
  /** Minimum fall of success on held-out tasks, from 0 to 1. */
  by: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1)), 0),
});

type Collapse = v.InferOutput<typeof schema>;

export const collapse: TaskKind<Collapse> = {
  schema,
  check({ by }, { records, answer }) {
    const needed = `a fall of at least ${(100 * by).toFixed(0)} points, and the signal that moved first`;
    const fall = fallOf(records);
    if (!fall || fall.by < by) return { passed: false, measured: 'no such fall', needed };
    const first = fall.first?.signal ?? 'none';
    const measured = `fell by ${(100 * fall.by).toFixed(1)} points; first: ${first}; answered: ${String(answer ?? 'nothing')}`;
    return { passed: answer === first, measured, needed };
  },
};
