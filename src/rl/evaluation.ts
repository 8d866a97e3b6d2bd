/**
 * What a step and an evaluation report: success beside chance and oracle, with intervals. Knows trajectories and worlds;
 * has never heard of a GPU buffer, a run or a page.
 */

/** A success rate with its 95% interval (Wilson). */
export interface Rate {
  successes: number;
  episodes: number;
  rate: number;
  low: number;
  high: number;
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
  strata: { [stratum: string]: { policy: Rate; chance: Rate } };
}

/** 97.5% quantile of the normal distribution. */
const z95 = 1.959963984540054;

/** A rate with its Wilson interval (Wilson 1927), which stays within 0 and 1 and does not collapse at either end. */
export function rateOf(successes: number, episodes: number): Rate {
  if (episodes === 0) return { successes, episodes, rate: 0, low: 0, high: 1 };
  const rate = successes / episodes;
  const squared = z95 * z95;
  const center = (rate + squared / (2 * episodes)) / (1 + squared / episodes);
  const spread =
    (z95 / (1 + squared / episodes)) * Math.sqrt((rate * (1 - rate)) / episodes + squared / (4 * episodes * episodes));
  // Exact at the ends, where rounding would leave 1 - 1e-16.
  const low = successes === 0 ? 0 : center - spread;
  const high = successes === episodes ? 1 : center + spread;
  return { successes, episodes, rate, low, high };
}

export function rateOfAll(successes: readonly boolean[]): Rate {
  return rateOf(successes.filter(Boolean).length, successes.length);
}

/** One evaluated episode: what the policy did on a task, and what chance and the oracle did on the same. */
export interface EvaluatedEpisode {
  strata: readonly string[];
  success: boolean;
  score: number;
  /** Several plays: the baseline must be known better than what is measured against it. */
  chance: readonly boolean[];
  oracle: boolean | null;
}

export function summarize(episodes: readonly EvaluatedEpisode[]): SplitEvaluation {
  const both = (some: readonly EvaluatedEpisode[]) => ({
    policy: rateOfAll(some.map((episode) => episode.success)),
    chance: rateOfAll(some.flatMap((episode) => episode.chance)),
  });
  const strata = [...new Set(episodes.flatMap((episode) => episode.strata))].sort();
  const oracle = episodes.map((episode) => episode.oracle);
  return {
    ...both(episodes),
    oracle: oracle.length === 0 || oracle.includes(null) ? null : rateOfAll(oracle.map(Boolean)),
    score: episodes.reduce((sum, episode) => sum + episode.score, 0) / Math.max(episodes.length, 1),
    strata: Object.fromEntries(strata.map((name) => [name, both(episodes.filter((e) => e.strata.includes(name)))])),
  };
}
