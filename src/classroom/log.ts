/**
 * Log of what a pupil tried: an entry for each run, with its changes and its end. Every entry has a hash over itself and
 * the one before, so that a missing or changed entry is found. A log that was written anew as a whole is not.
 */
import * as v from 'valibot';
import { digits, linkOf } from '../store/record-chain.ts';

const change = v.strictObject({ path: v.pipe(v.string(), v.maxLength(300)), from: v.unknown(), to: v.unknown() });

const entry = v.strictObject({
  run: v.pipe(v.string(), v.maxLength(200)),
  changes: v.pipe(v.array(change), v.maxLength(500)),
  steps: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** Success on held-out tasks at the last evaluation; null: there was none. */
  success: v.nullable(v.pipe(v.number(), v.finite())),
});

export type LogEntry = v.InferOutput<typeof entry>;

export const logSchema = v.pipe(
  v.array(v.strictObject({ ...entry.entries, link: v.pipe(v.string(), v.length(digits)) })),
  v.maxLength(2000),
);

export type Log = v.InferOutput<typeof logSchema>;

/** An absent value is written as null, as JSON reads it back. */
const plain = ({ run, changes, steps, success }: LogEntry): LogEntry => ({
  run,
  changes: changes.map(({ path, from = null, to = null }) => ({ path, from, to })),
  steps,
  success,
});

/** Log of these entries. `start` ties it to its assignment. */
export function logOf(start: string, entries: readonly LogEntry[]): Log {
  let link = start.slice(0, digits);
  return entries.map((each) => {
    link = linkOf(link, plain(each));
    return { ...plain(each), link };
  });
}

/** Number of the first entry whose hash differs, from 1; 0: all are whole. */
export function brokenAt(start: string, log: Log): number {
  const whole = logOf(start, log);
  return log.findIndex(({ link }, k) => link !== whole[k].link) + 1;
}
