/** Which steps evaluate, and what is left to do. */
import type { Experiment } from '../../experiment/experiment.ts';

/** Before the first update, every `every` steps, and after the last. */
export function evaluates(experiment: Experiment, step: number): boolean {
  const { every } = experiment.evaluation;
  return step === 0 || step === experiment.steps || (every > 0 && step % every === 0);
}

/** A step's record without times and rates: what a resumed run must repeat exactly. */
export function withoutTimes<R extends { metrics: { [metric: string]: number } }>(record: R): R {
  const kept = Object.entries(record.metrics).filter(([name]) => !/(Ms|PerSecond)$/.test(name));
  return { ...record, metrics: Object.fromEntries(kept) };
}
