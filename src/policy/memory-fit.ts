/**
 * Whether planned buffers fit an adapter, and what would make them fit. A person is told a change, not only a number: the
 * changes are tried in a given order, one alone if that is enough, else one after another.
 */
import { type PlannedBuffer, totalBytes } from './memory-plan.ts';

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
const isDivided = ({ part, name }: PlannedBuffer) =>
  part === 'weights' || part === 'adapter' || part === 'reference' || part === 'optimizer' || name === 'staging';

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
  words(settings: Settings): string;
}

/** Halvings of one setting. */
const mostSteps = 12;

/** Settings after a change was applied until they fit, or as often as it goes. */
function pushed<Settings>(settings: Settings, { apply }: Change<Settings>, fits: (s: Settings) => boolean): Settings {
  let last = settings;
  for (let i = 0; i < mostSteps && !fits(last); i++) {
    const next = apply(last);
    if (next === null) break;
    last = next;
  }
  return last;
}

/** In words, the change of settings that makes them fit: one alone, or several; null: none does. */
export function changeThatFits<Settings>(
  settings: Settings,
  changes: readonly Change<Settings>[],
  fits: (settings: Settings) => boolean,
): string | null {
  for (const change of changes) {
    const alone = pushed(settings, change, fits);
    if (fits(alone)) return change.words(alone);
  }
  let together = settings;
  const words: string[] = [];
  for (const change of changes) {
    const next = pushed(together, change, fits);
    if (next !== together) words.push(change.words(next));
    together = next;
    if (fits(together)) return words.join(' and ');
  }
  return null;
}
