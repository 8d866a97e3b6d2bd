/** Steps of a run whose episodes are kept, ascending. Pure functions. */

import { nearestStep } from '../../library/nearest-step.ts';
import type { StepRecord } from '../../session/protocol.ts';

/**
 * The kept step nearest to `step + by`, among those beyond `step` in that direction. If there are none, `step` itself.
 */
export function neighbourStep(kept: readonly number[], step: number, by: number): number {
  const beyond = kept.filter((each) => (by > 0 ? each > step : each < step));
  return beyond.length ? nearestStep(beyond, step + by) : step;
}

/** Positions on the x axis of the kept steps; empty if none is known, or if every trained step is kept. */
export function keptPositions(
  records: readonly Pick<StepRecord, 'step'>[],
  xs: readonly number[],
  kept: readonly number[],
): number[] {
  const known = new Set(kept);
  if (!known.size || records.every(({ step }) => step < 1 || known.has(step))) return [];
  return records.flatMap(({ step }, at) => (known.has(step) ? [xs[at]] : []));
}
