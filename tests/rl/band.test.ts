// The band of a preset: its formula by a second computation, healthy runs of other seeds, and planted faults.
import { describe, expect, it } from 'vitest';
import { bandOf, leftBand } from '../../src/rl/evaluation/band.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';

/** Numbers from 0 to 1 of a linear congruential generator (Numerical Recipes). */
function numbers(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const episodes = 64;

/** A run that learns between step 20 and 60 at a time of its own; each success is a share of 64 tries. */
function run(seed: number, curve: (step: number, late: number) => number = learns): StepRecord[] {
  const next = numbers(seed);
  const late = 8 * (next() + next() + next() - 1.5);
  return Array.from({ length: 101 }, (_, step) => {
    const rate = curve(step, late);
    const successes = Array.from({ length: episodes }, next).filter((draw) => draw < rate).length;
    return {
      step,
      stage: 1,
      metrics: (step ? { success: successes / episodes, episodes } : {}) as StepRecord['metrics'],
    };
  });
}

const learns = (step: number, late: number) => 0.05 + 0.85 / (1 + Math.exp(-(step - 40 - late) / 6));
const seeds = [1, 2, 3, 4, 5];
const band = bandOf(seeds.map((seed) => ({ seed, records: run(seed) })));

describe('a band', () => {
  it('is the prediction interval for one more run', () => {
    // Window 19 has the steps 96 to 100; its neighbours are window 18 alone.
    const means = (k: number) =>
      seeds.map((seed) => {
        const part = run(seed).slice(5 * k + 1, 5 * k + 6);
        return part.reduce((sum, { metrics }) => sum + metrics.success, 0) / 5;
      });
    const center = means(19).reduce((a, b) => a + b) / 5;
    const variance = (values: number[]) => {
      const middle = values.reduce((a, b) => a + b) / 5;
      return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / 4;
    };
    const tries = 5 * episodes;
    const rate = (center * tries + 1) / (tries + 2);
    const chance = (rate * (1 - rate)) / tries;
    const spread = Math.sqrt(Math.max((variance(means(18)) + variance(means(19))) / 2, chance) * (1 + 1 / 5));
    // 99.5% quantile of Student's t with 8 degrees of freedom: 3.3554.
    expect(band.low[19]).toBeCloseTo(center - 3.3554 * spread, 3);
    expect(band.high[19]).toBeCloseTo(Math.min(1, center + 3.3554 * spread), 3);
    expect(band.window).toBe(5);
    expect(band.low).toHaveLength(20);
  });

  it('holds nearly all runs of other seeds', () => {
    const others = Array.from({ length: 200 }, (_, i) => leftBand(band, run(100 + i)));
    expect(others.filter(Boolean).length).toBeLessThanOrEqual(6);
  });

  it.each([
    ['never learns', () => 0.05, 'below'],
    ['learns far too late', (step: number, late: number) => learns(step - 40, late), 'below'],
    ['falls at step 70', (step: number, late: number) => (step < 70 ? learns(step, late) : 0.1), 'below'],
    ['learns far too early', (step: number, late: number) => learns(step + 40, late), 'above'],
  ] as const)('names a run that %s', (_, curve, side) => {
    for (const seed of [11, 12, 13, 14, 15]) {
      const left = leftBand(band, run(seed, curve));
      expect(left).toMatchObject({ side });
      const { success, low, high } = left!;
      expect(side === 'below' ? success < low : success > high).toBe(true);
    }
  });

  it('is left only by two windows in succession', () => {
    const dip = run(11).map((record) =>
      record.step > 80 && record.step <= 85 ? { ...record, metrics: { success: 0, episodes } } : record,
    );
    expect(leftBand(band, dip)).toBeNull();
    const longer = dip.map((record) =>
      record.step > 80 && record.step <= 90 ? { ...record, metrics: { success: 0, episodes } } : record,
    );
    expect(leftBand(band, longer)).toMatchObject({ from: 86, to: 90, success: 0 });
    expect(leftBand(band, longer.slice(0, 90))).toBeNull();
  });

  it('is by evaluations where steps play no episode', () => {
    const policy = (successes: number) => ({ rate: successes / 50, low: 0, high: 1, episodes: 50, successes });
    const imitating = (seed: number): StepRecord[] =>
      Array.from({ length: 41 }, (_, step) => ({
        ...{ step, stage: 1, metrics: { loss: 1 } },
        ...(step % 10 ? {} : { evaluation: { train: { policy: policy(step + seed) } } as StepRecord['evaluation'] }),
      }));
    const evaluated = bandOf([1, 2, 3].map((seed) => ({ seed, records: imitating(seed) })));
    const known = evaluated.low.flatMap((low, k) => (low === null ? [] : [(k + 1) * evaluated.window]));
    expect(known).toEqual([10, 20, 30, 40]);
    expect(leftBand(evaluated, imitating(2))).toBeNull();
  });

  it('needs three runs of the same length', () => {
    expect(() => bandOf(seeds.slice(0, 2).map((seed) => ({ seed, records: run(seed) })))).toThrow(/at least 3 runs/);
    const unequal = seeds.map((seed) => ({ seed, records: run(seed).slice(0, 90 + seed) }));
    expect(() => bandOf(unequal)).toThrow(/same number of steps; these have 90, 91/);
  });
});
