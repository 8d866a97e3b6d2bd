// Calibration of a judge against values worked out by hand.
import { expect, it } from 'vitest';
import { calibrationOf } from '../../src/rl/rewards/calibration.ts';

it('compares scores with labels', () => {
  const scores = [
    { score: 0.9, good: true },
    { score: 0.5, good: true },
    { score: 0.5, good: false },
    { score: 0.1, good: false },
  ];
  const found = calibrationOf(scores);
  // Pairs: 0.9 above 0.5 and 0.1, 0.5 above 0.1, and a tie: 3.5 of 4.
  expect(found).toMatchObject({ episodes: 4, good: 2, order: 0.875 });
  expect(found.meanGood).toBeCloseTo(0.7);
  expect(found.meanOther).toBeCloseTo(0.3);
  expect(found.table.map(({ from, episodes, good }) => [from, episodes, good])).toEqual([
    [0, 1, 0],
    [0.4, 2, 1],
    [0.8, 1, 1],
  ]);
});

it('has no order without episodes of both labels, and takes the highest score into the last range', () => {
  const found = calibrationOf([{ score: 1, good: true }]);
  expect(found).toMatchObject({ order: null, meanOther: null, meanGood: 1 });
  expect(found.table).toEqual([{ from: 0.8, to: 1, episodes: 1, good: 1 }]);
  expect(calibrationOf([])).toMatchObject({ episodes: 0, order: null, table: [] });
});
