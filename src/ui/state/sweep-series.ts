/** Curves of a sweep as columns of a chart: each seed of each variant, with mean and interval. Pure functions. */
import { meanEstimate } from '../../rl/evaluation/statistics.ts';
import type { OpenedSweep, StepRecord } from '../../session/protocol.ts';
import { type Dash, readSeries, type SeriesSpec, smoothed } from './series.ts';
import { type XAxis, xValues } from './x-axis.ts';

/** A variant and its line. */
export interface VariantLine {
  variant: number;
  name: string;
  /** Settings that differ from the other variants. */
  apart: string;
  color: string;
  dash: Dash;
  runs: { seed: number; records: readonly StepRecord[] }[];
}

/** Numbers at each step; null if unknown there. */
export type Column = (number | null)[];

export interface VariantColumns {
  seeds: Column[];
  mean: Column;
  low: Column;
  high: Column;
}

export interface SweepColumns {
  steps: number[];
  variants: VariantColumns[];
}

const colors = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5'];
const dashes: readonly Dash[] = ['solid', 'dashed', 'dotted'];

/** Colour and dash of the line at an index, different for as many lines as possible. */
export const lineStyle = (index: number): Pick<VariantLine, 'color' | 'dash'> => ({
  color: colors[index % colors.length],
  dash: dashes[Math.floor(index / colors.length) % dashes.length],
});

/** More points would slow down every step and could not be distinguished. */
const mostPoints = 600;

export function variantLines(sweep: OpenedSweep, labels: readonly { name: string; apart: string }[]): VariantLine[] {
  return labels.map(({ name, apart }, variant) => ({
    variant,
    name,
    apart,
    ...lineStyle(variant),
    runs: sweep.runs
      .filter(({ summary }) => summary.sweep?.variant === variant)
      .map(({ summary, records }) => ({ seed: summary.sweep!.seed, records })),
  }));
}

/** Steps of the longest run, thinned if there are very many; always contains the newest. */
function stepsOf(lines: readonly VariantLine[]): number[] {
  const last = Math.max(0, ...lines.flatMap(({ runs }) => runs.map(({ records }) => records.at(-1)?.step ?? 0)));
  const every = Math.max(1, Math.ceil(last / mostPoints));
  return Array.from({ length: Math.ceil(last / every) }, (_, i) => last - i * every)
    .filter((step) => step > 0)
    .reverse();
}

function seedColumn(
  records: readonly StepRecord[],
  series: SeriesSpec,
  steps: readonly number[],
  smoothing: number,
): Column {
  const raw = records.map((record) => (record.step > 0 ? readSeries(series, record) : null));
  const values = series.smooth && smoothing > 0 ? smoothed(raw, smoothing) : raw;
  const byStep = new Map(records.map(({ step }, i) => [step, values[i]]));
  return steps.map((step) => byStep.get(step) ?? null);
}

/** Mean where every seed has a value, with Student's interval over seeds if there are several. */
function meanColumns(
  seeds: readonly Column[],
  length: number,
  range: [number, number] | null,
): Omit<VariantColumns, 'seeds'> {
  const columns: Omit<VariantColumns, 'seeds'> = { mean: [], low: [], high: [] };
  const within = (value: number) => (range ? Math.min(range[1], Math.max(range[0], value)) : value);
  for (let i = 0; i < length; i++) {
    const values = seeds.map((column) => column[i]).filter((value) => value !== null);
    const whole = seeds.length > 0 && values.length === seeds.length;
    const { mean, low, high } = meanEstimate(values);
    columns.mean.push(whole ? mean : null);
    columns.low.push(whole && values.length > 1 ? within(low) : null);
    columns.high.push(whole && values.length > 1 ? within(high) : null);
  }
  return columns;
}

export function sweepColumns(
  lines: readonly VariantLine[],
  series: SeriesSpec,
  range: [number, number] | null,
  smoothing = 0.85,
): SweepColumns {
  const steps = stepsOf(lines);
  const variants = lines.map(({ runs }) => {
    const seeds = runs.map(({ records }) => seedColumn(records, series, steps, smoothing));
    return { seeds, ...meanColumns(seeds, steps.length, range) };
  });
  return { steps, variants };
}

/** Position of a variant on the axis at each step, as the mean over its seeds; null where a seed has no such step. */
export function sweepXs({ runs }: VariantLine, steps: readonly number[], x: XAxis): Column {
  if (x === 'step') return [...steps];
  const maps = runs.map(({ records }) => {
    const xs = xValues(records, x);
    return new Map(records.map(({ step }, index) => [step, xs[index]]));
  });
  return steps.map((step) => {
    const values = maps.map((each) => each.get(step)).filter((each) => each !== undefined);
    return values.length === maps.length && maps.length ? values.reduce((a, b) => a + b, 0) / values.length : null;
  });
}
