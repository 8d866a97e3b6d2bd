/**
 * Reports of a step and of an evaluation: success beside chance and oracle, with intervals. Reads trajectories and
 * worlds; GPU buffers, runs and the page are elsewhere.
 */

import { type Measures, measured } from '../common/measured.ts';
import { mean, unbiasedStd } from '../common/numbers.ts';
import { wilson, z95 } from './statistics.ts';

/** Success rate with its 95% interval (Wilson). */
export interface Rate {
  successes: number;
  episodes: number;
  rate: number;
  low: number;
  high: number;
}

/** Mean with its 95% interval (normal). For a single value `low` and `high` are the value. */
export interface Mean {
  mean: number;
  low: number;
  high: number;
  episodes: number;
}

/** Mean scores on the same tasks. For chance, each task counts once, with the mean of its plays. */
export interface Scores {
  policy: Mean;
  chance: Mean;
}

/** Metrics of one step; docs/metrics.md has each name's unit and sentence. */
export interface StepRecord {
  step: number;
  /** Maximum number of turns allowed at this step's stage (oraclePlus stages: the additional turns). */
  stage: number;
  /** Metric name to value, including times and rates, whose names end in Ms or PerSecond. */
  metrics: { [metric: string]: number };
  /** Present on steps with an evaluation (step 0 is before the first update). */
  evaluation?: Evaluation;
}

export interface Evaluation {
  /** Sampled at the training temperature, under this step's horizon. Keys of `strata`: for example "depth 1". */
  train: SplitEvaluation;
  test: SplitEvaluation;
}

export interface SplitEvaluation {
  policy: Rate;
  /** Uniformly random choice among the same valid actions, on the same tasks, under the same horizon. */
  chance: Rate;
  oracle: Rate | null;
  score: number;
  /** Absent in older runs. */
  scores?: Scores;
  strata: { [stratum: string]: StratumEvaluation };
  /** Means of the finished games' measures, by metric; absent: the worlds measure none. */
  measures?: { [metric: string]: Mean };
  /**
   * A character for each task of the fixed list, in its order: 1 success, 0 failure, - not played. Two evaluations of a
   * run are paired by it. Absent in older runs.
   */
  outcomes?: string;
  /** Hash of the tasks in their order: outcomes are paired where it is equal. Absent in older runs. */
  tasks?: number;
}

/**
 * True if both evaluations have the same tasks: a fork may be evaluated in other worlds than its parent. In older runs:
 * if they have a stratum in common, or none at all.
 */
export function hasSameTasks(a: SplitEvaluation, b: SplitEvaluation): boolean {
  if (a.tasks !== undefined && b.tasks !== undefined) return a.tasks === b.tasks;
  const [names, others] = [a, b].map(({ strata }) => Object.keys(strata));
  return names.length + others.length === 0 || names.some((name) => others.includes(name));
}

export interface StratumEvaluation {
  policy: Rate;
  chance: Rate;
  scores?: Scores;
}

/** Rate with its Wilson interval (Wilson 1927), which stays within 0 and 1 and keeps a width at either end. */
export function rateOf(successes: number, episodes: number): Rate {
  if (episodes === 0) return { successes, episodes, rate: 0, low: 0, high: 1 };
  const rate = successes / episodes;
  return { successes, episodes, rate, ...wilson(rate, episodes) };
}

function rateOfAll(successes: readonly boolean[]): Rate {
  return rateOf(successes.filter(Boolean).length, successes.length);
}

export function meanOf(values: readonly number[]): Mean {
  const center = mean(values);
  const spread = values.length < 2 ? 0 : (z95 * unbiasedStd(values)) / Math.sqrt(values.length);
  return { mean: center, low: center - spread, high: center + spread, episodes: values.length };
}

/** One evaluated episode: results of the policy, chance and the oracle on the same task. */
export interface EvaluatedEpisode {
  strata: readonly string[];
  success: boolean;
  score: number;
  /** Several plays, because a baseline must be known better than the result compared with it. */
  chance: readonly { success: boolean; score: number }[];
  oracle: boolean | null;
  /** Absent: its world measures none, or it was not played to its end. */
  measures?: Measures;
}

export function summarize(episodes: readonly EvaluatedEpisode[]): SplitEvaluation {
  const strata = [...new Set(episodes.flatMap((episode) => episode.strata))].sort();
  const oracle = episodes.map((episode) => episode.oracle);
  const measures = Object.entries(measured(episodes.map((episode) => episode.measures)));
  return {
    ...beside(episodes),
    oracle: oracle.length === 0 || oracle.includes(null) ? null : rateOfAll(oracle.map(Boolean)),
    score: mean(episodes.map((episode) => episode.score)),
    strata: Object.fromEntries(strata.map((name) => [name, beside(episodes.filter((e) => e.strata.includes(name)))])),
    ...(measures.length > 0 && { measures: Object.fromEntries(measures.map(([name, each]) => [name, meanOf(each)])) }),
  };
}

/** Summary of the episodes that were played, with the outcome of each. `tasks`: hash of all of their tasks. */
export function summarizePlayed(
  episodes: readonly EvaluatedEpisode[],
  tasks: number,
  played: (index: number) => boolean,
): SplitEvaluation {
  const outcomes = episodes.map(({ success }, i) => (played(i) ? Number(success) : '-')).join('');
  return { ...summarize(episodes.filter((_, i) => played(i))), outcomes, tasks };
}

/** Rates of the policy beside those of chance. */
function beside(episodes: readonly EvaluatedEpisode[]): StratumEvaluation {
  return {
    policy: rateOfAll(episodes.map((episode) => episode.success)),
    chance: rateOfAll(episodes.flatMap((episode) => episode.chance.map(({ success }) => success))),
    scores: {
      policy: meanOf(episodes.map((episode) => episode.score)),
      chance: meanOf(episodes.map((episode) => mean(episode.chance.map(({ score }) => score)))),
    },
  };
}
