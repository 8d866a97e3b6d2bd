/** What a pupil's page sends of its run, made from the run's records. */
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import { type ClassReport, thinned } from './messages.ts';

const longestRun = 120;

const within = (value: number) => Math.min(1, Math.max(0, value));

/** Everything that is sent of a run: its experiment's name, its steps, success by step and held-out success. */
export function reportOf(
  run: { name: string; steps: number; status: ClassReport['status'] },
  records: readonly StepRecord[],
): ClassReport {
  const curve = records.flatMap(({ step, metrics }): [number, number][] =>
    Number.isFinite(metrics.success) ? [[step, within(metrics.success)]] : [],
  );
  const heldOut = records.flatMap(({ step, evaluation }): [number, number, number, number][] => {
    if (!evaluation) return [];
    const { rate, low, high } = evaluation.test.policy;
    return Number.isFinite(rate) ? [[step, within(rate), within(low), within(high)]] : [];
  });
  const name =
    run.name
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
      .trim()
      .slice(0, longestRun) || '-';
  return {
    run: name,
    step: records.at(-1)?.step ?? 0,
    steps: run.steps,
    status: run.status,
    curve: thinned(curve),
    heldOut: thinned(heldOut),
  };
}
