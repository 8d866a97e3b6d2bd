import { buildTokenizer } from '../../src/policy/text/tokenizer.ts';
import type { TrainerSettings } from '../../src/rl/settings.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { capacity, DoorWorld, doorTexts, FakePolicy } from './fakes.ts';

export const tokenizer = buildTokenizer(doorTexts);

/** Settings that make a resume hard: KL, entropy, several minibatches and passes, a change of horizon. */
export const settings = (change: Partial<TrainerSettings> = {}): TrainerSettings => ({
  seed: 7,
  steps: 8,
  worlds: [{ name: 'doors', weight: 1, options: {} }],
  algorithm: {
    name: 'grpo',
    groups: 4,
    groupSize: 4,
    clipLow: 0.2,
    clipHigh: 0.28,
    dualClip: 3,
    ratio: 'token',
    surrogate: 'clip',
    correction: { weights: 'none', outside: 'truncate', low: null, high: 2, normalize: false },
    kl: { estimator: 'k3', coefficient: 0.01 },
    entropy: 0.003,
    aggregation: 'token-mean',
    lossScaleFactor: null,
    advantageEpsilon: 1e-6,
    minibatches: 2,
    innerEpochs: 2,
    endings: { context: null, invalidAction: { policy: 'continue', penalty: 0 }, worldFailure: 'drop' },
  },
  horizon: [
    { steps: 3, turns: 4 },
    { steps: 100, turns: { oraclePlus: 1 } },
  ],
  sampling: { temperature: 1, maskActions: true, maxTokensPerTurn: 16 },
  optimizer: {
    learningRate: 0.05,
    warmupSteps: 2,
    finalFraction: 0.5,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradNorm: 1,
  },
  evaluation: { episodes: 24 },
  ...change,
});

export async function trainerWith(options: TrainerSettings, policy = new FakePolicy(tokenizer.vocabSize, capacity())) {
  const world = new DoorWorld();
  const trainer = await Trainer.create(options, { policy, worlds: new Map([['doors', world]]), tokenizer });
  return { trainer, policy, world };
}
