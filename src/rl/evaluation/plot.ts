/**
 * Plots as SVG, the same bytes for the same numbers: lines with their intervals as bands, and thin lines for the runs
 * that they average.
 */
import type { Estimate } from './statistics.ts';

export interface PlottedLine {
  label: string;
  points: { x: number; estimate: Estimate }[];
  /** Single lines that the main line averages, one per seed. */
  thin?: { x: number; y: number }[][];
}

export interface Plotted {
  title: string;
  x: string;
  y: string;
  lines: PlottedLine[];
  /** Places powers of two at equal distances. */
  logarithmic?: boolean;
  /** Omits the marks of single points, for lines of many points. */
  bare?: boolean;
}

const palette = ['#1757c2', '#c2571a', '#2c7a3f', '#7a3fa0', '#a03a4a', '#4a5f78', '#8a6d00', '#00798a'];
const dashes = ['', '6 3', '2 3', '8 3 2 3', '1 4', '10 4', '4 2', '3 5'];
const frame = { width: 560, height: 360, left: 56, right: 16, top: 34, bottom: 48 };
const mostTicks = 10;
/** Least distance in pixels between two numbers of an axis. */
const tickRoom = 40;
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Position in pixels of a value on each axis. */
interface Axes {
  x(value: number): string;
  y(value: number): string;
}

function axesOf(xs: readonly number[], logarithmic: boolean): Axes {
  const { width, height, left, right, top, bottom } = frame;
  const scale = (value: number) => (logarithmic ? Math.log2(value) : value);
  const [first, last] = [scale(xs[0] ?? 0), scale(xs.at(-1) ?? 1)];
  return {
    x: (value) => (left + ((scale(value) - first) / (last - first || 1)) * (width - left - right)).toFixed(1),
    y: (value) => (top + (1 - value) * (height - top - bottom)).toFixed(1),
  };
}

function drawnLine({ label, points, thin = [] }: PlottedLine, i: number, at: Axes, bare: boolean): string[] {
  const { left, top } = frame;
  const colour = palette[i % palette.length];
  const place = (x: number, y: number) => `${at.x(x)},${at.y(y)}`;
  const upper = points.map((point) => place(point.x, point.estimate.high));
  const lower = points.map((point) => place(point.x, point.estimate.low)).reverse();
  const line = (list: string[], style: string) => `<polyline points="${list.join(' ')}" fill="none" ${style}/>`;
  return [
    `<polygon points="${[...upper, ...lower].join(' ')}" fill="${colour}" fill-opacity="0.15"/>`,
    ...thin.map((each) =>
      line(
        each.map(({ x, y }) => place(x, y)),
        `stroke="${colour}" stroke-width="0.8" stroke-opacity="0.5"`,
      ),
    ),
    line(
      points.map((point) => place(point.x, point.estimate.mean)),
      `stroke="${colour}" stroke-width="2" stroke-dasharray="${dashes[i % dashes.length]}"`,
    ),
    ...(bare
      ? []
      : points.map(
          (point) => `<circle cx="${at.x(point.x)}" cy="${at.y(point.estimate.mean)}" r="3" fill="${colour}"/>`,
        )),
    `<text x="${left + 8}" y="${top + 14 + 16 * i}" fill="${colour}">${escaped(label)}</text>`,
  ];
}

/** Values labelled on the axis; of values that are close together, only the first. */
function spaced(values: readonly number[], at: Axes): number[] {
  const kept: number[] = [];
  for (const value of values)
    if (!kept.length || Number(at.x(value)) - Number(at.x(kept.at(-1)!)) >= tickRoom) kept.push(value);
  return kept;
}

/** Plots y from 0 to 1, in percent. Lines differ by dashes as well as colours. */
export function plotSvg({ title, x, y, lines, logarithmic = false, bare = false }: Plotted): string {
  const { width, height, left, right, top, bottom } = frame;
  const xs = [...new Set(lines.flatMap(({ points }) => points.map((point) => point.x)))].sort((a, b) => a - b);
  const at = axesOf(xs, logarithmic);
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (value) =>
      `<line x1="${left}" x2="${width - right}" y1="${at.y(value)}" y2="${at.y(value)}" stroke="#ccc"/><text x="${left - 6}" y="${Number(at.y(value)) + 4}" text-anchor="end">${100 * value}</text>`,
  );
  const every = Math.ceil(xs.length / mostTicks);
  const chosen = xs.filter((_, i) => i % every === 0);
  const ticks = spaced(chosen, at).map(
    (value) => `<text x="${at.x(value)}" y="${height - bottom + 16}" text-anchor="middle">${value}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${escaped(title)}</title><rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="18" font-size="14" font-weight="bold">${escaped(title)}</text>`,
    ...grid,
    ...ticks,
    ...lines.flatMap((line, i) => drawnLine(line, i, at, bare)),
    `<text x="${(left + width - right) / 2}" y="${height - 10}" text-anchor="middle">${escaped(x)}</text>`,
    `<text transform="translate(14 ${(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(y)}</text>`,
    '</svg>\n',
  ].join('\n');
}
