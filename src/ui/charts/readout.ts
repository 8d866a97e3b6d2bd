/** Values of a chart's lines and evaluation points at one record, for its legend and for screen readers. */
import { msg, str } from '@lit/localize';
import type { StepRecord } from '../../session/protocol.ts';
import { compact, fixed } from '../kit/format.ts';
import { type ChartSpec, readSeries } from '../state/series.ts';
import { axisLabels, type XAxis } from '../state/x-axis.ts';

interface Reading {
  label: string;
  value: string;
  /** Addition that is shown where there is room: a smoothed value, or an interval and the step of an evaluation. */
  more: string;
}

/**
 * Readings of the lines of a chart at record `at`. `smooth`: the drawn means by series, null for a series without one.
 */
export const lineReadings = (
  spec: ChartSpec,
  records: readonly StepRecord[],
  smooth: readonly (readonly (number | null)[] | null)[],
  at: number,
): Reading[] =>
  spec.series.map((series, i) => {
    const mean = smooth[i]?.[at] ?? null;
    return {
      label: series.label,
      value: compact(readSeries(series, records[at])),
      more: mean === null ? '' : msg(str`mean ${compact(mean)}`),
    };
  });

/** Readings of the evaluation points: those of the newest evaluation up to record `at`. */
export function pointReadings(spec: ChartSpec, records: readonly StepRecord[], at: number): Reading[] {
  const found = spec.points.length ? records.slice(0, at + 1).findLast(({ evaluation }) => evaluation) : undefined;
  return spec.points.map(({ label, read }) => {
    if (!found?.evaluation) return { label, value: '–', more: '' };
    const { value, low, high } = read(found.evaluation);
    const step = found.step === records[at].step ? '' : ` · ${msg(str`step ${found.step}`)}`;
    return { label, value: fixed(value), more: `[${fixed(low)}, ${fixed(high)}]${step}` };
  });
}

/** Name of a position on the axis: its step, and the axis' own value if the axis does not count steps. */
export function placeName(step: number, x: XAxis, position: number): string {
  const name = msg(str`step ${step}`);
  return x === 'step' ? name : `${name} · ${axisLabels()[x]} ${compact(position)}`;
}
