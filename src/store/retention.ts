/**
 * What is kept and what goes. Checkpoints: the last two, the first, and a bounded number between them to fork from.
 * Trajectories: the last fifty steps, and every tenth before, thinned so that a run of any length stays bounded.
 *
 * The strides double as a run grows: what a wider stride keeps, every narrower one kept before.
 */

/** A checkpoint up to this size is written every step. */
export const SMALL_CHECKPOINT = 32 * 2 ** 20;
const FORK_POINTS = 8;
const FORK_BYTES = 256 * 2 ** 20;
const RECENT_TRAJECTORIES = 50;
const OLD_TRAJECTORIES = 200;

/** The smallest of 10, 20, 40, ... that gives at most `most` multiples up to `step`. */
export function stride(step: number, most: number): number {
  let n = 10;
  while (step / n > most) n *= 2;
  return n;
}

/** Which of `steps` (all with a checkpoint, of about `bytes` each) may go after a commit. */
export function droppedCheckpoints(steps: readonly number[], bytes: number): number[] {
  const sorted = [...steps].sort((a, b) => a - b);
  const last = sorted.at(-1) ?? 0;
  const forks = Math.min(FORK_POINTS, Math.floor(FORK_BYTES / Math.max(1, bytes)));
  const every = stride(last, forks);
  return sorted.slice(1, -2).filter((step) => forks === 0 || step % every !== 0);
}

/** Which of `steps` (all with trajectories) may go once `last` is committed. */
export function droppedTrajectories(steps: readonly number[], last: number): number[] {
  const every = stride(last, OLD_TRAJECTORIES);
  return steps.filter((step) => step <= last - RECENT_TRAJECTORIES && step % every !== 0);
}

/**
 * Every how many steps a checkpoint is written: every step while it is small, else so that writing stays under 5% of
 * the time. The steps between are recomputed exactly on a resume.
 */
export function checkpointInterval(bytes: number, writeMs: number, stepMs: number): number {
  if (bytes <= SMALL_CHECKPOINT) return 1;
  return Math.max(1, Math.ceil(writeMs / (0.05 * Math.max(1, stepMs))));
}
