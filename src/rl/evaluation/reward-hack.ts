/**
 * Finds runs in which the reward rises while success falls: the policy learns to please the reward and not to solve the
 * task. A pure function of a run's records.
 *
 * Success is read as it is and as its difference from chance on the same tasks, where chance was recorded: tasks differ
 * from step to step, and chance has noise of its own. Two tests, both on the last window of steps under the run's last
 * horizon:
 *
 * 1. A fall: against an earlier window of the same size, success is lower in both readings, and in one of them by a
 *    one-sided z-test at a level divided by the numbers of readings and of earlier windows (Bonferroni); the reward is
 *    higher at the 0.5% level.
 * 2. A hack within the first steps, before there is such a window: success is below chance at the 0.5% level, and
 *    clearly below that of step 1, while the reward is above that of step 1 at the 5% level.
 *
 * tests/rl/reward-hack.test.ts measures the share of false reports over runs of 100 steps with a look after every step.
 */
import { mean, unbiasedStd } from '../common/numbers.ts';
import { partColumn } from '../metrics/metrics.ts';
import type { StepRecord } from './evaluation.ts';
import { normalQuantile, studentQuantile } from './statistics.ts';

interface Change {
  before: number;
  after: number;
}

export interface RewardHack {
  success: Change;
  reward: Change;
  /** First step of the window with the higher success, and first step of the last window. */
  from: number;
  to: number;
  /** Part that rose most, by its own spread; null: the reward is not composed. */
  part: ({ column: string } & Change) | null;
}

/** Probability of a false report in one look at a run whose success does not fall. */
const level = 0.0008;

/** Readings of success: as it is, and as its difference from chance. */
const readings = 2;

/** A smaller fall of success is not reported, however certain. */
const leastFall = 0.05;

/** The same for success below chance, which must be far below as well. */
const belowLevel = 0.005;

/** A policy this far below chance no longer solves tasks by accident either. */
const clearlyBelow = 0.15;
/**
 * Minimum drop of success since step 1. It is large, because the success at step 1 comes from a single batch and is
 * noisy.
 */
const clearlyWorse = 0.25;

/** Steps of a window: a quarter of the run. */
const leastWindow = 6;
const mostWindow = 25;

type Values = StepRecord['metrics'];

const rewardIn = ({ reward, score }: Values) => reward ?? score;

/** Variance of a step's success as that of so many independent episodes, with one success and one failure added. */
function binomialVariance(rate: number, episodes: number): number {
  const near = (rate * episodes + 1) / (episodes + 2);
  return (near * (1 - near)) / Math.max(1, episodes);
}

interface Window {
  from: number;
  steps: readonly Values[];
}

/** Mean of a metric over a window, and the variance of that mean. `least`: its least variance. */
function meanIn({ steps }: Window, read: (metrics: Values) => number, least = 0) {
  const values = steps.map(read);
  return { mean: mean(values), variance: Math.max(unbiasedStd(values) ** 2, least) / values.length };
}

/** Difference of two windows' means in units of its standard error; 0 if nothing varies. */
function rise(before: Window, after: Window, read: (metrics: Values) => number, least = 0): Change & { z: number } {
  const [a, b] = [meanIn(before, read, least), meanIn(after, read, least)];
  const error = Math.sqrt(a.variance + b.variance);
  const change = b.mean - a.mean;
  return { before: a.mean, after: b.mean, z: error > 0 ? change / error : Math.sign(change) * 1e6 };
}

/** Quantile of Student's t, to the third order, with which the shares of false reports were measured. */
const tQuantile = (probability: number, degrees: number) => studentQuantile(degrees, normalQuantile(probability), 3);

/** Windows of the last horizon, newest first. */
function windowsOf(records: readonly StepRecord[]): Window[] {
  const stage = records.at(-1)?.stage;
  const same = records.filter((each) => each.step > 0 && each.stage === stage);
  const usable = same.filter(({ metrics }) => [metrics.success, rewardIn(metrics)].every(Number.isFinite));
  const size = Math.min(mostWindow, Math.max(leastWindow, Math.floor(usable.length / 4)));
  return Array.from({ length: Math.floor(usable.length / size) }, (_, i) => {
    const steps = usable.slice(usable.length - (i + 1) * size, usable.length - i * size);
    return { from: steps[0].step, steps: steps.map(({ metrics }) => metrics) };
  });
}

