/**
 * A cell of the algorithms' table: one algorithm with one seed, as an experiment. All cells share the base experiment's
 * setting (worlds, policy, horizon, tasks and episodes per step, entropy bonus). Everything else is the module's own
 * default, taken from its source, except for the changes in `tuned`, each with its reason. Trains nothing.
 */

import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { algorithms } from '../../src/rl/algorithms/registry.ts';
import { withAlgorithm } from '../../src/rl/algorithms/replace-algorithm.ts';
import type { Evaluation } from '../../src/rl/evaluation/evaluation.ts';

export interface Tuning {
  settings?: { readonly [field: string]: unknown };
  learningRate?: number;
  /** Reason why the source's own value does not work here. */
  why: string;
}

/** Changes from a module's defaults, in the table only. */
export const tuned: { readonly [algorithm: string]: Tuning } = {};

export interface Cell {
  algorithm: string;
  seed: number;
  experiment: Experiment;
}

/** Stored result of a finished cell. */
export interface CellResult {
  algorithm: string;
  seed: number;
  /** The experiment of the run. If it has changed since, the cell is repeated. */
  experiment: Experiment;
  start: Evaluation;
  end: Evaluation;
  /** Success of each step's batch; null where the policy only learns from demonstrations. */
  success: (number | null)[];
  /** Explained variance of each step, if the algorithm has a critic. */
  explainedVariance?: number[];
  /** Total of all steps, without evaluations. */
  stepSeconds: number;
  /** Total of the cell, including evaluations. */
  seconds: number;
}

/** The requested names, or all of the registry with GRPO first, since the others are compared with it. */
export function algorithmNames(wanted?: string): string[] {
  const known = algorithms.map(({ name }) => name).sort((a, b) => Number(b === 'grpo') - Number(a === 'grpo'));
  if (wanted === undefined) return known;
  const names = wanted.split(',');
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined)
    throw new UnknownNameError(`There is no algorithm "${wrong}". Choose from ${known.join(', ')}.`);
  return names;
}

/** A list on the command line contains an unknown name. */
export class UnknownNameError extends Error {
  override name = 'UnknownNameError';
}

/** The base's own algorithm keeps the settings of its file. */
const settingsOf = (name: string, { algorithm }: Experiment) =>
  algorithm.name === name ? algorithm : withAlgorithm(algorithm, name);

/** Evaluations run only at both ends. */
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

/** Ordered by seed, so that one seed of every algorithm finishes early. */
export const cellsOf = (base: Experiment, names: readonly string[], seeds: readonly number[], steps: number): Cell[] =>
  seeds.flatMap((seed) => names.map((name) => cellOf(base, name, seed, steps)));
