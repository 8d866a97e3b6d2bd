/**
 * Values of a critic that is fitted on a batch: one number a turn, by least squares over the trained tokens. The fit of
 * such a table is the mean return of a turn's tokens.
 */
import type { TokenRows } from '../common/token-rows.ts';
import type { EndingRules } from '../episode/returns.ts';
import { returnsOf } from '../episode/returns.ts';
import type { Trajectory } from '../episode/trajectory.ts';

/** (N) value before each trained token. Dropped episodes take no part in the fit. */
export function valuesByTurn(
  trajectories: readonly Trajectory[],
  { offsets, turn }: TokenRows,
  endings: EndingRules,
): Float64Array {
  const returns = returnsOf(trajectories, endings);
  const sums = new Map<number, { sum: number; count: number }>();
  trajectories.forEach((_, b) => {
    if (Number.isNaN(returns[b])) return;
    for (let i = offsets[b]; i < offsets[b + 1]; i++) {
      const known = sums.get(turn[i]) ?? { sum: 0, count: 0 };
      known.sum += returns[b];
      known.count += 1;
      sums.set(turn[i], known);
    }
  });
  return Float64Array.from(turn, (each) => {
    const { sum, count } = sums.get(each) ?? { sum: 0, count: 1 };
    return sum / count;
  });
}
