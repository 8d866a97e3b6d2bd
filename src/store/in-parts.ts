/** Long work as a generator that yields the share which is done, from 0 to 1. It runs at once, or with rests between. */
export type Work<T> = Generator<number, T, void>;

/** Receives the share of a work that is done; its rejection ends the work. */
export type Report = (share: number) => Promise<void>;

/** Longest time between two rests, in milliseconds. */
const busyMs = 100;

export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Work that is the part `from` to `to` of a longer one. */
export function* within<T>([from, to]: readonly [number, number], work: Work<T>): Work<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    yield from + (to - from) * value;
  }
}

/** Runs work and rests while `report` is pending; a rejection of `report` ends the work. */
export async function withRests<T>(work: Work<T>, report: Report): Promise<T> {
  let rested = -busyMs;
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() - rested < busyMs) continue;
    await report(value);
    rested = performance.now();
  }
}
