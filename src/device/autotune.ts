/**
 * Measures several forms of the same work on this adapter, within a limited time. The forms are passed as work to record;
 * this file does not depend on what they compute.
 */
import type { Recorder } from './device.ts';

/** Milliseconds of one call of a form. */
export interface FormTime {
  form: string;
  ms: number;
}

/** A form whose kernels are compiled. */
export interface Candidate {
  name: string;
  /** Records the work once. */
  record(): void;
}

/** Time that the measured passes of one opening of a device may take together. */
export const measuredMs = 1000;
/** Shortest measurement, without the wait for the device. Longer than the noise of that wait. */
const leastMs = 4;
const mostRepeats = 256;
const emptyWaits = 3;
/** In each round a form stays while its time is at most this multiple of the least. One slow round of a call is common. */
const roundLimits = [3, 1.3, 1.3];
/** A first call this long is work, beside which a driver's preparations do not count. */
const longMs = 100;
/** Another form replaces the first only if its time is below this fraction: less is noise. */
const margin = 0.93;

/** The fastest form, or the first if none is clearly faster. Undefined if there are no times. */
export function fastestOf(times: readonly FormTime[]): string | undefined {
  const fastest = times.reduce((best, each) => (each.ms < best.ms ? each : best), times[0]);
  return times.length > 0 && fastest.ms < margin * times[0].ms ? fastest.form : times[0]?.form;
}

/** Form in the course of a measurement. */
interface Running {
  candidate: Candidate;
  /** Milliseconds of the first call. */
  firstMs: number;
  /** Least milliseconds of one call. */
  ms: number;
  /** Milliseconds of its last pass, with the wait for the device. */
  passMs: number;
}

/**
 * Times forms until the passes have taken `mostMs`; only the first call of a form, whose length is not known, may exceed it.
 * `now`: a clock in milliseconds.
 */
export class FormTimer {
  private waitMs: number | null = null;
  private spentMs = 0;

  constructor(
    private readonly recorder: Pick<Recorder, 'finish'>,
    private readonly mostMs = measuredMs,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Time of each form. Null if the time ran out before each had one; none if all of the time is too little, so that
   * another measurement would not help.
   */
  async measure(candidates: readonly Candidate[]): Promise<FormTime[] | null> {
    const isFirst = this.spentMs === 0;
    this.waitMs ??= await this.wait();
    const forms = candidates.map((candidate) => ({ candidate, firstMs: 0, ms: Number.POSITIVE_INFINITY, passMs: 0 }));
    if (await this.compare(forms)) return forms.map(({ candidate, ms }) => ({ form: candidate.name, ms }));
    return isFirst ? [] : null;
  }

  /** False if the time ran out before each form had a time. */
  private async compare(forms: readonly Running[]): Promise<boolean> {
    // The first call only warms up: a driver may finish its compilation or place its buffers then. On an H200 that took so
    // long that forms were compared by single calls, whose time is mostly the wait for the device.
    for (const form of forms) {
      const ms = await this.pass(form, 1);
      if (ms === null) return false;
      form.firstMs = ms;
    }
    const least = Math.min(...forms.map(({ firstMs }) => firstMs));
    let running = forms.filter((form) => form.firstMs <= Math.max(longMs, roundLimits[0] * least));
    for (const form of forms) if (!running.includes(form)) form.ms = form.firstMs;
    const repeats = await this.repeatsFor(running[0]);
    if (repeats === null) return false;
    // Alternates between forms, so that a change of clock speed affects all of them.
    for (const [round, limit] of roundLimits.entries()) {
      for (const form of running) {
        if (round === 0 && form.ms < Number.POSITIVE_INFINITY) continue;
        const ms = await this.pass(form, repeats);
        if (ms === null) return round > 0;
        form.ms = Math.min(form.ms, ms);
      }
      const best = Math.min(...running.map(({ ms }) => ms));
      running = running.filter(({ ms, firstMs }) => (repeats === 1 ? Math.min(ms, firstMs) : ms) <= limit * best);
      if (running.length < 2) return true;
    }
    return true;
  }

  /** Number of calls for which a form takes long enough, with its time, or null if the time of all ran out. */
  private async repeatsFor(form: Running): Promise<number | null> {
    if (form.firstMs >= longMs) return 1;
    for (let repeats = 1; ; repeats *= 4) {
      const ms = await this.pass(form, repeats);
      if (ms === null) return null;
      if (repeats < mostRepeats && ms * repeats < leastMs) continue;
      form.ms = ms;
      return repeats;
    }
  }

  /** Milliseconds of one of some calls, or null if there is no time left for them. */
  private async pass(form: Running, repeats: number): Promise<number | null> {
    if (this.spentMs + form.passMs > this.mostMs) return null;
    form.passMs = await this.timed(() => {
      for (let i = 0; i < repeats; i++) form.candidate.record();
    });
    return Math.max(0, form.passMs - this.waitMs!) / repeats;
  }

  private async timed(record: () => void): Promise<number> {
    const start = this.now();
    record();
    await this.recorder.finish();
    const ms = this.now() - start;
    this.spentMs += ms;
    return ms;
  }

  /** Milliseconds that a wait for the device takes without work: the least of some. */
  private async wait(): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < emptyWaits; i++) least = Math.min(least, await this.timed(() => {}));
    return least;
  }
}
