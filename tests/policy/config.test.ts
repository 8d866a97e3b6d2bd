import { describe, expect, it } from 'vitest';
import {
  ConfigError,
  countParameters,
  parameterShapes,
  parseConfig,
  ropeInverseFrequencies,
  writeConfig,
} from '../../src/policy/config.ts';

const qwen2 = {
  architectures: ['Qwen2ForCausalLM'],
  model_type: 'qwen2',
  vocab_size: 151936,
  hidden_size: 896,
  intermediate_size: 4864,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  rope_theta: 1000000.0,
  rms_norm_eps: 1e-6,
  max_position_embeddings: 32768,
  max_window_layers: 21,
  sliding_window: 32768,
  use_sliding_window: false,
  hidden_act: 'silu',
  torch_dtype: 'bfloat16',
  bos_token_id: 151643,
  eos_token_id: 151645,
  tie_word_embeddings: true,
};

/** The same model as transformers 5 writes it. */
const qwen2v5 = (() => {
  const { rope_theta, torch_dtype, ...rest } = qwen2;
  return { ...rest, dtype: torch_dtype, rope_parameters: { rope_theta, rope_type: 'default' } };
})();

/** As JSON, without undefined fields. */
const asFile = (json: object) => JSON.parse(JSON.stringify(json));

/** A window whose length and first layer are left to transformers' defaults, 4096 tokens and layer 28. */
const window = { use_sliding_window: true, sliding_window: undefined, max_window_layers: undefined };

const llama3 = { rope_type: 'llama3', factor: 8, low_freq_factor: 1, high_freq_factor: 4 };
const originalBeside = { original_max_position_embeddings: 64 };
const thetaInside = { rope_parameters: { rope_theta: 1e6, rope_type: 'default' } };

const llama32 = {
  model_type: 'llama',
  vocab_size: 128256,
  hidden_size: 2048,
  intermediate_size: 8192,
  num_hidden_layers: 16,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  head_dim: 64,
  rms_norm_eps: 1e-5,
  rope_theta: 500000.0,
  rope_scaling: {
    factor: 32.0,
    high_freq_factor: 4.0,
    low_freq_factor: 1.0,
    original_max_position_embeddings: 8192,
    rope_type: 'llama3',
  },
  max_position_embeddings: 131072,
  attention_bias: false,
  mlp_bias: false,
  bos_token_id: 128000,
  eos_token_id: [128001, 128008, 128009],
  tie_word_embeddings: true,
};

