/**
 * Line charts as SVG text, for saved charts, reports, sweeps and figures. Pure: the same numbers give the same bytes,
 * and all names are escaped.
 */
import type { Estimate } from './statistics.ts';

export interface SvgLine {
  label: string;
  color: string;
  /** SVG dash pattern; empty: solid. */
  dash?: string;
  width?: number;
  opacity?: number;
  /** (x, y) in ascending x; y null: no value, which breaks the line. */
  points: readonly (readonly [number, number | null])[];
  /** (x, low, high) of the interval, drawn as a pale band behind the line. */
  band?: readonly (readonly [number, number, number])[];
  /** Draws a dot at each point. */
  dots?: boolean;
  /** Uses a separate scale on the right. */
  right?: boolean;
  /** Has no entry in the legend, for thin lines behind a smoothed one. */
  unnamed?: boolean;
}

/** A point with its interval. */
export interface SvgMark {
  x: number;
  value: number;
  low: number;
  high: number;
  color: string;
}

export interface LineChart {
  title: string;
  xLabel: string;
  yLabel?: string;
  lines: readonly SvgLine[];
  marks?: readonly SvgMark[];
  /** Range of the left scale; null: from zero to the maximum. */
  range: readonly [number, number] | null;
  /** Places powers of two at equal distances on the x axis; x > 0. */
  logarithmic?: boolean;
  width?: number;
  height?: number;
  /** Colours of text, grid and background. */
  colors?: { ink: string; grid: string; ground: string };
}

/** Characters that XML does not allow, not even escaped (https://www.w3.org/TR/xml/#charsets). */
const notXml = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** A text for XML and HTML, between tags or in an attribute in double quotes. */
export const escapeXml = (text: string) =>
  text
    .replace(notXml, '\uFFFD')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');

const light = { ink: '#40444a', grid: '#dddcd5', ground: '#ffffff' };
const margin = { left: 46, right: 46, top: 28, bottom: 34 };
const legendRow = 16;
/** Pixels before a name of the legend, and about the width of one of its letters. */
const legendIndent = 23;
const letter = 6;
const mostPowers = 10;

/** About `count` round numbers between two values. */
export function ticks(from: number, to: number, count = 5): number[] {
  const span = to - from;
  if (!(span > 0)) return [from];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough)!;
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** Powers of two between two positive values, at most `mostPowers` of them, evenly spaced. */
function powersOfTwo(from: number, to: number): number[] {
  const [first, last] = [Math.ceil(Math.log2(from)), Math.floor(Math.log2(to))];
  const every = Math.max(1, Math.ceil((last - first + 1) / mostPowers));
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, index) => 2 ** (first + index * every));
}

