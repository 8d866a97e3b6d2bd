import { describe, expect, it } from 'vitest';
import { earlyStarts, lastTurns, observeStage, stageAt, stageNumber, turnsFor } from '../../src/rl/schedule/horizon.ts';
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
    expect(stageAt(schedule, 0)).toEqual({ index: 0, turns: 10, first: 1 });
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

describe('adaptive horizon', () => {
  const adaptive = [
    { steps: 20, turns: 1, advanceAt: 0.8 },
    { steps: 20, turns: 3, advanceAt: 0.8 },
    { steps: 20, turns: 6 },
  ];
  /** Turn limits of steps 1 to the number of `outcomes`, each played under what the notes say. */
  function limits(outcomes: readonly { success?: number; oracle?: number }[], schedule = adaptive) {
    const notes = new Map<string, number>();
    return outcomes.map((outcome, i) => {
      const { turns } = stageAt(schedule, i + 1, earlyStarts(schedule, notes));
      observeStage(schedule, notes, i + 1, outcome);
      return turns;
    });
  }
  const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

  it('ends a stage after five steps at the given share of the oracle’s success', () => {
    expect(limits(times(12, { success: 0.4, oracle: 0.5 }))).toEqual([...times(5, 1), ...times(5, 3), 6, 6]);
  });

  it('measures the mean of the stage’s last five steps, not of the stage before', () => {
    const outcomes = [...times(3, 0), ...times(3, 1), 0.9, 1, 1, ...times(3, 0), ...times(12, 0.5)];
    expect(limits(outcomes.map((success) => ({ success })))).toEqual([...times(8, 1), ...times(16, 3)]);
  });

  it('ends a stage after its steps at the latest, and the next is counted from there', () => {
    expect(limits(times(42, { success: 0.79, oracle: 1 }))).toEqual([...times(20, 1), ...times(20, 3), 6, 6]);
    const late = [...times(20, { success: 0 }), ...times(6, { success: 1 })];
    expect(limits(late)).toEqual([...times(20, 1), ...times(5, 3), 6]);
  });

  it('leaves a stage in which the oracle never succeeds, and does not count steps without episodes', () => {
    expect(limits(times(6, { success: 0, oracle: 0 }))).toEqual([...times(5, 1), 3]);
    expect(limits([...times(9, {}), ...times(5, { success: 1 }), {}])).toEqual([...times(14, 1), 3]);
  });

  it('keeps to its steps without a share, and notes nothing', () => {
    const fixed = adaptive.map(({ steps, turns }) => ({ steps, turns }));
    const notes = new Map<string, number>();
    for (let k = 1; k <= 9; k++) observeStage(fixed, notes, k, { success: 1 });
    expect(notes.size).toBe(0);
    // Notes of an adaptive run, read by a fork with a fixed schedule.
    for (let k = 1; k <= 9; k++) observeStage(adaptive, notes, k, { success: 1 });
    expect(earlyStarts(adaptive, notes)).toEqual([{ stage: 1, step: 6 }]);
    expect(earlyStarts(fixed, notes)).toEqual([]);
  });

  it('has the last stage’s limit at its end, whenever that begins', () => {
    expect(lastTurns(adaptive, 10)).toBe(6);
    expect(lastTurns(schedule, 10)).toBe(10);
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
