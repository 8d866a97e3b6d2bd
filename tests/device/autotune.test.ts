// Timing of forms of the same work within a limited time, on a device of known speed: its clock advances by the cost of
// the work.
import { describe, expect, it } from 'vitest';
import { FormTimer, fastestOf, measuredMs } from '../../src/device/autotune.ts';

type Cost = number | ((call: number) => number);

/** A device whose waits take `waitMs` beside the work. */
class KnownDevice {
  ms = 0;
  readonly done: string[] = [];
  private pending = 0;

  constructor(readonly waitMs = 0) {}

  async finish() {
    this.ms += this.pending + this.waitMs;
    this.pending = 0;
  }

  candidates(costs: { [name: string]: Cost }) {
    return Object.entries(costs).map(([name, cost]) => {
      let calls = 0;
      return {
        name,
        record: () => {
          this.done.push(name);
          this.pending += typeof cost === 'number' ? cost : cost(calls++);
        },
      };
    });
  }

  timer(mostMs?: number) {
    return new FormTimer(this, mostMs, () => this.ms);
  }

  calls(name: string) {
    return this.done.filter((each) => each === name).length;
  }
}

/** Times of works that cost the given milliseconds each. */
async function timed(costs: { [name: string]: Cost }, waitMs = 0) {
  const device = new KnownDevice(waitMs);
  const times = await device.timer().measure(device.candidates(costs));
  return { device, times, name: fastestOf(times ?? []) };
}

describe('the form that is used', () => {
  it('is the faster of two, whatever their order', async () => {
    expect((await timed({ slow: 4, fast: 3 })).name).toBe('fast');
    expect((await timed({ fast: 3, slow: 4 })).name).toBe('fast');
  });

  it('is the first unless another takes less than 93% of its time', () => {
    const times = (other: number) => [
      { form: 'first', ms: 100 },
      { form: 'other', ms: other },
    ];
    expect(fastestOf(times(94))).toBe('first');
    expect(fastestOf(times(92))).toBe('other');
    expect(fastestOf([])).toBeUndefined();
  });
});

describe('the times', () => {
  it('are the milliseconds of one call of each, without the wait', async () => {
    const { times } = await timed({ slow: 0.5, fast: 0.125 }, 10);
    expect(times).toEqual([
      { form: 'slow', ms: 0.5 },
      { form: 'fast', ms: 0.125 },
    ]);
  });

  it('are the best of several rounds, so one slow round decides nothing', async () => {
    // Calls: one to warm up, then the rounds.
    const slowOnce = (call: number) => (call === 1 ? 25 : 10);
    expect((await timed({ first: 12, other: slowOnce })).times).toEqual([
      { form: 'first', ms: 12 },
      { form: 'other', ms: 10 },
    ]);
  });

  it('are of work repeated until it takes four milliseconds', async () => {
    const { device } = await timed({ first: 0.05, other: 0.05 });
    // Once to warm up; 1, 4, 16, 64 and at most 256 times to find the repeats, which is the first round; two more rounds.
    expect(device.calls('first')).toBe(1 + 1 + 4 + 16 + 64 + 256 + 2 * 256);
    expect(device.calls('other')).toBe(1 + 3 * 256);
  });

  it('are of repeated work although its first call takes long', async () => {
    // 64 calls of each take 5.1 and 0.6 ms: beside a wait of 10 ms they would look alike.
    const first = (ms: number) => (call: number) => (call === 0 ? 20 : ms);
    const { name, device } = await timed({ slow: first(0.08), fast: first(0.01) }, 10);
    expect(name).toBe('fast');
    expect(device.calls('slow')).toBeGreaterThan(60);
  });

  it('are not repeated for a form that takes three times as long as another', async () => {
    const { device, times } = await timed({ fast: 5, near: 6, far: 16 });
    expect(device.calls('far')).toBe(2);
    expect(device.calls('near')).toBe(4);
    expect(times?.find(({ form }) => form === 'far')?.ms).toBe(16);
  });

  it('are of the first call alone for a hopeless form', async () => {
    const { device, times } = await timed({ fast: 5, hopeless: 200 });
    expect(device.calls('hopeless')).toBe(1);
    expect(times?.[1]).toEqual({ form: 'hopeless', ms: 200 });
  });
});

describe('the measurement', () => {
  it('ends when the next pass would exceed the time', async () => {
    const device = new KnownDevice();
    const timer = device.timer();
    const found = [];
    for (let i = 0; i < 20; i++) found.push(await timer.measure(device.candidates({ one: 20, two: 21 })));
    // The first call of a form has an unknown length.
    expect(device.ms).toBeLessThanOrEqual(measuredMs + 20);
    // 8 passes of each choice: each form warms up and has three rounds.
    expect(found.filter((times) => times !== null)).toHaveLength(6);
    expect(found.at(-1)).toBeNull();
  });

  it('keeps the times of the rounds before its end', async () => {
    const device = new KnownDevice();
    expect(await device.timer(95).measure(device.candidates({ one: 20, two: 21 }))).toEqual([
      { form: 'one', ms: 20 },
      { form: 'two', ms: 21 },
    ]);
  });

  it('has no times for work to which all of the time is too little, after one call', async () => {
    const device = new KnownDevice();
    const timer = device.timer();
    expect(await timer.measure(device.candidates({ first: 1100, other: 1 }))).toEqual([]);
    expect(device.done).toEqual(['first']);
  });
});
