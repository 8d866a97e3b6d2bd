/**
 * The summary printed at the end of a run: success by stratum beside chance, with intervals, and the cost of the first
 * gain.
 */

import {
  type Evaluation,
  hasSameTasks,
  type Mean,
  type Rate,
  type Scores,
  type SplitEvaluation,
  type StepRecord,
} from '../rl/evaluation/evaluation.ts';
import { fallOf, signalLabels } from '../rl/evaluation/fall.ts';
import { gainOf } from '../rl/evaluation/gain.ts';
import { rewardHackOf } from '../rl/evaluation/reward-hack.ts';
import { groupsToPointRight, meanMoments } from '../rl/metrics/signal.ts';

/** Assumed costs on a laptop's GPU. */
const SECONDS = { dispatch: 50e-6, readback: 5e-3, flop: 1 / 200e9 };
const GAIN = 0.3;
/** The success of one step's batch is noisy, so the mean over this many steps is compared. */
const WINDOW = 5;

/** Three decimals. A rate or mean that is not finite becomes null when it is stored as JSON. */
export const three = (value: number | null) =>
  value !== null && Number.isFinite(value) ? value.toFixed(3) : 'not finite';
/** A rate with its interval and number of episodes. */
export const formatRate = ({ rate, low, high, episodes }: Rate) =>
  `${three(rate)} [${three(low)}, ${three(high)}] of ${episodes}`;

export interface Ends {
  start: Evaluation;
  end: Evaluation;
}

/**
 * The evaluations before the first update and after the last; null if either is missing, or if they have other tasks
 * (a fork with other worlds). With `evaluation.every` 0 there is none before the first update.
 */
export function endsOf(records: readonly StepRecord[]): Ends | null {
  const first = records.find((record) => record.evaluation);
  const last = records.at(-1);
  if (!first?.evaluation || !last?.evaluation || first === last) return null;
  const [start, end] = [first.evaluation, last.evaluation];
  return hasSameTasks(start.test, end.test) ? { start, end } : null;
}

function strataLines(words: string, start: SplitEvaluation | undefined, end: SplitEvaluation): string[] {
  return Object.entries(end.strata).map(([stratum, { policy, chance }]) => {
    const before = start?.strata[stratum];
    return `${words} goals, ${stratum}: chance ${formatRate(chance)}  start ${before ? formatRate(before.policy) : '-'}  end ${formatRate(policy)}`;
  });
}

/** Below this number of episodes a success rate has a wide interval: 0.07 either way at 200. */
export const FEW_EPISODES = 200;

const beside = ({ episodes }: Rate) =>
  episodes < FEW_EPISODES ? ` (${episodes} episodes: fewer than ${FEW_EPISODES}, a wide interval)` : '';

const closing = (words: string, start: SplitEvaluation | undefined, end: SplitEvaluation) =>
  `${words} success: chance ${three(end.chance.rate)} start ${start ? three(start.policy.rate) : '-'} end ${three(end.policy.rate)}${beside(end.policy)}`;

/** A mean with its interval. */
export const formatMean = ({ mean, low, high }: Mean) => `${three(mean)} [${three(low)}, ${three(high)}]`;

/** Mean scores in total and by stratum. They show progress where success is out of reach. */
function scoreLines(words: string, start: SplitEvaluation | undefined, end: SplitEvaluation): string[] {
  const line = (name: string, before: number | undefined, scores: Scores | undefined) =>
    scores
      ? [
          `${words} goals, mean score${name}: chance ${formatMean(scores.chance)}  start ${before === undefined ? '-' : three(before)}  end ${formatMean(scores.policy)}`,
        ]
      : [];
  return [
    ...Object.entries(end.strata).flatMap(([stratum, { scores }]) =>
      line(`, ${stratum}`, start?.strata[stratum]?.scores?.policy.mean, scores),
    ),
    ...line('', start?.score, end.scores),
  ];
}

/** Means of the measures of games. */
const measureLines = (words: string, start: SplitEvaluation | undefined, end: SplitEvaluation): string[] =>
  Object.entries(end.measures ?? {}).map(([name, mean]) => {
    const before = start?.measures?.[name];
    return `${words} goals, ${name}: start ${before ? three(before.mean) : '-'}  end ${formatMean(mean)}`;
  });