describe('parseConfig', () => {
  it('reads both spellings to the same model', () => {
    expect(parseConfig(qwen2v5)).toEqual(parseConfig(qwen2));
    expect(parseConfig(qwen2)).toMatchObject({ headDim: 64, qkvBias: true, qkNorm: false, ropeTheta: 1e6 });
  });

  it('counts the published parameters of Qwen2.5-0.5B and Llama 3.2 1B', () => {
    expect(countParameters(parseConfig(qwen2))).toBe(494_032_768);
    expect(countParameters(parseConfig(llama32))).toBe(1_235_814_400);
  });

  it('reads llama3 scaling and several end tokens', () => {
    const config = parseConfig(llama32);
    expect(config.eosTokens).toEqual([128001, 128008, 128009]);
    expect(config.ropeScaling).toEqual({
      type: 'llama3',
      factor: 32,
      lowFreqFactor: 1,
      highFreqFactor: 4,
      originalMaxPosition: 8192,
    });
  });

  it.each([
    { rope_scaling: { type: 'linear', factor: 4 } },
    { rope_scaling: { rope_type: 'linear', factor: 4 } },
    { rope_parameters: { rope_type: 'linear', factor: 4, rope_theta: 1e6 } },
  ])('reads linear scaling as %o and writes it again', (scaling) => {
    const config = parseConfig({ ...qwen2, ...scaling });
    expect(config.ropeScaling).toEqual({ type: 'linear', factor: 4 });
    expect(parseConfig(JSON.parse(writeConfig(config)))).toEqual(config);
  });

  it("defaults Qwen3's heads to 128", () => {
    expect(parseConfig({ ...qwen2, model_type: 'qwen3' })).toMatchObject({
      headDim: 128,
      qkNorm: true,
      qkvBias: false,
    });
  });

  it.each([
    ['model_type', { model_type: 'gemma2' }],
    ['model_type', { model_type: undefined }],
    ['hidden_act', { hidden_act: 'gelu' }],
    ['num_hidden_layers', { num_hidden_layers: 1_000_000 }],
    ['mlp_bias', { model_type: 'llama', mlp_bias: true }],
    ['attention_bias', { model_type: 'llama', attention_bias: true }],
    ['attention_bias', { model_type: 'qwen3', attention_bias: 1 }],
    ['rope_interleaved', { rope_interleaved: true }],
    ['is_causal', { is_causal: false }],
    ['partial_rotary_factor', { partial_rotary_factor: 0.5 }],
    ['rope_scaling.type', { rope_scaling: { type: 'dynamic', factor: 2 } }],
    ['rope_scaling.rope_type', { rope_scaling: { rope_type: 'yarn', factor: 4 } }],
    ['rope_parameters.rope_type', { rope_parameters: { rope_type: 'longrope', factor: 4 } }],
    ['rope_scaling.rope_type', { rope_scaling: { rope_type: null, type: 'linear', factor: 4 } }],
    ['rope_scaling', { rope_scaling: 'linear' }],
    ['rope_scaling.factor', { rope_scaling: { factor: 4 } }],
    ['rope_scaling.factor', { rope_scaling: { type: 'linear', factor: '4' } }],
    ['rope_scaling.rope_theta', { rope_scaling: { rope_theta: '1000000' } }],
    ['rope_theta', { rope_theta: null }],
    ['rope_scaling.high_freq_factor', { rope_scaling: { ...llama32.rope_scaling, high_freq_factor: 1 } }],
    ['rope_parameters.full_attention', { rope_parameters: { full_attention: { rope_theta: 1e4 } } }],
    ['rope_scaling.factor', { rope_scaling: { ...llama32.rope_scaling, factor: undefined } }],
    ['use_sliding_window', { use_sliding_window: true, sliding_window: 4096 }],
    ['use_sliding_window', { use_sliding_window: true, sliding_window: 4096, max_window_layers: null }],
    ['use_sliding_window', { num_hidden_layers: 36, ...window }],
    ['layer_types', { layer_types: Array(24).fill('sliding_attention') }],
    ['layer_types', { ...window, sliding_window: 4096, layer_types: Array(24).fill('sliding_attention') }],
    ['layer_types', { layer_types: [] }],
    ['num_experts', { num_experts: 8 }],
    ['logits_scaling', { logits_scaling: 8 }],
    ['per_layer_config', { per_layer_config: { 0: {} } }],
    ['quantization_config', { quantization_config: { bits: 4 } }],
    ['hidden_size', { hidden_size: 900 }],
    ['hidden_size', { hidden_size: '896' }],
    ['vocab_size', { vocab_size: 0 }],
    ['num_hidden_layers', { num_hidden_layers: 1.5 }],
    ['num_key_value_heads', { num_key_value_heads: 3 }],
    ['head_dim', { head_dim: 7 }],
    ['tie_word_embeddings', { tie_word_embeddings: 'yes' }],
    ['eos_token_id', { eos_token_id: '2' }],
    ['num_key_value_heads', { num_key_value_heads: undefined, num_attention_heads: 28 }],
  ])('refuses %s by name', (field, change) => {
    const attempt = () => parseConfig(asFile({ ...qwen2, ...change }));
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(field);
  });

  it('lists every problem at once, with the value', () => {
    const attempt = () => parseConfig({ ...qwen2, hidden_act: 'gelu', alibi: true });
    expect(attempt).toThrow(/hidden_act is "gelu".*alibi is true/);
  });

  it.each([null, 3, 'x', []])('refuses %j, which is not an object', (json) => {
    expect(() => parseConfig(json)).toThrow(ConfigError);
  });

  it.each([
    ['a window that no layer uses', { use_sliding_window: true, sliding_window: 4096, max_window_layers: 24 }],
    ['a window as long as the context', { use_sliding_window: true, max_window_layers: 0 }],
    ['such a window on listed layers', { use_sliding_window: true, layer_types: Array(24).fill('sliding_attention') }],
    ['older names of layer types', { layer_types: Array(24).fill('attention') }],
    ['a bias that Qwen2 has anyway, and one that its MLP never has', { attention_bias: true, mlp_bias: true }],
    ['a start token that does not exist', { bos_token_id: -1 }],
    ['a start token beyond the vocabulary', { bos_token_id: 151936 }],
    ['end tokens of which some do not exist', { eos_token_id: [151645, -1] }],
    ['causal attention by name', { is_causal: true }],
    ['no experts', { num_experts: 0, num_local_experts: null, n_routed_experts: 0 }],
    ['scales of 1', { logits_scaling: 1, residual_multiplier: 1, attention_multiplier: null }],
    ["silu's other name", { hidden_act: 'swish' }],
    ['fields that are null', { rope_scaling: null, layer_types: null, quantization_config: null, head_dim: null }],
  ])('allows %s', (_, change) => {
    const { bosToken: _start, ...rest } = parseConfig({ ...qwen2, ...change });
    const { bosToken, ...expected } = parseConfig(qwen2);
    expect(bosToken).toBe(151643);
    expect(rest).toEqual(expected);
  });

  // Sums of the inverse frequencies of transformers 5.24: LlamaConfig(**change), then
  // LlamaRotaryEmbedding(config).inv_freq.double().sum(), for hidden_size 64 and 4 heads.
  it.each([
    ['a theta inside rope_scaling', { rope_scaling: { rope_theta: 1e6 } }, 1.2162892054407166],
    ['a theta inside before one beside', { rope_theta: 500, rope_scaling: { rope_theta: 1e6 } }, 1.2162892054407166],
    ['a theta beside', { rope_theta: 1e6, rope_scaling: { type: 'default' } }, 1.2162892054407166],
    ['rope_scaling before rope_parameters', { rope_scaling: { type: 'default' }, ...thetaInside }, 1.462329049478285],
    ['an empty rope_scaling', { rope_scaling: {}, ...thetaInside }, 1.2162892054407166],
    ['linear', { rope_scaling: { type: 'linear', factor: 4 } }, 0.36558226236957125],
    ['rope_type before type', { rope_scaling: { type: 'linear', rope_type: 'default' } }, 1.462329049478285],
    ['llama3 with the context as its original', { rope_scaling: llama3 }, 1.4562789000192424],
    ['llama3 with an original beside', { rope_scaling: llama3, ...originalBeside }, 1.2631895035592606],
  ])('reads %s as transformers', (_, change, sum) => {
    const json = {
      ...llama32,
      rope_theta: undefined,
      rope_scaling: undefined,
      hidden_size: 64,
      num_attention_heads: 4,
    };
    const { rope_theta: _t, rope_scaling: _s, head_dim: _h, max_position_embeddings: _m, ...bare } = json;
    const config = parseConfig({ ...bare, num_key_value_heads: 4, ...change });
    expect(ropeInverseFrequencies(config).reduce((a, b) => a + b)).toBeCloseTo(sum, 6);
  });
});

