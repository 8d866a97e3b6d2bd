/** Calibration of a judge: its scores beside labels of the same episodes. A pure function. */

/** Number of ranges of scores in the table. */
const ranges = 5;

export interface LabelledScore {
  /** From 0 to 1. */
  score: number;
  /** True: the episode is labelled as good. */
  good: boolean;
}

export interface Calibration {
  episodes: number;
  good: number;
  /** Mean score of good episodes and of the others; null: there are none. */
  meanGood: number | null;
  meanOther: number | null;
  /** Share of pairs of a good episode and another in which the good one has the higher score, ties as a half; null: no pair. */
  order: number | null;
  /** Episodes by range of scores, with the share of good ones. Ranges without episodes are left out. */
  table: { from: number; to: number; episodes: number; good: number }[];
}

const mean = (values: readonly number[]) =>
  values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;

/** Mann-Whitney's statistic as a share: the area under the ROC curve. */
function orderOf(good: readonly number[], other: readonly number[]): number | null {
  let right = 0;
  for (const a of good) for (const b of other) right += a > b ? 1 : a === b ? 0.5 : 0;
  return good.length && other.length ? right / (good.length * other.length) : null;
}

export function calibrationOf(scores: readonly LabelledScore[]): Calibration {
  const of = (wanted: boolean) => scores.filter(({ good }) => good === wanted).map(({ score }) => score);
  const [good, other] = [of(true), of(false)];
  const table = Array.from({ length: ranges }, (_, k) => {
    const within = scores.filter(({ score }) => Math.min(ranges - 1, Math.floor(score * ranges)) === k);
    return {
      from: k / ranges,
      to: (k + 1) / ranges,
      episodes: within.length,
      good: within.filter((each) => each.good).length,
    };
  }).filter(({ episodes }) => episodes > 0);
  return {
    ...{ episodes: scores.length, good: good.length, table },
    ...{ meanGood: mean(good), meanOther: mean(other), order: orderOf(good, other) },
  };
}
