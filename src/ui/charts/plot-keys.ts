/** Keys of a chart's plot: arrows choose a step, plus and minus zoom, 0 shows the whole axis. */
import { type ZoomRange, zoomBy } from '../state/zoom.ts';

/** Event `step-select`: carries the selected step. `by`: the number of steps that a key moved by; 0: a step was named. */
export class StepSelectEvent extends Event {
  constructor(
    readonly step: number,
    readonly by = 0,
  ) {
    super('step-select', { bubbles: true, composed: true });
  }
}

/** Event `chart-zoom`: carries the part of the horizontal axis that all charts show from now on. */
export class ChartZoomEvent extends Event {
  constructor(readonly range: ZoomRange) {
    super('chart-zoom', { bubbles: true, composed: true });
  }
}

export interface KeyPlace {
  /** Selected step, and the newest one. */
  step: number;
  last: number;
  /** Position of the selected step on the axis, the shown part of the axis and its ends. */
  position: number;
  zoom: ZoomRange;
  full: readonly [number, number];
  bySteps: boolean;
}

const moves: { readonly [key: string]: number } = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };

/** Factors by which a key changes the shown part. */
export const zoomFactors: { readonly [key: string]: number } = { '+': 0.5, '=': 0.5, '-': 2 };

/** The step that a key selects, or null if it selects none. */
function stepOf(key: string, { step, last }: KeyPlace): number | null {
  const to = key === 'Home' ? 1 : key === 'End' ? last : key in moves ? step + moves[key] : null;
  return to === null ? null : Math.max(1, Math.min(last, to));
}

/** Handles a key on a plot, and dispatches what it changes. Keys without a meaning here pass. */
export function plotKey(event: KeyboardEvent, place: KeyPlace, target: EventTarget) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  const step = stepOf(key, place);
  const { position, zoom, full, bySteps } = place;
  if (step !== null) target.dispatchEvent(new StepSelectEvent(step, moves[key]));
  else if (key in zoomFactors)
    target.dispatchEvent(new ChartZoomEvent(zoomBy(zoomFactors[key], position, zoom, full, bySteps)));
  else if (key === '0' && zoom) target.dispatchEvent(new ChartZoomEvent(null));
  else return;
  event.preventDefault();
  event.stopPropagation();
}
