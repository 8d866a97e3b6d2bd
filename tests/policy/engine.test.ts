// The engine compared with its double-precision twin: log-probabilities, entropies and every gradient, with a shared
// prompt, with and without lists of allowed tokens, at sizes that no tile divides.
import { describe, expect, it } from 'vitest';
import { type ModelConfig, parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import type { Capacity, PackedBatch } from '../../src/policy/policy.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { useDevice } from '../device/open.ts';
import { referenceForwardBackward } from './reference.ts';
import { entropyWeight, sharedPrefix, weight } from './shared-prefix.ts';

const gpu = useDevice();
// An open row lists the whole vocabulary: 4 rows x 2100 tokens need 8,400 entries; 64 are planned per scored row.
const capacity: Capacity = {
  rows: 6,
  groups: 3,
  promptTokens: 16,
  completionTokens: 32,
  batchTokens: 64,
  batchScored: 160,
};

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

const shapes: [string, ModelConfig][] = [
  ['qwen2, tied, head of 6', small({})],
  ['qwen3, untied, head of 8', small({ model_type: 'qwen3', tie_word_embeddings: false, head_dim: 8 })],
  [
    'llama, odd sizes',
    small({
      model_type: 'llama',
      hidden_size: 15,
      intermediate_size: 9,
      num_attention_heads: 3,
      num_key_value_heads: 1,
      head_dim: 2,
    }),
  ],
  ['wide: 64 lanes a row, vocabulary in two tiles', small({ hidden_size: 260, vocab_size: 2100, head_dim: 4 })],
];

const batch = (masked: boolean): PackedBatch => ({ ...sharedPrefix(), ...(masked ? {} : { allowed: null }) });

describe.each(shapes)('%s', (_, config) => {
  it.each([true, false])('scores and gradients, masked %s', async (masked) => {
    const tensors = initWeights(config, { seed: 3, std: 0.3 });
    const model = inspected(
      await Model.create(await gpu(), config, {
        capacity,
        weights: tensors,
        trainable: true,
        reference: false,
      }),
    );
    const scores = await model.score(batch(masked), { temperature: 0.7, weights: 'policy' });
    const expected = referenceForwardBackward(config, tensors, batch(masked), weight, entropyWeight, 0.7);
    expect(Math.max(...scores.logprob.map((x, i) => Math.abs(x - expected.logprob[i])))).toBeLessThan(2e-5);
    expect(Math.max(...scores.entropy.map((x, i) => Math.abs(x - expected.entropy[i])))).toBeLessThan(2e-5);
    const gradients = await model.gradients(batch(masked), weight, entropyWeight, { temperature: 0.7 });
    for (const [name, { data }] of expected.gradients) {
      const got = gradients.get(name)!.data;
      const scale = data.reduce((a, x) => Math.max(a, Math.abs(x)), 1e-6);
      const worst = data.reduce((a, x, i) => Math.max(a, Math.abs(x - got[i])), 0);
      expect(worst / scale, name).toBeLessThan(5e-5);
    }
    model.destroy();
  });

  it('greedy decoding repeats the forward pass', async () => {
    const tensors = initWeights(config, { seed: 5, std: 0.3 });
    const model = inspected(
      await Model.create(await gpu(), config, {
        capacity,
        weights: tensors,
        trainable: false,
        reference: false,
      }),
    );
    const prompts = [Int32Array.from([1, 5, 2]), Int32Array.from([7, 3])];
    await begin(model, [
      { prompt: prompts[0], slots: [0, 1], rowKeys: [0, 1] },
      { prompt: prompts[1], slots: [2], rowKeys: [2] },
    ]);
    const sampling = { temperature: 0, seed: 1, stream: 2, maxTokens: 5, stopTokens: [] };
    const row = (slot: number, append: number[]) => ({ slot, append: Int32Array.from(append), constraint: null });
    const first = await wholeTurns(model, [row(0, []), row(1, [4, 4]), row(2, [])], sampling);
    const second = await wholeTurns(model, [row(2, [9]), row(0, [6, 1])], sampling);
    const sequences = [
      [...prompts[0], ...first[0].tokens, 6, 1, ...second[1].tokens],
      [...prompts[0], 4, 4, ...first[1].tokens],
      [...prompts[1], ...first[2].tokens, 9, ...second[0].tokens],
    ];
    const generated = [
      [...first[0].logprobs, ...second[1].logprobs],
      [...first[1].logprobs],
      [...first[2].logprobs, ...second[0].logprobs],
    ];
    const positions = [
      [3, 4, 5, 6, 7, 10, 11, 12, 13, 14],
      [5, 6, 7, 8, 9],
      [2, 3, 4, 5, 6, 8, 9, 10, 11, 12],
    ];
    for (const [s, tokens] of sequences.entries()) {
      const one: PackedBatch = {
        tokens: Int32Array.from(tokens),
        segments: [{ start: 0, end: tokens.length, parent: -1 }],
        scored: Int32Array.from(positions[s]),
        allowed: null,
      };
      const scores = await model.score(one, { temperature: 1, weights: 'policy' });
      scores.logprob.forEach((x, i) => expect(x).toBeCloseTo(generated[s][i], 4));
      const logits = await model.logits(one);
      for (const position of positions[s]) {
        const before = logits.subarray((position - 1) * config.vocabSize, position * config.vocabSize);
        expect(before.indexOf(Math.max(...before))).toBe(tokens[position]);
      }
    }
    model.destroy();
  });
});
