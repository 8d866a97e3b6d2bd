/**
 * A cell of the algorithms' table: one algorithm with one seed, as an experiment. The setting (worlds, policy, horizon, tasks and
 * episodes of a step, entropy bonus) is the base experiment's for all of them; everything else is the module's own default, taken
 * from its source, except what `tuned` names with its reason. Trains nothing.
 */

import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { withAlgorithm } from '../../src/rl/algorithms/choosing.ts';
import { algorithms } from '../../src/rl/algorithms/registry.ts';
import type { Evaluation } from '../../src/rl/evaluation/evaluation.ts';

export interface Tuning {
  settings?: { readonly [field: string]: unknown };
  learningRate?: number;
  /** Why the source's own value does not serve here. */
  why: string;
}

/** Departures from a module's defaults, in the table only. */
export const tuned: { readonly [algorithm: string]: Tuning } = {};

export interface Cell {
  algorithm: string;
  seed: number;
  experiment: Experiment;
}

/** What is kept of a finished cell. */
export interface CellResult {
  algorithm: string;
  seed: number;
  /** As it was run: a cell whose experiment has changed since is run again. */
  experiment: Experiment;
  start: Evaluation;
  end: Evaluation;
  /** Of each step, success of its batch; absent where the policy only listened. */
  success: (number | null)[];
  /** Of each step, where the algorithm has a critic. */
  explainedVariance?: number[];
  /** Of all steps, evaluations apart. */
  stepSeconds: number;
  /** Of the whole cell, evaluations included. */
  seconds: number;
}

/** Names as they are asked for; all of the registry, GRPO first, as the others are measured by it. */
export function algorithmNames(asked?: string): string[] {
  const known = algorithms.map(({ name }) => name).sort((a, b) => Number(b === 'grpo') - Number(a === 'grpo'));
  if (asked === undefined) return known;
  const names = asked.split(',');
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined)
    throw new UnknownNameError(`There is no algorithm "${wrong}"; there are ${known.join(', ')}.`);
  return names;
}

/** A list on the command line names something that there is not. */
export class UnknownNameError extends Error {
  override name = 'UnknownNameError';
}

/** The base's own algorithm stands as it is written there. */
const settingsOf = (name: string, { algorithm }: Experiment) =>
  algorithm.name === name ? algorithm : withAlgorithm(algorithm, name);

/** Evaluations stand only at both ends. */
export function cellOf(base: Experiment, algorithm: string, seed: number, steps: number): Cell {
  const { settings = {}, learningRate = base.optimizer.learningRate } = tuned[algorithm] ?? {};
  const experiment = parseExperiment({
    ...base,
    name: `${base.name}: ${algorithm}`,
    seed,
    steps,
    algorithm: { ...settingsOf(algorithm, base), ...settings },
    optimizer: { ...base.optimizer, learningRate },
    evaluation: { ...base.evaluation, every: 0 },
  });
  return { algorithm, seed, experiment };
}

/** The first seed of all algorithms comes first: a table of one column soon, rather than a row of three. */
export const cellsOf = (base: Experiment, names: readonly string[], seeds: readonly number[], steps: number): Cell[] =>
  seeds.flatMap((seed) => names.map((name) => cellOf(base, name, seed, steps)));
