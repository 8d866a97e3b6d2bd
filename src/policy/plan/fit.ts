/**
 * Checks if planned buffers fit an adapter, and finds the settings that would make them fit. Changes are tried in the
 * given order: a single one if it is enough, else several combined.
 */
import { totalBytes } from './buffers.ts';
import type { PlannedBuffer } from './planned-buffer.ts';

/** Memory limits of an adapter. */
export interface MemoryLimits {
  /** Largest binding of one buffer, in bytes. */
  bindingBytes: number;
  /** Largest sum of all buffers, in bytes. */
  totalBytes: number;
}

/** Reason why buffers do not fit: one buffer, or the total. */
export type Misfit = { kind: 'buffer'; buffer: PlannedBuffer } | { kind: 'total'; bytes: number };

/**
 * Parts that need not fit one binding: weights are split over several buffers. Every other buffer must fit one binding.
 */
const dividedParts: ReadonlySet<PlannedBuffer['part']> = new Set([
  'weights',
  'adapter',
  'reference',
  'optimizer',
  // The critic's buffers are no larger than the policy's, which are checked; arrays on the host are not bound.
  'critic',
  'host',
]);
const isDivided = ({ part, name }: PlannedBuffer) => dividedParts.has(part) || name === 'staging';

/** First reason why these buffers do not fit, or null if they fit. */
export function misfit(buffers: readonly PlannedBuffer[], limits: MemoryLimits): Misfit | null {
  const whole = buffers.filter((buffer) => !isDivided(buffer));
  const largest = whole.reduce<PlannedBuffer | null>((a, b) => (a && a.bytes >= b.bytes ? a : b), null);
  if (largest && largest.bytes > limits.bindingBytes) return { kind: 'buffer', buffer: largest };
  const bytes = totalBytes(buffers);
  return bytes > limits.totalBytes ? { kind: 'total', bytes } : null;
}

/** Change of one setting. */
export interface Change<Settings> {
  apply(settings: Settings): Settings | null;
  /** Describes the resulting values of the settings that it changes, as a person would write them. */
  describe(settings: Settings): readonly string[];
}

/** Largest number of times that one change is applied; for a halved setting, of halvings. */
const mostSteps = 12;

/** Number of times that each change is applied. */
type Counts = readonly number[];

/** Settings after applying each change, in order, `counts` times or until it returns null. */
function applied<Settings>(settings: Settings, changes: readonly Change<Settings>[], counts: Counts): Settings {
  let last = settings;
  changes.forEach(({ apply }, i) => {
    for (let k = 0; k < counts[i]; k++) last = apply(last) ?? last;
  });
  return last;
}

/** Number of times to apply a change until the settings fit or it returns null. */
function countUntil<Settings>(settings: Settings, { apply }: Change<Settings>, fits: (s: Settings) => boolean): number {
  let last = settings;
  for (let count = 0; ; count++) {
    if (count === mostSteps || fits(last)) return count;
    const next = apply(last);
    if (next === null) return count;
    last = next;
  }
}

/** Describes the combined changes, each setting once. */
function describeChanges<Settings>(settings: Settings, changes: readonly Change<Settings>[], counts: Counts): string {
  const last = applied(settings, changes, counts);
  const descriptions = changes.flatMap((change, i) => (counts[i] ? change.describe(last) : []));
  return [...new Set(descriptions)].join(' and ');
}

/**
 * Describes a change of settings that makes them fit, or returns null. If no single change is enough, changes are added
 * one after another, each to its limit, until the settings fit. Then each change is reduced as far as the settings
 * still fit, starting with the last, which costs most.
 */
export function changeThatFits<Settings>(
  settings: Settings,
  changes: readonly Change<Settings>[],
  fits: (settings: Settings) => boolean,
): string | null {
  const only = (i: number, count: number) => changes.map((_, k) => (k === i ? count : 0));
  const suffice = (counts: Counts) => fits(applied(settings, changes, counts));
  for (const [i, change] of changes.entries()) {
    const single = only(i, countUntil(settings, change, fits));
    if (suffice(single)) return describeChanges(settings, changes, single);
  }
  const counts = changes.map(() => 0);
  for (const [i, change] of changes.entries()) counts[i] = countUntil(applied(settings, changes, counts), change, fits);
  if (!suffice(counts)) return null;
  for (const i of [...counts.keys()].reverse()) while (counts[i] && suffice(counts.with(i, counts[i] - 1))) counts[i]--;
  return describeChanges(settings, changes, counts);
}
