import { expect, test } from 'vitest';
import type { StepRecord } from '../../src/session/protocol.ts';
import { goalTiles, goalTimeline, skillRows } from '../../src/ui/charts/goal-map.ts';
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

test('tiles have an area by the draws of their families', () => {
  const row = { change: null, share: 0.5, state: 'frontier' as const };
  const tiles = goalTiles([
    { ...row, family: 'a', success: 0.5, draws: 100 },
    { ...row, family: 'b', success: null, draws: 25 },
    { ...row, family: 'c', success: 1, draws: 0 },
  ]);
  expect(tiles.map(({ side }) => side)).toEqual([1, 0.5, 0]);
});

test('a timeline has at most forty cells and ends at the newest step', () => {
  const records = Array.from({ length: 95 }, (_, step) =>
    record(step, step === 0 ? {} : { 'goals.share.made, depth 2': step / 100, 'goals.success.made, depth 2': 0.25 }),
  );
  const cells = goalTimeline(records, 'made, depth 2');
  expect(cells.length).toBeLessThanOrEqual(40);
  expect(cells[0]).toEqual({ step: 3, share: 0.03, success: 0.25 });
  expect(cells.at(-1)!.step).toBe(94);
  expect(goalTimeline(records, 'made, depth 3')).toEqual([]);
});

test('skills are listed by their uses', () => {
  const metrics = { goalsSkills: 2, 'goals.skill.* open door': 1, 'goals.skill.* get key': 4 };
  expect(skillRows([record(1, metrics)])).toEqual([
    { skill: '* get key', uses: 4 },
    { skill: '* open door', uses: 1 },
  ]);
});
