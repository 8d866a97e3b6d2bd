/** Steps of a run whose episodes are kept, ascending. Pure functions. */

/** The kept step nearest to a step, the later one of two; the step itself if none is known. */
export const nearestStep = (kept: readonly number[], step: number): number =>
  kept.reduce((best, each) => (Math.abs(each - step) <= Math.abs(best - step) ? each : best), kept[0] ?? step);

/** The next kept step after a step, or before it if `by` is negative; the step itself at the end. */
export function neighbourStep(kept: readonly number[], step: number, by: number): number {
  const next = by > 0 ? kept.find((each) => each > step) : kept.findLast((each) => each < step);
  return next ?? step;
}
