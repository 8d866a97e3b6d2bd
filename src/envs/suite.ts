/**
 * Evaluation suites of a world: fixed tasks under a fixed horizon, in the columns of the published table they are
 * compared with. Published results are part of their suite, with their source.
 */
import type { Split, Task, WorldOptions } from './env.ts';

/** Maximum number of turns, or the oracle's turns for the task plus a number. */
type SuiteTurns = number | { oraclePlus: number };

/** Fixed tasks, of one world or of several. */
export interface Suite {
  /** Name in an experiment and on the command line. */
  name: string;
  label: string;
  sentence: string;
  options: WorldOptions;
  /** Played in place of the one world with `options`: tasks of several worlds or options, each within its own turns. */
  entries?: readonly { name: string; options: WorldOptions; turns: SuiteTurns }[];
  /** Options that belong to the policy and are taken from its run: they change the observations, not the tasks. */
  policyOptions?: readonly string[];
  /**
   * Options under which the oracle guesses the hidden answer at random. The result of this oracle is a baseline: a
   * policy that finds out the answer must do better.
   */
  guesses?: WorldOptions;
  split: Split;
  /** Tasks of the split, in this order. Default: all. */
  ids?: readonly number[];
  /** Plays at most this many of the tasks, evenly spaced. Default: all. */
  most?: number;
  /** Maximum number of turns of an episode, in the world that allows most; null: it depends on the task. */
  turns: number | null;
  /** In the order of the published table. */
  columns: readonly string[];
  columnOf(task: Task): string;
  /** Reason, if these items stand in for unknown published ones. */
  standIn?: string;
  published?: PublishedTable;
}

/** Suite of a world's own list. */
export interface WorldSuite extends Suite {
  turns: number;
}

interface PublishedTable {
  source: string;
  /** Differences between the conditions of these results and ours. */
  differs: string;
  /** Percentages by column, then over all. */
  rows: readonly (readonly [model: string, ...numbers: number[]])[];
}

/** Differences between our results and every published row. */
export const agentGymRlDiffers =
  'Pretrained language models that write freely; one sample at temperature 1; no intervals are published. A tiny policy here may choose among listed actions.';
