/**
 * Variants of a sweep beside its first one, paired by seed: a seed has the same tasks, weights and random numbers in
 * every variant, so that the difference within a seed varies less than the results do.
 */
import type { Evaluation, StepRecord } from './evaluation.ts';
import { type Estimate, meanEstimate } from './statistics.ts';
import type { SweptRecords } from './sweep-report.ts';
import { interval, markdownCell, markdownTable, percent, type Table, textTable } from './tables.ts';

/** A number of a run's evaluations on held-out goals; null: the run has it not. */
type Reading = (evaluations: readonly { step: number; evaluation: Evaluation }[]) => number | null;

const evaluationsOf = (records: readonly StepRecord[]) =>
  records.flatMap(({ step, evaluation }) => (evaluation ? [{ step, evaluation }] : []));

const atTheEnd: Reading = (all) => all.at(-1)?.evaluation.test.policy.rate ?? null;

const ofFamily =
  (family: string): Reading =>
  (all) =>
    all.at(-1)?.evaluation.test.strata[family]?.policy.rate ?? null;

/** Mean height of the held-out curve: the area under it by trapezoids, over its steps. Needs two evaluations. */
export const areaUnder: Reading = (all) => {
  if (all.length < 2) return null;
  const height = (k: number) => all[k].evaluation.test.policy.rate;
  const area = all
    .slice(1)
    .reduce((sum, { step }, k) => sum + ((height(k) + height(k + 1)) / 2) * (step - all[k].step), 0);
  return area / (all.at(-1)!.step - all[0].step);
};

const lastEvaluated = (records: readonly StepRecord[]): number => evaluationsOf(records).at(-1)?.step ?? 0;

/**
 * Last evaluated step that every run has reached, without the runs that have none. Of an unfinished sweep, runs are
 * compared there: a run that trained for longer is not better for it.
 */
export function commonStep(runs: readonly SweptRecords[]): number {
  const reached = runs.map(({ records }) => lastEvaluated(records)).filter((step) => step > 0);
  return reached.length ? Math.min(...reached) : 0;
}

const upTo = (runs: readonly SweptRecords[], last: number): SweptRecords[] =>
  runs.map((run) => ({ ...run, records: run.records.filter(({ step }) => step <= last) }));

/** Differences to the first variant over the seeds that both have; null: no seed has both. */
function difference(runs: readonly SweptRecords[], variant: number, reading: Reading): Estimate | null {
  const read = (of: number) =>
    new Map(
      runs
        .filter((run) => run.variant === of)
        .map(({ seed, records }) => [seed, reading(evaluationsOf(records))] as const),
    );
  const [first, other] = [read(0), read(variant)];
  const differences = [...other].flatMap(([seed, value]) => {
    const base = first.get(seed) ?? null;
    return value === null || base === null ? [] : [value - base];
  });
  return differences.length ? meanEstimate(differences) : null;
}

const cell = (estimate: Estimate | null) => {
  if (!estimate) return '-';
  return estimate.items === 1 ? percent(estimate.mean) : interval(estimate);
};

/**
 * Points of success above the first variant: at the last step that all runs have reached, in the area under the held-out
 * curve, and by family.
 */
export function pairedTable(variants: readonly string[], all: readonly SweptRecords[]): Table {
  const runs = upTo(all, commonStep(all));
  const families = [
    ...new Set(runs.flatMap(({ records }) => Object.keys(evaluationsOf(records).at(-1)?.evaluation.test.strata ?? {}))),
  ].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const readings: readonly Reading[] = [atTheEnd, areaUnder, ...families.map(ofFamily)];
  return {
    head: ['', 'held-out', 'area under the curve', ...families],
    rows: variants.slice(1).map((name, k) => [name, ...readings.map((each) => cell(difference(runs, k + 1, each)))]),
  };
}

function words(first: string, runs: readonly SweptRecords[]): string {
  const last = commonStep(runs);
  const isWhole = runs.every(({ records }) => lastEvaluated(records) === last);
  const until = isWhole ? '' : ` Up to step ${last}, which all runs have reached.`;
  return `Difference to "${first}" on held-out goals, in points, paired by seed (Student, 95%).${until}`;
}

export const pairedText = (variants: readonly string[], runs: readonly SweptRecords[]): string =>
  variants.length < 2 ? '' : `\n${words(variants[0], runs)}\n\n${textTable(pairedTable(variants, runs))}\n`;

export const pairedMarkdown = (variants: readonly string[], runs: readonly SweptRecords[]): string =>
  variants.length < 2
    ? ''
    : `\n${words(markdownCell(variants[0]), runs)}\n\n${markdownTable(pairedTable(variants, runs))}\n`;
