/**
 * Saves a chart as a file: SVG drawn from the numbers, PNG made from that SVG at twice the size, or CSV. Loaded on
 * demand.
 */

import { csvTable } from '../../fields/csv.ts';
import { type LineChart, lineSvg, type SvgLine, type SvgMark } from '../../rl/evaluation/svg-chart.ts';
import type { StepRecord } from '../../session/protocol.ts';
import { download } from '../kit/download.ts';
import { type ChartSpec, readSeries, smoothed } from '../state/series.ts';
import { type SweepColumns, sweepXs, type VariantLine } from '../state/sweep-series.ts';
import { axisLabels, type ChartView, xValues } from '../state/x-axis.ts';
import { resolveColor } from './draw-chart.ts';
import { dashArray } from './line-sample.ts';

const chartFormats = ['PNG', 'SVG', 'CSV'] as const;
export type ChartFormat = (typeof chartFormats)[number];

const paper = (host: HTMLElement) => ({
  ink: resolveColor(host, '--text-2'),
  grid: resolveColor(host, '--line'),
  ground: resolveColor(host, '--surface'),
});

/** Lines of a chart: the raw line faint under the smoothed one, as on the page. */
function linesOf(spec: ChartSpec, records: readonly StepRecord[], view: ChartView, color: (token: string) => string) {
  const xs = xValues(records, view.x);
  return spec.series.flatMap((series): SvgLine[] => {
    const raw = records.map((record) => readSeries(series, record));
    const line = (values: readonly (number | null)[]): SvgLine => ({
      label: series.label,
      color: color(series.color),
      dash: dashArray(series.dash),
      right: series.scale === 'right',
      points: xs.map((x, index) => [x, values[index]] as const),
    });
    if (!series.smooth || view.smoothing === 0) return [line(raw)];
    return [{ ...line(raw), unnamed: true, width: 1, opacity: 0.4 }, line(smoothed(raw, view.smoothing))];
  });
}

function marksOf(spec: ChartSpec, records: readonly StepRecord[], view: ChartView, color: (token: string) => string) {
  const xs = xValues(records, view.x);
  return records.flatMap(({ evaluation }, index): SvgMark[] =>
    evaluation
      ? spec.points.map((point) => ({ x: xs[index], color: color(point.color), ...point.read(evaluation) }))
      : [],
  );
}

/** A run's chart in the form that `lineSvg` draws. `color`: resolves a token of kit/styles/tokens.css. */
export const chartOf = (
  spec: ChartSpec,
  records: readonly StepRecord[],
  view: ChartView,
  color: (token: string) => string,
): LineChart => ({
  title: spec.title,
  xLabel: axisLabels()[view.x],
  range: spec.range,
  lines: linesOf(spec, records, view, color),
  marks: marksOf(spec, records, view, color),
});

/** A table in which a missing number is an empty cell. */
const numbersCsv = (head: readonly string[], rows: readonly (readonly (number | null)[])[]) =>
  csvTable({ head, rows: rows.map((row) => row.map((value) => value ?? '')) });

/** All numbers of a run's chart as CSV: unsmoothed, with every x axis. */
export function chartCsv(spec: ChartSpec, records: readonly StepRecord[]): string {
  const axes = (['episodes', 'seconds', 'flops'] as const).map((x) => xValues(records, x));
  const head = [
    'step',
    'episodes so far',
    'seconds so far',
    'FLOPs so far',
    ...spec.series.map(({ label }) => label),
    ...spec.points.flatMap(({ label }) => [label, `${label} low`, `${label} high`]),
  ];
  const rows = records.map((record, index) => [
    record.step,
    ...axes.map((xs) => xs[index]),
    ...spec.series.map((series) => readSeries(series, record)),
    ...spec.points.flatMap((point) => {
      if (!record.evaluation) return [null, null, null];
      const { value, low, high } = point.read(record.evaluation);
      return [value, low, high];
    }),
  ]);
  return numbersCsv(head, rows);
}

/** Numbers of a sweep's chart as CSV: for each variant its seeds, mean and interval. */
export function sweepCsv(columns: SweepColumns, lines: readonly VariantLine[]): string {
  const head = lines.flatMap(({ name, runs }) => [
    ...runs.map(({ seed }) => `${name}, seed ${seed}`),
    `${name}, mean`,
    `${name}, low`,
    `${name}, high`,
  ]);
  const rows = columns.steps.map((step, row) => [
    step,
    ...columns.variants.flatMap(({ seeds, mean, low, high }) => [
      ...seeds.map((each) => each[row]),
      mean[row],
      low[row],
      high[row],
    ]),
  ]);
  return numbersCsv(['step', ...head], rows);
}

export function sweepChartOf(
  title: string,
  range: LineChart['range'],
  columns: SweepColumns,
  lines: readonly VariantLine[],
  view: ChartView,
  host: HTMLElement,
): LineChart {
  const drawn = lines.flatMap(({ name, color, dash }, index): SvgLine[] => {
    const xs = sweepXs(lines[index], columns.steps, view.x);
    const { seeds, mean } = columns.variants[index];
    const line = (values: readonly (number | null)[]): SvgLine => ({
      label: name,
      color: resolveColor(host, color),
      dash: dashArray(dash),
      points: xs.flatMap((x, row) => (x === null ? [] : [[x, values[row]] as const])),
    });
    return [...seeds.map((each) => ({ ...line(each), unnamed: true, width: 0.75, opacity: 0.4 })), line(mean)];
  });
  return { title, xLabel: axisLabels()[view.x], range, lines: drawn };
}

async function pngOf(svg: string, width: number, height: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = 2;
  const canvas = Object.assign(document.createElement('canvas'), { width: width * scale, height: height * scale });
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The browser made no picture of the chart.'))),
      'image/png',
    ),
  );
}

const size = { width: 720, height: 360 };

export async function saveChart(
  format: ChartFormat,
  chart: LineChart,
  csv: () => string,
  host: HTMLElement,
): Promise<void> {
  const name = `${chart.title}.${format.toLowerCase()}`;
  if (format === 'CSV') return download(new Blob([csv()], { type: 'text/csv' }), name);
  const svg = lineSvg({ ...chart, ...size, colors: paper(host) });
  if (format === 'SVG') return download(new Blob([svg], { type: 'image/svg+xml' }), name);
  download(await pngOf(svg, size.width, size.height), name);
}
