/**
 * Detects that this thread was suspended, by a frozen tab or a closed laptop. Buffers and device may be gone after
 * that, so a session handles it like a lost device.
 */

/** Thrown when the clock advanced while this thread was suspended. */
export class FrozenError extends Error {
  override name = 'FrozenError';
}

export interface Clock {
  now(): number;
  setInterval(callback: () => void, ms: number): unknown;
  clearInterval(timer: unknown): void;
}

export const systemClock: Clock = {
  // Date.now instead of performance.now, which stops on some systems while the machine sleeps.
  now: () => Date.now(),
  setInterval: (callback, ms) => globalThis.setInterval(callback, ms),
  clearInterval: (timer) => globalThis.clearInterval(timer as ReturnType<typeof setInterval>),
};

const TICK_MS = 2000;
/** A throttled background timer fires once a minute; only a longer gap counts as a freeze. */
const FROZEN_AFTER_MS = 90_000;

/** Calls `onFrozen` once the gap between two ticks is too long. Returns a function that stops watching. */
export function watchForFreeze(clock: Clock, onFrozen: (error: FrozenError) => void): () => void {
  let last = clock.now();
  const timer = clock.setInterval(() => {
    const gap = clock.now() - last;
    last = clock.now();
    if (gap > FROZEN_AFTER_MS) onFrozen(new FrozenError(`This page stood still for ${Math.round(gap / 1000)} s.`));
  }, TICK_MS);
  return () => clock.clearInterval(timer);
}
