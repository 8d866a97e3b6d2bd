/**
 * A sweep's curves: seeds, means and intervals; the message about a collapsed run; events of all runs in the page's
 * copy. Needs no browser.
 */
import { describe, expect, test } from 'vitest';
import { rateOf } from '../../src/rl/evaluation/evaluation.ts';
import { meanEstimate } from '../../src/rl/evaluation/statistics.ts';
import type { OpenedSweep, StepRecord } from '../../src/session/protocol.ts';
import { Notifier } from '../../src/ui/control/notifier.ts';
import { SweepInFocus } from '../../src/ui/control/sweep.ts';
import { MockSweeps } from '../../src/ui/gallery/sweep-mock.ts';
import { diagnose } from '../../src/ui/state/diagnosis.ts';
import type { SeriesSpec } from '../../src/ui/state/series.ts';
import { Store } from '../../src/ui/state/state.ts';
import { sweepColumns, type VariantLine, variantLines } from '../../src/ui/state/sweep-series.ts';

const series: SeriesSpec = { label: 'a', color: '--series-1', dash: 'solid', read: 'a' };
const records = (values: (number | null)[]): StepRecord[] =>
  values.map((value, step) => ({
    step,
    stage: 1,
    metrics: (value === null ? {} : { a: value }) as StepRecord['metrics'],
  }));
const line = (...runs: (number | null)[][]): VariantLine => ({
  variant: 0,
  name: 'a',
  apart: '',
  color: '--series-1',
  dash: 'solid',
  runs: runs.map((values, seed) => ({ seed, records: records(values) })),
});

describe('columns of a sweep', () => {
  test('contain every seed, and the mean with its interval where all have one', () => {
    const { steps, variants } = sweepColumns([line([null, 1, 2, 3], [null, 3, 4])], series, null);
    expect(steps).toEqual([1, 2, 3]);
    expect(variants[0].seeds).toEqual([
      [1, 2, 3],
      [3, 4, null],
    ]);
    expect(variants[0].mean).toEqual([2, 3, null]);
    const { low, high } = meanEstimate([1, 3]);
    expect([variants[0].low[0], variants[0].high[0]]).toEqual([low, high]);
    expect(variants[0].low[2]).toBeNull();
  });

  test('have no interval for one seed, and a range that contains the band', () => {
    expect(sweepColumns([line([null, 1, 1])], series, null).variants[0].low).toEqual([null, null]);
    const { low, high } = sweepColumns([line([null, 0.1], [null, 0.9])], series, [0, 1]).variants[0];
    expect([low[0], high[0]]).toEqual([0, 1]);
  });

  test('of a long sweep are thinned, and keep its newest step', () => {
    const values = Array.from({ length: 10_001 }, (_, step) => step);
    const { steps, variants } = sweepColumns([line(values)], series, null);
    expect(steps.length).toBeLessThanOrEqual(600);
    expect(steps.at(-1)).toBe(10_000);
    expect(variants[0].mean).toEqual(steps);
  });
});

async function mockSweep(): Promise<OpenedSweep> {
  const sweeps = new MockSweeps(new Map(), () => {});
  sweeps.fill(3);
  return sweeps.open('sweep-1');
}

test('become lines by variant, each with its seeds', async () => {
  const sweep = await mockSweep();
  const lines = variantLines(sweep, [
    { name: 'GRPO', apart: '' },
    { name: 'REINFORCE++', apart: '' },
  ]);
  expect(lines.map(({ name, runs }) => [name, runs.map(({ seed }) => seed)])).toEqual([
    ['GRPO', [1, 2, 3]],
    ['REINFORCE++', [1, 2, 3]],
  ]);
  expect(new Set(lines.map(({ color }) => color)).size).toBe(2);
});

test('steps of all runs reach the sweep once, whichever is in focus', async () => {
  const store = new Store();
  store.set({ sweep: await mockSweep() });
  const sweeping = new SweepInFocus(
    store,
    () => {
      throw new Error('nothing is asked');
    },
    new Notifier(store),
  );
  const record = (step: number): StepRecord => ({ step, stage: 1, metrics: {} });
  const [first, second] = store.state.sweep!.runs.map(({ summary }) => summary.id);
  sweeping.take([
    { type: 'step', runId: second, record: record(4) },
    { type: 'step', runId: second, record: record(4) },
    { type: 'step', runId: 'another', record: record(9) },
    { type: 'sweep', sweepId: 'sweep-1', state: { ...store.state.sweep!.state, done: 19 } },
  ]);
  const { runs, state } = store.state.sweep!;
  expect(runs[1].records.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4]);
  expect(runs[1].summary.step).toBe(4);
  expect(runs.find(({ summary }) => summary.id === first)!.records).toHaveLength(4);
  expect(state.done).toBe(19);
});

test('a collapsed run is reported with links to its episodes and back to its best', () => {
  const evaluation = (successes: number) => {
    const split = { policy: rateOf(successes, 400), chance: rateOf(40, 400), oracle: null, score: 0, strata: {} };
    return { train: split, test: split };
  };
  const collapsed = Array.from({ length: 101 }, (_, step): StepRecord => {
    const success = step < 60 ? 0.8 : 0.2;
    const metrics = { success, entropy: 0.5, kl: step < 57 ? 0.01 : 1, gradNorm: 1 };
    return { step, stage: 1, metrics, ...(step % 20 === 0 ? { evaluation: evaluation(400 * success) } : {}) };
  });
  const [hint] = diagnose(collapsed);
  expect(hint).toMatchObject({
    id: 'success-dropped',
    step: 57,
    goOnFrom: 0,
    title: 'Success dropped by 0.60 from its best',
  });
  expect(hint.sentence).toContain('The first signal to change was KL, at step 57, from 0.01 to 1.');
  expect(diagnose(collapsed.slice(0, 60)).map(({ id }) => id)).not.toContain('success-dropped');
});
