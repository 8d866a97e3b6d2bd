/**
 * Detects a fall of a run's success from its best: the step at which it began, and the signal that moved first
 * (divergence, entropy, ratio, gradient, length). A pure function of a run's records. It reports a fall only if the
 * difference exceeds the chance difference of as many evaluations.
 */

import { median } from '../../envs/median.ts';
import { mean, unbiasedStd } from '../common/numbers.ts';
import { hasSameTasks, type Rate, type StepRecord } from './evaluation.ts';
import { normalQuantile } from './statistics.ts';

export type Signal = 'kl' | 'entropy' | 'ratio' | 'gradNorm' | 'length';

/** A signal that left the range it had while the run was at its best. */
interface MovedSignal {
  signal: Signal;
  /** First step at which it is clearly outside that range. */
  step: number;
  before: number;
  after: number;
}

interface Evaluated {
  step: number;
  rate: Rate;
}

export interface Fall {
  best: Evaluated;
  last: Evaluated;
  by: number;
  /** Step at which the batches' success began to fall. */
  from: number;
  /** Null: no signal moved before the fall. */
  first: MovedSignal | null;
  /** All signals that moved, earliest first. */
  movers: MovedSignal[];
}

/** Probability of a false report for a run that only stays at its level. */
const level = 0.005;

/** Smaller falls are not reported, however certain. */
const leastFall = 0.05;

interface Point extends Evaluated {
  stage: number;
}

/** Evaluations on the tasks of the last one. */
function pointsOf(records: readonly StepRecord[]): Point[] {
  const last = records.findLast(({ evaluation }) => evaluation)?.evaluation?.test;
  return records.flatMap(({ step, stage, evaluation }) =>
    evaluation && hasSameTasks(evaluation.test, last!) ? [{ step, stage, rate: evaluation.test.policy }] : [],
  );
}

/** Variance of a rate with one success and one failure added (Agresti and Caffo 2000): positive at either end. */
function variance({ successes, episodes }: Rate): number {
  const rate = (successes + 1) / (episodes + 2);
  return (rate * (1 - rate)) / (episodes + 2);
}

/**
 * The best of several evaluations is high partly by luck, so the level is divided by the number of evaluations that
 * could have been the best.
 */
function isBeyondChance(best: Rate, last: Rate, comparisons: number): boolean {
  const z = normalQuantile(1 - level / Math.max(1, comparisons));
  const fall = best.rate - last.rate;
  return fall >= leastFall && fall > z * Math.sqrt(variance(best) + variance(last)) && last.high < best.low;
}

interface Reading {
  step: number;
  value: number;
}

const readings = (records: readonly StepRecord[], read: (metrics: StepRecord['metrics']) => number): Reading[] =>
  records
    .filter(({ step }) => step > 0)
    .map(({ step, metrics }) => ({ step, value: read(metrics) }))
    .filter(({ value }) => Number.isFinite(value));

/** Batches around the best, the reference for a fall. */
const WINDOW = 30;

/**
 * Start of a fall (`from`) and the step at which it was certain (`certain`); the batches between the two are too noisy to
 * decide.
 */
interface Onset {
  from: number;
  certain: number;
}

/**
 * Onset of a fall. `certain`: least-squares change point of the batches' success after the best, as one step down.
 * `from`: start of the decline, searched backwards from there. Both are the step after the best if the batches show no
 * change.
 */
function onsetOf(records: readonly StepRecord[], best: number, last: number): Onset {
  const all = readings(records, ({ success }) => success).filter(({ step }) => step > best - WINDOW && step <= last);
  const first = all.findIndex(({ step }) => step > best);
  if (first < 0) return { from: last, certain: last };
  const values = all.map(({ value }) => value);
  let [at, gain] = [first, -1];
  for (let split = Math.max(1, first); split < all.length; split++) {
    const [before, after] = [values.slice(0, split), values.slice(split)];
    const drop = mean(before) - mean(after);
    const explained = drop > 0 ? (before.length * after.length * drop * drop) / values.length : 0;
    if (explained > gain) [at, gain] = [split, explained];
  }
  const certain = all[at].step;
  const [high, low] = [mean(values.slice(0, Math.max(1, at))), mean(values.slice(at))];
  const smooth = (i: number) => mean(values.slice(Math.max(0, i - 4), i + 1));
  const steady = unbiasedStd(values.slice(0, first)) || 0;
  const lower = high - Math.max(0.1 * (high - low), (2 * steady) / Math.sqrt(5));
  while (at > first && smooth(at - 1) < lower) at--;
  return { from: all[at].step, certain };
}

interface SignalRule {
  read(metrics: StepRecord['metrics']): number;
  /** Minimum change, as a share of the reference value. */
  share: number;
  /** True if a decrease counts as well. */
  both: boolean;
}

