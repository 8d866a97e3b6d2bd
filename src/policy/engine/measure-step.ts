/**
 * Time of a step on a device, in milliseconds: an update of 1,024 tokens of a typical tiny policy (0.2 million
 * parameters). It decides between two devices of one machine. A whole update is measured because matrix products alone
 * do not include the cost of a call.
 */
import type { Device } from '../../device/device.ts';
import { parseConfig } from '../config.ts';
import type { PackedBatch } from '../policy.ts';
import { initWeights } from '../weights/init.ts';
import { Model } from './model.ts';
import { givenWeights } from './objective.ts';

const config = parseConfig({
  model_type: 'qwen2',
  architectures: ['Qwen2ForCausalLM'],
  vocab_size: 512,
  hidden_size: 64,
  intermediate_size: 192,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 512,
  rms_norm_eps: 1e-6,
  rope_theta: 10000,
  tie_word_embeddings: true,
});

const [sequences, length, scoredEach] = [8, 128, 24];
const tokens = sequences * length;

/** Eight sequences of 128 tokens, of which the last 24 are scored. */
function batch(): PackedBatch {
  const starts = Array.from({ length: sequences }, (_, s) => s * length);
  return {
    tokens: Int32Array.from({ length: tokens }, (_, i) => (i * 37) % config.vocabSize),
    segments: starts.map((start) => ({ start, end: start + length, parent: -1 })),
    scored: Int32Array.from(
      starts.flatMap((start) => Array.from({ length: scoredEach }, (_, i) => start + length - scoredEach + i)),
    ),
    allowed: null,
  };
}

const optimizer = { learningRate: 0, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };

export async function measureStep(device: Device): Promise<number> {
  const scored = sequences * scoredEach;
  const capacity = {
    rows: 8,
    groups: 1,
    promptTokens: 32,
    completionTokens: 32,
    batchTokens: tokens,
    batchScored: scored,
  };
  const model = await Model.create(device, config, {
    capacity,
    weights: initWeights(config, { seed: 1, std: 0.05 }),
    trainable: true,
    reference: false,
  });
  try {
    const columns = [new Float32Array(scored).fill(1e-4), new Float32Array(scored)];
    const request = { batches: [{ batch: batch(), columns }], objective: givenWeights, scalars: [], optimizer };
    let best = Number.POSITIVE_INFINITY;
    // The first update compiles and warms up.
    for (let round = 0; round < 4; round++) {
      const start = performance.now();
      await model.update(request, { temperature: 1 });
      if (round > 0) best = Math.min(best, performance.now() - start);
    }
    return best;
  } finally {
    model.destroy();
  }
}
