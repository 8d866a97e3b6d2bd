import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Experiment } from '../../src/experiment/experiment.ts';
import { metricNamed } from '../../src/rl/metrics/metrics.ts';
import type { TrainerSettings } from '../../src/rl/settings.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { capacity, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

describe('trainer', () => {
  it('takes an experiment as its settings', () => {
    expectTypeOf<Experiment>().toExtend<TrainerSettings>();
  });

  it('gives the same records when stopped, saved and loaded in the middle', async () => {
    const whole = await trainerWith(settings());
    const expected = [];
    for (let k = 1; k <= 6; k++) expected.push(withoutTimes((await whole.trainer.step(k)).record));

    const early = await trainerWith(settings());
    for (let k = 1; k <= 2; k++) await early.trainer.step(k);
    const [state, reference] = [await early.policy.save(), await early.policy.save({ reference: true })];
    const late = await trainerWith(settings(), new FakePolicy(tokenizer.vocabSize, capacity(), 256, 64, 99));
    await late.policy.load(reference, { reference: true });
    await late.policy.load(state);
    const resumed = [];
    for (let k = 3; k <= 6; k++) resumed.push(withoutTimes((await late.trainer.step(k)).record));
    expect(resumed).toEqual(expected.slice(2));
    expect((await late.policy.save()).tensors).toEqual((await whole.policy.save()).tensors);
    // The change of horizon lies within these steps.
    expect(expected.map(({ stage }) => stage)).toEqual([4, 4, 4, 1, 1, 1]);
  });

  it('ends a stage of an adaptive horizon early, in a resumed run at the same step', async () => {
    const horizon = [
      { steps: 100, turns: 1, advanceAt: 0.5 },
      { steps: 100, turns: 3, advanceAt: 0.01 },
      { steps: 100, turns: 5 },
    ];
    const options = settings({ horizon });
    const whole = await trainerWith(options);
    const expected = [];
    for (let k = 1; k <= 12; k++) expected.push(withoutTimes((await whole.trainer.step(k)).record));
    // No door can be passed in one turn, so that the first stage ends after five steps.
    expect(expected.map(({ stage }) => stage)).toEqual([1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 5, 5]);
    expect(expected.slice(0, 5).map(({ metrics }) => metrics.oracle)).toEqual([0, 0, 0, 0, 0]);

    for (const stop of [3, 7]) {
      const early = await trainerWith(options);
      for (let k = 1; k <= stop; k++) await early.trainer.step(k);
      const [state, reference] = [await early.policy.save(), await early.policy.save({ reference: true })];
      const late = await trainerWith(options, new FakePolicy(tokenizer.vocabSize, capacity(), 256, 64, 99));
      await late.policy.load(reference, { reference: true });
      await late.policy.load(state);
      const resumed = [];
      for (let k = stop + 1; k <= 12; k++) resumed.push(withoutTimes((await late.trainer.step(k)).record));
      expect(resumed).toEqual(expected.slice(stop));
    }
    // An evaluation of an earlier step has that step's horizon.
    expect([5, 6, 11].map((k) => whole.trainer.evaluator.turnsAt(k))).toEqual([1, 3, 5]);
  });

  it('does not depend on how many rows are played at once', async () => {
    const wide = await trainerWith(settings(), new FakePolicy(tokenizer.vocabSize, capacity({ rows: 16, groups: 8 })));
    const narrow = await trainerWith(settings(), new FakePolicy(tokenizer.vocabSize, capacity({ rows: 5, groups: 2 })));
    const [a, b] = [await wide.trainer.step(1), await narrow.trainer.step(1)];
    expect(b.trajectories).toEqual(a.trajectories);
  });

  it.each([
    [0, 0],
    [0.01, 1],
  ])('a DAPO step without a signal and with an entropy bonus of %s makes %s updates', async (entropy, updates) => {
    const algorithm = {
      ...settings().algorithm,
      name: 'dapo',
      filterBy: 'score',
      mostWaves: 2,
      longest: null,
      entropy,
    };
    const change = { kl: { estimator: 'k3', coefficient: 0 }, minibatches: 1, innerEpochs: 1 };
    // No door can be passed in one turn.
    const horizon = [{ steps: 100, turns: 1 }];
    const options = settings({ algorithm: { ...algorithm, ...change } as TrainerSettings['algorithm'], horizon });
    const { trainer, policy } = await trainerWith(options);
    const before = (await policy.save()).tensors;
    const { record, trajectories } = await trainer.step(1);
    expect(record.metrics).toMatchObject({ updates, success: 0, waves: 2, droppedGroups: 1 });
    expect(trajectories).toHaveLength(record.metrics.episodes);
    if (updates === 0) expect((await policy.save()).tensors).toEqual(before);
  });

  it('learns the doors', async () => {
    const { trainer } = await trainerWith(
      settings({ optimizer: { ...settings().optimizer, learningRate: 0.1, warmupSteps: 0 } }),
    );
    const before = await trainer.evaluator.evaluate(4);
    for (let k = 1; k <= 60; k++) await trainer.step(k);
    const after = await trainer.evaluator.evaluate(60);
    expect(before.train.policy.rate).toBeLessThan(0.5);
    expect(after.train.policy.rate).toBeGreaterThan(after.train.chance.rate + 0.5);
    expect(after.train.oracle!.rate).toBe(1);
    // Chance plays the same tasks under the same horizon both times.
    expect(after.train.chance).toEqual(before.train.chance);
    expect(Object.keys(after.train.strata)).toEqual(['depth 1', 'depth 2']);
  });

  it('records only metrics of the registry, and all required ones', async () => {
    const { trainer } = await trainerWith(settings());
    const { record } = await trainer.step(1);
    for (const [name, value] of Object.entries(record.metrics)) {
      expect(metricNamed(name), name).toBeDefined();
      expect(Number.isFinite(value), name).toBe(true);
    }
    const required = ['success', 'chance', 'oracle', 'entropy', 'kl', 'groupsWithoutSignal', 'gradNorm', 'logprobGap'];
    for (const name of required) expect(record.metrics).toHaveProperty(name);
    // Recomputed before any update: training sees the log-probabilities of sampling.
    expect(record.metrics.logprobGapMax).toBeLessThan(1e-6);
    expect(record.metrics.updates).toBe(4);
  });

  it('stops before the first update if aborted in the rollout', async () => {
    const { trainer, policy } = await trainerWith(settings());
    const controller = new AbortController();
    const step = trainer.step(1, { signal: controller.signal, onTurn: () => controller.abort() });
    await expect(step).rejects.toThrow(/abort/i);
    expect(policy.updates).toHaveLength(0);
  });

  it('reports each turn with its step', async () => {
    const { trainer } = await trainerWith(settings());
    const seen: { step: number; group: number; member: number; turn: number; horizon: number; done: boolean }[] = [];
    const { trajectories } = await trainer.step(2, { onTurn: (event) => void seen.push(event) });
    expect(seen).toHaveLength(trajectories.reduce((sum, { turns }) => sum + turns.length, 0));
    expect(seen.filter(({ done }) => done)).toHaveLength(trajectories.length);
    expect(new Set(seen.map(({ step }) => step))).toEqual(new Set([2]));
    const horizonOf = (each: { group: number; member: number }) =>
      trajectories.find(({ group, member }) => group === each.group && member === each.member)?.horizon;
    expect(seen.map(({ horizon }) => horizon)).toEqual(seen.map(horizonOf));
  });
});
