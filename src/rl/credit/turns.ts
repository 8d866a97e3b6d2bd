/**
 * Credit that differs between turns: step groups (GiGPO), turn and outcome (MT-GRPO), rewards of turns from a
 * trajectory.
 */

import { groupBy, mean, unbiasedStd } from '../common/numbers.ts';
import { rewardOf } from '../episode/returns.ts';
import type { Trajectory } from '../episode/trajectory.ts';
import { groupAdvantages } from './groups.ts';

/** Turns of several trajectories, one after another. */
export interface Steps {
  /** (S) trajectory of each turn. */
  row: ArrayLike<number>;
  /** (S) observation before each turn. */
  observation: ArrayLike<number | string>;
  /** (S) */
  reward: ArrayLike<number>;
}

/**
 * Reward of each turn: the change of the score, so that a cumulative score is not counted twice. A composed reward
 * belongs to the whole episode and comes with its last turn.
 */
export function turnRewards(trajectory: Pick<Trajectory, 'turns' | 'rewards' | 'score'>, penalty: number): number[] {
  const { turns, rewards } = trajectory;
  const refused = (valid: boolean) => (valid ? 0 : penalty);
  if (rewards) return turns.map(({ valid }, k) => (k === turns.length - 1 ? rewardOf(trajectory) : 0) + refused(valid));
  return turns.map(({ reward, valid }, k) => reward - (k > 0 ? turns[k - 1].reward : 0) + refused(valid));
}

/** G_k = r_k + gamma G_{k+1} over the turns of one trajectory. */
export function stepReturns({ row, reward }: Steps, gamma: number): Float64Array {
  const out = new Float64Array(reward.length);
  for (let k = reward.length - 1; k >= 0; k--)
    out[k] = reward[k] + (k + 1 < reward.length && row[k + 1] === row[k] ? gamma * out[k + 1] : 0);
  return out;
}

/** (S) group of each step: steps of the same task in the same observation, numbered by first appearance. */
export function stepGroups({ row, observation }: Steps, groupOf: ArrayLike<number>): Int32Array {
  const all = Array.from({ length: row.length }, (_, k) => k);
  const groups = groupBy(all, (k) => JSON.stringify([groupOf[row[k]], observation[k]]));
  const out = new Int32Array(row.length);
  [...groups.values()].forEach((members, number) => {
    for (const k of members) out[k] = number;
  });
  return out;
}

export interface StepStatistics {
  /** An episode counts once in its group's mean, or once for each of its steps. */
  over: 'trajectories' | 'steps';
  divide: boolean;
  epsilon: number;
}

/**
 * GiGPO's step advantage (https://arxiv.org/abs/2505.10978, equation 7): relative to the mean of its step group; 0 for
 * a group of one.
 */
export function stepAdvantages(
  returns: Float64Array,
  groups: Int32Array,
  { divide, epsilon }: StepStatistics,
): Float64Array {
  const out = new Float64Array(returns.length);
  for (const members of groupBy(groups.keys(), (k) => groups[k]).values()) {
    const values = members.map((k) => returns[k]);
    if (values.length === 1) continue;
    const scale = divide ? unbiasedStd(values) + epsilon : 1;
    const center = mean(values);
    for (const k of members) out[k] = (returns[k] - center) / scale;
  }
  return out;
}

/** (S) the episode's advantage (equation 4) on each of its steps. `returns`: (B). */
export function episodeAdvantages(
  returns: ArrayLike<number>,
  groupOf: ArrayLike<number>,
  { row }: Steps,
  { over, divide, epsilon }: StepStatistics,
): Float64Array {
  const baseline = divide ? 'mean-std' : 'mean';
  if (over === 'trajectories') {
    const { advantages } = groupAdvantages(returns, groupOf, { baseline, epsilon });
    return Float64Array.from(row, (b) => advantages[b]);
  }
  const perStep = Float64Array.from(row, (b) => returns[b]);
  const groups = Array.from(row, (b) => groupOf[b]);
  return groupAdvantages(perStep, groups, { baseline, epsilon }).advantages;
}
