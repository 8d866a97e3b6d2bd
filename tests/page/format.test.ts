/** Numbers and progress as text. */
import { describe, expect, test } from 'vitest';
import { bytes, compact } from '../../src/ui/kit/format.ts';
import { progressText } from '../../src/ui/state/work-progress.ts';

describe('numbers', () => {
  test('are formatted as text', () => {
    expect(bytes(136_134_656)).toBe('136 MB');
    expect(compact(0.00012)).toBe('1.2e-4');
    expect(compact(-0.5)).toBe('−0.5');
  });

  test('progress has a number only if one is known', () => {
    const text = (what: string, done: number, total: number | null, unit: 'kernels' | 'episodes' | 'steps') =>
      progressText({ what, done, total, unit });
    expect(text('Opening the worlds', 0, null, 'steps')).toBe('Opening the worlds');
    expect(text('Compiling rmsnorm_forward', 3, 40, 'kernels')).toBe('Compiling rmsnorm_forward: 3 of 40 kernels');
    expect(text('episodes', 12, 64, 'episodes')).toBe('Playing: 12 of 64 episodes');
    expect(text('held-out goals', 12, null, 'episodes')).toBe('Evaluating on held-out goals: 12 episodes');
    expect(text('something new', 1, 2, 'steps')).toBe('something new: 1 of 2 steps');
  });
});
