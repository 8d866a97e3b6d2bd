import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/envs/env.ts';
import { loadTexts, saveTexts } from '../../src/policy/engine/kept-texts.ts';
import type { Learner, PackedBatch } from '../../src/policy/policy.ts';
import { AlgorithmSchema, type AnyAlgorithmSettings, algorithmOf } from '../../src/rl/algorithms/registry.ts';
import { assignCredit } from '../../src/rl/assign-credit.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import { type GoalsSettings, newGoals } from '../../src/rl/goals/registry.ts';
import { Retries } from '../../src/rl/goals/retries.ts';
import { Successes } from '../../src/rl/goals/successes.ts';
import { readTrajectory, writeTrajectory } from '../../src/rl/goals/trajectory-text.ts';
import { metricNamed } from '../../src/rl/metrics/metrics.ts';
import { mixedWeights, withSuccesses } from '../../src/rl/replay.ts';
import type { TrainerSettings } from '../../src/rl/settings.ts';
import { Updater } from '../../src/rl/updater.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { trajectory } from '../session/fakes.ts';
import { capacity, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

const taskOf = (id: number, depth = 1): Task => ({ world: 'made', id, options: {}, strata: { depth } });

/** An episode of these actions. */
const episode = (task: Task, actions: readonly string[], success: boolean): Trajectory =>
  trajectory({
    task,
    success,
    score: success ? 1 : 0,
    turns: actions.map((action) => ({ ...trajectory().turns[0], action })),
  });

describe('kept successes', () => {
  const group = (task: Task, successes: readonly (readonly string[])[], failures: number) => [
    ...successes.map((actions) => episode(task, actions, true)),
    ...Array.from({ length: failures }, (_, i) => episode(task, [`wrong ${i}`], false)),
  ];

  const keeping = (keep: number, texts = new Map<string, string>()) => new Successes({ keep }, texts, 1);

  it('are the shortest of groups in which others failed, at most three plans of a task', () => {
    const kept = keeping(10);
    kept.observe(group(taskOf(1), [['a', 'b'], ['c']], 2), 1, { draw: null, family: 'x' });
    expect(kept.all.map(({ trajectory: { turns } }) => turns.map(({ action }) => action))).toEqual([['c']]);
    // All succeed, none succeeds, or the plan is known: nothing new.
    kept.observe(group(taskOf(2), [['a'], ['a']], 0), 2, { draw: null, family: 'x' });
    kept.observe(group(taskOf(3), [], 3), 2, { draw: null, family: 'x' });
    kept.observe(group(taskOf(1), [['c']], 3), 2, { draw: null, family: 'x' });
    expect(kept.all).toHaveLength(1);
    expect([kept.all[0].rate, kept.all[0].last]).toEqual([0.25, 2]);
    for (const plan of [['d', 'd'], ['e', 'e', 'e'], ['f']])
      kept.observe(group(taskOf(1), [plan], 1), 3, { draw: null, family: 'x' });
    expect(kept.all.map(({ trajectory: { turns } }) => turns.length)).toEqual([1, 2, 1]);
  });

  it('leave a full store by the size of their family, then by the success of their group', () => {
    const kept = keeping(3);
    const add = (id: number, family: string, failures: number) =>
      kept.observe(group(taskOf(id), [['a']], failures), 1, { draw: null, family });
    add(1, 'x', 7);
    add(2, 'x', 1);
    add(3, 'y', 1);
    add(4, 'x', 3);
    expect(kept.all.map(({ trajectory: { task } }) => task.id)).toEqual([1, 3, 4]);
  });

  it('are the same after they were saved in a state', () => {
    const texts = new Map<string, string>();
    const kept = keeping(5, texts);
    kept.observe(group(taskOf(1), [['a', 'ünï \u{1F600}']], 2), 4, { draw: { family: 2, before: 7 }, family: 'x' });
    kept.commit();
    const tensors = new Map();
    saveTexts(texts, tensors);
    for (const { data } of tensors.values()) expect(data.every(Number.isFinite)).toBe(true);
    const loaded = new Map<string, string>();
    loadTexts(loaded, tensors);
    const again = keeping(5, loaded);
    again.begin();
    expect(again.all).toEqual(kept.all);
  });

  it('fit into the turns of their task, with another plan at each step', () => {
    const kept = keeping(5);
    kept.observe(group(taskOf(1), [['a', 'b']], 1), 1, { draw: null, family: 'x' });
    kept.observe(group(taskOf(1), [['c']], 1), 1, { draw: null, family: 'x' });
    const plan = (turns: number, step: number) => kept.of(taskOf(1), turns, step)?.turns[0].action;
    expect([plan(2, 2), plan(2, 3), plan(1, 2), plan(1, 3), plan(0, 2)]).toEqual(['a', 'c', 'c', 'c', undefined]);
    expect(kept.of(taskOf(2), 9, 1)).toBeNull();
  });
});

it('a trajectory as text is the same to the bit', () => {
  const one = trajectory({
    logprob: Float32Array.from({ length: 7 }, (_, i) => Math.fround(-Math.PI * (i + 1))),
    task: { ...taskOf(1), options: { tokens: [1, 2], position: 'x' } },
  });
  expect(readTrajectory(writeTrajectory(one))).toEqual(one);
  expect(readTrajectory(writeTrajectory({ ...one, choices: null }))).toEqual({ ...one, choices: null });
});

describe('on a bandit', () => {
  const probabilities = [0.05, 0.25, 0.7];
  const rewards = [1, 0.4, 0];
  const size = 3;
  const kept = 0;

  /** Token i + 1 is arm i, after a prompt of one token. */
  const pull = (arm: number, member: number): Trajectory =>
    trajectory({
      group: 5,
      member,
      task: taskOf(1),
      promptLength: 1,
      tokens: Int32Array.of(9, arm + 1),
      source: Uint8Array.of(0, 1),
      turnOf: Int16Array.of(-1, 0),
      logprob: Float32Array.of(0, Math.log(probabilities[arm])),
      choices: null,
      score: rewards[arm],
      success: arm === kept,
      ending: 'done',
    });

  const score = async ({ tokens, scored }: PackedBatch) => ({
    logprob: Float32Array.from(scored, (at) => Math.log(probabilities[tokens[at] - 1])),
    entropy: new Float32Array(scored.length),
  });
  const policy = { score, capacity: capacity() } as unknown as Learner;

  /** Gradient of the first update's surrogate by each arm's logit. */
  async function gradientOf(arms: readonly number[], algorithm: AnyAlgorithmSettings, least: number | null) {
    const options = { ...settings(), algorithm } as TrainerSettings;
    const module = algorithmOf(algorithm);
    const own = assignCredit(
      arms.map((arm, member) => pull(arm, member)),
      module,
      algorithm,
    );
    const training =
      least === null
        ? own
        : await withSuccesses(own, new Map([[5, pull(kept, 0)]]), {
            policy,
            algorithm: module,
            settings: options,
            least,
            creditInput: async () => ({}),
          });
    const gradient = [0, 0, 0];
    const updater = new Updater(policy, options);
    const { columns: names } = updater.objective.spec;
    for (const { batches } of await updater.minibatches(training))
      for (const { micro, columns } of batches)
        micro.trajectory.forEach((_, row) => {
          const arm = micro.batch.tokens[micro.batch.scored[row]] - 1;
          const factor = columns[names.indexOf('advantage')][row] * columns[names.indexOf('coefficient')][row];
          for (const k of gradient.keys()) gradient[k] += factor * ((k === arm ? 1 : 0) - probabilities[k]);
        });
    return gradient;
  }

  /** Mean over all outcomes of a group, each with its probability. */
  async function expected(algorithm: AnyAlgorithmSettings, least: number | null) {
    const total = [0, 0, 0];
    let squares = 0;
    for (let outcome = 0; outcome < 3 ** size; outcome++) {
      const arms = Array.from({ length: size }, (_, i) => Math.floor(outcome / 3 ** i) % 3);
      const probability = arms.reduce((product, arm) => product * probabilities[arm], 1);
      const gradient = await gradientOf(arms, algorithm, least);
      for (const k of total.keys()) total[k] += probability * gradient[k];
      squares += probability * gradient.reduce((sum, each) => sum + each * each, 0);
    }
    return { mean: total, variance: squares - total.reduce((sum, each) => sum + each * each, 0) };
  }

  const value = probabilities.reduce((sum, p, k) => sum + p * rewards[k], 0);
  const exact = probabilities.map((p, k) => p * (rewards[k] - value));
  const rloo = v.parse(AlgorithmSchema, {
    name: 'rloo',
    groups: 1,
    groupSize: size,
    aggregation: 'seq-mean-token-mean',
  });

  it('a kept success leaves the expected gradient as it is, with less variance', async () => {
    const [without, mixed] = [await expected(rloo, null), await expected(rloo, 0)];
    for (const { mean } of [without, mixed])
      mean.forEach((each, k) => {
        expect(each).toBeCloseTo(exact[k], 7);
      });
    expect(mixed.variance).toBeLessThan(0.8 * without.variance);
  });

  it('a least weight moves the expected gradient to the kept success', async () => {
    const { mean } = await expected(rloo, 0.5);
    expect(mean[kept]).toBeGreaterThan(2 * exact[kept]);
  });

  it('the shares of a kept success and of the others add up', () => {
    expect(mixedWeights([true, false, false, false], 0.25, 0)).toEqual({ samples: [0, 1, 1, 1], kept: 1 });
    // The others are 0.9 of the probability and get 0.5 of the weight.
    const { samples, kept: weight } = mixedWeights([false, false], 0.1, 0.5);
    expect(weight).toBe(1);
    expect(samples[0]).toBeCloseTo(0.5 / 0.9, 12);
  });
});

it('a failed task waits with the number of its failures', () => {
  const retries = new Retries({ retryShare: 0.5, retryGap: 1, retryMost: 3 }, new Map());
  const draw = { family: 0, before: 3 };
  expect(retries.failuresOf(draw)).toBe(0);
  retries.observe(draw, 1, false);
  retries.observe(draw, 3, false);
  expect(retries.failuresOf(draw)).toBe(2);
});

describe('a training that keeps successes', () => {
  const keeping = (change: Partial<GoalsSettings>) =>
    settings({
      goals: {
        ...newGoals('frontier'),
        retryShare: 0.25,
        retryGap: 1,
        retryTurns: 2,
        familyWeight: 1,
        keep: 6,
        keptShare: 0.5,
        distilEvery: 2,
        distilEpisodes: 3,
        ...change,
      } as GoalsSettings,
    });

  it.each(['likelihood', 'weighted', 'preference'] as const)(
    'and distils them by %s resumes exactly',
    async (distilAs) => {
      const chosen = keeping({ distilAs, keptLeast: distilAs === 'weighted' ? 0.25 : 0 });
      const whole = await trainerWith(chosen);
      const expected = [];
      for (let k = 1; k <= 5; k++) expected.push(withoutTimes((await whole.trainer.step(k)).record));
      const early = await trainerWith(chosen);
      for (let k = 1; k <= 3; k++) await early.trainer.step(k);
      const [state, reference] = [await early.policy.save(), await early.policy.save({ reference: true })];
      const late = await trainerWith(chosen, new FakePolicy(tokenizer.vocabSize, capacity(), 256, 64, 99));
      await late.policy.load(reference, { reference: true });
      await late.policy.load(state);
      const resumed = [];
      for (let k = 4; k <= 5; k++) resumed.push(withoutTimes((await late.trainer.step(k)).record));
      expect(resumed).toEqual(expected.slice(3));
      expect((await late.policy.save()).tensors).toEqual((await whole.policy.save()).tensors);
      const all = expected.map(({ metrics }) => metrics);
      for (const name of ['goalsKept', 'goalsReplayed', 'goalsDistilled'])
        expect(
          all.some((metrics) => metrics[name] > 0),
          name,
        ).toBe(true);
      for (const metrics of all) for (const name of Object.keys(metrics)) expect(metricNamed(name), name).toBeDefined();
    },
  );

  it('gives a repeated task more turns', async () => {
    // No door can be passed in one turn: every task fails and comes again.
    const horizon = [{ steps: 100, turns: 1 }];
    const { trainer } = await trainerWith({ ...keeping({ keep: 0, distilEvery: 0 }), horizon });
    const horizons = new Set<number>();
    for (let k = 1; k <= 5; k++) for (const each of (await trainer.step(k)).trajectories) horizons.add(each.horizon);
    expect(horizons.has(1) && horizons.has(3)).toBe(true);
  });
});
