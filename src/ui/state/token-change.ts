/** Change of the selected token's probability by the update of a step, with its causes. */
import type { Place } from './place.ts';

export interface TokenChange {
  before: number;
  after: number;
  advantage: number;
  ratio: number;
  /**
   * Position of the token's ratio: -1 below the low clip, 1 above the high clip, 0 within (another pass would not clip
   * it).
   */
  clipped: number;
  /** Fraction of the sum of all |weights| of the step. */
  share: number;
  /** Weight relative to the mean token's. */
  times: number;
  pull: 'up' | 'down' | 'none';
}

/** Change of the selected token; null if it was not trained, or if the step was not examined. */
export function tokenChange({ examined, row, inspection }: Place): TokenChange | null {
  if (!examined || row === null || !inspection || row >= examined.before.length) return null;
  const weight = examined.weight[row];
  const tokens = inspection.episodes.reduce((sum, each) => sum + each.before.length, 0);
  const share = inspection.totalWeight > 0 ? Math.abs(weight) / inspection.totalWeight : 0;
  return {
    before: Math.exp(examined.before[row]),
    after: Math.exp(examined.after[row]),
    advantage: examined.advantage[row],
    ratio: Math.exp(examined.after[row] - examined.before[row]),
    clipped: examined.clipped[row],
    share,
    times: share * tokens,
    pull: weight < 0 ? 'up' : weight > 0 ? 'down' : 'none',
  };
}
