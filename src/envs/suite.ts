/**
 * Evaluation suites of a world: fixed tasks under a fixed horizon, in the columns of the published table they are compared with.
 * Numbers of others, with their source, stand beside the suite that they belong to.
 */
import type { Split, Task, WorldOptions } from './env.ts';

export interface WorldSuite {
  /** Names it in an experiment and on the command line. */
  name: string;
  label: string;
  sentence: string;
  options: WorldOptions;
  /** Options that are the policy's own, as its run has them: how it hears the world, and not what it is asked. */
  policyOptions?: readonly string[];
  /** Under which the oracle draws what has to be found out: its plan with the answer left to chance, which a policy that finds out must beat. */
  guesses?: WorldOptions;
  split: Split;
  /** Which tasks of the split, in this order; absent: all. */
  ids?: readonly number[];
  /** Most turns of an episode. */
  turns: number;
  /** In the order of the published table. */
  columns: readonly string[];
  columnOf(task: Task): string;
  /** Where it stands in the place of items that are not known: why. */
  standIn?: string;
  published?: PublishedTable;
}

export interface PublishedTable {
  source: string;
  /** How its numbers came about, where that differs from ours. */
  differs: string;
  /** Percent by column, then over all. */
  rows: readonly (readonly [model: string, ...numbers: number[]])[];
}

/** What is true of every published row beside one of ours. */
export const agentGymRlDiffers =
  'Language models that read English before and write freely; one sample at temperature 1; no intervals are published. A tiny policy here may choose among listed actions.';
