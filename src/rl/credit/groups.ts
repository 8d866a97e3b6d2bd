/**
 * Credit of a group: the difference between each trajectory of a task and its siblings.
 *
 * Reads returns and group numbers; tokens and weights are elsewhere. A group whose returns are all equal carries no
 * signal (every advantage is 0). Such groups are counted, since a run of only such groups learns nothing.
 */
import { groupIndices, mean, unbiasedStd } from '../common/numbers.ts';

/**
 * `mean-std`: GRPO (Shao et al. 2024, arXiv 2402.03300, section 4.1.2). `mean`: Dr. GRPO (Liu et al. 2025, arXiv
 * 2503.20783). `leave-one-out`: RLOO (Ahmadian et al. 2024, arXiv 2402.14740). `none`: the return itself.
 */
export type Baseline = 'mean-std' | 'mean' | 'leave-one-out' | 'none';

export interface BaselineOptions {
  baseline: Baseline;
  /** Added to the standard deviation (verl 1e-6, TRL 1e-4). */
  epsilon: number;
}

export interface GroupAdvantages {
  advantages: Float64Array;
  groups: number;
  /** Groups whose returns are all equal, or of which at most one is left. */
  withoutSignal: number;
}

/** Groups of a step and their returns. */
export interface GroupSummary {
  groups: number;
  withoutSignal: number;
  /** Return of each trajectory; NaN where it was dropped. */
  returns: ArrayLike<number>;
}

/**
 * Advantages of one group. A group of one follows verl: there is nothing to compare with, so the return itself (over 1
 * + epsilon).
 */
export function advantagesOfGroup(returns: readonly number[], { baseline, epsilon }: BaselineOptions): number[] {
  const n = returns.length;
  if (baseline === 'none') return [...returns];
  if (n === 1) return baseline === 'mean-std' ? [returns[0] / (1 + epsilon)] : [returns[0]];
  const center = mean(returns);
  if (baseline === 'leave-one-out') return returns.map((value) => (n / (n - 1)) * (value - center));
  const scale = baseline === 'mean-std' ? unbiasedStd(returns) + epsilon : 1;
  return returns.map((value) => (value - center) / scale);
}

/** A group has signal if some return differs from another. */
export function hasSignal(returns: readonly number[]): boolean {
  return returns.some((value) => value !== returns[0]);
}

/**
 * Advantages of all trajectories. A return of NaN was dropped: its advantage is 0, and its siblings are compared
 * without it. A group of one keeps its return, as in verl. A trajectory whose siblings were all dropped gets 0.
 */
export function groupAdvantages(
  returns: ArrayLike<number>,
  groupOf: ArrayLike<number>,
  options: BaselineOptions,
): GroupAdvantages {
  const advantages = new Float64Array(returns.length);
  const groups = groupIndices(groupOf);
  let withoutSignal = 0;
  for (const members of groups) {
    const kept = members.filter((i) => !Number.isNaN(returns[i]));
    const values = kept.map((i) => returns[i]);
    const signal = hasSignal(values);
    if (!signal) withoutSignal += 1;
    // Advantages of equal returns stay exactly 0; the mean's rounding error, divided by epsilon, would give other
    // values.
    if (!signal && members.length > 1 && options.baseline !== 'none') continue;
    const result = advantagesOfGroup(values, options);
    kept.forEach((i, k) => {
      advantages[i] = result[k];
    });
  }
  return { advantages, groups: groups.length, withoutSignal };
}
