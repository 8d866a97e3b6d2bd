// Adapters in PEFT's layout: reading, writing, and refusals by name.
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { AdapterError, loadAdapter, parseAdapterConfig, saveAdapter } from '../../src/policy/formats/peft.ts';
import { readSafetensors, writeSafetensors } from '../../src/policy/formats/safetensors.ts';
import { initAdapter, type LoraConfig, projections } from '../../src/policy/weights/adapter.ts';

const model = parseConfig({
  model_type: 'qwen2',
  vocab_size: 19,
  hidden_size: 12,
  intermediate_size: 20,
  num_hidden_layers: 2,
  num_attention_heads: 3,
  num_key_value_heads: 1,
  head_dim: 4,
  tie_word_embeddings: true,
});
const lora: LoraConfig = { rank: 3, alpha: 6, targets: ['q_proj', 'up_proj', 'down_proj'] };
const tensors = initAdapter(model, lora, 7);
const written = (change: object = {}) => {
  const files = saveAdapter(model, { lora, tensors }, { name: 'owner/model' });
  const json = { ...JSON.parse(files['adapter_config.json']), ...change };
  return { config: JSON.stringify(json), tensors: files['adapter_model.safetensors'] };
};

it('reads back what it writes, under the names and shapes of PEFT', () => {
  expect(loadAdapter(model, written())).toEqual({ lora, tensors });
  const found = readSafetensors(written().tensors);
  expect(found.size).toBe(2 * 2 * 3);
  const shape = (name: string) => found.get(`base_model.model.model.layers.1.${name}.weight`)!.shape;
  expect(shape('self_attn.q_proj.lora_A')).toEqual([3, 12]);
  expect(shape('self_attn.q_proj.lora_B')).toEqual([12, 3]);
  expect(shape('mlp.down_proj.lora_A')).toEqual([3, 20]);
  expect(shape('mlp.up_proj.lora_B')).toEqual([20, 3]);
  expect(JSON.parse(written().config)).toMatchObject({
    peft_type: 'LORA',
    r: 3,
    lora_alpha: 6,
    target_modules: ['q_proj', 'up_proj', 'down_proj'],
    base_model_name_or_path: 'owner/model',
  });
});

it('supports all-linear and the scale of rsLoRA', () => {
  expect(parseAdapterConfig(written({ target_modules: 'all-linear' }).config).targets).toEqual(projections);
  expect(parseAdapterConfig(written({ use_rslora: true }).config).rankStabilized).toBe(true);
});

describe('refuses by name', () => {
  it.each([
    [{ use_dora: true }, /use_dora/],
    [{ bias: 'all' }, /bias "all"/],
    [{ modules_to_save: ['lm_head'] }, /modules_to_save/],
    [{ rank_pattern: { q_proj: 8 } }, /rank_pattern/],
    [{ alpha_pattern: { q_proj: 8 } }, /alpha_pattern/],
    [{ layers_to_transform: [0] }, /layers_to_transform/],
    [{ peft_type: 'IA3' }, /peft_type IA3/],
    [{ init_lora_weights: 'pissa_niter_4' }, /init_lora_weights "pissa_niter_4"/],
    [{ target_modules: ['q_proj', 'lm_head'] }, /lm_head, which cannot be adapted/],
    [{ target_modules: 'q_proj|v_proj' }, /must be a list of modules/],
    [{ r: 0 }, /r is 0/],
    [{ lora_alpha: 'big' }, /lora_alpha is big/],
  ])('%j', (change, message) => {
    expect(() => parseAdapterConfig(written(change).config)).toThrow(AdapterError);
    expect(() => parseAdapterConfig(written(change).config)).toThrow(message);
  });

  it('every unsupported field, at once', () => {
    expect(() => parseAdapterConfig(written({ use_dora: true, bias: 'lora_only' }).config)).toThrow(/use_dora.*bias/);
  });

  it('matrices that are missing, of another shape, or of another model', () => {
    const [first] = tensors.keys();
    const without = new Map([...tensors].filter(([name]) => name !== first));
    const { config } = written();
    expect(() => loadAdapter(model, { config, tensors: writeSafetensors(without) })).toThrow(
      `missing: ${first} [3,12]`,
    );
    const wide = parseConfig({
      ...JSON.parse('{"model_type":"llama"}'),
      vocab_size: 19,
      hidden_size: 16,
      intermediate_size: 20,
      num_hidden_layers: 2,
      num_attention_heads: 3,
      num_key_value_heads: 1,
      head_dim: 4,
    });
    expect(() => loadAdapter(wide, written())).toThrow(/is \[3,12\], expected \[3,16\]/);
  });
});
