/** Comparison of stored runs: their curves, the settings in which they differ, and their evaluations. Pure functions. */
import type { Experiment } from '../../experiment/experiment.ts';
import { differences, readPath } from '../../experiment/paths.ts';
import type { Rate, RunSummary, SplitEvaluation, StepRecord } from '../../session/protocol.ts';
import { lineStyle, type VariantLine } from './sweep-series.ts';

export interface ComparedRun {
  summary: RunSummary;
  records: readonly StepRecord[];
}

/** One line for each run, in the colours and dashes of a sweep's variants. */
export const comparedLines = (runs: readonly ComparedRun[]): VariantLine[] =>
  runs.map(({ summary, records }, i) => ({
    variant: i,
    name: summary.name,
    apart: '',
    ...lineStyle(i),
    runs: [{ seed: summary.experiment.seed ?? 0, records }],
  }));

/** Settings in which the experiments differ, each with its value in every run; undefined: the run has no such setting. */
export function settingsThatDiffer(experiments: readonly Experiment[]): { path: string; values: unknown[] }[] {
  const [first, ...others] = experiments;
  const paths = new Set(others.flatMap((other) => differences(first, other).map(({ path }) => path)));
  return [...paths]
    .filter((path) => path !== 'name' && path !== 'description')
    .map((path) => ({ path, values: experiments.map((each) => readPath(each, path)) }));
}

/** One setting that was changed between two runs. */
export interface SingleChange {
  base: RunSummary;
  path: string;
  from: unknown;
  to: unknown;
}

/** The most recently used finished run from which `run` differs in a single setting; null if there is none. */
export function singleChange(run: RunSummary, runs: readonly RunSummary[]): SingleChange | null {
  const isFinished = ({ step, experiment }: RunSummary) => step >= experiment.steps;
  const others = runs.filter((each) => each.id !== run.id && each.deletedUntil === null && isFinished(each));
  for (const base of others.sort((a, b) => b.updatedAt - a.updatedAt)) {
    const [one, ...more] = settingsThatDiffer([base.experiment, run.experiment]);
    if (one && !more.length) return { base, path: one.path, from: one.values[0], to: one.values[1] };
  }
  return null;
}

/** Newest evaluation on held-out goals; null if there is none. */
export const newestHeldOut = (records: readonly StepRecord[]): SplitEvaluation | null =>
  records.findLast(({ evaluation }) => evaluation)?.evaluation?.test ?? null;

/** Comparison of two rates by their intervals. */
export function verdict(before: Rate, after: Rate): 'higher' | 'lower' | 'open' {
  if (after.low > before.high) return 'higher';
  return after.high < before.low ? 'lower' : 'open';
}

export interface HeldOutRow {
  name: string;
  step: number;
  /** Newest evaluation on held-out goals and its step, and the highest rate so far; null: never evaluated. */
  newest: { step: number; evaluation: SplitEvaluation } | null;
  best: { step: number; rate: number } | null;
}

/** Held-out evaluations of each run. */
export const heldOutRows = (runs: readonly ComparedRun[]): HeldOutRow[] =>
  runs.map(({ summary, records }) => {
    const evaluated = records.flatMap(({ step, evaluation }) =>
      evaluation ? [{ step, evaluation: evaluation.test }] : [],
    );
    const best = evaluated.reduce<HeldOutRow['best']>((most, { step, evaluation: { policy } }) => {
      return most && most.rate >= policy.rate ? most : { step, rate: policy.rate };
    }, null);
    return { name: summary.name, step: summary.step, newest: evaluated.at(-1) ?? null, best };
  });
