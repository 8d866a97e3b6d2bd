/**
 * Measures several forms of the same work and chooses the fastest on this adapter. The forms are passed as work to
 * record; this file does not depend on what they compute.
 */
import type { KernelCache, Recorder } from './device.ts';

/** Milliseconds of one call of a form. */
export interface FormTime {
  form: string;
  ms: number;
}

export interface Candidate {
  name: string;
  /** Records the work once. */
  record(): void;
}

/** Shortest measurement, without the wait for the device. Longer than the noise of that wait. */
const leastMs = 4;
const mostRepeats = 256;
const rounds = 3;
/** If one call takes longer than this, the adapter is too slow for a measurement to be worthwhile. */
const mostMs = 500;
/** Another form replaces the first only if its time is below this fraction: less is noise. */
const margin = 0.93;

/** Measures one work at a time: records it, waits until the device has finished, and returns the milliseconds. */
class Stopwatch {
  constructor(
    private readonly recorder: Pick<Recorder, 'finish'>,
    private readonly now: () => number,
  ) {}

  async timed(candidate: Candidate, repeats: number): Promise<number> {
    const start = this.now();
    for (let i = 0; i < repeats; i++) candidate.record();
    await this.recorder.finish();
    return this.now() - start;
  }

  /** Milliseconds that a wait for the device takes without work: the least of some. */
  async wait(): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      const start = this.now();
      await this.recorder.finish();
      least = Math.min(least, this.now() - start);
    }
    return least;
  }

  /**
   * Number of repeats for which a candidate takes long enough. The first call only warms up: a driver may finish its
   * compilation or place its buffers then, and on an H200 that took so long that forms were compared by single calls,
   * whose time is mostly the wait for the device.
   */
  async repeatsFor(candidate: Candidate, waitMs: number): Promise<number> {
    await this.timed(candidate, 1);
    let repeats = 1;
    while (repeats < mostRepeats && (await this.timed(candidate, repeats)) - waitMs < leastMs) repeats *= 4;
    return repeats;
  }
}

/**
 * Name of the fastest candidate, or of the first if none is clearly faster, and the time of each; no times if the first
 * takes too long to measure. Compiles all their kernels first. `now`: a clock in milliseconds.
 */
export async function fastest(
  kernels: Pick<KernelCache, 'settle'>,
  recorder: Pick<Recorder, 'dry' | 'finish'>,
  candidates: readonly Candidate[],
  now: () => number = () => performance.now(),
): Promise<{ name: string; times: FormTime[] }> {
  recorder.dry = true;
  for (const { record } of candidates) record();
  recorder.dry = false;
  await kernels.settle();
  const watch = new Stopwatch(recorder, now);
  const waitMs = await watch.wait();
  const repeats = await watch.repeatsFor(candidates[0], waitMs);
  if (repeats === 1 && (await watch.timed(candidates[0], 1)) > mostMs) return { name: candidates[0].name, times: [] };
  const best = candidates.map(() => Number.POSITIVE_INFINITY);
  for (const candidate of candidates) await watch.timed(candidate, 1);
  // Alternates between candidates, so that a change of clock speed affects all of them.
  for (let round = 0; round < rounds; round++)
    for (const [i, candidate] of candidates.entries())
      best[i] = Math.min(best[i], (await watch.timed(candidate, repeats)) - waitMs);
  const winner = best.indexOf(Math.min(...best));
  const { name } = candidates[best[winner] < margin * best[0] ? winner : 0];
  return { name, times: candidates.map((each, i) => ({ form: each.name, ms: Math.max(0, best[i]) / repeats })) };
}
