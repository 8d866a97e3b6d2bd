// A packed model with an adapter computes the same scores and gradients with SwiGLU and the gradient of the logits inside the
// packed products as with kernels of their own, and with both backward products of its adapter in one kernel, in its planned
// memory. fused-swiglu.test.ts counts the calls.
import { expect, it } from 'vitest';
import { defaultChoices, type KernelChoices } from '../../src/policy/engine/kernel-choices.ts';
import { useGpu } from '../device/open.ts';
import { adaptedResults, smallConfig } from './adapted-results.ts';
import { relativeError } from './relative-error.ts';

const open = useGpu();

/** Gate and up take the large tile, which alone has both, from 65 rows on. */
const config = smallConfig(2060, 12, 4100);
/** Two tiles of the vocabulary, and two chunks of tokens: workgroups enough for both backward products in one kernel. */
const T = 259;
const blocks: KernelChoices = {
  ...defaultChoices,
  ...{ quant_nt_many: 'blocks', quant_nn_many: 'blocks', lora_up_many: 'fused' },
};
const fused: KernelChoices = { ...blocks, swiglu_many: 'fused', input_gradient_many: 'fused' };

const results = async (choices: KernelChoices) => adaptedResults(await open(), config, T, choices);

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
  expect(own.kernels).toEqual(expect.arrayContaining(['swiglu_forward', 'swiglu_backward']));
  expect(now.kernels.filter((name) => /^(swiglu|matmul_nn|head_dlogits)/.test(name))).toEqual([]);
  // Lanes share the sums of the adapter, the first of which are then in another order.
  const both = await results({ ...fused, matmul_nt_narrow: 'lanes' });
  for (const part of ['logprob', 'entropy'] as const)
    expect(relativeError(both.score[part], own.score[part]), part).toBeLessThan(2e-5);
  for (const [name, { data }] of own.gradients)
    expect(relativeError(both.gradients.get(name)!.data, data), name).toBeLessThan(2e-5);
  const backward = both.kernels.filter((name) => /^lora_(up_backward|sum)/.test(name)).sort();
  expect(backward).toEqual([
    'lora_sum_blocks',
    'lora_up_backward_both',
    'lora_up_backward_lanes',
    'lora_up_backward_weight_lanes',
  ]);
});
