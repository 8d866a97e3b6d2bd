/** uPlot options shared by all charts: axes, scales, and one cursor for all. */
import type uPlot from 'uplot';
import { compact } from '../kit/format.ts';
import { type ZoomRange, zoomTo } from '../state/zoom.ts';
import type { Palette } from './draw-chart.ts';
import { ChartZoomEvent } from './plot-keys.ts';

export const plotHeight = 168;

export interface PlotOptions {
  width: number;
  height?: number;
  /** True if the x axis counts steps; false if it is a running sum (episodes, seconds, FLOPs). */
  byStep?: boolean;
  /** Fixed range of the left scale; null: fitted to the data. */
  range: [number, number] | null;
  /** True if there is a second scale on the right. */
  right: boolean;
  series: uPlot.Series[];
  hooks: uPlot.Hooks.Arrays;
  bands?: uPlot.Band[];
  /** Shown part of the x axis, read whenever the scale is set. */
  zoom(): ZoomRange;
  /** Receives the index of the data under the cursor of any chart; null: the cursor has left. */
  hover(index: number | null): void;
}

/** Room right of the last step for the marks of evaluations, which lie beside each other; CSS pixels. */
const roomRight = 14;

/** Shortest drag that zooms, CSS pixels; a shorter one is a click. */
const leastDrag = 6;

function axis(palette: Palette, extra: uPlot.Axis): uPlot.Axis {
  const ink = palette.color('--text-2');
  const grid = palette.color('--line');
  return {
    stroke: ink,
    font: '11px system-ui, sans-serif',
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
    gap: 4,
    ...extra,
  };
}

const fromZero: uPlot.Range.Function = (_, min, max) => [Math.min(0, min ?? 0), (max ?? 1) > 0 ? (max ?? 1) * 1.08 : 1];

/** Whole x axis of the data: from 0 at the latest, and never empty. */
const wholeAxis = (min: number, max: number, byStep: boolean): [number, number] => [
  Math.min(0, min),
  Math.max(max, min + (byStep ? 4 : 1e-9)),
];

/** Ends of the x axis of a plot whose data have these positions. */
export const fullRange = (xs: readonly number[], byStep: boolean): [number, number] =>
  wholeAxis(xs[0] ?? 0, xs.at(-1) ?? 0, byStep);

/** Zooms all charts to the part that was dragged over. */
function zoomToSelection(plot: uPlot, host: HTMLElement, byStep: boolean) {
  const { left, width } = plot.select;
  if (!width) return;
  const ends = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')] as const;
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  host.dispatchEvent(new ChartZoomEvent(zoomTo(ends, fullRange(plot.data[0] as number[], byStep), byStep)));
}

/** Cursor of all charts: its position is shared, a drag zooms, a double click shows the whole axis again. */
const linkedCursor = (host: HTMLElement): uPlot.Cursor => ({
  // A drag and a double click act through events of the page, so only the position is shared by uPlot.
  sync: { key: 'steps', setSeries: false, filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' } },
  drag: { x: true, y: false, setScale: false, dist: leastDrag },
  points: { show: true, size: 6 },
  bind: {
    dblclick: () => () => {
      host.dispatchEvent(new ChartZoomEvent(null));
      return null;
    },
  },
});

/**
 * Draws the plot again after the browser's GPU process ended, which empties every canvas. Setting the size resets what
 * uPlot knows of its context.
 */
function redrawRestored(plot: uPlot) {
  plot.ctx.canvas.addEventListener('contextrestored', () => plot.setSize(plot));
}

export function plotOptions(
  host: HTMLElement,
  palette: Palette,
  { width, height = plotHeight, byStep = true, range, right, series, hooks, bands, zoom, hover }: PlotOptions,
): uPlot.Options {
  const values = (_: uPlot, ticks: number[]) => ticks.map((tick) => compact(tick));
  return {
    width: width || 300,
    height,
    pxAlign: false,
    padding: [null, right ? null : roomRight, null, null],
    scales: {
      x: { time: false, range: (_, min, max) => [...(zoom() ?? wholeAxis(min, max, byStep))] as [number, number] },
      y: { range: range ? () => [range[0] - 0.02, range[1] + 0.02] : fromZero },
      ...(right ? { right: { range: fromZero } } : {}),
    },
    axes: [
      axis(palette, { size: 24, ...(byStep ? {} : { values }) }),
      axis(palette, { size: 44, values }),
      ...(right ? [axis(palette, { scale: 'right', side: 1, size: 44, values, grid: { show: false } })] : []),
    ],
    series,
    bands,
    legend: { show: false },
    cursor: linkedCursor(host),
    hooks: {
      ...hooks,
      init: [redrawRestored],
      setCursor: [({ cursor }) => hover((cursor.left ?? -1) < 0 ? null : (cursor.idx ?? null))],
      setSelect: [(plot) => zoomToSelection(plot, host, byStep)],
    },
  };
}
