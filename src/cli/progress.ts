/** Lines of progress on the command line: the first after a few seconds of a task, then one every ten seconds. */

import { ProgressMeter } from '../session/progress-meter.ts';
import type { Progress } from '../session/protocol.ts';

/** Time before a task's first line and between lines, in milliseconds. */
const FIRST_MS = 3000;
const EVERY_MS = 10_000;

const works: { [what: string]: string } = { episodes: 'playing', updates: 'updating', scores: 'scoring' };
const units: { [unit in Progress['unit']]: string } = {
  kernels: 'kernels',
  bytes: 'MB',
  episodes: 'episodes',
  steps: 'steps',
  slices: 'micro-batches',
  tokens: 'tokens',
  turns: 'turns',
};

/** Formats a duration: 40 s, 12 min, 1 h 35 min. */
export function formatDuration(ms: number): string {
  if (ms < 59_500) return `${Math.round(ms / 1000)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Task, counts, elapsed and remaining time in one line. */
export function progressLine({ what, done, total, unit, turns, tokens, elapsedMs, remainingMs }: Progress): string {
  const number = (value: number) => (unit === 'bytes' ? (value / 1e6).toFixed(0) : String(value));
  const work = works[what] ?? what;
  const counted =
    total === null ? `${number(done)} ${units[unit]}` : `${number(done)} of ${number(total)} ${units[unit]}`;
  return [
    total === null && done === 0 ? work : `${work}: ${counted}`,
    ...(turns ? [`${turns} turns`] : []),
    ...(tokens ? [`${tokens} tokens`] : []),
    ...(elapsedMs ? [formatDuration(elapsedMs)] : []),
    ...(remainingMs == null ? [] : [`about ${formatDuration(remainingMs)} left`]),
  ].join(', ');
}

/** Prints the progress of a session. A task of under three seconds prints nothing. */
export class ProgressLines {
  private what = '';
  private printedMs = 0;
  private last: Progress | null = null;

  constructor(private readonly print: (line: string) => void) {}

  /** Receives progress at least every second during a long task; null at its end. */
  take(progress: Progress | null): void {
    this.last = progress;
    if (!progress) {
      this.what = '';
      return;
    }
    const { what, elapsedMs = 0 } = progress;
    if (what !== this.what) {
      this.what = what;
      this.printedMs = FIRST_MS - EVERY_MS;
    }
    if (elapsedMs - this.printedMs < EVERY_MS) return;
    this.printedMs = elapsedMs;
    this.print(`  ${progressLine(progress)}`);
  }

  /** Estimated time to the end of the current task or step; empty if it is not known. */
  get remaining(): string {
    const ms = this.last?.remainingMs;
    return ms == null ? '' : ` (about ${formatDuration(ms)} left)`;
  }
}

/** Prints the progress of evaluations without a session, timed by the meter of one. */
export function evaluationProgress(
  print: (line: string) => void,
  now: () => number = Date.now,
): (progress: Progress | null) => void {
  const lines = new ProgressLines(print);
  const meter = new ProgressMeter((progress) => lines.take(progress), now);
  return (progress) => meter.report(progress);
}
