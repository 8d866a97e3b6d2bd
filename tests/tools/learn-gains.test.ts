// The table of algorithms, on results computed by hand.
import { expect, it } from 'vitest';
import document from '../../experiments/textcraft-first.json';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { algorithms } from '../../src/rl/algorithms/registry.ts';
import { rateOf, type SplitEvaluation } from '../../src/rl/evaluation/evaluation.ts';
import { algorithmNames, type CellResult, cellOf, cellsOf, UnknownNameError } from '../../tools/learn/cells.ts';
import { difference, judgeTable, markdown, rowsOf } from '../../tools/learn/gains.ts';

const base = parseExperiment(document);

const split = (percent: number): SplitEvaluation => ({
  policy: rateOf(percent, 100),
  chance: rateOf(20, 100),
  oracle: null,
  score: percent / 100,
  strata: {},
});

const result = (algorithm: string, seed: number, percent: number, explainedVariance?: number[]): CellResult => ({
  algorithm,
  seed,
  experiment: base,
  start: { train: split(20), test: split(20) },
  end: { train: split(percent), test: split(percent) },
  success: [],
  ...(explainedVariance ? { explainedVariance } : {}),
  stepSeconds: 1,
  seconds: 2,
});

it('Newcombe’s interval is that of the paper’s example', () => {
  // Newcombe 1998, table II, case a: 56/70 and 48/80, method 10: 0.2 [0.0524, 0.3339].
  const { mean, low, high } = difference(rateOf(56, 70), rateOf(48, 80));
  expect(mean).toBeCloseTo(0.2, 10);
  expect(low).toBeCloseTo(0.0524, 4);
  expect(high).toBeCloseTo(0.3339, 4);
});

it('a share is relative to GRPO’s gain with the same seeds, and a critic is judged by the last fifth of its steps', () => {
  const rows = rowsOf([
    result('grpo', 1, 60),
    result('grpo', 2, 80),
    result('ppo', 1, 50, [0, 0, 0, 0, 0, 0, 0, 0, 0.3, 0.5]),
    result('sft', 3, 90),
  ]);
  expect(rows.map(({ algorithm, share }) => [algorithm, share])).toEqual([
    ['grpo', 1],
    ['ppo', expect.closeTo(0.75)],
    ['sft', null],
  ]);
  expect(rows[0].gain.mean).toBeCloseTo(0.5);
  expect(rows[0].gains).toEqual([expect.closeTo(0.4), expect.closeTo(0.6)]);
  expect(rows[1].explainedVariance).toBeCloseTo(0.4);
});

it('four below 80% are too many, and so is one whose interval contains chance', () => {
  const low = ['dpo', 'kto', 'rloo', 'gspo'].map((name) => result(name, 1, 40));
  const oks = (results: CellResult[]) => judgeTable(rowsOf(results)).map(({ ok }) => ok);
  expect(oks([result('grpo', 1, 80), ...low.slice(1)])).toEqual([true, true]);
  expect(oks([result('grpo', 1, 80), ...low])).toEqual([false, true]);
  expect(oks([result('grpo', 1, 80), result('kto', 1, 25)])).toEqual([true, false]);
  expect(oks([result('grpo', 1, 80), result('ppo', 1, 80, [0.1])])).toEqual([true, true, false]);
  expect(markdown(rowsOf([result('grpo', 1, 80)]), { steps: 230, episodes: 96 })).toContain(
    '| grpo | 1 | 0.200 | 0.800 |',
  );
});

it('the page names exactly the algorithms whose runs were identical', () => {
  const results = [result('grpo', 1, 80), result('gspo', 1, 80), result('dapo', 1, 70)];
  const page = markdown(rowsOf(results), { steps: 230, episodes: 96 });
  expect(page).toContain('- grpo = gspo: the same runs.');
  expect(page.match(/the same runs/g)).toHaveLength(1);
});

it('every algorithm of the registry has a cell in the same setting, seed 1 of all before seed 2', () => {
  const names = algorithmNames();
  expect(names).toHaveLength(algorithms.length);
  const cells = cellsOf(base, names, [1, 2], 230);
  expect(cells.slice(0, names.length).every(({ seed }) => seed === 1)).toBe(true);
  for (const { experiment } of cells) {
    expect([experiment.algorithm.groups, experiment.algorithm.groupSize]).toEqual([12, 8]);
    expect(experiment.worlds).toEqual(base.worlds);
    expect(experiment.steps).toBe(230);
  }
  expect(cellOf(base, 'grpo', 1, 230).experiment.algorithm).toEqual(base.algorithm);
  expect(cellOf(base, 'dapo', 1, 230).experiment.algorithm).toMatchObject({ clipHigh: 0.28, entropy: 0.03 });
  expect(() => algorithmNames('grpo,grop')).toThrow(UnknownNameError);
});
