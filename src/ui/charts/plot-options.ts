/** uPlot options shared by all charts: axes, scales, and one cursor for all. */
import type uPlot from 'uplot';
import { compact } from '../kit/format.ts';
import { resolveColor } from './draw-chart.ts';

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
}

function axis(host: HTMLElement, extra: uPlot.Axis): uPlot.Axis {
  const ink = resolveColor(host, '--text-2');
  const grid = resolveColor(host, '--line');
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

export function plotOptions(
  host: HTMLElement,
  { width, height = plotHeight, byStep = true, range, right, series, hooks, bands }: PlotOptions,
): uPlot.Options {
  const values = (_: uPlot, ticks: number[]) => ticks.map((tick) => compact(tick));
  return {
    width: width || 300,
    height,
    pxAlign: false,
    scales: {
      x: { time: false, range: (_, min, max) => [Math.min(0, min), Math.max(max, min + (byStep ? 4 : 1e-9))] },
      y: { range: range ? () => [range[0] - 0.02, range[1] + 0.02] : fromZero },
      ...(right ? { right: { range: fromZero } } : {}),
    },
    axes: [
      axis(host, { size: 24, ...(byStep ? {} : { values }) }),
      axis(host, { size: 44, values }),
      ...(right ? [axis(host, { scale: 'right', side: 1, size: 44, values, grid: { show: false } })] : []),
    ],
    series,
    bands,
    legend: { show: false },
    cursor: { sync: { key: 'steps', setSeries: false }, drag: { x: false, y: false }, points: { show: true, size: 6 } },
    hooks,
  };
}
