/** Paths into an experiment: reads, writes and differences. */
import { describe, expect, test } from 'vitest';
import { differences, readPath, writePath } from '../../src/experiment/paths.ts';
import { mockExperiment } from '../../src/ui/gallery/mock-data.ts';

describe('paths', () => {
  const draft = mockExperiment('a');

  test('a write copies along the path and shares the rest', () => {
    const next = writePath(draft, 'horizon.0.turns', 9);
    expect(readPath(next, 'horizon.0.turns')).toBe(9);
    expect(readPath(draft, 'horizon.0.turns')).toEqual({ oraclePlus: 1 });
    expect(next.optimizer).toBe(draft.optimizer);
  });

  test('undefined removes a value', () => {
    expect(Object.keys(writePath(draft, 'worlds.0.options.distractors', undefined).worlds[0].options)).toEqual([
      'depths',
      'listSeed',
    ]);
  });

  test('differences name each leaf', () => {
    const next = writePath(writePath(draft, 'optimizer.learningRate', 0.1), 'worlds.0.options.depths', [1, 2]);
    expect(differences(draft, next)).toEqual([
      { path: 'worlds.0.options.depths', from: [1], to: [1, 2] },
      { path: 'optimizer.learningRate', from: 0.002, to: 0.1 },
    ]);
  });
});
