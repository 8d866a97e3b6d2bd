/** Goal: a bound on steps, parameters or operations. */
import * as v from 'valibot';
import { type Given, type TaskKind, taskFields } from './task.ts';

const counts = {
  steps: ({ records }: Given) => records.at(-1)?.step ?? 0,
  parameters: ({ parameters }: Given) => parameters,
  operations: ({ records }: Given) => records.reduce((sum, { metrics }) => sum + (metrics.flops ?? 0), 0),
};

const boundNames = Object.keys(counts) as (keyof typeof counts)[];

const schema = v.strictObject({
  ...taskFields,
  kind: v.literal('bound'),
  of: v.picklist(boundNames),
  atMost: v.pipe(v.number(), v.minValue(1), v.maxValue(1e18)),
});

type Bound = v.InferOutput<typeof schema>;

export const bound: TaskKind<Bound> = {
  schema,
  check({ of, atMost }, given) {
    const count = counts[of](given);
    return { passed: count <= atMost, measured: `${count} ${of}`, needed: `at most ${atMost}` };
  },
};
