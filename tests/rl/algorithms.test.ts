// Every algorithm on the stand-in policy and world: it trains with its schema's defaults, repeats a step exactly from a
// saved state, and its credit obeys its laws.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  AlgorithmSchema,
  type AnyAlgorithmSettings,
  algorithmOf,
  algorithms,
} from '../../src/rl/algorithms/registry.ts';
import { withAlgorithm } from '../../src/rl/algorithms/replace-algorithm.ts';
import { metricNamed } from '../../src/rl/metrics/metrics.ts';
import type { TrainerSettings } from '../../src/rl/settings.ts';
import { capacity, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

const base = settings();
const own: { [name: string]: object } = {
  ppo: {
    klReward: { coefficient: 0.05, estimator: 'k1', target: 0.02, horizon: 50 },
    turnGamma: 0.95,
    turnRewards: true,
  },
  rloo: { klPerEpisode: 0.02, normalizeBatch: true },
  'reinforce-pp': { klReward: { coefficient: 0.05, estimator: 'k3', target: null, horizon: 50 }, gamma: 0.9 },
  dapo: { longest: 12, penaltyRoom: 6 },
  gspo: { correction: { weights: 'sequence', outside: 'mask', low: 0.5, high: 2, normalize: true } },
};

const algorithmSettings = (name: string): AnyAlgorithmSettings => {
  const shape = { groups: 4, groupSize: 4, minibatches: 2, innerEpochs: 2 };
  const allTerms =
    'kl' in v.parse(algorithmOf({ name }).schema, { name }) ? { kl: { estimator: 'k3', coefficient: 0.01 } } : {};
  return v.parse(AlgorithmSchema, { name, ...shape, ...allTerms, ...own[name] });
};

const of = (name: string): TrainerSettings => ({ ...base, algorithm: algorithmSettings(name) });

async function records(options: TrainerSettings, steps: number, cut: number | null = null) {
  const make = () => new FakePolicy(tokenizer.vocabSize, capacity({ batchScored: 128, batchTokens: 512 }));
  let policy = make();
  await policy.freezeReference();
  let { trainer } = await trainerWith(options, policy);
  const all = [];
  for (let k = 1; k <= steps; k++) {
    const { record } = await trainer.step(k);
    const metrics = Object.entries(record.metrics).filter(([name]) => !/(Ms|PerSecond)$/.test(name));
    all.push(Object.fromEntries(metrics));
    if (k !== cut) continue;
    const [state, reference] = [await policy.save(), await policy.save({ reference: true })];
    policy = make();
    await policy.load(reference, { reference: true });
    await policy.load(state);
    ({ trainer } = await trainerWith(options, policy));
  }
  return all;
}

describe.each(algorithms.map(({ name }) => name))('%s', (name) => {
  it('trains, and repeats a step exactly from a saved state', async () => {
    const whole = await records(of(name), 3);
    expect(await records(of(name), 3, 2)).toEqual(whole);
    for (const metrics of whole) {
      expect(metrics.updates).toBeGreaterThan(0);
      for (const [metric, value] of Object.entries(metrics)) {
        expect(metricNamed(metric), `a sentence for ${metric}`).toBeDefined();
        expect(Number.isFinite(value), `${metric}: ${value}`).toBe(true);
      }
    }
    expect(whole.some(({ gradNorm }) => gradNorm > 0)).toBe(true);
  });

  it('is chosen with its own defaults, and keeps the groups of the former algorithm', () => {
    const chosen = withAlgorithm(base.algorithm, name);
    expect(chosen).toMatchObject({ name, groups: base.algorithm.groups, groupSize: base.algorithm.groupSize });
    expect(v.parse(AlgorithmSchema, chosen)).toEqual(chosen);
    expect(withAlgorithm(chosen, base.algorithm.name)).toMatchObject({ name: base.algorithm.name });
  });
});

describe('stages', () => {
  const staged: TrainerSettings = {
    ...of('grpo'),
    stages: [{ steps: 2, algorithm: algorithmSettings('sft'), learningRate: 0.2 }],
  };

  it('run first, each for its steps, and the run continues with its own algorithm', async () => {
    const [first, second, third] = await records(staged, 3);
    expect([first, second].map(({ demonstrations }) => demonstrations > 0)).toEqual([true, true]);
    expect(third.demonstrations).toBeUndefined();
    expect(third.success).toBeGreaterThanOrEqual(0);
    expect([first.learningRate, third.learningRate]).toEqual([0.1, 0.025]);
  });

  it('have their own rules for endings', async () => {
    const strict = { ...algorithmSettings('rloo') } as AnyAlgorithmSettings;
    strict.endings = { ...strict.endings, invalidAction: { policy: 'end', penalty: 0 } };
    const { trainer } = await trainerWith({
      ...of('grpo'),
      stages: [{ steps: 1, algorithm: strict, learningRate: null }],
    });
    const refused = async (k: number) =>
      (await trainer.step(k)).trajectories.filter(({ ending }) => ending === 'invalid-action').length;
    expect(await refused(1)).toBeGreaterThan(0);
    expect(await refused(2)).toBe(0);
  });

  it('are repeated exactly from a state between them', async () => {
    expect(await records(staged, 4, 2)).toEqual(await records(staged, 4));
  });
});

describe('algorithms that learn from data', () => {
  it.each(['sft', 'rejection', 'agentevol', 'dpo', 'kto', 'ppo'])('%s learns the doors', async (name) => {
    const singleUpdate = { ...algorithmSettings(name), minibatches: 1, innerEpochs: 1 } as AnyAlgorithmSettings;
    const change = { optimizer: { ...base.optimizer, learningRate: 0.2, warmupSteps: 0 }, steps: 40 };
    const options = { ...of(name), ...change, algorithm: singleUpdate, horizon: [{ steps: 1, turns: 3 }] };
    const policy = new FakePolicy(tokenizer.vocabSize, capacity({ batchScored: 128, batchTokens: 512 }), 1024);
    await policy.freezeReference();
    const { trainer } = await trainerWith(options, policy);
    const before = (await trainer.evaluator.evaluate(1)).train.policy.rate;
    for (let k = 1; k <= 40; k++) await trainer.step(k);
    const after = (await trainer.evaluator.evaluate(1)).train.policy.rate;
    expect(after, `${before} at first`).toBeGreaterThan(before + 0.25);
  });
});
