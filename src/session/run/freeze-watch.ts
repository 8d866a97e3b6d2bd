/**
 * Notices that this thread stood still: a frozen tab, a closed laptop. Buffers and device may be gone after that, so a
 * session treats it like a lost device.
 */

/** The clock ran on while nothing else did. */
export class FrozenError extends Error {
  override name = 'FrozenError';
}

export interface Clock {
  now(): number;
  setInterval(callback: () => void, ms: number): unknown;
  clearInterval(timer: unknown): void;
}

export const systemClock: Clock = {
  // Date.now, not performance.now: the latter stands still on some systems while the machine sleeps.
  now: () => Date.now(),
  setInterval: (callback, ms) => globalThis.setInterval(callback, ms),
  clearInterval: (timer) => globalThis.clearInterval(timer as ReturnType<typeof setInterval>),
};

const TICK_MS = 2000;
/** A throttled background timer fires once a minute; only more than that is a freeze. */
export const FROZEN_AFTER_MS = 90_000;

/** Calls `onFrozen` once a gap between two ticks is too long. Returns a function that stops watching. */
export function watchForFreeze(clock: Clock, onFrozen: (error: FrozenError) => void): () => void {
  let last = clock.now();
  const timer = clock.setInterval(() => {
    const gap = clock.now() - last;
    last = clock.now();
    if (gap > FROZEN_AFTER_MS) onFrozen(new FrozenError(`This page stood still for ${Math.round(gap / 1000)} s.`));
  }, TICK_MS);
  return () => clock.clearInterval(timer);
}
