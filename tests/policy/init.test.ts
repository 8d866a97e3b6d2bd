// Initial weights of a policy: standard deviations, and attention that copies.
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { initTiny, initWeights } from '../../src/policy/weights/init.ts';
import { referenceForwardBackward } from './reference.ts';

const json = {
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
};
const config = parseConfig(json);
const [C, H, KV, D] = [24, 6, 3, 4];
const data = (tensors: ReturnType<typeof initWeights>, name: string) => tensors.get(name)!.data as Float32Array;
const stdOf = (values: Float32Array) =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);

describe('the initial weights', () => {
  it('have the requested standard deviation, separate for the embedding', () => {
    const tensors = initWeights(config, { seed: 1, std: 0.05, embeddingStd: 0.2 });
    expect(stdOf(data(tensors, 'model.embed_tokens.weight'))).toBeCloseTo(0.2, 2);
    expect(stdOf(data(tensors, 'model.layers.0.mlp.gate_proj.weight'))).toBeCloseTo(0.05, 2);
    expect(stdOf(data(tensors, 'model.layers.0.mlp.down_proj.weight'))).toBeCloseTo(0.025, 2);
  });

  it('copy if all heads attend to one place: W_O W_V is the scale times a projection', () => {
    const scale = 0.5;
    const tensors = initWeights(config, { seed: 1, std: 0.05, copyScale: scale });
    const value = data(tensors, 'model.layers.1.self_attn.v_proj.weight');
    const output = data(tensors, 'model.layers.1.self_attn.o_proj.weight');
    // Output of the layer when every head attends to a token with normed state x.
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
    // Part of the space is copied (KV D of C dimensions), and applying a projection twice changes nothing.
    expect(Math.hypot(...once)).toBeGreaterThan(0.2 * scale * Math.hypot(...x));
    expect(Math.hypot(...once)).toBeLessThan(scale * Math.hypot(...x));
    added(once.map((value) => value / scale)).forEach((value, i) => {
      expect(value).toBeCloseTo(once[i], 5);
    });
    // Each layer copies along its own directions.
    expect(value).not.toEqual(data(tensors, 'model.layers.0.self_attn.v_proj.weight'));
  });

  it('subtract the same copy for a scale below 0', () => {
    const outputOf = (copyScale: number) =>
      data(initWeights(config, { seed: 1, std: 0.05, copyScale }), 'model.layers.1.self_attn.o_proj.weight');
    const [copied, avoided] = [outputOf(0.5), outputOf(-0.5)];
    expect(stdOf(copied)).toBeGreaterThan(0.05);
    expect([...avoided]).toEqual(Array.from(copied, (value) => -value));
  });

  it('start over if there are more value rows than dimensions, and change nothing else', () => {
    const wide = { ...config, numKvHeads: 6, headDim: 8 };
    const plain = initWeights(wide, { seed: 2, std: 0.05 });
    const copying = initWeights(wide, { seed: 2, std: 0.05, copyScale: 1 });
    expect(data(copying, 'model.layers.0.self_attn.v_proj.weight').every(Number.isFinite)).toBe(true);
    for (const [name, { data: values }] of plain)
      if (!/[vo]_proj/.test(name)) expect([name, copying.get(name)!.data]).toEqual([name, values]);
  });

  it('attend to earlier tokens by distance alone, head h most at a distance of h + 1', () => {
    const qwen2 = parseConfig({ ...json, model_type: 'qwen2', head_dim: 8 });
    const tensors = initWeights(qwen2, { seed: 3, std: 0.05, copyScale: 0.5, previousTokenHeads: 3 });
    const queries = data(tensors, 'model.layers.0.self_attn.q_proj.bias');
    const keys = data(tensors, 'model.layers.0.self_attn.k_proj.bias');
    // The rotation of transformers' apply_rotary_pos_emb, pairs (i, i + D/2), in complex numbers.
    const score = (head: number, distance: number) => {
      let sum = 0;
      for (let i = 0; i < 4; i++) {
        const angle = (position: number) => position * 10_000 ** ((-2 * i) / 8);
        const [q, k] = [queries.subarray(head * 8), keys.subarray(Math.floor(head / 2) * 8)];
        const turn = angle(distance);
        const real = q[i] * Math.cos(turn) - q[i + 4] * Math.sin(turn);
        const imaginary = q[i] * Math.sin(turn) + q[i + 4] * Math.cos(turn);
        sum += real * k[i] + imaginary * k[i + 4];
      }
      return sum / Math.sqrt(8);
    };
    for (const head of [0, 1, 2]) {
      const at = Array.from({ length: 200 }, (_, distance) => score(head, distance));
      const peak = at[head + 1];
      expect(at.indexOf(Math.max(...at))).toBe(head + 1);
      expect(peak - at[head]).toBeCloseTo(6, 4);
      expect(peak - at[head + 2]).toBeCloseTo(6, 4);
    }
    // The other heads, and later layers, prefer no distance.
    expect(queries.subarray(3 * 8).every((value) => value === 0)).toBe(true);
    expect(data(tensors, 'model.layers.1.self_attn.k_proj.bias').every((value) => value === 0)).toBe(true);
    // The heads copy along separate directions: the columns are orthogonal and have the length of the scale.
    const outputs = data(tensors, 'model.layers.0.self_attn.o_proj.weight');
    const column = (index: number) => Array.from({ length: C }, (_, c) => outputs[c * H * 8 + index]);
    const dot = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);
    expect(dot(column(0), column(0))).toBeCloseTo(0.25, 6);
    expect(dot(column(0), column(8 + 3))).toBeCloseTo(0, 6);
    expect(dot(column(7), column(2 * 8))).toBeCloseTo(0, 6);
  });

  it('need biases to look back', () => {
    expect(() => initWeights(config, { seed: 1, std: 0.05, previousTokenHeads: 1 })).toThrow(
      /need query and key biases/,
    );
  });

  describe('with induction heads', () => {
    const wide = parseConfig({
      ...json,
      model_type: 'qwen2',
      vocab_size: 200,
      hidden_size: 192,
      num_attention_heads: 6,
      num_key_value_heads: 6,
      head_dim: 32,
      rope_theta: 1_000_000,
    });
    const start = { seed: 5, std: 0.05, embeddingStd: 0.25, copyScale: 0.5, previousTokenHeads: 4 };
    const logitsOf = (inductionHeads: number, tokens: number[]) => {
      const tensors = initWeights(wide, { ...start, inductionHeads });
      const batch = {
        tokens: Int32Array.from(tokens),
        segments: [{ start: 0, end: tokens.length, parent: -1 }],
        scored: Int32Array.of(tokens.length - 1),
        allowed: null,
      };
      return referenceForwardBackward(wide, tensors, batch, null, null).logits;
    };
    /** The most likely of these tokens after place t. */
    const likeliest = (logits: Float64Array, t: number, among: number[]) =>
      among.reduce((best, token) => (logits[t * 200 + token] > logits[t * 200 + best] ? token : best));
    it('a sequence that was read once is continued', () => {
      const read = Array.from({ length: 60 }, (_, i) => 1 + ((i * 83) % 199));
      const rightly = (inductionHeads: number) => {
        const logits = logitsOf(inductionHeads, [...read, ...read]);
        return Array.from({ length: 50 }, (_, i) => i + 4).filter((i) => {
          // With a tied embedding the most likely token is the current token itself, so it is left out.
          const others = read.filter((token) => token !== read[i]);
          return likeliest(logits, 60 + i, others) === read[i + 1];
        }).length;
      };
      expect(rightly(4)).toBeGreaterThanOrEqual(40);
      expect(rightly(0)).toBeLessThanOrEqual(5);
    });

    it('the heads that they read from are required', () => {
      for (const change of [{ previousTokenHeads: 1 }, { copyScale: 0 }])
        expect(() => initWeights(wide, { ...start, ...change, inductionHeads: 2 })).toThrow(/2 induction heads need/);
      const shared = { ...wide, numKvHeads: 2 };
      expect(() => initWeights(shared, { ...start, inductionHeads: 1 })).toThrow(/induction heads need/);
    });
  });

  it('spell words: those that share letters at places start near each other', () => {
    const wide = { ...config, hiddenSize: 2000 };
    const tokens = Array.from({ length: 300 }, (_, id) => ['crane', 'crate', 'enarc', 'a', '##b', 'at3'][id] ?? '');
    const table = (spelledTokens?: string[]) =>
      data(initWeights(wide, { seed: 1, std: 0.05, embeddingStd: 0.2, spelledTokens }), 'model.embed_tokens.weight');
    const [spelled, plain] = [table(tokens), table()];
    const row = (values: Float32Array, id: number) => values.subarray(id * 2000, (id + 1) * 2000);
    const cosine = (a: Float32Array, b: Float32Array) =>
      a.reduce((sum, x, c) => sum + x * b[c], 0) / (stdOf(a) * stdOf(b) * a.length);
    const rows = [0, 1, 2].map((id) => row(spelled, id));
    for (const each of rows) expect(stdOf(each)).toBeCloseTo(0.2, 1);
    // Four of five letters are the same at their places, then one; the standard error is 0.02.
    expect(cosine(rows[0], rows[1])).toBeCloseTo(0.8, 1);
    expect(Math.abs(cosine(rows[0], rows[2]) - 0.2)).toBeLessThan(0.1);
    for (const id of [3, 4, 5, 6, 299]) expect(row(spelled, id)).toEqual(row(plain, id));
  });

  it('are the same as before if an experiment does not set them', () => {
    expect(initTiny(config, { initStd: 0.05, embeddingStd: null, copyScale: 0 }, 7, [])).toEqual(
      initWeights(config, { seed: 7, std: 0.05 }),
    );
  });
});
