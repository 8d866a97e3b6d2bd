/**
 * The gain of a run by reward: held-out success after its last step of imitation and after its last step, on the same
 * tasks.
 */
import { hasSameTasks, type Rate, type SplitEvaluation, type StepRecord } from './evaluation.ts';
import { type Comparison, compare, type Estimate, z95 } from './statistics.ts';

export interface RewardGain {
  /** Last step of imitation, and last step of the run. */
  imitated: number;
  last: number;
  before: Rate;
  after: Rate;
  /** After minus before, with its 95% interval. */
  difference: Estimate;
  /** The paired test and its two-sided p; null: the outcomes of single tasks are not known. */
  test: Comparison['test'] | null;
  p: number | null;
}

/** Tasks that both evaluations played, with the success of each. Null: one has no outcomes, or the tasks differ. */
function pairs(before: SplitEvaluation, after: SplitEvaluation): { before: number[]; after: number[] } | null {
  if (!before.outcomes || before.outcomes.length !== after.outcomes?.length || before.tasks !== after.tasks)
    return null;
  const [old, now] = [[...before.outcomes], [...after.outcomes]];
  const both = old.flatMap((outcome, i) => (outcome === '-' || now[i] === '-' ? [] : [i]));
  if (both.length === 0) return null;
  return { before: both.map((i) => Number(old[i])), after: both.map((i) => Number(now[i])) };
}

/** Normal interval of the difference of two independent rates. */
function unpaired(before: Rate, after: Rate): Estimate {
  const variance = (one: Rate) => (one.rate * (1 - one.rate)) / one.episodes;
  const spread = z95 * Math.sqrt(variance(before) + variance(after));
  const mean = after.rate - before.rate;
  return { mean, low: mean - spread, high: mean + spread, items: Math.min(before.episodes, after.episodes) };
}

/** Difference of two evaluations: paired where they have the same tasks and the outcomes of both are known. */
export function gainBetween(
  before: SplitEvaluation,
  after: SplitEvaluation,
): Pick<RewardGain, 'difference' | 'test' | 'p'> {
  const paired = pairs(before, after);
  if (!paired) return { difference: unpaired(before.policy, after.policy), test: null, p: null };
  return compare(paired.after, paired.before);
}

/**
 * Null for a run without imitation, without later steps by reward, without an evaluation at the end of either, or with
 * other tasks after than before. `records` may be a selection that has every evaluation.
 */
export function gainOf(records: readonly StepRecord[]): RewardGain | null {
  const end = records.at(-1);
  const start = records.findLast(({ metrics }) => metrics.demonstrations !== undefined);
  if (!start?.evaluation || !end?.evaluation || start === end) return null;
  const [before, after] = [start.evaluation.test, end.evaluation.test];
  if (!hasSameTasks(before, after)) return null;
  return {
    ...{ imitated: start.step, last: end.step, before: before.policy, after: after.policy },
    ...gainBetween(before, after),
  };
}
