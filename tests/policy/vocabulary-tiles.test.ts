// Sampling from a vocabulary of several tiles: a GPU scans many tiles with one call, the processor one after another.
// Both choose the same tokens, with the log-probabilities of a scoring pass.
import { expect, it } from 'vitest';
import type { Device } from '../../src/device/device.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { useGpu, useWasm } from '../device/open.ts';

const gpu = useGpu();
const wasm = useWasm({ threads: 1 });

/** Three whole tiles of 2,048 rows and a rest that four does not divide. */
const config = parseConfig({
  model_type: 'qwen2',
  vocab_size: 3 * 2048 + 5,
  hidden_size: 16,
  intermediate_size: 12,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 8,
  tie_word_embeddings: true,
});
const capacity = { rows: 3, groups: 1, promptTokens: 8, completionTokens: 8, batchTokens: 16, batchScored: 4 };
const weights = initWeights(config, { seed: 5, std: 0.4 });
const prompt = Int32Array.of(3, 6148, 2047, 2048);
const slots = [0, 1, 2];
const steps = 4;

async function sampled(device: Device, temperature: number) {
  const model = inspected(
    await Model.create(device, config, { capacity, weights, trainable: false, reference: false }),
  );
  try {
    await begin(model, [{ prompt, slots, rowKeys: [11, 12, 13] }]);
    const request = slots.map((slot) => ({ slot, append: new Int32Array(0), constraint: null }));
    const turns = await wholeTurns(model, request, {
      ...{ temperature, seed: 9, stream: 2, maxTokens: steps, stopTokens: [] },
    });
    const scores = [];
    for (const { tokens } of turns) {
      const all = Int32Array.from([...prompt, ...tokens]);
      const batch = {
        tokens: all,
        segments: [{ start: 0, end: all.length, parent: -1 }],
        scored: Int32Array.from(tokens, (_, i) => prompt.length + i),
        allowed: null,
      };
      scores.push((await model.score(batch, { temperature: temperature || 1, weights: 'policy' })).logprob);
    }
    return { turns, scores, calls: new Map(model.recorder.perKernel) };
  } finally {
    model.destroy();
  }
}

it.each([0.7, 0])('the devices sample the same at temperature %f', async (temperature) => {
  const onGpu = await sampled(await gpu(), temperature);
  const onProcessor = await sampled(await wasm(), temperature);
  onGpu.turns.forEach(({ tokens, logprobs }, r) => {
    expect([...tokens]).toEqual([...onProcessor.turns[r].tokens]);
    expect(tokens.length).toBe(steps);
    tokens.forEach((_, i) => {
      expect(Math.abs(logprobs[i] - onProcessor.turns[r].logprobs[i])).toBeLessThan(2e-5);
      expect(Math.abs(logprobs[i] - onGpu.scores[r][i])).toBeLessThan(2e-5);
    });
  });
  // Two calls for each token: the whole tiles and the rest.
  expect(onGpu.calls.get('sample_scan_tiles')).toBe(2 * steps);
  expect(onGpu.calls.get('sample_merge_tiles')).toBe(steps);
  expect(onProcessor.calls.get('sample_scan')).toBe(4 * steps);
});
