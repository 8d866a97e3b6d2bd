/**
 * Interface of an algorithm: schema with labels, needs, collection of a step's trajectories, credit per trained token,
 * objective, metrics. A module holds everything particular to one algorithm; the trainer uses only this interface.
 */
import type * as v from 'valibot';
import type { Task } from '../../envs/env.ts';
import type { CriticKind, CriticSettings, ObjectiveSpec } from '../../policy/policy.ts';
import type { AggregationOptions } from '../common/aggregation.ts';
import type { Card } from '../common/formula.ts';
import type { TokenRows } from '../common/token-rows.ts';
import type { Baseline } from '../credit/groups.ts';
import type { Demonstrations } from '../episode/demonstrations.ts';
import type { Missteps } from '../episode/missteps.ts';
import type { EndingRules } from '../episode/returns.ts';
import type { Trajectory } from '../episode/trajectory.ts';

/** Settings that the trainer reads of any algorithm. */
export interface AlgorithmSettings {
  name: string;
  /** Number of tasks in a step; `groupSize`: episodes of each. */
  groups: number;
  groupSize: number;
  minibatches: number;
  innerEpochs: number;
  endings: EndingRules;
}

export interface Needs {
  /** The objective reads log-probabilities under the frozen reference. */
  reference?: boolean;
  /** Credit reads log-probabilities under the frozen reference. */
  referenceInCredit?: boolean;
  /** Recomputes the policy's log-probabilities before the update; false: those of the rollout are used. */
  old?: boolean;
  /** Reads a value head. */
  values?: boolean;
  /** Sums over the rows of a sequence. */
  sequences?: boolean;
  /** Couples two sequences in the loss. */
  pairs?: boolean;
  /** Sums over all rows of an update, so the forward pass runs twice. */
  batch?: boolean;
  /**
   * Credit reads log-probabilities under a teacher: the policy of this name, or, if it is null, the oracle, smoothed
   * over the valid actions. `distributions`: the update reads the teacher's whole distribution at each trained token.
   */
  teacher?: { policy: string | null; smoothing: number; distributions?: boolean };
  /** Trained sequences per episode, if more than one. */
  sequencesPerEpisode?: number;
}

/** Options of the oracle's demonstrations. */
export interface ShownOptions {
  missteps?: Missteps | null;
  /** Share of the tasks whose episodes the policy begins. */
  dagger?: number;
  /** Trains on the world's text as well. */
  trainsOnWorldText?: boolean;
  /** Number of consecutive tasks that may share their first observation. */
  siblings?: number;
}

/** Ways to collect a step's trajectories. Every result is a function of the step and of the policy's state. */
export interface Collector {
  /**
   * Tasks of this step. `wave` 0: the step's own; later waves are drawn after the first are used up. `siblings`: for a
   * world that draws its tasks, the number of consecutive tasks that share their first observation.
   */
  tasks(groups: number, wave?: number, siblings?: number): Task[];
  /** Plays each task `groupSize` times with the policy. */
  play(tasks: readonly Task[], groupSize: number, wave?: number): Promise<Trajectory[]>;
  /** Plays each task once with the oracle, with missteps if requested. Tasks that it does not solve are left out. */
  demonstrate(tasks: readonly Task[], options?: ShownOptions): Promise<Demonstrations>;
  /** This step's share of a file of trajectories. */
  recorded(file: string, count: number): Promise<Trajectory[]>;
  /** The first `count` training tasks of a fixed order that the run's seed draws, each once. */
  fixedTasks(count: number): readonly Task[];
  /** This step's share of a list of tasks, in shuffled epochs. */
  share(tasks: readonly Task[], count: number): Task[];
  /** Mean negative log-probability of the oracle's play of these tasks, in nats a trained token. */
  oracleLoss(tasks: readonly Task[]): Promise<number>;
  /** Step within its stage, from 1. */
  readonly stageStep: number;
  /** Numbers that this algorithm kept (`CollectedPlay.memory`). */
  readonly memory: Memory;
}

export interface CollectedPlay {
  /** Trajectories that may be trained on. */
  trajectories: Trajectory[];
  /** All episodes that the policy played, for the record's rates. */
  played: Trajectory[];
  /** Tasks on which chance and the oracle are reported beside those rates. */
  tasks: Task[];
  metrics?: { [metric: string]: number };
  /** Numbers to keep beside the weights, once the step has been trained. */
  memory?: Memory;
}

