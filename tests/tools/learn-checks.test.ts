// Checks of the learning runs, on evaluations with verdicts known by hand.
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Mean, rateOf, type SplitEvaluation } from '../../src/rl/evaluation/evaluation.ts';
import { judge, type LearnCheck, learnChecks } from '../../tools/learn/checks.ts';

const mean = (value: number, spread: number): Mean => ({
  mean: value,
  low: value - spread,
  high: value + spread,
  episodes: 100,
});

const split = (percent: number, level2 = percent): SplitEvaluation => ({
  policy: rateOf(percent, 100),
  chance: rateOf(20, 100),
  oracle: null,
  score: percent / 100,
  scores: { policy: mean(percent / 100, 0.1), chance: mean(0.2, 0.05) },
  strata: {
    'family GoTo': { policy: rateOf(0, 100), chance: rateOf(0, 100) },
    'level 2': {
      policy: rateOf(level2, 100),
      chance: rateOf(20, 100),
      scores: { policy: mean(level2 / 100, 0.1), chance: mean(0.2, 0.05) },
    },
  },
});
const ends = (end: SplitEvaluation) => ({
  start: { train: split(20), test: split(20) },
  end: { train: split(20), test: end },
});
const oks = (checks: readonly LearnCheck[], end: SplitEvaluation) => judge(checks, ends(end)).map(({ ok }) => ok);

it('a rate must exceed chance by the margin, and so must each value of a stratum', () => {
  const check: LearnCheck[] = [{ what: 'success', split: 'test', above: 0.3, each: 'level' }];
  expect(oks(check, split(50))).toEqual([true, true]);
  expect(oks(check, split(49))).toEqual([false, false]);
  expect(oks(check, split(50, 49))).toEqual([true, false]);
  expect(judge(check, ends(split(60, 15))).map(({ line }) => line)).toEqual([
    'held-out goals: chance 0.200 start 0.200 end 0.600 [0.502, 0.691] of 100; needed 0.500: ok',
    'held-out goals, level 2: chance 0.200 start 0.200 end 0.150 [0.093, 0.233] of 100; needed 0.500: NOT REACHED',
  ]);
  expect(judge([{ what: 'success', split: 'test', above: 0.3 }], ends(split(60)))).toHaveLength(1);
});

it('a score must exceed chance by more than the intervals', () => {
  const check: LearnCheck[] = [{ what: 'score', split: 'test' }];
  expect(oks(check, split(36))).toEqual([true]);
  expect(oks(check, split(35))).toEqual([false]);
  expect(judge(check, ends(split(36)))[0].line).toBe(
    'held-out goals, mean score: chance 0.200 [0.150, 0.250] start 0.200 end 0.360 [0.260, 0.460] of 100: ok',
  );
  expect(oks(check, { ...split(90), scores: undefined })).toEqual([false]);
  expect(judge([{ ...check[0], each: 'level' } as LearnCheck], ends(split(36, 10))).map(({ line }) => line)).toEqual([
    expect.stringContaining('end 0.360 [0.260, 0.460] of 100: ok'),
    'held-out goals, mean score, level 2: chance 0.200 [0.150, 0.250] start 0.200 end 0.100 [0.000, 0.200] of 100',
  ]);
});

it('each check names an existing experiment', () => {
  // An experiment is named after its world, which this build may lack.
  for (const name of Object.keys(learnChecks).filter((each) => existsSync(`src/worlds/${each.split('-')[0]}`)))
    expect([name, existsSync(new URL(`../../experiments/${name}.json`, import.meta.url))]).toEqual([name, true]);
});