/** Absent metrics are NaN and count as not measured. */
const signals: { [signal in Signal]: SignalRule } = {
  kl: { read: ({ kl, rewardKl }) => kl ?? rewardKl, share: 0.5, both: false },
  entropy: { read: ({ entropy }) => entropy, share: 0.25, both: true },
  ratio: {
    read: ({ policyShift, clipLowFraction = 0, clipHighFraction = 0 }) =>
      Math.abs(policyShift) + clipLowFraction + clipHighFraction,
    share: 0.5,
    both: false,
  },
  gradNorm: { read: ({ gradNorm }) => gradNorm, share: 0.5, both: false },
  length: {
    read: ({ tokensGenerated, episodes, turns }) =>
      tokensGenerated >= 0 && episodes ? tokensGenerated / episodes : turns,
    share: 0.25,
    both: true,
  },
};

/**
 * A signal that moves up to this many steps after the detected fall may still be its cause, because the step of the
 * fall is known only this exactly.
 */
const SLACK = 3;

/** Minimum distance of a move from the reference, in spreads. */
const FAR = 5;
/** Readings that must agree, so that a spike is not a move. */
const AGREE = { of: 6, least: 5 };
/**
 * Exception: a jump of this many times the least move, right where the fall becomes certain. A failure may last for one
 * update only.
 */
const JOLT = 4;

function moveOf(
  signal: Signal,
  records: readonly StepRecord[],
  baseline: readonly number[],
  { certain }: Onset,
  until: number,
): MovedSignal | null {
  const { read, share, both } = signals[signal];
  const all = readings(records, read);
  const base = all.filter(({ step }) => baseline.includes(step)).map(({ value }) => value);
  if (base.length < 5) return null;
  const center = median(base);
  // 1.4826: the median deviation of a normal distribution as its standard deviation.
  const spread = Math.max(
    1.4826 * median(base.map((value) => Math.abs(value - center))),
    0.02 * Math.abs(center),
    1e-6,
  );
  const least = Math.max(FAR * spread, share * Math.abs(center));
  const side = ({ value }: Reading) => (value - center > least ? 1 : both && center - value > least ? -1 : 0);
  const after = all.filter(({ step }) => step > baseline[baseline.length - 1] && step <= until);
  for (const [i, reading] of after.entries()) {
    const direction = side(reading);
    if (direction === 0) continue;
    const far = direction * (reading.value - center) > JOLT * least;
    if (far && Math.abs(reading.step - certain) <= SLACK)
      return { signal, step: reading.step, before: center, after: reading.value };
    const next = after.slice(i, i + AGREE.of);
    if (next.length < AGREE.least) continue;
    const agreeing = next.filter((each) => side(each) === direction);
    if (agreeing.length >= Math.min(AGREE.least, next.length))
      return { signal, step: reading.step, before: center, after: median(next.map(({ value }) => value)) };
  }
  return null;
}

/** True if the policy played in this step; a step of imitation alone has other signals. */
const played = ({ metrics }: StepRecord) => Number.isFinite(metrics.success);

/**
 * Steps before the fall with the same horizon and stage: another horizon, or reward after imitation, moves signals by
 * itself.
 */
function baselineOf(records: readonly StepRecord[], best: number, onset: number): number[] {
  const fall = records.find(({ step }) => step === onset);
  const alike = (record: StepRecord) => fall && record.stage === fall.stage && played(record) === played(fall);
  const same = records.filter((record) => record.step > 0 && record.step < onset && alike(record));
  const before = same.filter(({ step }) => step <= best).slice(-WINDOW);
  const chosen = before.length >= 5 ? before : same.slice(0, 10);
  return chosen.map(({ step }) => step);
}

/** Fall of a run; null: no fall, or not decidable. */
export function fallOf(records: readonly StepRecord[]): Fall | null {
  const points = pointsOf(records);
  const last = points.at(-1);
  if (!last) return null;
  // A longer horizon cannot lower success by itself; a shorter one can.
  const earlier = points.slice(0, -1).filter(({ stage }) => stage <= last.stage);
  if (!earlier.length) return null;
  const best = earlier.reduce((a, b) => (b.rate.rate > a.rate.rate ? b : a));
  if (!isBeyondChance(best.rate, last.rate, earlier.length)) return null;
  const onset = onsetOf(records, best.step, last.step);
  const { from } = onset;
  const baseline = baselineOf(records, best.step, from);
  const names = Object.keys(signals) as Signal[];
  const movers = names
    .map((signal) => moveOf(signal, records, baseline, onset, last.step))
    .filter((mover) => mover !== null)
    .sort((a, b) => a.step - b.step);
  const first = movers[0] && movers[0].step <= onset.certain + SLACK ? movers[0] : null;
  const evaluated = ({ step, rate }: Point): Evaluated => ({ step, rate });
  return { best: evaluated(best), last: evaluated(last), by: best.rate.rate - last.rate.rate, from, first, movers };
}

/** Labels of signals. */
export const signalLabels: { readonly [signal in Signal]: string } = {
  kl: 'KL',
  entropy: 'Entropy',
  ratio: 'Ratio',
  gradNorm: 'Gradient norm',
  length: 'Length',
};
