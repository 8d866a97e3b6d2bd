/** Effect of a change of the setup on the run in focus, and refusals of the worker by field. */
import { describe, expect, test } from 'vitest';
import { writePath } from '../../src/experiment/paths.ts';
import { problemsOf } from '../../src/ui/control/draft.ts';
import { mockSummary } from '../../src/ui/gallery/mock-data.ts';
import { pendingChanges } from '../../src/ui/state/changes.ts';

describe('the effect of a change', () => {
  const run = mockSummary('a', 'a', 12);
  const change = (path: string, value: unknown) => pendingChanges(run, writePath(run.experiment, path, value)).kind;

  test('none, a rename, a fork, a new run', () => {
    expect(pendingChanges(run, run.experiment).kind).toBe('none');
    expect(change('name', 'b')).toBe('free');
    expect(change('optimizer.learningRate', 0.1)).toBe('fork');
    expect(change('policy.hidden', 96)).toBe('restart');
    const { layers } = run.experiment.policy as { layers: number };
    expect(change('policy.layers', layers + 1)).toBe('fork');
    expect(change('policy.layers', layers - 1)).toBe('restart');
    expect(change('horizon', [...run.experiment.horizon, { steps: 5, turns: 9 }])).toBe('fork');
  });

  test('before the first step there is nothing to fork', () => {
    const fresh = mockSummary('a', 'a', 0);
    expect(pendingChanges(fresh, writePath(fresh.experiment, 'optimizer.learningRate', 0.1)).kind).toBe('restart');
  });
});

test('a refusal from the worker is read back, field by field', () => {
  expect(
    problemsOf('This experiment cannot be run:\n  policy.kvHeads: 3 does not divide 4 heads\n  steps: too many'),
  ).toEqual([
    { path: 'policy.kvHeads', message: '3 does not divide 4 heads' },
    { path: 'steps', message: 'too many' },
  ]);
});
