/**
 * Corrections for the gap between the sampling policy and the training policy (other kernels, int8 keys and values,
 * stale weights): importance weights, truncated or masked, and rejection of tokens or sequences that differ too much.
 *
 * Definitions: verl@1dda039 rollout_corr_helper.py; TIS: https://fengyao.notion.site/off-policy-rl; masked importance
 * sampling: https://richardli.xyz/rl-collapse; TRL@f2cd577 grpo_trainer.py. With l = log(train / rollout) of a token: w
 * = exp(l), or exp of its sum over the sequence; w outside [low, high] is set to the bound or to 0.
 */

import { exp, expm1, log } from '../../policy/elementary.ts';
import { mean } from '../common/numbers.ts';
import { sequencesOf, spread, type TokenRows } from '../common/token-rows.ts';
import { clamp } from './kl.ts';

const rejectionRules = [
  'token_k1',
  'token_k2',
  'token_k3',
  'seq_sum_k1',
  'seq_sum_k2',
  'seq_sum_k3',
  'seq_mean_k1',
  'seq_mean_k2',
  'seq_mean_k3',
  'seq_max_k1',
  'seq_max_k2',
  'seq_max_k3',
] as const;
export type RejectionRule = (typeof rejectionRules)[number];

interface Rejection {
  rule: RejectionRule;
  /** Bounds of rollout / train for k1; for k2 and k3 only `high` is used. */
  low: number | null;
  high: number;
}

export interface Correction {
  weights: 'none' | 'token' | 'sequence';
  /** Values outside the bounds are set to them, or get weight 0 (and still count in the average). */
  outside: 'truncate' | 'mask';
  low: number | null;
  high: number | null;
  /** Weights are divided by their mean: over tokens, or over sequences. */
  normalize: boolean;
  reject: readonly Rejection[];
}

export interface Corrected {
  /** (N) */
  weights: Float64Array;
  /** (N) 1: the row stays in the loss and in its average. */
  kept: Uint8Array;
}

const logLimit = 20;

/** `difference`: log(train) - log(rollout) of each row, without gradient. */
export function correct(difference: Float64Array, rows: TokenRows, correction: Correction): Corrected {
  const kept = new Uint8Array(difference.length).fill(1);
  for (const rejection of correction.reject) {
    const values = statistic(difference, rows, rejection);
    const [low, high] = limits(rejection);
    values.forEach((value, i) => {
      if (value < low || value > high) kept[i] = 0;
    });
  }
  return { weights: importanceWeights(difference, rows, correction), kept };
}

function importanceWeights(difference: Float64Array, rows: TokenRows, correction: Correction): Float64Array {
  if (correction.weights === 'none') return new Float64Array(difference.length).fill(1);
  const { outside, normalize } = correction;
  const low = correction.low ?? 0;
  const high = correction.high ?? Number.POSITIVE_INFINITY;
  const bounded = (l: number) => {
    const weight = exp(clamp(l, -logLimit, logLimit));
    if (outside === 'mask') return weight < low || weight > high ? 0 : weight;
    return clamp(weight, low, high);
  };
  const each =
    correction.weights === 'token'
      ? difference.map(bounded)
      : perSequence(difference, rows, (part) => bounded(part.reduce((total, l) => total + l, 0)));
  const scale = normalize ? mean(each.filter((_, i) => correction.weights === 'token' || !emptyAt(rows, i))) : 1;
  const scaled = each.map((weight) => weight / scale);
  return correction.weights === 'token' ? scaled : spread(scaled, rows);
}

const emptyAt = ({ offsets }: TokenRows, b: number) => offsets[b] === offsets[b + 1];

/** (B) */
const perSequence = (values: Float64Array, rows: TokenRows, read: (part: Float64Array) => number): Float64Array =>
  Float64Array.from({ length: sequencesOf(rows) }, (_, b) =>
    read(values.subarray(rows.offsets[b], rows.offsets[b + 1])),
  );

/** verl's k1 is log(rollout / train): minus the difference. */
const divergences: { readonly [name: string]: (l: number) => number } = {
  k1: (l) => -l,
  k2: (l) => (l * l) / 2,
  k3: (l) => expm1(l) - l,
};

const reductions: { readonly [name: string]: (part: Float64Array) => number } = {
  sum: (part) => part.reduce((total, value) => total + value, 0),
  mean: (part) => mean(part),
  max: (part) => part.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
};

function statistic(difference: Float64Array, rows: TokenRows, { rule }: Rejection): Float64Array {
  const parts = rule.split('_');
  const values = difference.map((l) => divergences[parts[parts.length - 1]](clamp(l, -logLimit, logLimit)));
  return parts[0] === 'token' ? values : spread(perSequence(values, rows, reductions[parts[1]]), rows);
}

function limits({ rule, low, high }: Rejection): [number, number] {
  if (!rule.endsWith('k1')) return [Number.NEGATIVE_INFINITY, high];
  return [low === null ? Number.NEGATIVE_INFINITY : log(low), log(high)];
}

/** Distances between sampler and trainer, for display (verl's names: kl, k3, chi2). */
export function correctionMetrics(difference: Float64Array, { weights, kept }: Corrected): { [name: string]: number } {
  return {
    rolloutKl: -mean(difference),
    rolloutDivergence: mean(difference.map((l) => expm1(clamp(l, -logLimit, logLimit)) - l)),
    rolloutChiSquared: mean(difference.map((l) => expm1(2 * clamp(l, -logLimit, logLimit)))),
    importanceWeight: mean(weights),
    rejectedTokens: 1 - mean(kept),
  };
}