const brief = (value: number): string => {
  const size = Math.abs(value);
  if (size >= 1e9) return value.toExponential(0);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))} k`;
  return String(Number(value.toPrecision(3)));
};

const known = (lines: readonly SvgLine[], marks: readonly SvgMark[] = []): number[] => [
  ...lines.flatMap(({ points, band = [] }) => [
    ...points.flatMap(([, y]) => (y === null ? [] : [y])),
    ...band.map(([, , high]) => high),
  ]),
  ...marks.map(({ high }) => high),
];

type Range = readonly [number, number];

/** Columns of the legend: three, or fewer for long names. */
function legendColumns(named: readonly SvgLine[], width: number): number {
  const longest = named.reduce((most, { label }) => Math.max(most, label.length), 0);
  return Math.min(3, Math.max(1, Math.floor(width / (legendIndent + letter * (longest + 1)))));
}

const rangeOf = (range: LineChart['range'], values: readonly number[]): Range => {
  if (range) return range;
  let [low, high] = [0, 0];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high > low ? high * 1.05 : low + 1];
};

/** Ranges of the axes, and positions on them in pixels. */
interface Axes {
  box: { x: number; y: number; w: number; h: number };
  xRange: Range;
  left: Range;
  right: Range;
  x(value: number): number;
  yLeft(value: number): number;
  yRight(value: number): number;
}

function axesOf({ lines, marks, range, logarithmic, width, height }: LineChart & { width: number; height: number }) {
  const named = lines.filter(({ unnamed }) => !unnamed);
  const w = width - margin.left - margin.right;
  const legend = Math.ceil(named.length / legendColumns(named, w)) * legendRow;
  const box = { x: margin.left, y: margin.top, w, h: height - margin.top - margin.bottom - legend };
  const xs = lines.flatMap(({ points }) => points.map(([at]) => at));
  const most = xs.reduce((high, at) => Math.max(high, at), 1);
  const least = xs.reduce((low, at) => Math.min(low, at), logarithmic ? most : 0);
  const position = (value: number) => (logarithmic ? Math.log2(value) : value);
  const [x0, x1] = [position(least), position(most)];
  const left = rangeOf(
    range,
    known(
      lines.filter((line) => !line.right),
      marks,
    ),
  );
  const right = rangeOf(null, known(lines.filter((line) => line.right)));
  const up =
    ([low, high]: Range) =>
    (value: number) =>
      box.y + box.h - ((value - low) / (high - low || 1)) * box.h;
  const x = (value: number) => box.x + ((position(value) - x0) / (x1 - x0 || 1)) * box.w;
  const axes: Axes = { box, xRange: [least, most], left, right, x, yLeft: up(left), yRight: up(right) };
  return axes;
}

const text = (at: number, up: number, words: string, extra = '') =>
  `<text x="${at.toFixed(1)}" y="${up.toFixed(1)}" ${extra}>${escapeXml(words)}</text>`;

function gridOf({ lines, logarithmic, colors = light }: LineChart, { box, xRange, ...axes }: Axes): string[] {
  const across = ticks(...axes.left).map(
    (each) =>
      `<path d="M${box.x} ${axes.yLeft(each).toFixed(1)}h${box.w}" stroke="${colors.grid}"/>${text(box.x - 5, axes.yLeft(each) + 4, brief(each), 'text-anchor="end"')}`,
  );
  const below = (logarithmic ? powersOfTwo(...xRange) : ticks(...xRange, 6)).map((each) =>
    text(axes.x(each), box.y + box.h + 15, logarithmic ? String(each) : brief(each), 'text-anchor="middle"'),
  );
  const beside = lines.some(({ right }) => right)
    ? ticks(...axes.right).map((each) => text(box.x + box.w + 5, axes.yRight(each) + 4, brief(each)))
    : [];
  return [...across, ...below, ...beside];
}

const dashOf = ({ dash }: SvgLine) => (dash ? ` stroke-dasharray="${escapeXml(dash)}"` : '');

function drawnLine(line: SvgLine, { x, yLeft, yRight }: Axes): string {
  const y = line.right ? yRight : yLeft;
  const place = (at: number, value: number) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
  const color = escapeXml(line.color);
  const { band = [], points } = line;
  const around = [...band.map(([at, , high]) => place(at, high)), ...band.map(([at, low]) => place(at, low)).reverse()];
  const path = points
    .map(([at, value], i) =>
      value === null ? '' : `${(points[i - 1]?.[1] ?? null) === null ? 'M' : 'L'}${place(at, value)}`,
    )
    .join('');
  const dots = points.flatMap(([at, value]) =>
    value === null || !line.dots
      ? []
      : [`<circle cx="${x(at).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3" fill="${color}"/>`],
  );
  return [
    ...(around.length ? [`<path d="M${around.join('L')}Z" fill="${color}" fill-opacity="0.15"/>`] : []),
    `<path d="${path}" fill="none" stroke="${color}" stroke-width="${line.width ?? 2}" stroke-opacity="${line.opacity ?? 1}"${dashOf(line)}/>`,
    ...dots,
  ].join('');
}

const drawnMark = ({ x: at, value, low, high, color }: SvgMark, { x, yLeft }: Axes) =>
  `<path d="M${x(at).toFixed(1)} ${yLeft(low).toFixed(1)}V${yLeft(high).toFixed(1)}" stroke="${escapeXml(color)}" stroke-width="1.5"/><circle cx="${x(at).toFixed(1)}" cy="${yLeft(value).toFixed(1)}" r="3.5" fill="${escapeXml(color)}"/>`;

function legendOf(lines: readonly SvgLine[], { box }: Axes): string[] {
  const named = lines.filter(({ unnamed }) => !unnamed);
  const columns = legendColumns(named, box.w);
  return named.map((line, index) => {
    const at = box.x + (index % columns) * (box.w / columns);
    const up = box.y + box.h + 34 + Math.floor(index / columns) * legendRow;
    const sample = `<path d="M${at.toFixed(1)} ${up - 4}h18" stroke="${escapeXml(line.color)}" stroke-width="2"${dashOf(line)}/>`;
    return `${sample}${text(at + legendIndent, up, line.label)}`;
  });
}

export function lineSvg(chart: LineChart): string {
  const { title, xLabel, yLabel, lines, marks = [], width = 640, height = 300, colors = light } = chart;
  const axes = axesOf({ ...chart, width, height });
  const { box } = axes;
  const right = box.x + box.w;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui,sans-serif" font-size="11" fill="${colors.ink}">`,
    `<title>${escapeXml(title)}</title><rect width="${width}" height="${height}" fill="${colors.ground}"/>`,
    text(box.x, 17, title, 'font-weight="650" font-size="13"'),
    text(right, box.y + box.h + 29, xLabel, 'text-anchor="end"'),
    ...(yLabel ? [text(right, 17, yLabel, 'text-anchor="end"')] : []),
    ...gridOf(chart, axes),
    ...lines.map((line) => drawnLine(line, axes)),
    ...marks.map((mark) => drawnMark(mark, axes)),
    ...legendOf(lines, axes),
    '</svg>',
  ].join('');
}

