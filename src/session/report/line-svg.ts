/**
 * Draws a line chart as one SVG text, for saved charts and for a run's report. Pure: numbers and colours in, text out;
 * all names are escaped. Lines are broken at missing values.
 */
export interface SvgLine {
  label: string;
  color: string;
  /** SVG dash pattern; empty: solid. */
  dash?: string;
  width?: number;
  opacity?: number;
  /** (x, y) in ascending x; y null: no value. */
  points: readonly (readonly [number, number | null])[];
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
  lines: readonly SvgLine[];
  marks?: readonly SvgMark[];
  /** Range of the left scale; null: from zero to the maximum. */
  range: readonly [number, number] | null;
  width?: number;
  height?: number;
  /** Colours of text, grid and background. */
  colors?: { ink: string; grid: string; ground: string };
}

export const escaped = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

const light = { ink: '#40444a', grid: '#dddcd5', ground: '#ffffff' };
const margin = { left: 46, right: 46, top: 28, bottom: 34 };
const legendRow = 16;

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

const brief = (value: number): string => {
  const size = Math.abs(value);
  if (size >= 1e9) return value.toExponential(0);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))} k`;
  return String(Number(value.toPrecision(3)));
};

const known = (lines: readonly SvgLine[], marks: readonly SvgMark[] = []): number[] => [
  ...lines.flatMap(({ points }) => points.flatMap(([, y]) => (y === null ? [] : [y]))),
  ...marks.map(({ high }) => high),
];

const scaleOf = (range: LineChart['range'], values: readonly number[]): readonly [number, number] => {
  if (range) return range;
  let [low, high] = [0, 0];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high > low ? high * 1.05 : low + 1];
};

function pathOf({ points }: SvgLine, x: (value: number) => number, y: (value: number) => number): string {
  let pen = 'M';
  return points
    .map(([at, value]) => {
      if (value === null) {
        pen = 'M';
        return '';
      }
      const piece = `${pen}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = 'L';
      return piece;
    })
    .join('');
}

export function lineSvg(chart: LineChart): string {
  const { title, xLabel, lines, marks = [], range, width = 640, height = 300, colors = light } = chart;
  const named = lines.filter(({ unnamed }) => !unnamed);
  const rows = Math.ceil(named.length / 3);
  const [left, right] = [lines.filter((line) => !line.right), lines.filter((line) => line.right)];
  const xs = lines.flatMap(({ points }) => points.map(([at]) => at));
  const [x0, x1] = [Math.min(0, ...xs), xs.reduce((most, at) => Math.max(most, at), 1)];
  const box = {
    x: margin.left,
    y: margin.top,
    w: width - margin.left - margin.right,
    h: height - margin.top - margin.bottom - rows * legendRow,
  };
  const x = (value: number) => box.x + ((value - x0) / (x1 - x0 || 1)) * box.w;
  const along =
    ([low, high]: readonly [number, number]) =>
    (value: number) =>
      box.y + box.h - ((value - low) / (high - low || 1)) * box.h;
  const [leftScale, rightScale] = [scaleOf(range, known(left, marks)), scaleOf(null, known(right))];
  const [yLeft, yRight] = [along(leftScale), along(rightScale)];
  const text = (at: number, up: number, words: string, extra = '') =>
    `<text x="${at.toFixed(1)}" y="${up.toFixed(1)}" ${extra}>${escaped(words)}</text>`;
  const grid = ticks(...leftScale).map(
    (each) =>
      `<path d="M${box.x} ${yLeft(each).toFixed(1)}h${box.w}" stroke="${colors.grid}"/>${text(box.x - 5, yLeft(each) + 4, brief(each), 'text-anchor="end"')}`,
  );
  const below = ticks(x0, x1, 6).map((each) => text(x(each), box.y + box.h + 15, brief(each), 'text-anchor="middle"'));
  const beside = right.length
    ? ticks(...rightScale).map((each) => text(box.x + box.w + 5, yRight(each) + 4, brief(each)))
    : [];
  const drawn = lines.map(
    (line) =>
      `<path d="${pathOf(line, x, line.right ? yRight : yLeft)}" fill="none" stroke="${escaped(line.color)}" stroke-width="${line.width ?? 2}" stroke-opacity="${line.opacity ?? 1}"${line.dash ? ` stroke-dasharray="${escaped(line.dash)}"` : ''}/>`,
  );
  const points = marks.map(
    ({ x: at, value, low, high, color }) =>
      `<path d="M${x(at).toFixed(1)} ${yLeft(low).toFixed(1)}V${yLeft(high).toFixed(1)}" stroke="${escaped(color)}" stroke-width="1.5"/><circle cx="${x(at).toFixed(1)}" cy="${yLeft(value).toFixed(1)}" r="3.5" fill="${escaped(color)}"/>`,
  );
  const legend = named.map((line, index) => {
    const at = box.x + (index % 3) * (box.w / 3);
    const up = box.y + box.h + 34 + Math.floor(index / 3) * legendRow;
    return `<path d="M${at.toFixed(1)} ${up - 4}h18" stroke="${escaped(line.color)}" stroke-width="2"${line.dash ? ` stroke-dasharray="${escaped(line.dash)}"` : ''}/>${text(at + 23, up, line.label)}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui,sans-serif" font-size="11" fill="${colors.ink}"><title>${escaped(title)}</title><rect width="${width}" height="${height}" fill="${colors.ground}"/>${text(box.x, 17, title, 'font-weight="650" font-size="13"')}${text(box.x + box.w, box.y + box.h + 29, xLabel, 'text-anchor="end"')}${grid.join('')}${below.join('')}${beside.join('')}${drawn.join('')}${points.join('')}${legend.join('')}</svg>`;
}
