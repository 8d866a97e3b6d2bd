/**
 * Whether planned buffers fit an adapter, and what would make them fit. A person is told a change, not only a number: the
 * changes are tried in a given order, one alone if that is enough, else one after another.
 */
import { totalBytes } from './buffers.ts';
import type { PlannedBuffer } from './planned-buffer.ts';

/** What an adapter gives. */
export interface Room {
  /** Most bytes of one buffer that a kernel binds. */
  bindingBytes: number;
  /** Most bytes in all. */
  totalBytes: number;
}

/** Why buffers do not fit. */
export type Misfit = { kind: 'buffer'; buffer: PlannedBuffer } | { kind: 'total'; bytes: number };

/** Weights are laid out in as many buffers as they need; every other buffer must fit one binding. */
const dividedParts: ReadonlySet<PlannedBuffer['part']> = new Set([
  'weights',
  'adapter',
  'reference',
  'optimizer',
  // As large as the policy's own, which are looked at; arrays of the host are not bound at all.
  'critic',
  'host',
]);
const isDivided = ({ part, name }: PlannedBuffer) => dividedParts.has(part) || name === 'staging';

/** The first reason why these buffers do not fit; null: they do. */
export function misfit(buffers: readonly PlannedBuffer[], room: Room): Misfit | null {
  const whole = buffers.filter((buffer) => !isDivided(buffer));
  const largest = whole.reduce<PlannedBuffer | null>((a, b) => (a && a.bytes >= b.bytes ? a : b), null);
  if (largest && largest.bytes > room.bindingBytes) return { kind: 'buffer', buffer: largest };
  const bytes = totalBytes(buffers);
  return bytes > room.totalBytes ? { kind: 'total', bytes } : null;
}

/** One change of settings; null where it cannot be taken any further. */
export interface Change<Settings> {
  apply(settings: Settings): Settings | null;
  /** What of the settings it changes, each as a person would write it. */
  words(settings: Settings): readonly string[];
}

/** Halvings of one setting. */
const mostSteps = 12;

/** Changes, each with how often it is applied. */
type Counts = readonly number[];

/** Settings after each change, in order, was applied as often as is said, or as it goes. */
function applied<Settings>(settings: Settings, changes: readonly Change<Settings>[], counts: Counts): Settings {
  let last = settings;
  changes.forEach(({ apply }, i) => {
    for (let k = 0; k < counts[i]; k++) last = apply(last) ?? last;
  });
  return last;
}

/** How often a change must be applied until settings fit, or as often as it goes. */
function countUntil<Settings>(settings: Settings, { apply }: Change<Settings>, fits: (s: Settings) => boolean): number {
  let last = settings;
  for (let count = 0; ; count++) {
    if (count === mostSteps || fits(last)) return count;
    const next = apply(last);
    if (next === null) return count;
    last = next;
  }
}

/** In words, what the changes come to, each setting once. */
function wordsOf<Settings>(settings: Settings, changes: readonly Change<Settings>[], counts: Counts): string {
  const last = applied(settings, changes, counts);
  const words = changes.flatMap((change, i) => (counts[i] ? change.words(last) : []));
  return [...new Set(words)].join(' and ');
}

/**
 * In words, the change of settings that makes them fit: one alone, or several; null: none does. Several are applied one after
 * another until they fit together. Those that came first were taken as far as they go, so each is then taken back as far as the
 * others suffice, beginning with the last, which cost most.
 */
export function changeThatFits<Settings>(
  settings: Settings,
  changes: readonly Change<Settings>[],
  fits: (settings: Settings) => boolean,
): string | null {
  const only = (i: number, count: number) => changes.map((_, k) => (k === i ? count : 0));
  const suffice = (counts: Counts) => fits(applied(settings, changes, counts));
  for (const [i, change] of changes.entries()) {
    const alone = only(i, countUntil(settings, change, fits));
    if (suffice(alone)) return wordsOf(settings, changes, alone);
  }
  const counts = changes.map(() => 0);
  for (const [i, change] of changes.entries()) counts[i] = countUntil(applied(settings, changes, counts), change, fits);
  if (!suffice(counts)) return null;
  for (const i of [...counts.keys()].reverse()) while (counts[i] && suffice(counts.with(i, counts[i] - 1))) counts[i]--;
  return wordsOf(settings, changes, counts);
}