export interface Cost {
  step: number;
  dispatches: number;
  readbacks: number;
  flops: number;
  seconds: number;
}

/** Total cost of training up to the first step at which the mean over the recent batches exceeds the start by 0.3. */
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
    `at 50 µs per dispatch, 5 ms per read-back and 200 GFLOP/s: ${seconds.toFixed(1)} s`
  );
}

/**
 * The drop of a run from its best, the step since which it lasts, and the signal that moved first. Empty without a
 * drop.
 */
export function fallLines(records: readonly StepRecord[]): string[] {
  const fall = fallOf(records);
  if (!fall) return [];
  const { best, last, by, from, first } = fall;
  const moved = first
    ? `${signalLabels[first.signal]} moved first, at step ${first.step}: ${first.before.toPrecision(3)} to ${first.after.toPrecision(3)}`
    : 'no signal moved before it';
  return [
    `fell from its best by ${three(by)}, from about step ${from} on: held-out ${formatRate(best.rate)} at step ${best.step}, ${formatRate(last.rate)} at step ${last.step}; ${moved}. The checkpoint of the best step was kept`,
  ];
}

/** The rise of the reward while success fell, and the part that rose most. Empty without one. */
export function rewardHackLines(records: readonly StepRecord[]): string[] {
  const found = rewardHackOf(records);
  if (!found) return [];
  const { success, reward, part, from, to } = found;
  const risen = part
    ? `; the part that rose most is "${part.column}", ${three(part.before)} to ${three(part.after)}`
    : '';
  return [
    `the reward rises, success falls: from about step ${from} to step ${to} the reward went from ${three(reward.before)} to ${three(reward.after)}, success from ${three(success.before)} to ${three(success.after)}${risen}`,
  ];
}

const signed = (value: number) => `${value < 0 ? '' : '+'}${three(value)}`;

/** Held-out success after imitation and after the reward that followed. Empty for a run without both. */
export function gainLines(records: readonly StepRecord[]): string[] {
  const gain = gainOf(records);
  if (!gain) return [];
  const { imitated, before, after, difference, test, p } = gain;
  const { mean, low, high } = difference;
  const tested = p === null ? 'not paired' : `paired, ${test}, p ${p.toPrecision(2)}`;
  return [
    `held-out success after imitation (step ${imitated}) ${formatRate(before)}, after reward ${formatRate(after)}; difference ${signed(mean)} [${signed(low)}, ${signed(high)}] (${tested})`,
  ];
}

/** Signal of the gradient over all steps that measured it. Empty if none did. */
export function signalLines(records: readonly StepRecord[]): string[] {
  const moments = meanMoments(records.map(({ metrics }) => metrics));
  if (!moments) return [];
  const { square, variance, steps } = moments;
  const groups = groupsToPointRight(moments);
  const enough = groups === null ? 'too little to give a number of groups' : `${Math.ceil(groups)} groups a step`;
  return [
    `signal over ${steps} measured steps: ${(square / variance).toPrecision(3)} a group; to point right nine times in ten: ${enough}`,
  ];
}

/** All lines; the last two are the result. A run without an evaluation before its first update has a dash for it. */
export function reportLines(records: readonly StepRecord[]): string[] {
  const end = records.at(-1)?.evaluation;
  if (!end || records.length < 2) return [];
  const start = endsOf(records)?.start;
  return [
    ...strataLines('training', start?.train, end.train),
    ...strataLines('held-out', start?.test, end.test),
    ...scoreLines('training', start?.train, end.train),
    ...scoreLines('held-out', start?.test, end.test),
    ...measureLines('training', start?.train, end.train),
    ...measureLines('held-out', start?.test, end.test),
    ...(start ? [costLine(costOfFirstGain(records, start.train.policy.rate))] : []),
    ...fallLines(records),
    ...rewardHackLines(records),
    ...signalLines(records),
    ...gainLines(records),
    closing('training-goal', start?.train, end.train),
    closing('held-out', start?.test, end.test),
  ];
}
