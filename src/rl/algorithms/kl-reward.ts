/** KL in the reward, with a fixed or an adaptive coefficient, for algorithms with credit per token. */

import { groupIndices } from '../common/numbers.ts';
import { sequencesOf } from '../common/token-rows.ts';
import { hasSignal } from '../credit/groups.ts';
import { adaptedCoefficient, klInReward, klOfRows, meanKl } from '../credit/tokens.ts';
import type { KlEstimator } from '../objective/kl.ts';
import type { Credit, CreditInput } from './algorithm.ts';

export interface KlRewardSettings {
  coefficient: number;
  estimator: KlEstimator;
  /** Target KL of the adaptive coefficient; null: the coefficient is fixed. */
  target: number | null;
  horizon: number;
}

/** Rewards of each row minus the KL term, and the coefficient of the next step. */
export function rewardsWithKl(
  { rows, reference, rollout, memory }: CreditInput,
  rewards: Float64Array,
  { coefficient, estimator, target, horizon }: KlRewardSettings,
): { rewards: Float64Array } & Pick<Credit, 'metrics' | 'memory'> {
  if (!reference || !rollout) return { rewards };
  const price = target === null ? coefficient : (memory?.klPrice ?? coefficient);
  const kl = klOfRows(rollout, reference, estimator);
  const current = meanKl(kl, rows);
  const next = target === null ? price : adaptedCoefficient(price, current, sequencesOf(rows), { target, horizon });
  return {
    rewards: klInReward(rewards, kl, price),
    metrics: { rewardKl: current, klPrice: price },
    ...(target === null ? {} : { memory: { klPrice: next } }),
  };
}

/** Counts groups whose returns are all equal, for the record. Credit per token can still learn from them. */
export function withoutSignal({ rows, returns }: CreditInput): Pick<Credit, 'groups' | 'withoutSignal'> {
  const groups = groupIndices(rows.group).map((members) => members.map((b) => returns[b]));
  const kept = groups.map((values) => values.filter((value) => !Number.isNaN(value)));
  return { groups: groups.length, withoutSignal: kept.filter((values) => !hasSignal(values)).length };
}
