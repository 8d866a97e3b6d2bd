/** Scores and gradients of a small packed model with an adapter, with chosen kernels. */
import { expect } from 'vitest';
import type { Device } from '../../src/device/device.ts';
import { type ModelConfig, parseConfig } from '../../src/policy/config.ts';
import type { KernelChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import type { PackedBatch } from '../../src/policy/policy.ts';
import { initAdapter, projections } from '../../src/policy/weights/adapter.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';

/** Two layers with three heads of four, and tied embeddings. */
export const smallConfig = (vocab_size: number, hidden_size: number, intermediate_size: number): ModelConfig =>
  parseConfig({
    ...{ model_type: 'llama', vocab_size, hidden_size, intermediate_size, num_hidden_layers: 2 },
    ...{ num_attention_heads: 3, num_key_value_heads: 1, head_dim: 4, rope_theta: 100, tie_word_embeddings: true },
  });

/** Scores and gradients of one segment of T tokens, and the kernels of both. The planned memory is what is allocated. */
export async function adaptedResults(gpu: Device, config: ModelConfig, T: number, choices: KernelChoices) {
  const capacity = { rows: 1, groups: 1, promptTokens: 4, completionTokens: 4, batchTokens: T, batchScored: T };
  const batch: PackedBatch = {
    tokens: Int32Array.from({ length: T }, (_, t) => (t * 7) % config.vocabSize),
    segments: [{ start: 0, end: T, parent: -1 }],
    scored: Int32Array.from({ length: T - 1 }, (_, t) => t + 1),
    allowed: null,
  };
  const lora = { rank: 8, alpha: 8, targets: projections };
  const adapter = { lora, tensors: initAdapter(config, lora, 3) };
  for (const [name, { data }] of adapter.tensors)
    if (name.endsWith('lora_B.weight')) data.set(normals(data.length, 4, name, 0.3));
  const weights = initWeights(config, { seed: 2, std: 0.1 });
  const options = { capacity, weights, adapter, precision: 'int4', trainable: true, reference: false } as const;
  const before = gpu.bytesAllocated;
  const model = inspected(await Model.create(gpu, config, { ...options, choices }));
  try {
    expect(gpu.bytesAllocated - before).toBe(totalBytes(model.plan));
    const score = await model.score(batch, { temperature: 0.7, weights: 'policy' });
    const N = batch.scored.length;
    const gradients = await model.gradients(batch, normals(N, 1, 'w', 1), normals(N, 1, 'e', 0.1));
    return { score, gradients, kernels: [...model.recorder.perKernel.keys()] };
  } finally {
    model.destroy();
  }
}
