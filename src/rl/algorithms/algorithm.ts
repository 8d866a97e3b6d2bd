/**
 * What an algorithm is: a schema with its words, what it needs, how a step's trajectories come to be, credit per trained token, an
 * objective, and metrics. A module is everything particular to one algorithm; the trainer asks these and nothing else.
 */
import type * as v from 'valibot';
import type { Task } from '../../envs/env.ts';
import type { CriticKind, CriticSettings, ObjectiveSpec } from '../../policy/policy.ts';
import type { AggregationOptions } from '../common/aggregation.ts';
import type { TokenRows } from '../common/token-rows.ts';
import type { Baseline } from '../credit/groups.ts';
import type { Demonstrations } from '../episode/demonstrations.ts';
import type { Missteps } from '../episode/missteps.ts';
import type { EndingRules } from '../episode/returns.ts';
import type { Trajectory } from '../episode/trajectory.ts';
import type { Metric } from '../metrics/metrics.ts';
import type { Card } from './cards.ts';

/** What the trainer reads of any algorithm's settings. */
export interface AlgorithmSettings {
  name: string;
  /** Tasks of a step, and episodes of each. */
  groups: number;
  groupSize: number;
  minibatches: number;
  innerEpochs: number;
  endings: EndingRules;
}

export interface Needs {
  /** Log-probabilities under the frozen reference, in the objective. */
  reference?: boolean;
  /** The same before credit is given. */
  referenceInCredit?: boolean;
  /** Log-probabilities of the policy before the update, recomputed; else those of the rollout stand for them. */
  old?: boolean;
  /** A value head. */
  values?: boolean;
  /** Sums over the rows of a sequence. */
  sequences?: boolean;
  /** Two sequences whose rows meet in the loss. */
  pairs?: boolean;
  /** Sums over all rows of an update, so that its forward runs twice. */
  batch?: boolean;
  /** Sequences that are trained on for each episode, where they are more than one. */
  sequencesPerEpisode?: number;
}

/** How the oracle's play is shown. */
export interface ShownOptions {
  missteps?: Missteps | null;
  /** The share of the tasks that the policy begins itself: it plays them first. */
  dagger?: number;
  /** The world's words are trained on as well. */
  listens?: boolean;
  /** So many that follow each other may share their first words. */
  siblings?: number;
}

/** How a step's trajectories are come by. Everything is a function of the step and of the policy's state. */
export interface Collecting {
  /**
   * Tasks of this step; `wave` 0 are its own, later ones are drawn when the first are used up. `siblings`: of a world whose tasks are drawn
   * anew, so many that share their first words follow each other.
   */
  tasks(groups: number, wave?: number, siblings?: number): Task[];
  /** The policy plays each task `groupSize` times. */
  play(tasks: readonly Task[], groupSize: number, wave?: number): Promise<Trajectory[]>;
  /** The oracle plays each task once, with missteps where wanted; tasks it does not solve are left out. */
  demonstrate(tasks: readonly Task[], options?: ShownOptions): Promise<Demonstrations>;
  /** This step's share of a file of trajectories. */
  recorded(file: string, count: number): Promise<Trajectory[]>;
}

export interface Collected {
  /** What may be trained on. */
  trajectories: Trajectory[];
  /** All that the policy played, for the record's rates. */
  played: Trajectory[];
  /** Whose chance and oracle are beside those rates. */
  tasks: Task[];
  metrics?: { [metric: string]: number };
}

/** What an algorithm keeps between steps beside the weights; saved with them. */
export type Memory = { [name: string]: number };

/** What credit is computed from. (B) a sequence, (N) a trained token. */
export interface CreditInput {
  rows: TokenRows;
  /** (B) NaN: dropped. */
  returns: ArrayLike<number>;
  /** (B) */
  trajectories: readonly Trajectory[];
  /** (N) log-probabilities when sampled. */
  rollout?: ArrayLike<number>;
  /** (N) of the policy before the update, where `needs.old`. */
  old?: ArrayLike<number>;
  /** (N) where `needs.referenceInCredit`. */
  reference?: ArrayLike<number>;
  /** (N) where `needs.values`. */
  values?: ArrayLike<number>;
  memory?: Memory;
}

export interface Credit {
  /** (N) of each trained token. */
  advantages: Float64Array;
  /** (B) of the whole episode, for a person; absent: the mean of its tokens. */
  episode?: Float64Array;
  groups: number;
  withoutSignal: number;
  /** (N) of what the objective reads beside the advantage. */
  columns?: { readonly [name: string]: ArrayLike<number> };
  /** What is trained on, in groups; absent: all that were not dropped. */
  train?: readonly Trajectory[];
  /** Numbers of a whole sequence: a label, the pair it is of, the weight of its tokens. */
  marks?: ReadonlyMap<Trajectory, { readonly [name: string]: number }>;
  metrics?: { [metric: string]: number };
  memory?: Memory;
}

/** An objective with its scalars, as `policy/` runs it. */
export interface ObjectiveCall {
  spec: ObjectiveSpec;
  scalars: readonly number[];
}

/** The same algorithm in another trainer, or the nearest that it has. */
export interface Counterpart {
  /** What it is called there. */
  name: string;
  /** What it needs there beside the settings that algorithms share, by path. */
  set?: { readonly [path: string]: number | boolean | string };
  /** What is not the same there, a sentence each. */
  differs?: readonly string[];
}

export interface Algorithm<S extends AlgorithmSettings = AlgorithmSettings> {
  name: string;
  label: string;
  /** One sentence for a person. */
  sentence: string;
  /** URLs of the paper and, where its code was read, the commit. */
  source: readonly string[];
  /** What an episode is compared with, where that is one formula of its group. */
  baseline?: Baseline;
  schema: v.GenericSchema<unknown, S>;
  // Methods, not functions as fields: a module of narrower settings is an Algorithm.
  /** Absent: groups of episodes of the step's tasks. */
  collect?(collecting: Collecting, settings: S): Promise<Collected>;
  needs(settings: S): Needs;
  credit(input: CreditInput, settings: S): Credit;
  objective(settings: S): ObjectiveCall;
  aggregation(settings: S): AggregationOptions;
  /** Where values come from and how what says them is trained, where `needs.values`. */
  critic?(settings: S): CriticSettings & { kind: CriticKind };
  /** The file of trajectories that it learns from; null: none. */
  file?(settings: S): string | null;
  /** How it is explained, in the order of `cardParts`; absent: by what all methods share. */
  cards?(settings: S): readonly Card[];
  /** By the name of the trainer (`session/handoff/`); absent: that trainer has none. */
  counterparts?: { readonly [trainer: string]: Counterpart };
  /** Its own, beside those of rl/metrics.ts. */
  metrics?: readonly Metric[];
}
