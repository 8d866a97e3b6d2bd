import { describe, expect, it } from 'vitest';
import type { CreditInput } from '../../src/rl/algorithms/algorithm.ts';
import { groupCredit } from '../../src/rl/algorithms/group-relative.ts';
import { assignCredit } from '../../src/rl/assign-credit.ts';
import { advantagesOfGroup, type BaselineOptions } from '../../src/rl/credit/groups.ts';
import { type EndingRules, returnOf } from '../../src/rl/episode/returns.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import { meanOf, rateOf, summarize } from '../../src/rl/evaluation/evaluation.ts';
import { drawSource, evaluationTasks, TaskSampler } from '../../src/rl/schedule/tasks.ts';
import { splitGroups } from '../../src/rl/updater.ts';
import { settings } from './setup.ts';

const tasks = (world: string, n: number) =>
  Array.from({ length: n }, (_, id) => ({ world, id, options: {}, strata: {} }));

describe('task sampling', () => {
  const sampler = () => new TaskSampler([{ weight: 1, tasks: tasks('a', 7) }], 3);

  it('goes through every task once per epoch, in another order each time', () => {
    const draws = Array.from({ length: 14 }, (_, k) => sampler().step(k + 1, 2)).flat();
    for (let epoch = 0; epoch < 4; epoch++) {
      const ids = draws.slice(7 * epoch, 7 * epoch + 7).map(({ id }) => id);
      expect([...ids].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    }
    expect(draws.slice(0, 7)).not.toEqual(draws.slice(7, 14));
  });

  it('depends only on the seed and the step', () => {
    const one = sampler();
    const forward = [1, 2, 3, 4, 5].map((k) => one.step(k, 3));
    expect([5, 4, 3, 2, 1].map((k) => sampler().step(k, 3)).reverse()).toEqual(forward);
    const other = new TaskSampler([{ weight: 1, tasks: tasks('a', 7) }], 4);
    expect(other.step(1, 7)).not.toEqual(sampler().step(1, 7));
  });

  it('mixes worlds by weight, never off by more than a draw or two', () => {
    const weights = [3, 1, 2];
    const counts = [0, 0, 0];
    for (let n = 0; n < 600; n++) {
      const { source, before } = drawSource(weights, n);
      expect(before).toBe(counts[source]);
      counts[source] += 1;
      counts.forEach((count, i) => {
        expect(Math.abs(count - ((n + 1) * weights[i]) / 6)).toBeLessThanOrEqual(2);
      });
    }
    expect(counts).toEqual([300, 100, 200]);
  });

  it('refuses an empty mixture', () => {
    expect(() => new TaskSampler([{ weight: 0, tasks: tasks('a', 1) }], 1)).toThrow(/weight above 0/);
    expect(() => new TaskSampler([{ weight: 1, tasks: [] }], 1)).toThrow(/no training task/);
  });

  it('evaluates all tasks round robin, or as many as requested at even distances', () => {
    const ids = (episodes: number) => evaluationTasks(tasks('a', 4), episodes).map(({ id }) => id);
    expect(ids(10)).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
    expect(ids(2)).toEqual([0, 2]);
  });

  it('gives each world of a mixture its share of an evaluation', () => {
    const mixture = [...tasks('a', 400), ...tasks('b', 100)];
    for (const episodes of [50, 125, 200, 320]) {
      const count = evaluationTasks(mixture, episodes).filter(({ world }) => world === 'b').length;
      expect(Math.abs(count - episodes / 5)).toBeLessThanOrEqual(1);
    }
  });

  it('gives each stratum its share, also where the list alternates between them', () => {
    const alternating = tasks('a', 600).map((task, i) => ({ ...task, strata: { kind: i % 6 } }));
    for (const episodes of [60, 100, 200, 300, 450]) {
      const chosen = evaluationTasks(alternating, episodes);
      expect(new Set(chosen.map(({ id }) => id)).size).toBe(episodes);
      for (let kind = 0; kind < 6; kind++) {
        const count = chosen.filter(({ strata }) => strata.kind === kind).length;
        expect(Math.abs(count - episodes / 6)).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe('rates', () => {
  it('have Wilson intervals', () => {
    // 10 of 40: the interval of R's prop.test without correction.
    const { low, high } = rateOf(10, 40);
    expect(low).toBeCloseTo(0.1418711, 6);
    expect(high).toBeCloseTo(0.4019396, 6);
    expect(rateOf(0, 20).low).toBe(0);
    expect(rateOf(0, 20).high).toBeGreaterThan(0.1);
    for (const n of [1, 20, 256, 400]) expect([rateOf(0, n).low, rateOf(n, n).high]).toEqual([0, 1]);
  });

  it('are separate for each stratum', () => {
    const episode = (depth: number, success: boolean) => ({
      strata: [`depth ${depth}`],
      success,
      score: success ? 1 : 0,
      chance: [
        { success: false, score: 0 },
        { success: false, score: 0.5 },
      ],
      oracle: true,
    });
    const result = summarize([episode(1, true), episode(1, false), episode(2, false)]);
    expect(result.policy).toMatchObject({ successes: 1, episodes: 3 });
    expect(result.oracle).toMatchObject({ rate: 1 });
    expect(result.strata['depth 1'].policy).toMatchObject({ successes: 1, episodes: 2 });
    expect(result.strata['depth 2'].chance).toMatchObject({ successes: 0, episodes: 2 });
    expect(summarize([{ ...episode(1, true), oracle: null }]).oracle).toBeNull();
    // Scores 1, 0, 0; chance is a quarter on every task.
    const { policy, chance } = result.scores!;
    expect([policy.mean, policy.episodes]).toEqual([1 / 3, 3]);
    expect(chance).toEqual({ mean: 0.25, low: 0.25, high: 0.25, episodes: 3 });
    expect(result.strata['depth 1'].scores!.policy.mean).toBe(0.5);
  });

  it('come with the interval of a mean', () => {
    // Standard deviation 1 over 4 values: 1.96 / 2.
    const { mean, low, high } = meanOf([1, 2, 3, 2].map((x) => x * Math.sqrt(3 / 2)));
    expect(mean).toBeCloseTo(2 * Math.sqrt(1.5), 12);
    expect(high - mean).toBeCloseTo(0.979982, 6);
    expect(mean - low).toBeCloseTo(0.979982, 6);
    expect(meanOf([1])).toEqual({ mean: 1, low: 1, high: 1, episodes: 1 });
  });
});

const rules = {
  context: null,
  invalidAction: { policy: 'continue' as const, penalty: -0.1 },
  worldFailure: 'drop' as const,
};

const ended = (group: number, score: number, ending: Trajectory['ending'], refused = 0) =>
  ({
    group,
    score,
    ending,
    turns: Array.from({ length: 3 }, (_, i) => ({ valid: i >= refused })),
    advantage: 9,
    advantages: Float32Array.of(9),
    choices: { position: Int32Array.of(3, 5) },
    turnOf: new Int16Array(8),
  }) as unknown as Trajectory;

const credited = (group: readonly Trajectory[], endings: EndingRules) => {
  const options: BaselineOptions = { baseline: 'mean-std', epsilon: 0 };
  const credit = { credit: (input: CreditInput) => groupCredit(input, options) };
  return assignCredit(group, credit, { ...settings().algorithm, endings });
};

describe('returns', () => {
  it('follow the experiment’s rule for each ending', () => {
    expect(returnOf(ended(0, 1, 'success', 2), rules)).toBeCloseTo(0.8, 12);
    expect(returnOf(ended(0, 0.5, 'context'), rules)).toBe(0.5);
    expect(returnOf(ended(0, 0.5, 'context'), { ...rules, context: -1 })).toBe(-1);
    expect(returnOf(ended(0, 0.5, 'world-failure'), rules)).toBeNull();
    expect(returnOf(ended(0, 0.5, 'world-failure'), { ...rules, worldFailure: 'zero' })).toBe(0);
  });

  it('leave a failed world out of its group', () => {
    const group = [ended(0, 1, 'success'), ended(0, 0, 'world-failure'), ended(0, 0, 'horizon')];
    const { withoutSignal } = credited(group, rules);
    const [win, loss] = advantagesOfGroup([1, 0], { baseline: 'mean-std', epsilon: 0 });
    expect(group.map(({ advantage }) => advantage)).toEqual([win, 0, loss]);
    expect([...group[0].advantages]).toEqual([Math.fround(win), Math.fround(win)]);
    expect(withoutSignal).toBe(0);
  });

  it('have no signal if there is nothing left to compare with', () => {
    const group = [ended(0, 1, 'success'), ended(0, 0, 'world-failure')];
    expect(credited(group, rules).withoutSignal).toBe(1);
    expect(group.map(({ advantage }) => advantage)).toEqual([0, 0]);
  });
});

describe('minibatches', () => {
  it('are whole groups, each once, as even as they divide', () => {
    const all = Array.from({ length: 21 }, (_, i) => ended(Math.floor(i / 3), 0, 'horizon'));
    const parts = splitGroups(all, 3);
    expect(parts.flat()).toEqual(all);
    expect(parts.map((part) => part.length / 3)).toEqual([2, 2, 3]);
    expect(splitGroups(all.slice(0, 3), 4)).toHaveLength(1);
  });
});
