import { expect, test } from 'vitest';
import type { StepRecord } from '../../src/session/protocol.ts';
import { goalRows, isOfFamily } from '../../src/ui/charts/goal-rows.ts';

const record = (step: number, metrics: { [name: string]: number }): StepRecord => ({ step, stage: 4, metrics });

test('families have their newest success, its change, and whether they are at the frontier', () => {
  const records = [
    record(0, {}),
    record(5, { goalsWaiting: 0, 'goals.share.made, depth 2': 0.5, 'goals.success.made, depth 2': 0.25 }),
    record(20, {
      goalsWaiting: 3,
      'goals.share.made, depth 10': 0.25,
      'goals.draws.made, depth 10': 0,
      'goals.share.made, depth 2': 0.75,
      'goals.success.made, depth 2': 0.5,
      'goals.draws.made, depth 2': 12,
    }),
  ];
  expect(goalRows(records)).toEqual([
    { family: 'made, depth 2', success: 0.5, change: 0.25, share: 0.75, draws: 12, state: 'frontier' },
    { family: 'made, depth 10', success: null, change: null, share: 0.25, draws: 0, state: 'new' },
  ]);
  expect(goalRows([record(1, { success: 1 })])).toEqual([]);
});

test('a task belongs to the family of its world and property', () => {
  const task = { world: 'made', id: 1, options: {}, strata: { depth: 2 } };
  expect(isOfFamily(task, 'made, depth 2')).toBe(true);
  expect(isOfFamily(task, 'made, depth 2 (3)')).toBe(true);
  expect(isOfFamily(task, 'made, depth 3')).toBe(false);
  expect(isOfFamily(task, 'made, depth 21')).toBe(false);
  expect(isOfFamily({ ...task, strata: {} }, 'made')).toBe(true);
});
