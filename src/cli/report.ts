/** The closing words of a run: success by depth beside chance, with intervals, and what it cost to get the first gain. */
import { fallOf, signalLabels } from '../rl/evaluation/fallen.ts';
import type { Evaluation, Mean, Rate, Scores, SplitEvaluation, StepRecord } from '../rl/evaluation.ts';

/** What a laptop's GPU is taken to cost: see the checks of the first landing. */
const SECONDS = { dispatch: 50e-6, readback: 5e-3, flop: 1 / 200e9 };
const GAIN = 0.3;
/** One step's batch is noisy: the mean over this many is compared. */
const WINDOW = 5;

export const three = (value: number) => value.toFixed(3);
/** A rate with its interval and its episodes. */
export const rateWords = ({ rate, low, high, episodes }: Rate) =>
  `${three(rate)} [${three(low)}, ${three(high)}] of ${episodes}`;

export interface Ends {
  start: Evaluation;
  end: Evaluation;
}

/** The evaluations before the first update and after the last; null where either is missing. */
export function endsOf(records: readonly StepRecord[]): Ends | null {
  const start = records.find((record) => record.evaluation)?.evaluation;
  const end = records.at(-1)?.evaluation;
  return start && end && records.length > 1 ? { start, end } : null;
}

function strataLines(words: string, start: SplitEvaluation, end: SplitEvaluation): string[] {
  return Object.entries(end.strata).map(([stratum, { policy, chance }]) => {
    const before = start.strata[stratum];
    return `${words} goals, ${stratum}: chance ${rateWords(chance)}  start ${before ? rateWords(before.policy) : '-'}  end ${rateWords(policy)}`;
  });
}

const closing = (words: string, start: SplitEvaluation, end: SplitEvaluation) =>
  `${words} success: chance ${three(end.chance.rate)} start ${three(start.policy.rate)} end ${three(end.policy.rate)}`;

/** A mean with its interval. */
export const meanWords = ({ mean, low, high }: Mean) => `${three(mean)} [${three(low)}, ${three(high)}]`;

/** Mean scores, the whole and by stratum: where success is out of reach they are what there is to see. */
function scoreLines(words: string, start: SplitEvaluation, end: SplitEvaluation): string[] {
  const line = (name: string, before: number | undefined, scores: Scores | undefined) =>
    scores
      ? [
          `${words} goals, mean score${name}: chance ${meanWords(scores.chance)}  start ${before === undefined ? '-' : three(before)}  end ${meanWords(scores.policy)}`,
        ]
      : [];
  return [
    ...Object.entries(end.strata).flatMap(([stratum, { scores }]) =>
      line(`, ${stratum}`, start.strata[stratum]?.scores?.policy.mean, scores),
    ),
    ...line('', start.score, end.scores),
  ];
}

export interface Cost {
  step: number;
  dispatches: number;
  readbacks: number;
  flops: number;
  seconds: number;
}

/** Everything spent in training up to the first step at which the batches of late are 0.3 better than the start. */
export function costOfFirstGain(records: readonly StepRecord[], start: number): Cost | null {
  const cost: Cost = { step: 0, dispatches: 0, readbacks: 0, flops: 0, seconds: 0 };
  const recent: number[] = [];
  for (const { step, metrics } of records) {
    if (step === 0) continue;
    cost.step = step;
    for (const what of ['dispatches', 'readbacks', 'flops'] as const) cost[what] += metrics[what] ?? 0;
    recent.push(metrics.success);
    if (recent.length > WINDOW) recent.shift();
    const mean = recent.reduce((a, b) => a + b, 0) / recent.length;
    if (recent.length === WINDOW && mean >= start + GAIN) return { ...cost, seconds: secondsOf(cost) };
  }
  return null;
}

const secondsOf = ({ dispatches, readbacks, flops }: Cost) =>
  dispatches * SECONDS.dispatch + readbacks * SECONDS.readback + flops * SECONDS.flop;

function costLine(cost: Cost | null): string {
  if (!cost) return `first ${GAIN} of gain: not reached`;
  const { step, dispatches, readbacks, flops, seconds } = cost;
  return (
    `first ${GAIN} of gain: at step ${step}, after ${dispatches} dispatches, ${readbacks} read-backs, ${flops.toExponential(2)} FLOP; ` +
    `at 50 µs a dispatch, 5 ms a read-back, 200 GFLOP/s: ${seconds.toFixed(1)} s`
  );
}

/** How far a run has fallen from its best, since when, and what moved first; nothing where it has not. */
export function fallLines(records: readonly StepRecord[]): string[] {
  const fall = fallOf(records);
  if (!fall) return [];
  const { best, last, by, from, first } = fall;
  const moved = first
    ? `${signalLabels[first.signal]} moved first, at step ${first.step}: ${first.before.toPrecision(3)} to ${first.after.toPrecision(3)}`
    : 'no signal moved before it';
  return [
    `fallen from its best by ${three(by)}, from about step ${from} on: held-out ${rateWords(best.rate)} at step ${best.step}, ${rateWords(last.rate)} at step ${last.step}; ${moved}. The checkpoint of the best step is kept`,
  ];
}

/** All lines; the last two are the result. */
export function reportLines(records: readonly StepRecord[]): string[] {
  const ends = endsOf(records);
  if (!ends) return [];
  const { start, end } = ends;
  return [
    ...strataLines('training', start.train, end.train),
    ...strataLines('held-out', start.test, end.test),
    ...scoreLines('training', start.train, end.train),
    ...scoreLines('held-out', start.test, end.test),
    costLine(costOfFirstGain(records, start.train.policy.rate)),
    ...fallLines(records),
    closing('training-goal', start.train, end.train),
    closing('held-out', start.test, end.test),
  ];
}
