// A packed model with an adapter computes the same scores and gradients with SwiGLU and the gradient of the logits inside the
// packed products as with kernels of their own, and with both backward products of its adapter in one kernel, in its planned
// memory. fused-swiglu.test.ts counts the calls.
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

/** Gate and up take the large tile, which alone has both, from 65 rows on. */
const config = parseConfig({
  ...{ model_type: 'llama', vocab_size: 2060, hidden_size: 12, intermediate_size: 4100, num_hidden_layers: 2 },
  ...{ num_attention_heads: 3, num_key_value_heads: 1, head_dim: 4, rope_theta: 100, tie_word_embeddings: true },
});
/** Two tiles of the vocabulary, and two chunks of tokens: workgroups enough for both backward products in one kernel. */
const T = 259;
const capacity = { rows: 1, groups: 1, promptTokens: 4, completionTokens: 4, batchTokens: T, batchScored: T };
const batch: PackedBatch = {
  tokens: Int32Array.from({ length: T }, (_, t) => (t * 7) % 2060),
  segments: [{ start: 0, end: T, parent: -1 }],
  scored: Int32Array.from({ length: T - 1 }, (_, t) => t + 1),
  allowed: null,
};
const blocks: KernelChoices = {
  ...defaultChoices,
  ...{ quant_nt_many: 'blocks', quant_nn_many: 'blocks', lora_up_many: 'fused' },
};
const fused: KernelChoices = { ...blocks, swiglu_many: 'fused', input_gradient_many: 'fused' };

/** Scores and gradients of a packed model with an adapter, with the kernels of an update. */
async function results(choices: KernelChoices) {
  const gpu = await open();
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
    return { score, gradients, kernels: new Set(model.recorder.perKernel.keys()) };
  } finally {
    model.destroy();
  }
}

// A software adapter compiles the kernels of both models for a minute, and for several on a busy machine.
it('a packed model has the same scores and gradients with SwiGLU in its products', {
  tags: 'slow',
  timeout: 1_800_000,
}, async () => {
  const own = await results(blocks);
  const now = await results(fused);
  expect(now.score).toEqual(own.score);
  expect([...now.gradients.keys()]).toEqual([...own.gradients.keys()]);
  for (const [name, { data }] of own.gradients)
    expect(relativeError(now.gradients.get(name)!.data, data), name).toBeLessThan(2e-5);
  expect([...own.kernels]).toEqual(expect.arrayContaining(['swiglu_forward', 'swiglu_backward']));
  expect([...now.kernels].filter((name) => /^(swiglu|matmul_nn|head_dlogits)/.test(name))).toEqual([]);
  // Lanes share the sums of the adapter, the first of which are then in another order.
  const both = await results({ ...fused, matmul_nt_narrow: 'lanes' });
  for (const part of ['logprob', 'entropy'] as const)
    expect(relativeError(both.score[part], own.score[part]), part).toBeLessThan(2e-5);
  for (const [name, { data }] of own.gradients)
    expect(relativeError(both.gradients.get(name)!.data, data), name).toBeLessThan(2e-5);
  const backward = [...both.kernels].filter((name) => /^lora_(up_backward|sum)/.test(name)).sort();
  expect(backward).toEqual([
    'lora_sum_blocks',
    'lora_up_backward_both',
    'lora_up_backward_lanes',
    'lora_up_backward_weight_lanes',
  ]);
});
