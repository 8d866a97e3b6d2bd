// How a policy starts: spreads, and attention that copies.
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { initTiny, initWeights } from '../../src/policy/init.ts';

const config = parseConfig({
  model_type: 'qwen3',
  vocab_size: 300,
  hidden_size: 24,
  intermediate_size: 48,
  num_hidden_layers: 2,
  num_attention_heads: 6,
  num_key_value_heads: 3,
  head_dim: 4,
  rope_theta: 10_000,
  tie_word_embeddings: true,
});
const [C, H, KV, D] = [24, 6, 3, 4];
const data = (tensors: ReturnType<typeof initWeights>, name: string) => tensors.get(name)!.data as Float32Array;
const stdOf = (values: Float32Array) =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);

describe('the first weights', () => {
  it('have the spread that is asked for, the embedding its own', () => {
    const tensors = initWeights(config, { seed: 1, std: 0.05, embeddingStd: 0.2 });
    expect(stdOf(data(tensors, 'model.embed_tokens.weight'))).toBeCloseTo(0.2, 2);
    expect(stdOf(data(tensors, 'model.layers.0.mlp.gate_proj.weight'))).toBeCloseTo(0.05, 2);
    expect(stdOf(data(tensors, 'model.layers.0.mlp.down_proj.weight'))).toBeCloseTo(0.025, 2);
  });

  it('copy where all heads look at one place: W_O W_V is the scale times a projection', () => {
    const scale = 0.5;
    const tensors = initWeights(config, { seed: 1, std: 0.05, copyScale: scale });
    const value = data(tensors, 'model.layers.1.self_attn.v_proj.weight');
    const output = data(tensors, 'model.layers.1.self_attn.o_proj.weight');
    // What the layer adds when every head attends to a token whose normed state is x.
    const added = (x: number[]) =>
      x.map((_, c) => {
        let sum = 0;
        for (let h = 0; h < H; h++)
          for (let d = 0; d < D; d++) {
            const row = Math.floor(h / (H / KV)) * D + d;
            sum += output[c * H * D + h * D + d] * x.reduce((dot, xi, i) => dot + value[row * C + i] * xi, 0);
          }
        return sum;
      });
    const x = Array.from({ length: C }, (_, i) => Math.sin(1 + i));
    const once = added(x);
    // Half the space is copied (KV D of C), not nothing, and a projection done twice is itself.
    expect(Math.hypot(...once)).toBeGreaterThan(0.2 * scale * Math.hypot(...x));
    expect(Math.hypot(...once)).toBeLessThan(scale * Math.hypot(...x));
    added(once.map((value) => value / scale)).forEach((value, i) => {
      expect(value).toBeCloseTo(once[i], 5);
    });
    // Layers copy along their own directions.
    expect(value).not.toEqual(data(tensors, 'model.layers.0.self_attn.v_proj.weight'));
  });

  it('begin anew where there are more value rows than dimensions, and change nothing else', () => {
    const wide = { ...config, numKvHeads: 6, headDim: 8 };
    const plain = initWeights(wide, { seed: 2, std: 0.05 });
    const copying = initWeights(wide, { seed: 2, std: 0.05, copyScale: 1 });
    expect(data(copying, 'model.layers.0.self_attn.v_proj.weight').every(Number.isFinite)).toBe(true);
    for (const [name, { data: values }] of plain)
      if (!/[vo]_proj/.test(name)) expect([name, copying.get(name)!.data]).toEqual([name, values]);
  });

  it('are the ones of before where an experiment says nothing of them', () => {
    expect(initTiny(config, { initStd: 0.05, embeddingStd: null, copyScale: 0 }, 7)).toEqual(
      initWeights(config, { seed: 7, std: 0.05 }),
    );
  });
});
