/**
 * What a step and an evaluation report: success beside chance and oracle, with intervals. Knows trajectories and worlds;
 * has never heard of a GPU buffer, a run or a page.
 */

import { mean, unbiasedStd } from '../common/numbers.ts';
import { wilson, z95 } from './statistics.ts';

/** A success rate with its 95% interval (Wilson). */
export interface Rate {
  successes: number;
  episodes: number;
  rate: number;
  low: number;
  high: number;
}

/** A mean with its 95% interval (normal). A single value has none: `low` and `high` are the value. */
export interface Mean {
  mean: number;
  low: number;
  high: number;
  episodes: number;
}

/** Mean scores on the same tasks. Of chance each task counts once, with the mean of its several plays. */
export interface Scores {
  policy: Mean;
  chance: Mean;
}

/** Metrics of one step: see rl/metrics.ts for each name's unit and sentence. */
export interface StepRecord {
  step: number;
  /** Most turns allowed at this step's stage (oraclePlus stages: the additional turns). */
  stage: number;
  /** Metric name to value. Times and rates are in here too, under names that end in Ms or PerSecond. */
  metrics: { [metric: string]: number };
  /** Present on steps where an evaluation ran (step 0 is before the first update). */
  evaluation?: Evaluation;
}

export interface Evaluation {
  /** Sampled at the training temperature, under this step's horizon. Keys of `strata`: for example "depth 1". */
  train: SplitEvaluation;
  test: SplitEvaluation;
}

export interface SplitEvaluation {
  policy: Rate;
  /** Uniform-random over the same valid actions, same tasks, same horizon. */
  chance: Rate;
  oracle: Rate | null;
  score: number;
  /** Missing in runs of before it was recorded. */
  scores?: Scores;
  strata: { [stratum: string]: StratumEvaluation };
}

export interface StratumEvaluation {
  policy: Rate;
  chance: Rate;
  scores?: Scores;
}

/** A rate with its Wilson interval (Wilson 1927), which stays within 0 and 1 and does not collapse at either end. */
export function rateOf(successes: number, episodes: number): Rate {
  if (episodes === 0) return { successes, episodes, rate: 0, low: 0, high: 1 };
  const rate = successes / episodes;
  return { successes, episodes, rate, ...wilson(rate, episodes) };
}

export function rateOfAll(successes: readonly boolean[]): Rate {
  return rateOf(successes.filter(Boolean).length, successes.length);
}

export function meanOf(values: readonly number[]): Mean {
  const center = mean(values);
  const spread = values.length < 2 ? 0 : (z95 * unbiasedStd(values)) / Math.sqrt(values.length);
  return { mean: center, low: center - spread, high: center + spread, episodes: values.length };
}

/** One evaluated episode: what the policy did on a task, and what chance and the oracle did on the same. */
export interface EvaluatedEpisode {
  strata: readonly string[];
  success: boolean;
  score: number;
  /** Several plays: the baseline must be known better than what is measured against it. */
  chance: readonly { success: boolean; score: number }[];
  oracle: boolean | null;
}

export function summarize(episodes: readonly EvaluatedEpisode[]): SplitEvaluation {
  const strata = [...new Set(episodes.flatMap((episode) => episode.strata))].sort();
  const oracle = episodes.map((episode) => episode.oracle);
  return {
    ...beside(episodes),
    oracle: oracle.length === 0 || oracle.includes(null) ? null : rateOfAll(oracle.map(Boolean)),
    score: mean(episodes.map((episode) => episode.score)),
    strata: Object.fromEntries(strata.map((name) => [name, beside(episodes.filter((e) => e.strata.includes(name)))])),
  };
}

/** The policy beside chance. */
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
