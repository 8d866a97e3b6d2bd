/**
 * Credit that differs between tokens, over the trained tokens of a step: whitening, discounted returns, KL in the
 * reward.
 */

import { mean } from '../common/numbers.ts';
import { sequencesOf, type TokenRows } from '../common/token-rows.ts';
import { type KlEstimator, klTerm } from '../objective/kl.ts';

/** Added to the variance before its root is taken. */
const varianceEpsilon = 1e-8;

/**
 * Zero mean and unit (unbiased) variance over all rows of the batch (verl `masked_whiten`). The rows of a dropped
 * episode are NaN: they do not count and become 0.
 */
export function whiten(values: Float64Array): Float64Array {
  const counted = values.filter((value) => !Number.isNaN(value));
  const center = mean(counted);
  let squares = 0;
  for (const value of counted) squares += (value - center) ** 2;
  const scale = 1 / Math.sqrt(squares / Math.max(counted.length - 1, 1) + varianceEpsilon);
  return values.map((value) => (Number.isNaN(value) ? 0 : (value - center) * scale));
}

/** G_t = r_t + gamma G_{t+1} within each sequence: REINFORCE++ (arXiv 2501.03262). */
export function discountedReturns(rewards: ArrayLike<number>, rows: TokenRows, gamma: number): Float64Array {
  const out = new Float64Array(rewards.length);
  for (let b = 0; b < sequencesOf(rows); b++) {
    let running = 0;
    for (let i = rows.offsets[b + 1] - 1; i >= rows.offsets[b]; i--) {
      running = rewards[i] + gamma * running;
      out[i] = running;
    }
  }
  return out;
}

/** Estimate, per row, of the KL from the sampling policy to the reference. */
export const klOfRows = (old: ArrayLike<number>, ref: ArrayLike<number>, estimator: KlEstimator): Float64Array =>
  Float64Array.from(old, (value, i) => klTerm(value, ref[i], estimator).value);

/** Rewards minus the KL of the sampling policy to the reference: PPO's classic form (verl `apply_kl_penalty`). */
export const klInReward = (rewards: ArrayLike<number>, kl: ArrayLike<number>, coefficient: number): Float64Array =>
  Float64Array.from(rewards, (reward, i) => reward - coefficient * kl[i]);

/** Mean over sequences of the mean over their rows (not the mean over tokens): the input of the adaptive controller. */
export function meanKl(kl: ArrayLike<number>, rows: TokenRows): number {
  const means = Array.from({ length: sequencesOf(rows) }, (_, b) => {
    const count = rows.offsets[b + 1] - rows.offsets[b];
    let sum = 0;
    for (let i = rows.offsets[b]; i < rows.offsets[b + 1]; i++) sum += kl[i];
    return sum / (count + 1e-8);
  });
  return mean(means);
}

/** The adaptive KL coefficient after a batch (Ziegler et al. 2019, arXiv 1909.08593, section 2.2). */
export function adaptedCoefficient(
  coefficient: number,
  kl: number,
  sequences: number,
  { target, horizon }: { target: number; horizon: number },
): number {
  const error = Math.min(0.2, Math.max(-0.2, kl / target - 1));
  return coefficient * (1 + (error * sequences) / horizon);
}

/**
 * Share of the returns' variance that the values explain: 1 - Var(R - V) / Var(R); NaN where the returns do not vary.
 */
export function explainedVariance(returns: ArrayLike<number>, values: ArrayLike<number>): number {
  const variance = (list: Float64Array) => {
    const center = mean(list);
    return mean(list.map((value) => (value - center) ** 2));
  };
  const all = variance(Float64Array.from(returns));
  return all > 0 ? 1 - variance(Float64Array.from(returns, (value, i) => value - values[i])) / all : Number.NaN;
}
