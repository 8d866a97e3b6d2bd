// Closing report of a run, on records with results computed by hand.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { csv, sparkline } from '../../src/cli/curves.ts';
import { costOfFirstGain, endsOf, reportLines } from '../../src/cli/report.ts';
import { readExperiment } from '../../src/cli/training-run.ts';
import { rateOf, type SplitEvaluation, type StepRecord } from '../../src/rl/evaluation/evaluation.ts';

const split = (policy: number, chance: number): SplitEvaluation => ({
  policy: rateOf(policy, 256),
  chance: rateOf(chance, 256),
  oracle: null,
  score: 0,
  strata: { 'depth 1': { policy: rateOf(policy, 256), chance: rateOf(chance, 256) } },
});

const step = (n: number, success: number): StepRecord => ({
  step: n,
  stage: 1,
  metrics: { success, dispatches: 1000, readbacks: 10, flops: 2e9 },
});

const records: StepRecord[] = [
  { step: 0, stage: 0, metrics: {}, evaluation: { train: split(64, 56), test: split(48, 64) } },
  ...Array.from({ length: 9 }, (_, i) => step(i + 1, (i + 1) / 10)),
  { ...step(10, 1), evaluation: { train: split(192, 56), test: split(128, 64) } },
];

it('ends with the two lines of the result, after depths, intervals and the cost', () => {
  const lines = reportLines(records);
  expect(lines.slice(-2)).toEqual([
    'training-goal success: chance 0.219 start 0.250 end 0.750',
    'held-out success: chance 0.250 start 0.188 end 0.500',
  ]);
  expect(lines[0]).toMatch(
    /^training goals, depth 1: chance 0\.219 \[0\.\d{3}, 0\.\d{3}\] of 256 {2}start 0\.250 .* end 0\.750 \[0\.\d{3}, 0\.\d{3}\] of 256$/,
  );
  expect(lines[1]).toMatch(/^held-out goals, depth 1: /);
});

it('reports mean scores where they were recorded', () => {
  const mean = (value: number) => ({ mean: value, low: value - 0.1, high: value + 0.1, episodes: 256 });
  const scored = (value: number): SplitEvaluation => ({
    ...split(0, 0),
    score: value,
    scores: { policy: mean(value), chance: mean(0) },
  });
  const [first, last] = [records[0], records.at(-1)!];
  const lines = reportLines([
    { ...first, evaluation: { train: scored(0.2), test: scored(0.3) } },
    { ...last, evaluation: { train: scored(0.6), test: scored(0.5) } },
  ]).filter((line) => line.includes('mean score'));
  expect(lines).toEqual([
    'training goals, mean score: chance 0.000 [-0.100, 0.100]  start 0.200  end 0.600 [0.500, 0.700]',
    'held-out goals, mean score: chance 0.000 [-0.100, 0.100]  start 0.300  end 0.500 [0.400, 0.600]',
  ]);
});

it('reports the measures of games where a world has them', () => {
  const measured = (value: number): SplitEvaluation => ({
    ...split(0, 0),
    measures: { agreements: { mean: value, low: value - 0.1, high: value + 0.1, episodes: 256 } },
  });
  const [first, last] = [records[0], records.at(-1)!];
  const lines = reportLines([
    { ...first, evaluation: { train: measured(0.2), test: split(0, 0) } },
    { ...last, evaluation: { train: measured(0.6), test: measured(0.5) } },
  ]).filter((line) => line.includes('agreements'));
  expect(lines).toEqual([
    'training goals, agreements: start 0.200  end 0.600 [0.500, 0.700]',
    'held-out goals, agreements: start -  end 0.500 [0.400, 0.600]',
  ]);
});

it('counts the cost up to the first 0.3 of gain', () => {
  // The mean of five steps first reaches 0.25 + 0.3 at step 8: (0.4 + ... + 0.8) / 5 = 0.6; at step 7 it is 0.5.
  const cost = costOfFirstGain(records, 0.25)!;
  expect(cost).toMatchObject({ step: 8, dispatches: 8000, readbacks: 80, flops: 16e9 });
  expect(cost.seconds).toBeCloseTo(8000 * 50e-6 + 80 * 5e-3 + 16e9 / 200e9, 10);
  expect(costOfFirstGain(records, 0.9)).toBeNull();
  expect(reportLines(records).at(-3)).toBe(
    'first 0.3 of gain: at step 8, after 8000 dispatches, 80 read-backs, 1.60e+10 FLOP; at 50 µs per dispatch, 5 ms per read-back and 200 GFLOP/s: 0.9 s',
  );
});

it('an unfinished run has no result', () => {
  expect(endsOf(records.slice(0, 5))).toBeNull();
  expect(reportLines(records.slice(0, 1))).toEqual([]);
});

it('a run without an evaluation before its first update has no start', () => {
  const only = records.map((record) => (record.step === 0 ? { ...record, evaluation: undefined } : record));
  expect(endsOf(only)).toBeNull();
  expect(reportLines(only).at(-1)).toMatch(/^held-out success: chance [\d.]+ start - end [\d.]+/);
});

it('a fork that is evaluated in other worlds than its parent has no start', () => {
  const [first, ...others] = records;
  const { train, test } = first.evaluation!;
  const elsewhere = (split: typeof test) => ({
    ...split,
    strata: { maze: { policy: split.policy, chance: split.chance } },
  });
  const forked = [{ ...first, evaluation: { train: elsewhere(train), test: elsewhere(test) } }, ...others];
  expect(endsOf(records)).not.toBeNull();
  expect(endsOf(forked)).toBeNull();
});

it('draws a curve in one line and writes it as a table', () => {
  expect(sparkline([0, 0.5, 1])).toBe(' ▄█');
  expect(sparkline(Array.from({ length: 600 }, (_, i) => i / 599))).toHaveLength(60);
  const [head, first, ...rest] = csv(records).trim().split('\n');
  expect(head).toBe('step,stage,success,dispatches,readbacks,flops,evaluationTrain,evaluationTest');
  expect(first).toBe('0,0,,,,,0.25,0.1875');
  expect(rest).toHaveLength(10);
});

it('runs the experiment with seed and steps of the command line, and with its own evaluation episodes', () => {
  const printed: string[] = [];
  const experiment = readExperiment({
    file: 'experiments/micro.json',
    seed: 5,
    steps: 3,
    print: (line) => printed.push(line),
  });
  const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
  expect(experiment).toMatchObject({ seed: 5, steps: 3, evaluation: micro.evaluation });
  expect(printed).toEqual(['evaluation.episodes is 8: success over fewer than 200 has a wide interval']);
  expect(() => readExperiment({ file: 'experiments/none.json', print() {} })).toThrow(
    /none\.json cannot be read as an experiment/,
  );
  expect(() => readExperiment({ file: 'experiments/micro.json', steps: 0, print() {} })).toThrow(
    /steps: must be at least 1 \(it is 0\)/,
  );
});

it('takes another language model from the command line', () => {
  const model = '/models/SmolLM2-135M-Instruct.Q4_1.gguf';
  const file = 'experiments/smollm2-textcraft.json';
  expect(readExperiment({ file, print() {} }).policy).toMatchObject({ kind: 'lora', model: 'smollm2-135m' });
  expect(readExperiment({ file, model, print() {} }).policy).toMatchObject({ kind: 'lora', model, weights: 'int8' });
  expect(() => readExperiment({ file: 'experiments/micro.json', model, print() {} })).toThrow('policy.kind is "tiny"');
});
