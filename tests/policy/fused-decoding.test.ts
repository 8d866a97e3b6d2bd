// Few rows of a packed model with an adapter: the same scores and gradients with SwiGLU inside the lane form of its product and
// the norms beside the adapter's first products as with kernels of their own, in its planned memory.
import { expect, it } from 'vitest';
import { defaultChoices, type KernelChoices } from '../../src/policy/engine/kernel-choices.ts';
import { useGpu } from '../device/open.ts';
import { adaptedResults, smallConfig } from './adapted-results.ts';
import { relativeError } from './relative-error.ts';

const open = useGpu();

/** The hidden size is the least whose first products lanes share. */
const config = smallConfig(19, 512, 68);
const few: KernelChoices = { ...defaultChoices, quant_nt_few: 'lanes', lora_up_few: 'fused' };

const results = async (choices: Partial<KernelChoices>) =>
  adaptedResults(await open(), config, 9, { ...few, ...choices });

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
