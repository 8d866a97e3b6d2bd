/**
 * Zoomed part of the charts' horizontal axis, one for all charts. Positions are in units of that axis (steps, episodes,
 * seconds or FLOPs). Pure functions.
 */

/** Shown part of the axis: first and last position; null: all of it. */
export type ZoomRange = readonly [number, number] | null;

/** Smallest share of the whole axis that can be shown. */
const leastShare = 0.01;
/** Minimum number of steps that can be shown. */
const leastSteps = 4;

/** Narrowest part that can be shown of an axis with these ends. */
const leastSpan = ([from, to]: readonly [number, number], bySteps: boolean): number =>
  Math.max((to - from) * leastShare, bySteps ? leastSteps : 0);

/** The part from `from` to `to`, inside the axis and not too narrow; null if it covers the whole axis. */
export function zoomTo(
  [from, to]: readonly [number, number],
  full: readonly [number, number],
  bySteps: boolean,
): ZoomRange {
  const span = Math.min(full[1] - full[0], Math.max(Math.abs(to - from), leastSpan(full, bySteps)));
  if (span >= full[1] - full[0]) return null;
  const middle = (from + to) / 2;
  const start = Math.max(full[0], Math.min(full[1] - span, middle - span / 2));
  return [start, start + span];
}

/** Shows `factor` times as much of the axis, around `centre`. A factor under 1 zooms in. */
export function zoomBy(
  factor: number,
  centre: number,
  now: ZoomRange,
  full: readonly [number, number],
  bySteps: boolean,
): ZoomRange {
  const [from, to] = now ?? full;
  const half = ((to - from) * factor) / 2;
  return zoomTo([centre - half, centre + half], full, bySteps);
}

/** The part of the same width that contains `position`: the same part if it already does. */
export function zoomWith(position: number, now: ZoomRange, full: readonly [number, number]): ZoomRange {
  if (!now || (position >= now[0] && position <= now[1])) return now;
  const span = now[1] - now[0];
  const start = Math.max(full[0], Math.min(full[1] - span, position - span / 2));
  return [start, start + span];
}
