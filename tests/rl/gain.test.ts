// The gain of a run by reward, on made-up evaluations: pairs by task, and the tests of statistics.ts on them.
import { describe, expect, it } from 'vitest';
import {
  type EvaluatedEpisode,
  rateOf,
  type SplitEvaluation,
  type StepRecord,
  summarizePlayed,
} from '../../src/rl/evaluation/evaluation.ts';
import { gainBetween, gainOf } from '../../src/rl/evaluation/gain.ts';
import { mcNemar } from '../../src/rl/evaluation/statistics.ts';
import { hashOfTasks } from '../../src/rl/schedule/tasks.ts';

const split = (outcomes: string): SplitEvaluation => {
  const played = [...outcomes].filter((each) => each !== '-');
  const policy = rateOf(played.filter((each) => each === '1').length, played.length);
  return { policy, chance: rateOf(0, played.length), oracle: null, score: policy.rate, strata: {}, outcomes };
};
const bare = (outcomes: string): SplitEvaluation => {
  const { outcomes: _, ...rest } = split(outcomes);
  return rest;
};

const imitation = { demonstrations: 32 };
const reward = { success: 0.5 };
const record = (step: number, metrics: StepRecord['metrics'], test?: SplitEvaluation): StepRecord => ({
  step,
  stage: 3,
  metrics,
  ...(test && { evaluation: { train: test, test } }),
});

const tasksFrom = (first: number) =>
  [0, 1, 2, 3].map((i) => ({ world: 'maze', id: first + i, options: { size: 3 }, strata: {} }));

describe('outcomes', () => {
  const episode = (success: boolean): EvaluatedEpisode => ({
    strata: [],
    success,
    score: Number(success),
    chance: [],
    oracle: null,
  });
  it('have a character for each task; what was not played is in no rate', () => {
    const summary = summarizePlayed([true, false, true, false].map(episode), hashOfTasks(tasksFrom(7)), (i) => i !== 2);
    expect(summary.outcomes).toBe('10-0');
    expect(summary.policy).toMatchObject({ successes: 1, episodes: 3 });
  });
  it('are paired on the same tasks alone', () => {
    const [before, again, others] = [7, 7, 8].map((first) =>
      summarizePlayed([true, false, true, false].map(episode), hashOfTasks(tasksFrom(first)), () => true),
    );
    expect(gainBetween(before, again).test).not.toBeNull();
    expect(gainBetween(before, others).test).toBeNull();
  });
});

describe('the difference of two evaluations', () => {
  it('pairs the tasks: few that changed sides give a narrow interval', () => {
    const before = split(`${'1'.repeat(100)}${'0'.repeat(100)}`);
    const after = split(`${'1'.repeat(112)}${'0'.repeat(88)}`);
    const paired = gainBetween(before, after);
    expect(paired.test).toBe('McNemar, exact');
    expect(paired.p).toBe(mcNemar(12, 0));
    expect(paired.difference.mean).toBeCloseTo(0.06, 12);
    expect(paired.difference.low).toBeGreaterThan(0);
    const independent = gainBetween(bare(before.outcomes!), after);
    expect(independent.test).toBeNull();
    expect(independent.difference.low).toBeLessThan(0);
  });
  it('leaves out tasks that one of the two did not play', () => {
    const { difference } = gainBetween(split('0011-'), split('1-110'));
    expect(difference).toMatchObject({ mean: 1 / 3, items: 3 });
  });
  it('is the normal interval of two independent rates without outcomes', () => {
    // Rates of 0.5 and 0.6, in 100 episodes each.
    const { difference } = gainBetween(bare('1'.repeat(50) + '0'.repeat(50)), bare('1'.repeat(60) + '0'.repeat(40)));
    expect(difference.high - difference.mean).toBeCloseTo(1.96 * Math.sqrt(0.25 / 100 + 0.24 / 100), 4);
  });
});

describe('the gain of a run', () => {
  const records = [
    record(0, {}, split('0000')),
    record(1, imitation),
    record(2, imitation, split('1000')),
    record(3, reward),
    record(4, reward, split('1110')),
  ];
  it('is between the last step of imitation and the last step', () => {
    expect(gainOf(records)).toMatchObject({
      imitated: 2,
      last: 4,
      before: { successes: 1 },
      after: { successes: 3 },
      difference: { mean: 0.5 },
    });
  });
  it('is unknown without an evaluation at both ends, without imitation, and without reward after it', () => {
    const without = (step: number) =>
      records.map((each) => (each.step === step ? { ...each, evaluation: undefined } : each));
    expect(gainOf(without(2))).toBeNull();
    expect(gainOf(without(4))).toBeNull();
    expect(gainOf(records.slice(0, 3))).toBeNull();
    expect(gainOf(records.filter(({ metrics }) => metrics.demonstrations === undefined))).toBeNull();
    expect(gainOf([])).toBeNull();
  });
  it('is unknown where a fork is evaluated in other worlds than its imitation was', () => {
    const maze = { ...split('1000'), strata: { maze: split('1000') } };
    expect(gainOf([record(2, imitation, maze), ...records.slice(3)])).toBeNull();
  });
});
