/**
 * Rules for keeping and dropping. Checkpoints: the last two, the first, and a bounded number between them to fork from.
 * Trajectories: every step while all of them fit in a bound, which a first experiment of some hundred steps stays below;
 * beyond it the last fifty steps and evenly spaced ones before them.
 *
 * The strides double as a run grows, so the steps kept by a wider stride were also kept by every narrower one.
 */

/** Largest checkpoint, in bytes, that is written every step. */
export const SMALL_CHECKPOINT = 32 * 2 ** 20;
const FORK_POINTS = 8;
const FORK_BYTES = 256 * 2 ** 20;
const RECENT_TRAJECTORIES = 50;
/** Bounds of a run's trajectories before the recent ones. A step of textcraft-first takes about 20 KB. */
const OLD_TRAJECTORIES = 1000;
const OLD_TRAJECTORY_BYTES = 48 * 2 ** 20;

/** The smallest of 10, 20, 40, ... with at most `most` multiples up to `step`. */
function stride(step: number, most: number): number {
  let n = 10;
  while (step / n > most) n *= 2;
  return n;
}

/** Steps whose checkpoint may be dropped after a commit. `steps` are those with a checkpoint, each of about `bytes`. */
export function droppedCheckpoints(steps: readonly number[], bytes: number): number[] {
  const sorted = [...steps].sort((a, b) => a - b);
  const last = sorted.at(-1) ?? 0;
  const forks = Math.min(FORK_POINTS, Math.floor(FORK_BYTES / Math.max(1, bytes)));
  const every = stride(last, forks);
  return sorted.slice(1, -2).filter((step) => forks === 0 || step % every !== 0);
}

/**
 * First step from which a run's trajectories are surely kept, for a run of `last` steps that has `bytes` of them. A
 * doubled stride leaves about half of the bound, so less than a third of it means that nothing was dropped.
 */
export const surelyKeptFrom = (last: number, bytes: number): number =>
  last <= OLD_TRAJECTORIES && bytes < OLD_TRAJECTORY_BYTES / 3 ? 1 : Math.max(1, last - RECENT_TRAJECTORIES + 1);

/** Steps whose trajectories may be dropped once `last` is committed. `sizes`: bytes by step, of those that have some. */
export function droppedTrajectories(sizes: ReadonlyMap<number, number>, last: number): number[] {
  const old = [...sizes].filter(([step]) => step <= last - RECENT_TRAJECTORIES);
  const fits = (every: number) => {
    const kept = old.filter(([step]) => step % every === 0);
    const bytes = kept.reduce((sum, [, size]) => sum + size, 0);
    return kept.length <= OLD_TRAJECTORIES && bytes <= OLD_TRAJECTORY_BYTES;
  };
  let every = 1;
  while (!fits(every) && every < last) every *= 2;
  return old.flatMap(([step]) => (step % every === 0 ? [] : [step]));
}

/**
 * Number of steps between checkpoints: 1 for a small checkpoint, else as many as keep writing below 5% of the time. A
 * resume recomputes the steps in between exactly.
 */
export function checkpointInterval(bytes: number, writeMs: number, stepMs: number): number {
  if (bytes <= SMALL_CHECKPOINT) return 1;
  return Math.max(1, Math.ceil(writeMs / (0.05 * Math.max(1, stepMs))));
}
