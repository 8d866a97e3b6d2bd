// The double-precision twin, on which the engine's tests rely where there is no golden data, compared with finite
// differences.
import { describe, expect, it } from 'vitest';
import { type ModelConfig, parseConfig } from '../../src/policy/config.ts';
import type { PackedBatch } from '../../src/policy/policy.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { type Gradients, largest, referenceForwardBackward } from './reference.ts';
import { entropyWeight, sharedPrefix as sharedPrefixBatch, weight } from './shared-prefix.ts';

const small = (change: object): ModelConfig =>
  parseConfig({
    model_type: 'qwen2',
    vocab_size: 13,
    hidden_size: 12,
    intermediate_size: 10,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 6,
    rope_theta: 100,
    tie_word_embeddings: true,
    ...change,
  });

const sharedPrefix = sharedPrefixBatch();

describe('the reference against finite differences', () => {
  it.each([
    ['qwen2, tied', small({})],
    ['qwen3, untied', small({ model_type: 'qwen3', tie_word_embeddings: false })],
    ['llama with llama3 scaling', small({ model_type: 'llama', rope_scaling: llama3() })],
  ])('%s', (_, config) => {
    const tensors: Gradients = new Map();
    for (const [name, { shape, data }] of initWeights(config, { seed: 3, std: 0.4 }))
      tensors.set(name, { shape, data: Float64Array.from(data, (x, i) => x + 0.1 * Math.sin(i + shape.length)) });
    const run = () => referenceForwardBackward(config, tensors, sharedPrefix, weight, entropyWeight, 0.7);
    const value = () => {
      const { logprob, entropy } = run();
      return weight.reduce((sum, w, i) => sum + w * logprob[i] + entropyWeight[i] * entropy[i], 0);
    };
    const { gradients } = run();
    for (const [name, { data }] of tensors)
      for (const index of [0, data.length >> 1, data.length - 1]) {
        const kept = data[index];
        data[index] = kept + 1e-5;
        const above = value();
        data[index] = kept - 1e-5;
        const slope = (above - value()) / 2e-5;
        data[index] = kept;
        expect(Math.abs(gradients.get(name)!.data[index] - slope), `${name}[${index}]`).toBeLessThan(1e-7);
      }
  });
});

function llama3() {
  return {
    rope_type: 'llama3',
    factor: 4,
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 32,
  };
}

describe('the reference on a shared prefix', () => {
  it('equals two separate sequences', () => {
    const config = small({});
    const tensors = initWeights(config, { seed: 5, std: 0.3 });
    const [prompt, left, right] = [
      [1, 5, 2, 7],
      [3, 3, 9],
      [4, 11, 6],
    ];
    const shared: PackedBatch = {
      tokens: Int32Array.from([...prompt, ...left, ...right]),
      segments: sharedPrefix.segments.slice(0, 3),
      scored: Int32Array.from([4, 5, 6, 7, 8, 9]),
      allowed: null,
    };
    const apart: PackedBatch = {
      tokens: Int32Array.from([...prompt, ...left, ...prompt, ...right]),
      segments: [
        { start: 0, end: 7, parent: -1 },
        { start: 7, end: 14, parent: -1 },
      ],
      scored: Int32Array.from([4, 5, 6, 11, 12, 13]),
      allowed: null,
    };
    const weight = [1, -2, 0.5, 0.3, 1.5, -0.7];
    const a = referenceForwardBackward(config, tensors, shared, weight, weight, 1);
    const b = referenceForwardBackward(config, tensors, apart, weight, weight, 1);
    expect(largest(a.logprob, b.logprob)).toBeLessThan(1e-13);
    for (const [name, { data }] of a.gradients)
      expect(largest(data, b.gradients.get(name)!.data), name).toBeLessThan(1e-12);
  });
});
