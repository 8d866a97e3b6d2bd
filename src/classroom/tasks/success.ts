/** Goal: success on held-out tasks, played again with a seed that the pupil does not have. */
import * as v from 'valibot';
import { percent, rateWords, type TaskKind, taskFields } from './task.ts';

const schema = v.strictObject({
  ...taskFields,
  kind: v.literal('success'),
  /** A suite's name; `own`: the held-out tasks of the assignment's experiment. */
  suite: v.optional(v.pipe(v.string(), v.maxLength(80)), 'own'),
  items: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2000))), null),
  atLeast: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  /** The number compared: the rate, or the lower bound of its 95% interval. */
  of: v.optional(v.picklist(['low', 'rate']), 'low'),
});

type Success = v.InferOutput<typeof schema>;

export const success: TaskKind<Success> = {
  schema,
  async check({ suite, items, atLeast, of }, given) {
    const needed = `${of === 'low' ? 'lower bound' : 'rate'} at least ${percent(atLeast)}`;
    const rate = await given.suite({ suite, items });
    if (!rate) return { passed: null, measured: 'not played', needed };
    return { passed: rate[of] >= atLeast, measured: rateWords(rate), needed, rate: rate.rate };
  },
};
