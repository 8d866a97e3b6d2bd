/**
 * Detects that the computer or the tab was suspended: this thread and another one stood still at the same time. Buffers
 * and device may be gone after that, so a session handles it like a lost device. If only one of them stood still, it
 * was computing, and nothing was suspended.
 */

/** Thrown when the clock advanced while all threads were suspended. */
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

/** A time in which a thread did not run, in milliseconds of `Clock.now`. */
export interface Gap {
  from: number;
  to: number;
}

/** Clock of another thread. Calls `listener` for each long gap of that thread; returns a function that stops it. */
export type OtherThread = (listener: (gap: Gap) => void) => () => void;

const TICK_MS = 2000;
/** A throttled background timer fires once a minute; only a longer gap counts as a freeze. */
export const FROZEN_AFTER_MS = 90_000;

/** Calls `listener` for each gap between two ticks of this thread that is too long. Returns a function that stops it. */
export function watchGaps(clock: Clock, listener: (gap: Gap) => void): { look(): void; stop(): void } {
  let last = clock.now();
  const look = () => {
    const gap = { from: last, to: clock.now() };
    last = gap.to;
    if (gap.to - gap.from > FROZEN_AFTER_MS) listener(gap);
  };
  const timer = clock.setInterval(look, TICK_MS);
  return { look, stop: () => clock.clearInterval(timer) };
}

const overlap = (a: Gap, b: Gap) => Math.min(a.to, b.to) - Math.max(a.from, b.from);

/** Calls `onFrozen` when both threads stood still for too long. Returns a function that stops watching. */
export function watchForFreeze(clock: Clock, other: OtherThread, onFrozen: (error: FrozenError) => void): () => void {
  let own: Gap | null = null;
  let theirs: Gap | null = null;
  const compare = () => {
    const ms = own && theirs ? overlap(own, theirs) : 0;
    if (ms <= FROZEN_AFTER_MS) return;
    own = theirs = null;
    onFrozen(new FrozenError(`This page stood still for ${Math.round(ms / 1000)} s.`));
  };
  const gaps = watchGaps(clock, (gap) => {
    own = gap;
    compare();
  });
  const stopOther = other((gap) => {
    theirs = gap;
    // The other thread may wake up first.
    gaps.look();
    compare();
  });
  return () => {
    gaps.stop();
    stopOther();
  };
}
