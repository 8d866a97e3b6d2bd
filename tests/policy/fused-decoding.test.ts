// Few rows of a packed model with an adapter: the same scores and gradients with SwiGLU inside the lane form of its product and
// the norms beside the adapter's first products as with kernels of their own, in its planned memory.
import { expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { defaultChoices, type KernelChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import type { PackedBatch } from '../../src/policy/policy.ts';
import { initAdapter, projections } from '../../src/policy/weights/adapter.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';
import { useGpu } from '../device/open.ts';
import { relativeError } from './relative-error.ts';

const open = useGpu();

/** The hidden size is the least whose first products lanes share. */
const config = parseConfig({
  ...{ model_type: 'llama', vocab_size: 19, hidden_size: 512, intermediate_size: 68, num_hidden_layers: 2 },
  ...{ num_attention_heads: 3, num_key_value_heads: 1, head_dim: 4, rope_theta: 100, tie_word_embeddings: true },
});
const T = 9;
const capacity = { rows: 1, groups: 1, promptTokens: 4, completionTokens: 4, batchTokens: T, batchScored: T };
const batch: PackedBatch = {
  tokens: Int32Array.from({ length: T }, (_, t) => (t * 7) % 19),
  segments: [{ start: 0, end: T, parent: -1 }],
  scored: Int32Array.from({ length: T - 1 }, (_, t) => t + 1),
  allowed: null,
};

/** Scores and gradients, and the kernels of both. */
async function results(choices: Partial<KernelChoices>) {
  const gpu = await open();
  const lora = { rank: 8, alpha: 8, targets: projections };
  const adapter = { lora, tensors: initAdapter(config, lora, 3) };
  for (const [name, { data }] of adapter.tensors)
    if (name.endsWith('lora_B.weight')) data.set(normals(data.length, 4, name, 0.3));
  const weights = initWeights(config, { seed: 2, std: 0.1 });
  const options = { capacity, weights, adapter, precision: 'int4', trainable: true, reference: false } as const;
  const before = gpu.bytesAllocated;
  const all: KernelChoices = { ...defaultChoices, quant_nt_few: 'lanes', lora_up_few: 'fused', ...choices };
  const model = inspected(await Model.create(gpu, config, { ...options, choices: all }));
  try {
    expect(gpu.bytesAllocated - before).toBe(totalBytes(model.plan));
    const score = await model.score(batch, { temperature: 0.7, weights: 'policy' });
    const N = batch.scored.length;
    const gradients = await model.gradients(batch, normals(N, 1, 'w', 1), normals(N, 1, 'e', 0.1));
    return { score, gradients, kernels: [...new Set(model.recorder.perKernel.keys())] };
  } finally {
    model.destroy();
  }
}

it('few rows have the same scores and gradients with SwiGLU and the norms in other kernels', {
  tags: 'slow',
  timeout: 1_800_000,
}, async () => {
  const own = await results({});
  expect(own.kernels).toEqual(expect.arrayContaining(['swiglu_forward', 'rmsnorm_forward']));
  const activated = await results({ swiglu_many: 'fused' });
  expect(activated.kernels).not.toContain('swiglu_forward');
  expect(activated.score).toEqual(own.score);
  expect(activated.gradients).toEqual(own.gradients);
  // Their sums are in another order.
  const normed = await results({ swiglu_many: 'fused', matmul_nt_narrow: 'lanes' });
  expect(normed.kernels).toContain('lora_norm_down');
  for (const part of ['logprob', 'entropy'] as const)
    expect(relativeError(normed.score[part], own.score[part]), part).toBeLessThan(1e-5);
  for (const [name, { data }] of own.gradients)
    expect(relativeError(normed.gradients.get(name)!.data, data), name).toBeLessThan(2e-5);
});
