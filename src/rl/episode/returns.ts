/**
 * Returns of a step's trajectories, by the value of each ending. A trajectory whose world failed may be dropped,
 * because it shows nothing about the policy.
 */
import type { Trajectory } from './trajectory.ts';

/** Value of each ending instead of the world's score; null: the score. */
export interface EndingRules {
  context: number | null;
  /** The penalty is added to the return once for each refused action. */
  invalidAction: { policy: 'continue' | 'end'; penalty: number };
  worldFailure: 'drop' | 'zero';
}

/** Return on which a trajectory is trained; null: the trajectory is dropped. */
export function returnOf(trajectory: Trajectory, rules: EndingRules): number | null {
  if (trajectory.ending === 'world-failure') return rules.worldFailure === 'drop' ? null : 0;
  const base = trajectory.ending === 'context' ? (rules.context ?? trajectory.score) : trajectory.score;
  const refused = trajectory.turns.filter((turn) => !turn.valid).length;
  return base + refused * rules.invalidAction.penalty;
}

/** (B) returns of all trajectories; NaN: dropped. */
export const returnsOf = (trajectories: readonly Trajectory[], rules: EndingRules): Float64Array =>
  Float64Array.from(trajectories, (trajectory) => returnOf(trajectory, rules) ?? Number.NaN);
