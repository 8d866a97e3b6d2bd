// Variants of a figure at their ends: differences are paired by seed, and the last variant is the one compared.
import { expect, it } from 'vitest';
import { endDifference, endLines, endTable, type RunEnd } from '../../src/cli/figure-ends.ts';

const end = (variant: string, seed: number, success: number, operations = 1e12): RunEnd => ({
  variant,
  seed,
  steps: 10,
  operations,
  success,
});
// Seed 2 has easier tasks for both: paired, the difference is 0.1 in each seed.
const ends = [end('Long', 1, 0.5), end('Long', 2, 0.8), end('Growing', 1, 0.6, 2e12), end('Growing', 2, 0.9, 4e12)];

it('pairs the runs of a seed', () => {
  const { mean, low, high, items } = endDifference(ends, 'Growing', 'Long');
  expect([mean, low, high, items].map((value) => Number(value.toFixed(9)))).toEqual([0.1, 0.1, 0.1, 2]);
  // Without its partner a run counts for nothing.
  expect(endDifference(ends.slice(1), 'Growing', 'Long').items).toBe(1);
});

it('has a row for each variant, with the mean of its operations', () => {
  const { head, rows } = endTable(ends);
  expect(head.at(-1)).toBe('Growing less it, points');
  expect(rows.map(([name, steps, operations]) => [name, steps, operations])).toEqual([
    ['Long', '10', '1.00e+12'],
    ['Growing', '10', '3.00e+12'],
  ]);
  expect(rows.map((row) => row[4])).toEqual(['50.00, 80.00', '60.00, 90.00']);
  expect(rows.map((row) => row[5])).toEqual(['10.00 [10.00, 10.00]', '']);
  expect(endLines('Doors', ends)).toEqual([
    'Doors: Growing less Long, success under the same horizon: 10.00 [10.00, 10.00] points over 2 seeds.',
  ]);
});
