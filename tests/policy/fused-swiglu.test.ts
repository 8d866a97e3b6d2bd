// The calls of an update with SwiGLU, and the gradient of the logits, in the packed products around them. The products
// themselves are compared with double precision in quantized-kernels.test.ts.
import { describe, expect, it } from 'vitest';
import { type ModelConfig, parseConfig } from '../../src/policy/config.ts';
import { defaultChoices, type KernelChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { initAdapter, type Projection, projections } from '../../src/policy/weights/adapter.ts';
import { vocabularyTile } from '../../src/policy/weights/parameters.ts';
import { zeros } from '../../tools/isa/forms.ts';
import { RecordingDevice } from '../../tools/isa/recording-device.ts';
import { update } from '../../tools/model-steps.ts';

/** Gate and up take the large tile, which has both, from 65 rows on. */
const configOf = (vocab_size: number) =>
  parseConfig({
    ...{ model_type: 'llama', vocab_size, hidden_size: 12, intermediate_size: 4100, num_hidden_layers: 2 },
    ...{ num_attention_heads: 3, num_key_value_heads: 1, head_dim: 4, rope_theta: 100, tie_word_embeddings: true },
  });
const T = 67;
const capacity = { rows: 1, groups: 1, promptTokens: 4, completionTokens: 4, batchTokens: T, batchScored: T };
const blocks: KernelChoices = {
  ...defaultChoices,
  ...{ quant_nt_many: 'blocks', quant_nn_many: 'blocks', lora_up_many: 'fused' },
};
const fused: KernelChoices = { ...blocks, swiglu_many: 'fused', input_gradient_many: 'fused' };

/** Calls of an update by kernel, on a device that only records. */
async function calls(
  choices: KernelChoices,
  {
    rank = 8,
    targets = projections,
    config = configOf(19),
  }: { rank?: number; targets?: readonly Projection[]; config?: ModelConfig },
) {
  const device = new RecordingDevice();
  const lora = { rank, alpha: 8, targets };
  const adapter = { lora, tensors: initAdapter(config, lora, 3) };
  const options = { capacity: { ...capacity, batchTokens: 256, batchScored: 256 }, adapter, reference: false } as const;
  const weights = zeros(config, 'int4');
  const model = await Model.create(device, config, {
    ...{ ...options, weights, precision: 'int4', trainable: true, choices },
  });
  device.calls = [];
  await update(model, 256);
  const count = (kernel: RegExp) => device.calls.filter(({ form }) => kernel.test(form.name)).length;
  const kernels = [/^swiglu_forward/, /^swiglu_backward/, /^matmul_nn/, /^head_dlogits/];
  const [forward, backward, adapters, logits] = kernels.map(count);
  model.destroy();
  return { forward, backward, adapters, logits };
}

describe('the calls of an update of two layers', () => {
  it.each([
    // Four operands of a layer have an adapter, or two, and down has none.
    ['an adapter of all projections', 8, projections, 8, 0, 0, 0],
    ['an adapter of q and output', 4, ['q_proj', 'o_proj'], 4, 0, 0, 0],
    // An adapter that the products cannot add keeps what follows it apart, too.
    ['a rank that four does not divide', 3, projections, 8, 2, 2, 8],
    ['such a rank on output alone', 3, ['o_proj'], 2, 0, 0, 2],
  ] as const)('%s: those that the products take over are missing', async (_, rank, targets, adapted, ...left) => {
    const each = { rank, targets };
    expect(await calls(blocks, each)).toEqual({ forward: 2, backward: 2, adapters: adapted, logits: 1 });
    const [forward, backward, adapters] = left;
    expect(await calls(fused, each)).toEqual({ forward, backward, adapters, logits: 1 });
  });

  it('the gradient of logits that are computed again is that of their product', async () => {
    // Three tiles of the vocabulary, the last of four rows.
    const config = configOf(2 * vocabularyTile + 4);
    expect((await calls(blocks, { config })).logits).toBe(3);
    expect((await calls(fused, { config })).logits).toBe(0);
    expect((await calls({ ...fused, quant_nt_many: 'tiled' }, { config })).logits).toBe(3);
  });
});
