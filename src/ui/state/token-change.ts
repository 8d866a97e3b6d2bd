/** How the update of a step changed the probability of the selected token. */
import type { Place } from './place.ts';

export interface Why {
  before: number;
  after: number;
  advantage: number;
  ratio: number;
  /** -1 low, 1 high, 0: one more pass would not be clipped. */
  clipped: number;
  /** Of the sum of all |weights| of the step. */
  share: number;
  /** Above 1: pulled harder than the mean token. */
  times: number;
  pull: 'up' | 'down' | 'none';
}

/** Of the selected token; null: it was not trained, or the step was not looked into. */
export function whyOf({ examined, row, insight }: Place): Why | null {
  if (!examined || row === null || !insight || row >= examined.before.length) return null;
  const weight = examined.weight[row];
  const tokens = insight.episodes.reduce((sum, each) => sum + each.before.length, 0);
  const share = insight.totalWeight > 0 ? Math.abs(weight) / insight.totalWeight : 0;
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
