/** The success rate in the bar: that of the newest evaluation, else the mean of the last steps. Pure functions. */
import type { StepRecord } from '../../session/protocol.ts';
import { metricNames } from './series.ts';

export interface Success {
  rate: number;
  chance: number | null;
  step: number;
  evaluated: boolean;
  /** Steps that the rate is the mean of; 0 for an evaluation. */
  updates: number;
}

/** Finite values of a metric. */
export const valuesOf = (records: readonly StepRecord[], name: string): number[] =>
  records.map((record) => record.metrics[name]).filter((value) => Number.isFinite(value));

const meanOf = (values: readonly number[]): number | null =>
  values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;

export function readSuccess(records: readonly StepRecord[], window = 10): Success | null {
  const last = records.at(-1);
  if (!last) return null;
  if (last.evaluation) {
    const { policy, chance } = last.evaluation.train;
    return { rate: policy.rate, chance: chance.rate, step: last.step, evaluated: true, updates: 0 };
  }
  const recent = records.slice(-window);
  // The evaluation before the first step is a record without tries.
  const rates = valuesOf(recent, metricNames.success);
  const rate = meanOf(rates);
  if (rate === null) return null;
  const known =
    meanOf(valuesOf(recent, metricNames.chance)) ??
    records.findLast((record) => record.evaluation)?.evaluation?.train.chance.rate ??
    null;
  return { rate, chance: known, step: last.step, evaluated: false, updates: rates.length };
}
