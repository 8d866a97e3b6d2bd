/**
 * Band in which the success of an experiment's run lies: for each window of steps a prediction interval for the run of
 * one more seed, mean ± t s √(1 + 1/n) over n seeds (Hahn and Meeker 1991, section 4.2). A run leaves the band if two
 * windows in succession lie on the same side of it.
 */
import { mean, sum, unbiasedStd } from '../common/numbers.ts';
import type { StepRecord } from './evaluation.ts';
import { normalQuantile, studentQuantile } from './statistics.ts';

/** Success by window: window k has the steps k · window + 1 to (k + 1) · window. Null: nothing was played in it. */
export interface Band {
  /** Number of steps of a window. */
  window: number;
  /** Seeds of the runs that the band was made from. */
  seeds: readonly number[];
  low: readonly (number | null)[];
  high: readonly (number | null)[];
}

/** Second of two windows in succession on the same side of a band. */
export interface LeftBand {
  side: 'below' | 'above';
  /** Its first and last step. */
  from: number;
  to: number;
  /** Its mean success, and the band there. */
  success: number;
  low: number;
  high: number;
}

/** Minimum number of seeds: the spread of two is hardly known. */
const leastSeeds = 3;
const mostWindows = 20;
/** Probability that a healthy run's window lies above the band; the same below it. */
const tail = 0.005;

interface WindowMean {
  success: number;
  episodes: number;
}

/** Success of a window: in its batches or, where a step played no episode, in its evaluations on training tasks. */
function windowMean(part: readonly StepRecord[]): WindowMean | null {
  const played = part.every(({ metrics }) => Number.isFinite(metrics.success));
  const rates = played
    ? part.map(({ metrics: { success, episodes = 1 } }) => ({ success, episodes }))
    : part.flatMap(({ evaluation }) => {
        const policy = evaluation?.train.policy;
        return policy ? [{ success: policy.rate, episodes: policy.episodes }] : [];
      });
  if (!rates.length) return null;
  return { success: mean(rates.map(({ success }) => success)), episodes: sum(rates.map(({ episodes }) => episodes)) };
}

/** Means of the whole windows of a run. */
function windowMeans(records: readonly StepRecord[], window: number): (WindowMean | null)[] {
  const trained = records.filter(({ step }) => step > 0);
  return Array.from({ length: Math.floor(trained.length / window) }, (_, k) =>
    windowMean(trained.slice(k * window, (k + 1) * window)),
  );
}

/** Variance of a window's mean by chance alone, with one success and one failure added: positive at either end. */
function chanceVariance(means: readonly WindowMean[]): number {
  const { episodes } = means[0];
  const rate = (mean(means.map(({ success }) => success)) * episodes + 1) / (episodes + 2);
  return (rate * (1 - rate)) / episodes;
}

/**
 * Band of the runs of one experiment with different seeds. The variance of a window is averaged with those of its
 * neighbours, which count as independent. Throws RangeError for fewer than three runs or different numbers of steps.
 */
export function bandOf(runs: readonly { seed: number; records: readonly StepRecord[] }[]): Band {
  const n = runs.length;
  if (n < leastSeeds) throw new RangeError(`A band needs at least ${leastSeeds} runs; there are ${n}.`);
  const steps = runs.map(({ records }) => records.at(-1)!.step);
  if (steps.some((each) => each !== steps[0]))
    throw new RangeError(`The runs of a band have the same number of steps; these have ${steps.join(', ')}.`);
  const window = Math.ceil(steps[0] / mostWindows);
  const byRun = runs.map(({ records }) => windowMeans(records, window));
  const windows = byRun[0].map((_, k) => {
    const means = byRun.flatMap((each) => each[k] ?? []);
    return means.length === n ? means : null;
  });
  const variances = windows.map((means) => means && unbiasedStd(means.map(({ success }) => success)) ** 2);
  const ends = windows.map((means, k): [number, number] | [null, null] => {
    if (!means) return [null, null];
    const near = variances.slice(Math.max(0, k - 1), k + 2).filter((each) => each !== null);
    const variance = Math.max(mean(near), chanceVariance(means));
    const t = studentQuantile(near.length * (n - 1), normalQuantile(1 - tail));
    const [center, half] = [mean(means.map(({ success }) => success)), t * Math.sqrt(variance * (1 + 1 / n))];
    return [Math.max(0, center - half), Math.min(1, center + half)];
  });
  return {
    window,
    seeds: runs.map(({ seed }) => seed),
    low: ends.map(([low]) => low),
    high: ends.map(([, high]) => high),
  };
}

/** First place at which a run leaves a band; null: it lies in it so far. */
export function leftBand(band: Band, records: readonly StepRecord[]): LeftBand | null {
  let before: LeftBand['side'] | null = null;
  for (const [k, each] of windowMeans(records, band.window).entries()) {
    const [low, high] = [band.low[k] ?? null, band.high[k] ?? null];
    if (!each || low === null || high === null) continue;
    const side = each.success < low ? 'below' : each.success > high ? 'above' : null;
    if (side && side === before)
      return { side, from: k * band.window + 1, to: (k + 1) * band.window, success: each.success, low, high };
    before = side;
  }
  return null;
}
