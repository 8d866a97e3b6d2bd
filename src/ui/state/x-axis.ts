/**
 * Horizontal axis and smoothing of the charts, one choice for all, stored in this browser. Steps have equal widths;
 * episodes, seconds and FLOPs are sums up to a step, so that runs of different cost can be compared.
 */
import { msg } from '@lit/localize';
import type { StepRecord } from '../../session/protocol.ts';
import { remember } from '../kit/remember.ts';

export const xAxes = ['step', 'episodes', 'seconds', 'flops'] as const;
export type XAxis = (typeof xAxes)[number];

export interface ChartView {
  x: XAxis;
  /** Memory of the exponential mean; 0 shows only the raw line. */
  smoothing: number;
}

export const smoothings = [0, 0.6, 0.85, 0.95] as const;
export const plainView: ChartView = { x: 'step', smoothing: 0.85 };

const key = 'tabgym.charts';

export function readView(text: string | null): ChartView {
  try {
    const kept = JSON.parse(text ?? '{}') as Partial<ChartView> | null;
    return {
      x: xAxes.find((each) => each === kept?.x) ?? plainView.x,
      smoothing: smoothings.find((each) => each === kept?.smoothing) ?? plainView.smoothing,
    };
  } catch {
    return plainView;
  }
}

export const rememberedView = (): ChartView => readView(localStorage.getItem(key));
export const rememberView = (view: ChartView) => remember(key, JSON.stringify(view));

export const axisLabels = (): { [axis in XAxis]: string } => ({
  step: msg('Steps'),
  episodes: msg('Episodes'),
  seconds: msg('Seconds'),
  flops: msg('FLOPs'),
});

const cost: { readonly [axis in Exclude<XAxis, 'step'>]: (record: StepRecord) => number } = {
  episodes: ({ metrics }) => metrics.episodes ?? 0,
  seconds: ({ metrics }) => (metrics.stepMs ?? 0) / 1000,
  flops: ({ metrics }) => metrics.flops ?? 0,
};

/** Position of each record on the axis. Steps without a record add nothing. */
export function xValues(records: readonly StepRecord[], x: XAxis): number[] {
  if (x === 'step') return records.map(({ step }) => step);
  let sum = 0;
  return records.map((record) => {
    sum += record.step > 0 ? cost[x](record) : 0;
    return sum;
  });
}
