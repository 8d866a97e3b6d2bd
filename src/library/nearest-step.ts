/** The kept step nearest to `step`; of two equally near ones, the later. Without kept steps, `step` itself. */
export const nearestStep = (kept: readonly number[], step: number): number =>
  kept.reduce((best, each) => (Math.abs(each - step) <= Math.abs(best - step) ? each : best), kept[0] ?? step);
