// Two runs are compared value by value.
import { expect, it } from 'vitest';
import { compareDocuments } from '../../tools/compare-runs/differences.ts';

it('finds the last bit, skips measured times, and lists fields that one run lacks', () => {
  const first = { records: [{ loss: 0.1, stepMs: 5 }, { loss: 0.3 }], weights: new Float32Array([1, 2]) };
  expect(compareDocuments(first, structuredClone(first)).differences).toEqual([]);
  const second = {
    records: [
      { loss: 0.1, stepMs: 6 },
      { loss: 0.1 + 0.2, kl: 0 },
    ],
    weights: new Float32Array([1, 2]),
  };
  expect(compareDocuments(first, second)).toEqual({
    equal: 2,
    differences: [{ path: 'records[].loss', times: 1, first: 'records[1].loss: 0.3, 0.30000000000000004' }],
    onlyFirst: [],
    onlySecond: ['records[].kl'],
  });
  const moved = { ...first, weights: new Float32Array([1, 2 + 2 ** -22]) };
  expect(compareDocuments(first, moved).differences).toEqual([
    { path: 'weights', times: 1, first: 'weights: 8 bytes, 8 bytes' },
  ]);
});
