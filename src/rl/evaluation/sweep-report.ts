/**
 * Results of a sweep by variant: success at the end and at its best, over seeds, and the curves. Intervals are
 * Student's over seeds: another seed is another run. Reads records; stores and sessions are elsewhere.
 */
import { csvTable } from '../../fields/csv.ts';
import type { Evaluation, StepRecord } from './evaluation.ts';
import { type Estimate, meanEstimate, meanOfItems } from './statistics.ts';
import { estimateSvg } from './svg-chart.ts';
import {
  decimals,
  interval,
  markdownCell,
  markdownTable,
  oneLine,
  percent,
  plain,
  type Table,
  textTable,
} from './tables.ts';

export interface SweptRecords {
  variant: number;
  seed: number;
  records: readonly StepRecord[];
}

interface SweepRow {
  variant: string;
  seeds: number[];
  /** Held-out success after the last step, of each seed that has one. */
  each: number[];
  heldOut: Estimate;
  training: Estimate;
  /** Mean held-out score after the last step. */
  score: Estimate;
  /** Best evaluation of each seed. */
  best: Estimate;
  chance: number;
}

export interface SweepReport {
  name: string;
  /** Metric of the curves. */
  metric: string;
  /** Names of the variants, in order. */
  variants: string[];
  rows: SweepRow[];
  curves: { variant: string; points: { x: number; estimate: Estimate }[]; thin: { x: number; y: number }[][] }[];
}

/** Maximum number of points of a curve; each is the mean of several steps. */
const mostPoints = 60;

/** Clips a rate's interval to 0 and 1. */
const clipped = ({ mean, low, high, items }: Estimate): Estimate => ({
  mean,
  low: Math.max(0, low),
  high: Math.min(1, high),
  items,
});

const estimate = (rates: readonly number[]) => clipped(meanEstimate(rates));

const evaluations = (records: readonly StepRecord[]): Evaluation[] =>
  records.flatMap(({ evaluation }) => (evaluation ? [evaluation] : []));

function rowOf(variant: string, runs: readonly SweptRecords[]): SweepRow {
  const known = runs.map(({ seed, records }) => ({ seed, all: evaluations(records) })).filter(({ all }) => all.length);
  const last = known.map(({ all }) => all.at(-1)!);
  return {
    variant,
    seeds: known.map(({ seed }) => seed),
    each: last.map(({ test }) => test.policy.rate),
    heldOut: estimate(last.map(({ test }) => test.policy.rate)),
    score: meanEstimate(last.map(({ test }) => test.score)),
    training: estimate(last.map(({ train }) => train.policy.rate)),
    best: estimate(known.map(({ all }) => Math.max(...all.map(({ test }) => test.policy.rate)))),
    chance: meanOfItems(last.map(({ test }) => test.chance.rate)),
  };
}

/** Metric of one run: means over pieces of `width` steps, placed at each piece's last step. */
export function pieces(records: readonly StepRecord[], metric: string, width: number): { x: number; y: number }[] {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const { step, metrics } of records) {
    const value = metrics[metric];
    if (step === 0 || !Number.isFinite(value)) continue;
    const piece = Math.ceil(step / width);
    const { sum = 0, count = 0 } = sums.get(piece) ?? {};
    sums.set(piece, { sum: sum + value, count: count + 1 });
  }
  return [...sums].map(([piece, { sum, count }]) => ({ x: piece * width, y: sum / count }));
}

/** Mean over runs at each piece that all of them have reached, with its interval. */
export function meanCurve(thin: readonly { x: number; y: number }[][]): { x: number; estimate: Estimate }[] {
  const byX = new Map<number, number[]>();
  for (const { x, y } of thin.flat()) byX.set(x, [...(byX.get(x) ?? []), y]);
  return [...byX]
    .filter(([, values]) => values.length === thin.length)
    .sort(([a], [b]) => a - b)
    .map(([x, values]) => ({ x, estimate: estimate(values) }));
}

export function sweepReport(
  name: string,
  variants: readonly string[],
  runs: readonly SweptRecords[],
  metric = 'success',
): SweepReport {
  const steps = Math.max(1, ...runs.map(({ records }) => records.at(-1)?.step ?? 0));
  const width = Math.ceil(steps / mostPoints);
  const of = (variant: number) => runs.filter((run) => run.variant === variant);
  return {
    name,
    metric,
    variants: [...variants],
    rows: variants.map((label, i) => rowOf(label, of(i))),
    curves: variants.map((variant, i) => {
      const thin = of(i).map(({ records }) => pieces(records, metric, width));
      return { variant, points: meanCurve(thin), thin };
    }),
  };
}

// A single run gives no estimate of the spread between runs.
const rate = (estimate: Estimate) => (estimate.items === 1 ? percent(estimate.mean) : interval(estimate));
const points = (estimate: Estimate) => (estimate.items === 1 ? decimals(estimate.mean) : plain(estimate));

export function sweepTable({ rows }: SweepReport): Table {
  return {
    head: [
      '',
      'seeds',
      'held-out %',
      'of each seed',
      'training goals %',
      'best held-out %',
      'chance %',
      'held-out score',
    ],
    rows: rows.map(({ variant, seeds, each, heldOut, training, best, chance, score }) => [
      variant,
      String(seeds.length),
      rate(heldOut),
      each.map(percent).join(', '),
      rate(training),
      rate(best),
      percent(chance),
      points(score),
    ]),
  };
}

const words =
  'Success sampled at the training temperature under the horizon of the last step. Intervals are 95%, over seeds (Student).';

export const sweepText = (report: SweepReport): string =>
  `${oneLine(report.name)}\n${words}\n\n${textTable(sweepTable(report))}\n`;

export const sweepMarkdown = (report: SweepReport): string =>
  `# ${markdownCell(report.name)}\n\n${words}\n\n${markdownTable(sweepTable(report))}\n`;

/** One line per step of a run, with all its metrics. */
export function sweepCsv(variants: readonly string[], runs: readonly SweptRecords[]): string {
  const names = [...new Set(runs.flatMap(({ records }) => records.flatMap(({ metrics }) => Object.keys(metrics))))];
  const rows = runs.flatMap(({ variant, seed, records }) =>
    records.map(({ step, stage, metrics, evaluation }) => [
      variants[variant],
      seed,
      step,
      stage,
      ...names.map((name) => metrics[name] ?? ''),
      evaluation?.train.policy.rate ?? '',
      evaluation?.test.policy.rate ?? '',
    ]),
  );
  return csvTable({ head: ['variant', 'seed', 'step', 'stage', ...names, 'evaluationTrain', 'evaluationTest'], rows });
}

export const sweepPlot = ({ name, curves, metric }: SweepReport): string =>
  estimateSvg({
    title: name,
    x: 'step',
    y: `${metric} of the batch, %`,
    lines: curves.map(({ variant, points, thin }) => ({ label: variant, points, thin })),
    bare: true,
  });