/** Line of estimates; all values are shares from 0 to 1. */
export interface EstimateLine {
  label: string;
  points: { x: number; estimate: Estimate }[];
  /** Single lines that the main line averages, one per seed. */
  thin?: { x: number; y: number }[][];
}

interface EstimateChart {
  title: string;
  x: string;
  y: string;
  lines: readonly EstimateLine[];
  /** Places powers of two at equal distances on the x axis. */
  logarithmic?: boolean;
  /** Omits the dots of single points, for lines of many points. */
  bare?: boolean;
}

const palette = ['#1757c2', '#c2571a', '#2c7a3f', '#7a3fa0', '#a03a4a', '#4a5f78', '#8a6d00', '#00798a'];
const dashes = ['', '6 3', '2 3', '8 3 2 3', '1 4', '10 4', '4 2', '3 5'];

function linesOf({ label, points, thin = [] }: EstimateLine, index: number, bare: boolean): SvgLine[] {
  const color = palette[index % palette.length];
  return [
    ...thin.map((each) => ({
      label,
      color,
      width: 0.8,
      opacity: 0.5,
      unnamed: true,
      points: each.map(({ x, y }) => [x, 100 * y] as const),
    })),
    {
      label,
      color,
      dash: dashes[index % dashes.length],
      points: points.map(({ x, estimate }) => [x, 100 * estimate.mean] as const),
      band: points.map(({ x, estimate }) => [x, 100 * estimate.low, 100 * estimate.high] as const),
      dots: !bare,
    },
  ];
}

/** Plots shares in percent, from 0 to 100, with their intervals as bands. Lines differ by dashes as well as colours. */
export const estimateSvg = ({ title, x, y, lines, logarithmic = false, bare = false }: EstimateChart): string =>
  `${lineSvg({
    title,
    xLabel: x,
    yLabel: y,
    lines: lines.flatMap((line, index) => linesOf(line, index, bare)),
    range: [0, 100],
    logarithmic,
    width: 560,
    height: 360,
  })}\n`;
