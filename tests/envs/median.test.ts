// The one median of worlds, metrics and tools.
import { expect, it } from 'vitest';
import { median } from '../../src/envs/median.ts';

it('is the middle value, the mean of the two in the middle, or 0 for none', () => {
  const values = [9, 1, 4];
  expect([median(values), median([10, 1, 4, 2]), median([])]).toEqual([4, 3, 0]);
  expect(values).toEqual([9, 1, 4]);
});
