/**
 * Finds runs in which the reward rises while success falls: the policy learns to please the reward and not to solve the
 * task. A pure function of a run's records.
 *
 * Test: the last window of steps is compared with every earlier window of the same size and horizon. Success must be
 * lower and the reward higher, each by a one-sided z-test of the steps' means, at a level divided by the number of
 * earlier windows (Bonferroni). A run whose success does not fall is reported in at most `level` of the looks; looking
 * after every step of 100, fewer than 1 in 100 runs are (tests/rl/reward-hack.test.ts measures it).
 */
import { mean, unbiasedStd } from '../common/numbers.ts';
import { partColumn } from '../metrics/metrics.ts';
import type { StepRecord } from './evaluation.ts';
import { normalQuantile } from './statistics.ts';

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
const level = 0.0005;

/** A smaller fall of success is not reported, however certain. */
const leastFall = 0.05;

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

/**
 * Quantile of Student's t with few degrees of freedom, from the normal one (Cornish and Fisher's expansion, to the
 * third order).
 */
function tQuantile(probability: number, degrees: number): number {
  const z = normalQuantile(probability);
  const first = (z ** 3 + z) / (4 * degrees);
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3);
  return z + first + second + third;
}

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

/** Null: success has not fallen while the reward rose, or not by more than chance explains. */
export function rewardHackOf(records: readonly StepRecord[]): RewardHack | null {
  const [last, ...earlier] = windowsOf(records);
  if (!last || !earlier.length) return null;
  const z = tQuantile(1 - level / earlier.length, 2 * (last.steps.length - 1));
  const found = earlier.flatMap((before) => {
    const all = [...before.steps, ...last.steps];
    const rate = mean(all.map(({ success }) => success));
    const least = binomialVariance(rate, mean(all.map(({ episodes }) => episodes ?? 1)));
    const success = rise(before, last, (metrics) => metrics.success, least);
    const reward = rise(before, last, rewardIn);
    const fell = success.before - success.after >= leastFall && success.z < -z;
    return fell && reward.z > z ? [{ before, success, reward }] : [];
  });
  // The window with the highest success shows most of the fall.
  const worst = found.toSorted((a, b) => b.success.before - a.success.before).at(0);
  if (!worst) return null;
  const plain = ({ before, after }: Change): Change => ({ before, after });
  return {
    success: plain(worst.success),
    reward: plain(worst.reward),
    from: worst.before.from,
    to: last.from,
    part: risenPart(worst.before, last),
  };
}
