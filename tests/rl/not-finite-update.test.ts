// An update whose gradient norm, loss or log-probability is not finite is refused by name, and AdamW's settings that
// divide by zero are refused before a run.
import { describe, expect, it } from 'vitest';
import micro from '../../experiments/micro.json' with { type: 'json' };
import { parseExperiment } from '../../src/experiment/experiment.ts';
import type { UpdateRequest, UpdateResult } from '../../src/policy/policy.ts';
import { NotFiniteUpdateError } from '../../src/rl/updater.ts';
import { capacity, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

class BrokenPolicy extends FakePolicy {
  constructor(private readonly spoil: (result: UpdateResult) => UpdateResult) {
    super(tokenizer.vocabSize, capacity());
  }
  override async update(request: UpdateRequest, options: { temperature: number }): Promise<UpdateResult> {
    return this.spoil(await super.update(request, options));
  }
}

const spoiltOutput = (name: 'loss' | 'logprob', value: number) => (result: UpdateResult) => {
  result.outputs[0][name][0] = value;
  return result;
};

describe('an update that is not finite', () => {
  it.each([
    ['gradient norm', Number.NaN, (result: UpdateResult) => ({ ...result, gradNorm: Number.NaN })],
    ['gradient norm', Infinity, (result: UpdateResult) => ({ ...result, gradNorm: Number.POSITIVE_INFINITY })],
    ['loss', Number.NaN, spoiltOutput('loss', Number.NaN)],
    ['log-probability', -Infinity, spoiltOutput('logprob', Number.NEGATIVE_INFINITY)],
  ])('is refused by its %s of %f', async (what, value, spoil) => {
    const { trainer } = await trainerWith(settings(), new BrokenPolicy(spoil));
    const error = await trainer.step(1).catch((each: Error) => each);
    expect(error).toBeInstanceOf(NotFiniteUpdateError);
    expect((error as Error).message).toContain(`its ${what} is ${value}.`);
  });
});

describe('AdamW’s settings', () => {
  const withOptimizer = (change: object) =>
    parseExperiment({ ...micro, optimizer: { ...micro.optimizer, ...change } }).optimizer;
  it.each([
    ['beta1', 1],
    ['beta2', 1],
    ['epsilon', 0],
  ])('refuse %s of %d', (name, value) => {
    expect(() => withOptimizer({ [name]: value })).toThrow(new RegExp(`optimizer\\.${name}: must be at (most|least)`));
  });
  it('allow all that is smaller, also in f32', () => {
    for (const beta of [0, 0.9, 0.9999999]) {
      expect(withOptimizer({ beta1: beta, beta2: beta }).beta1).toBe(beta);
      expect(Math.fround(beta)).toBeLessThan(1);
    }
    expect(withOptimizer({ epsilon: 1e-30 }).epsilon).toBe(1e-30);
  });
});
