/** Evaluation points with their intervals, drawn on uPlot's canvas. */
import type uPlot from 'uplot';
import type { BandPoint } from '../state/expected-band.ts';

export interface DrawnPoint {
  step: number;
  /** Shift to the right, in CSS pixels, so that points of the same step do not cover each other. */
  offset: number;
  value: number;
  low: number;
  high: number;
  color: string;
  shape: 'disc' | 'diamond';
}

/** Opacity of a band behind its line. */
export const bandOpacity = 0.14;

/** Colour of a design token with an opacity, as CSS. */
export const faded = (token: string, opacity: number): string =>
  `color-mix(in srgb, var(${token}) ${opacity * 100}%, transparent)`;

/** Colour of a design token as a value that the canvas accepts. */
export function resolveColor(host: HTMLElement, token: string, opacity = 1): string {
  const probe = document.createElement('span');
  // Forced colours would make every line and band of the canvas the same one.
  probe.style.cssText = `color:${opacity === 1 ? `var(${token})` : faded(token, opacity)};forced-color-adjust:none`;
  (host.shadowRoot ?? host).append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Resolved colours of a plot, each read once: reading one computes the style of the page. Another theme needs another palette. */
export class Palette {
  private readonly known = new Map<string, string>();

  constructor(private readonly host: HTMLElement) {}

  color(token: string, opacity = 1): string {
    const key = `${token} ${opacity}`;
    const color = this.known.get(key) ?? resolveColor(this.host, token, opacity);
    this.known.set(key, color);
    return color;
  }
}

function drawShape(ctx: CanvasRenderingContext2D, x: number, y: number, size: number, shape: DrawnPoint['shape']) {
  ctx.beginPath();
  if (shape === 'disc') ctx.arc(x, y, size, 0, 2 * Math.PI);
  else
    for (const [dx, dy] of [
      [0, -1.3],
      [1.3, 0],
      [0, 1.3],
      [-1.3, 0],
    ])
      ctx.lineTo(x + dx * size, y + dy * size);
  ctx.closePath();
  ctx.fill();
  ctx.stroke();
}

/** Largest number of points drawn with intervals; more would overlap. The table has all intervals. */
const mostIntervals = 80;

function drawPoint(plot: uPlot, point: DrawnPoint, color: string, surface: string, ratio: number, interval: boolean) {
  const { ctx } = plot;
  const x = plot.valToPos(point.step, 'x', true) + point.offset * ratio;
  const [y, low, high] = [point.value, point.low, point.high].map((value) => plot.valToPos(value, 'y', true));
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.5 * ratio;
  ctx.beginPath();
  ctx.moveTo(x, low);
  ctx.lineTo(x, high);
  if (interval) ctx.stroke();
  ctx.lineWidth = ratio;
  ctx.fillStyle = color;
  ctx.strokeStyle = surface;
  drawShape(ctx, x, y, (interval ? 4 : 2.5) * ratio, point.shape);
}

export function drawPoints(plot: uPlot, palette: Palette, points: readonly DrawnPoint[]) {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  // A zoomed plot has points outside of its area.
  const { left, top, width, height } = plot.bbox;
  const margin = 6 * ratio;
  const farthest = ratio * points.reduce((most, { offset }) => Math.max(most, offset), 0);
  ctx.beginPath();
  ctx.rect(left - margin, top - margin, width + 2 * margin + farthest, height + 2 * margin);
  ctx.clip();
  ctx.setLineDash([]);
  const surface = palette.color('--surface');
  for (const point of points)
    drawPoint(plot, point, palette.color(point.color), surface, ratio, points.length <= mostIntervals);
  ctx.restore();
}

/** A band through the ends of intervals, behind the lines. */
export function drawBand(plot: uPlot, palette: Palette, points: readonly BandPoint[]) {
  if (!points.length) return;
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.beginPath();
  for (const { x, low } of points) ctx.lineTo(plot.valToPos(x, 'x', true), plot.valToPos(low, 'y', true));
  for (const { x, high } of points.toReversed())
    ctx.lineTo(plot.valToPos(x, 'x', true), plot.valToPos(high, 'y', true));
  ctx.closePath();
  ctx.fillStyle = palette.color('--series-1', bandOpacity);
  ctx.fill();
  ctx.restore();
}

/** Length and width of a mark at the lower edge, in CSS pixels. */
const keptMark = { length: 7, width: 2 };

/** Marks at the lower edge of the plot: the steps to which a click leads. */
export function drawKept(plot: uPlot, palette: Palette, xs: readonly number[]) {
  if (!xs.length) return;
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.setLineDash([]);
  ctx.strokeStyle = palette.color('--accent');
  ctx.lineWidth = keptMark.width * ratio;
  ctx.beginPath();
  for (const each of xs) {
    const x = plot.valToPos(each, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.moveTo(x, bbox.top + bbox.height);
    ctx.lineTo(x, bbox.top + bbox.height - keptMark.length * ratio);
  }
  ctx.stroke();
  ctx.restore();
}
