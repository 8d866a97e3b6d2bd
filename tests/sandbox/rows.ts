// Rows for any objective. Sequences, groups and pairs vary, and some rows lie far from the policy that sampled them.
import type { PlainRows } from '../../src/policy/objective-rows.ts';
import type { ObjectiveFacts } from '../../src/policy/policy.ts';
import { uniform } from '../../src/rl/common/random.ts';

/** `spread`: distance between the policy and the one that sampled the rows, in log-probability. */
export function rowsOf({ columns }: Pick<ObjectiveFacts, 'columns'>, count = 64, spread = 3, seed = 1): PlainRows {
  const each = (stream: number, scale: number, shift = 0) =>
    Float32Array.from({ length: count }, (_, i) => shift + scale * (uniform(seed, 1000 * stream + i) - 0.5));
  const sequence = Int32Array.from({ length: count }, (_, i) => Math.floor(i / 5));
  const logprob = each(1, 2, -1.5);
  const near = (stream: number, scale: number) => each(stream, scale).map((x, i) => x + logprob[i]);
  const of = (read: (sequence: number) => number) => Float32Array.from(sequence, read);
  const known: { [name: string]: Float32Array } = {
    oldLogprob: near(2, spread).map((x, i) => (i % 29 === 7 ? x - 25 : x)),
    refLogprob: near(3, spread).map((x, i) => (i % 31 === 9 ? x + 24 : x)),
    advantage: each(4, 4),
    coefficient: each(5, 0.02, 0.02),
    valueCoefficient: each(6, 0.02, 0.02),
    oldValue: each(7, 2),
    return: each(8, 3),
    preferred: of((s) => 1 - (s % 2)),
    label: of((s) => [1, 0, -1][s % 3]),
  };
  return {
    logprob,
    entropy: each(9, 1, 0.8),
    value: each(10, 2),
    columns: columns.map((name) => known[name]),
    ids: {
      sequence,
      turn: Int32Array.from({ length: count }, (_, i) => i % 3),
      group: sequence.map((s) => s >> 2),
      pair: sequence.map((s) => s >> 1),
    },
  };
}