/** Numbers that an algorithm keeps between steps beside the weights; saved with them. */
export type Memory = { [name: string]: number };

/** Inputs of credit. (B) per sequence, (N) per trained token. */
export interface CreditInput {
  rows: TokenRows;
  /** (B) returns; NaN: dropped. */
  returns: ArrayLike<number>;
  /** (B) */
  trajectories: readonly Trajectory[];
  /** (N) log-probabilities when sampled. */
  rollout?: ArrayLike<number>;
  /** (N) log-probabilities of the policy before the update, if `needs.old`. */
  old?: ArrayLike<number>;
  /** (N) log-probabilities of the reference, if `needs.referenceInCredit`. */
  reference?: ArrayLike<number>;
  /** (N) log-probabilities under the teacher, if `needs.teacher`; NaN: it says nothing about the token. */
  teacher?: ArrayLike<number>;
  /** (N) values, if `needs.values`. */
  values?: ArrayLike<number>;
  memory?: Memory;
}

export interface Credit {
  /** (N) advantage of each trained token. */
  advantages: Float64Array;
  /** (B) advantage of the whole episode, for display; absent: the mean of its tokens. */
  episode?: Float64Array;
  groups: number;
  withoutSignal: number;
  /** (N) further columns that the objective reads. */
  columns?: { readonly [name: string]: ArrayLike<number> };
  /** Trajectories to train on, in groups; absent: all that were not dropped. */
  train?: readonly Trajectory[];
  /** Numbers of a whole sequence: a label, its pair, the weight of its tokens. */
  marks?: ReadonlyMap<Trajectory, { readonly [name: string]: number }>;
  metrics?: { [metric: string]: number };
  memory?: Memory;
}

/** Objective with its scalars, as `policy/` runs it. */
export interface ObjectiveCall {
  spec: ObjectiveSpec;
  scalars: readonly number[];
  /** Divergence from the teacher's distributions in the loss (`UpdateRequest.divergence`), and its weight. */
  divergence?: { beta: number; weight: number };
}

/** Difference between a method's own data and a batch that was played for another method. */
export type BatchNote = 'successes' | 'signal' | 'no-demonstrations' | 'pairs' | 'fitted-critic';

/** Use of a batch that was played for another method. */
interface OnBatch<S> {
  note: BatchNote;
  /** Trajectories that the method would train on; absent: all. */
  take?(trajectories: readonly Trajectory[], settings: S): readonly Trajectory[];
}

/** The same algorithm in another trainer, or the nearest one there. */
export interface Counterpart {
  /** Name in the other trainer. */
  name: string;
  /** Settings needed there beside the common ones, by path. */
  set?: { readonly [path: string]: number | boolean | string };
  /** Differences from ours, one sentence each. */
  differs?: readonly string[];
}

export interface Algorithm<S extends AlgorithmSettings = AlgorithmSettings> {
  name: string;
  label: string;
  /** One-sentence explanation. */
  sentence: string;
  /** URLs of the paper and, if its code was read, of the commit. */
  source: readonly string[];
  /** Baseline of the advantage, if one formula over the group gives it. */
  baseline?: Baseline;
  schema: v.GenericSchema<unknown, S>;
  // Methods rather than function fields, so that a module with narrower settings is an Algorithm.
  /** Absent: groups of episodes of the step's tasks. */
  collect?(collecting: Collector, settings: S): Promise<CollectedPlay>;
  /** Use of a played batch, if the method collects its own data or makes something of the batch. */
  onBatch?: OnBatch<S>;
  needs(settings: S): Needs;
  credit(input: CreditInput, settings: S): Credit;
  objective(settings: S): ObjectiveCall;
  aggregation(settings: S): AggregationOptions;
  /** Settings that contradict each other, by the name of the field; absent: none can. */
  problems?(settings: S): readonly { field: string; message: string }[];
  /** Source of values and training of the value head, if `needs.values`. */
  critic?(settings: S): CriticSettings & { kind: CriticKind };
  /** File of trajectories that it learns from; null: none. */
  file?(settings: S): string | null;
  /** Explanation as cards, in the order of `cardParts`; absent: the cards common to all methods. */
  cards?(settings: S): readonly Card[];
  /** Counterparts by the name of the trainer (`session/handoff/`); absent: that trainer has none. */
  counterparts?: { readonly [trainer: string]: Counterpart };
}