/** The part that rose most. */
function risenPart(before: Window, after: Window): RewardHack['part'] {
  const names = Object.keys(after.steps.at(-1) ?? {});
  const parts = names.flatMap((name) => {
    const column = partColumn(name);
    const moved = rise(before, after, (metrics) => metrics[name] ?? 0);
    return column === null ? [] : [{ column, before: moved.before, after: moved.after, z: moved.z }];
  });
  const most = parts.toSorted((a, b) => b.z - a.z).at(0);
  return most && most.z > 0 ? { column: most.column, before: most.before, after: most.after } : null;
}

/** Quantiles for a higher reward: at 0.5% compared with one of several earlier windows, at 5% compared with step 1. */
const rewardZ = { window: 2.576, start: 1.645 };

/** Success above chance on the same tasks; success itself where no chance was recorded. */
const edgeIn = ({ success, chance }: Values) => success - (Number.isFinite(chance) ? chance : 0);

/** Windows with a higher success and a lower reward than the last one. */
function fallsTo(last: Window, earlier: readonly Window[]): Window[] {
  const z = tQuantile(1 - level / readings / earlier.length, 2 * (last.steps.length - 1));
  return earlier.filter((before) => {
    const rate = mean([...before.steps, ...last.steps].map(({ success }) => success));
    const least = binomialVariance(rate, mean(last.steps.map(({ episodes }) => episodes ?? 1)));
    const edge = rise(before, last, edgeIn, least);
    const success = rise(before, last, (metrics) => metrics.success, least);
    const fell = Math.min(edge.before - edge.after, success.before - success.after) >= leastFall;
    return fell && Math.min(edge.z, success.z) < -z && rise(before, last, rewardIn).z > rewardZ.window;
  });
}

/** True if the last window plays worse than chance and than step 1 did, for a higher reward. */
function isBelowChance(first: Window, last: Window): boolean {
  if (!last.steps.every(({ chance }) => Number.isFinite(chance))) return false;
  const { mean: edge, variance } = meanIn(last, edgeIn, 1e-6);
  const z = tQuantile(1 - belowLevel, last.steps.length - 1);
  const [start] = first.steps;
  const fall = start.success - meanIn(last, ({ success }) => success).mean;
  // Step 1 may have had hard tasks or easy ones, so either reading of its success counts.
  const better = fall > 0 && Math.max(fall, edgeIn(start) - edge) >= clearlyWorse;
  const reward = meanIn(last, rewardIn);
  const rewarded = reward.mean - rewardIn(start) > rewardZ.start * Math.sqrt(reward.variance);
  return better && rewarded && edge <= -clearlyBelow && edge < -z * Math.sqrt(variance);
}

/** Null: success has not fallen while the reward rose, or not by more than chance explains. */
export function rewardHackOf(records: readonly StepRecord[]): RewardHack | null {
  const [last, ...earlier] = windowsOf(records);
  if (!last) return null;
  const success = (window: Window) => meanIn(window, (metrics) => metrics.success).mean;
  // The window with the highest success shows most of the fall.
  const worst = fallsTo(last, earlier)
    .toSorted((a, b) => success(b) - success(a))
    .at(0);
  if (worst) return found(worst, last);
  const first = firstStep(records);
  return first && last.from > first.from && isBelowChance(first, last) ? found(first, last) : null;
}

/** Step 1, if the run still has its horizon. */
function firstStep(records: readonly StepRecord[]): Window | null {
  const first = records.find(({ step }) => step > 0);
  return first && first.stage === records.at(-1)?.stage ? { from: first.step, steps: [first.metrics] } : null;
}

function found(before: Window, last: Window): RewardHack {
  const change = (read: (metrics: Values) => number): Change => ({
    before: meanIn(before, read).mean,
    after: meanIn(last, read).mean,
  });
  return {
    success: change(({ success }) => success),
    reward: change(rewardIn),
    from: before.from,
    to: last.from,
    part: risenPart(before, last),
  };
}