describe('writeConfig', () => {
  it.each([
    ['qwen2', qwen2],
    ['llama with scaling', llama32],
    ['qwen3', { ...qwen2, model_type: 'qwen3', head_dim: 128, tie_word_embeddings: false }],
  ])('writes what parseConfig reads back: %s', (_, json) => {
    const config = parseConfig(json);
    expect(parseConfig(JSON.parse(writeConfig(config)))).toEqual(config);
  });

  it('refuses switches that no published architecture combines', () => {
    expect(() => writeConfig({ ...parseConfig(qwen2), qkNorm: true })).toThrow(ConfigError);
  });
});

describe('ropeInverseFrequencies', () => {
  it('is theta to the power -2i/d', () => {
    const frequencies = ropeInverseFrequencies(parseConfig(qwen2));
    expect(frequencies.length).toBe(32);
    expect(frequencies[0]).toBe(1);
    expect(frequencies[16]).toBeCloseTo(1e-3, 12);
  });

  it('is divided by a linear factor', () => {
    const scaled = ropeInverseFrequencies(parseConfig({ ...qwen2, rope_scaling: { type: 'linear', factor: 4 } }));
    expect([...scaled]).toEqual([...ropeInverseFrequencies(parseConfig(qwen2))].map((frequency) => frequency / 4));
  });

  it('slows long wavelengths by the factor, keeps short ones, and stays in between', () => {
    const scaled = ropeInverseFrequencies(parseConfig(llama32));
    const plain = ropeInverseFrequencies(parseConfig({ ...llama32, rope_scaling: null }));
    const ratios = plain.map((frequency, i) => frequency / scaled[i]);
    expect(ratios[0]).toBe(1);
    expect(ratios.at(-1)).toBeCloseTo(32, 9);
    ratios.forEach((ratio, i) => {
      expect(ratio).toBeGreaterThanOrEqual(i ? ratios[i - 1] - 1e-12 : 1);
    });
    expect([...ratios].some((ratio) => ratio > 1.01 && ratio < 31)).toBe(true);
  });
});

describe('parameterShapes', () => {
  it('follows the fixed order, with biases, norms and head where they belong', () => {
    const tiny = { ...qwen2, num_hidden_layers: 1, vocab_size: 11, head_dim: 8, tie_word_embeddings: false };
    expect([...parameterShapes(parseConfig(tiny)).keys()].map((name) => name.replace('model.layers.0.', ''))).toEqual([
      'model.embed_tokens.weight',
      'input_layernorm.weight',
      'self_attn.q_proj.weight',
      'self_attn.q_proj.bias',
      'self_attn.k_proj.weight',
      'self_attn.k_proj.bias',
      'self_attn.v_proj.weight',
      'self_attn.v_proj.bias',
      'self_attn.o_proj.weight',
      'post_attention_layernorm.weight',
      'mlp.gate_proj.weight',
      'mlp.up_proj.weight',
      'mlp.down_proj.weight',
      'model.norm.weight',
      'lm_head.weight',
    ]);
  });
});
