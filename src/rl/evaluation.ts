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
