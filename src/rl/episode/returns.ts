/**
 * Returns of a step's trajectories, by the value of each ending. A trajectory whose world failed may be dropped,
 * because it shows nothing about the policy; one without a reward is always dropped.
 */
import type { Trajectory } from './trajectory.ts';

/** Value of each ending instead of the reward; null: the reward. */
export interface EndingRules {
  context: number | null;
  /** The penalty is added to the return once for each refused action. */
  invalidAction: { policy: 'continue' | 'end'; penalty: number };
  worldFailure: 'drop' | 'zero';
}

/** Reward of an episode: the composed one, or the world's score. NaN: it has none. */
export const rewardOf = ({ rewards, score }: Pick<Trajectory, 'rewards' | 'score'>): number =>
  rewards ? (rewards.total ?? Number.NaN) : score;

/** Return on which a trajectory is trained; null: the trajectory is dropped. */
export function returnOf(trajectory: Trajectory, rules: EndingRules): number | null {
  if (trajectory.ending === 'world-failure') return rules.worldFailure === 'drop' ? null : 0;
  const reward = rewardOf(trajectory);
  const base = trajectory.ending === 'context' ? (rules.context ?? reward) : reward;
  // A judge's reply may have no score.
  if (Number.isNaN(base)) return null;
  const refused = trajectory.turns.filter((turn) => !turn.valid).length;
  return base + refused * rules.invalidAction.penalty;
}

/** (B) returns of all trajectories; NaN: dropped. */
export const returnsOf = (trajectories: readonly Trajectory[], rules: EndingRules): Float64Array =>
  Float64Array.from(trajectories, (trajectory) => returnOf(trajectory, rules) ?? Number.NaN);
