import { describe, expect, it } from 'vitest';
import { stageAt, stageNumber, turnsFor } from '../../src/rl/schedule/horizon.ts';
import { learningRateAt } from '../../src/rl/schedule/learning-rate.ts';

const schedule = [
  { steps: 100, turns: 10 },
  { steps: 100, turns: 20 },
  { steps: 100, turns: { oraclePlus: 2 } },
];

describe('horizon', () => {
  it('changes exactly after the steps of a stage, and the last stage stays', () => {
    const turns = (step: number) => stageAt(schedule, step).turns;
    expect([1, 100, 101, 200].map(turns)).toEqual([10, 10, 20, 20]);
    expect([201, 300, 301, 5000].map(turns)).toEqual(Array(4).fill({ oraclePlus: 2 }));
  });

  it('is in the first stage before the first update', () => {
    expect(stageAt(schedule, 0)).toEqual({ index: 0, turns: 10 });
  });

  it('does not depend on earlier queries', () => {
    const forward = Array.from({ length: 320 }, (_, k) => stageAt(schedule, k).index);
    const backward = Array.from({ length: 320 }, (_, k) => stageAt(schedule, 319 - k).index).reverse();
    expect(backward).toEqual(forward);
  });

  it('counts from the oracle’s turns if so set', () => {
    expect(turnsFor({ oraclePlus: 1 }, 3)).toBe(4);
    expect(turnsFor(7, null)).toBe(7);
    expect(() => turnsFor({ oraclePlus: 1 }, null)).toThrow(/oracle does not solve/);
    expect(stageNumber({ oraclePlus: 2 })).toBe(2);
  });

  it('refuses an invalid schedule or step', () => {
    expect(() => stageAt([], 1)).toThrow(/no stage/);
    expect(() => stageAt(schedule, -1)).toThrow(/-1/);
  });
});

describe('learning rate', () => {
  const rate = { learningRate: 2, warmupSteps: 4, finalFraction: 0.25 };

  it('warms up, then decays to its final fraction at the last step', () => {
    expect([1, 2, 4].map((step) => learningRateAt(rate, step, 12))).toEqual([0.5, 1, 2]);
    expect(learningRateAt(rate, 8, 12)).toBeCloseTo(2 * 0.625, 12);
    expect(learningRateAt(rate, 12, 12)).toBeCloseTo(0.5, 12);
  });

  it('is constant without either', () => {
    const constant = { learningRate: 2, warmupSteps: 0, finalFraction: 1 };
    expect([1, 7, 100].map((step) => learningRateAt(constant, step, 100))).toEqual([2, 2, 2]);
  });
});
