/** Selects the steps that are evaluated, and the part of a record that a resumed run must reproduce. */
import type { Experiment } from '../../experiment/experiment.ts';

/** True after the last step and, unless `every` is 0, before the first update and every `every` steps. */
export function evaluates(experiment: Experiment, step: number): boolean {
  const { every } = experiment.evaluation;
  return step === experiment.steps || (every > 0 && step % every === 0);
}

/** True for a metric that is measured, a time or a rate, and so differs from run to run. */
export const isMeasured = (metric: string): boolean => /(?:Ms|PerSecond)$/.test(metric);

/** A step's record without times and rates: the part that a resumed run must reproduce exactly. */
export function withoutTimes<R extends { metrics: { [metric: string]: number } }>(record: R): R {
  const kept = Object.entries(record.metrics).filter(([name]) => !isMeasured(name));
  return { ...record, metrics: Object.fromEntries(kept) };
}
