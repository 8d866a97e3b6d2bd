/** Progress of an evaluation on the command line: episodes played, and an estimate of the time that is left. */
import type { Progress } from '../session/protocol.ts';

/** Time before the first line and between lines, in milliseconds. */
const FIRST_MS = 2000;
const NEXT_MS = 10_000;

/** Formats a duration: 95 minutes are "1 h 35 min". */
export function formatDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'under a minute';
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** 40 s, 12 min, 2 h 5 min. */
export const durationText = (ms: number) => (ms < 59_500 ? `${Math.round(ms / 1000)} s` : formatDuration(ms));

/**
 * A listener that prints the progress of evaluations: `training goals: 64 of 400 episodes, about 3 min left`. Other
 * progress is ignored, and short evaluations print nothing.
 */
export function evaluationProgress(
  print: (line: string) => void,
  now: () => number = Date.now,
): (progress: Progress | null) => void {
  let begun: { what: string; at: number; done: number; printed: number } | null = null;
  return (progress) => {
    if (progress?.unit !== 'episodes' || progress.total === null) {
      begun = null;
      return;
    }
    const { what, done, total } = progress;
    const at = now();
    // A suite that continues begins with the items kept before, which took no time now.
    if (begun?.what !== what || done < begun.done) begun = { what, at, done, printed: at + FIRST_MS - NEXT_MS };
    if (at - begun.printed < NEXT_MS || done >= total) return;
    begun.printed = at;
    const played = done - begun.done;
    const estimate =
      played > 0 ? `, about ${durationText(Math.max(1000, ((at - begun.at) / played) * (total - done)))} left` : '';
    print(`${what}: ${done} of ${total} episodes${estimate}`);
  };
}
