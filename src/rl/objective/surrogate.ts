/**
 * Policy terms beside the clipped token ratio: one ratio per sequence (GSPO), and a clipped weight instead of a clipped
 * ratio (CISPO). A combination of level and form is an objective; the pointwise combination has a WGSL form
 * (`clipped.ts`).
 */

import { exp } from '../../policy/elementary.ts';
import type { ObjectiveRows, ObjectiveSpec } from '../../policy/policy.ts';
import {
  boundsOf,
  type ClipBounds,
  clippedColumns,
  clippedObjective,
  clippedScalars,
  clipTerm,
  Flag,
  type PolicyTerm,
  policyAux,
  ratioOf,
  regularized,
  type Surrogate,
} from './clipped.ts';
import { clamp } from './kl.ts';

/**
 * `token`: exp(new - old) of each token. `sequence`: exp of their mean over the sequence (GSPO,
 * https://arxiv.org/abs/2507.18071, equation 7). `sequence-sum`: exp of their sum (TRL's RLOO), which explodes with the
 * length.
 */
export const ratioLevels = ['token', 'sequence', 'sequence-sum'] as const;
export type RatioLevel = (typeof ratioLevels)[number];

/**
 * `clip`: PPO's, a token beyond the clip has no gradient. `cispo`: its weight is clipped instead
 * (https://arxiv.org/abs/2506.13585).
 */
// not a kind: a form of the policy term
export const surrogateForms = ['clip', 'cispo'] as const;
export type SurrogateForm = (typeof surrogateForms)[number];

/** Limit that verl sets on the logarithm of a sequence's ratio. */
const sequenceLogLimit = 10;

/** (N) sum of `values` and number of rows of each row's sequence. */
function sumsOfSequences(
  values: (i: number) => number,
  { count, sequence }: Pick<ObjectiveRows, 'count' | 'sequence'>,
) {
  const sums = new Map<number, { sum: number; rows: number }>();
  for (let i = 0; i < count; i++) {
    const known = sums.get(sequence[i]) ?? { sum: 0, rows: 0 };
    known.sum += values(i);
    known.rows += 1;
    sums.set(sequence[i], known);
  }
  return (i: number) => sums.get(sequence[i])!;
}

type Ratio = (i: number) => { ratio: number; slope: number };

const ratios: { readonly [level in RatioLevel]: (rows: ObjectiveRows) => Ratio } = {
  token:
    ({ logprob, columns: { oldLogprob } }) =>
    (i) =>
      ratioOf(logprob[i] - oldLogprob[i]),
  // The slope of s / n per token, times n / n: the factor 1 / n of the aggregation is in the coefficient.
  sequence: (rows) => {
    const of = sumsOfSequences((i) => rows.logprob[i] - rows.columns.oldLogprob[i], rows);
    return (i) => {
      const { sum, rows: n } = of(i);
      const ratio = exp(Math.min(sum / n, sequenceLogLimit));
      return { ratio, slope: sum / n > sequenceLogLimit ? 0 : ratio };
    };
  },
  'sequence-sum': (rows) => {
    const of = sumsOfSequences((i) => rows.logprob[i] - rows.columns.oldLogprob[i], rows);
    return (i) => {
      const { sum, rows: n } = of(i);
      const { ratio, slope } = ratioOf(sum);
      return { ratio, slope: slope * n };
    };
  },
};

/**
 * -sg(clip(r)) * A * logprob: no token loses its gradient. The value itself is not a surrogate loss, because it
 * contains the log-probability.
 */
function cispoTerm(ratio: number, logprob: number, advantage: number, { low, high }: ClipBounds): PolicyTerm {
  const weight = -clamp(ratio, low, high) * advantage;
  const flags = ratio < low ? Flag.clippedLow : ratio > high ? Flag.clippedHigh : 0;
  return { loss: weight * logprob, weight, ratio, flags };
}

const surrogateOf =
  (level: RatioLevel, form: SurrogateForm): Surrogate =>
  (rows) => {
    const ratioAt = ratios[level](rows);
    const bounds = boundsOf(rows.scalars);
    const { advantage } = rows.columns;
    return {
      term: (i) => {
        const { ratio, slope } = ratioAt(i);
        // not a kind: a form of the policy term
        return form === 'cispo'
          ? cispoTerm(ratio, rows.logprob[i], advantage[i], bounds)
          : clipTerm(ratio, slope, advantage[i], bounds);
      },
    };
  };

/** Objective of a level and a form; the scalars are the clipped objective's. */
export function policySpec(level: RatioLevel, form: SurrogateForm): ObjectiveSpec {
  if (level === 'token' && form === 'clip') return clippedObjective;
  return {
    name: `${level}-${form}`,
    columns: clippedColumns,
    scalars: clippedScalars,
    aux: policyAux,
    evaluate: regularized(surrogateOf(level, form)),
  };
}
