// Exported models on onnxruntime's WASM backend compared with the engine's double-precision twin: three architectures
// with sizes that no tile divides, with a cache, with padded rows; and models that the exporter refuses.
import { describe, expect, it } from 'vitest';
import { type ModelConfig, parseConfig } from '../../src/policy/config.ts';
import { exportOnnx, OnnxExportError, type OnnxExportOptions } from '../../src/policy/onnx/export.ts';
import { externalFile } from '../../src/policy/onnx/graph.ts';
import { decodeOnnx, onnxType } from '../../src/policy/onnx/proto.ts';
import { onnxRuntime } from '../../src/policy/onnx/runtime.ts';
import { OnnxSession } from '../../src/policy/onnx/session.ts';
import type { TensorMap } from '../../src/policy/policy.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import { dequantizeRows, quantizeRows } from '../../src/policy/weights/quantize.ts';
import { referenceForwardBackward } from './reference.ts';

/**
 * Largest difference of a logit from double precision. Logits here are about 5 at most; f32 sums of some tens of
 * products have errors of a few 1e-6, which two or three layers multiply. Measured: 2e-6 to 8e-6.
 */
const bound = 5e-5;

const base = { vocab_size: 37, num_hidden_layers: 2, num_attention_heads: 4, num_key_value_heads: 2 };
const configs: { [name: string]: ModelConfig } = {
  'qwen2, biases, tied': parseConfig({
    ...base,
    model_type: 'qwen2',
    hidden_size: 20,
    intermediate_size: 28,
    head_dim: 8,
    rope_theta: 1000,
    tie_word_embeddings: true,
  }),
  'qwen3, norms of q and k': parseConfig({
    ...base,
    model_type: 'qwen3',
    hidden_size: 24,
    intermediate_size: 40,
    head_dim: 16,
    rope_theta: 100,
  }),
  'llama, one key head a head, stretched rotation': parseConfig({
    ...base,
    model_type: 'llama',
    hidden_size: 15,
    intermediate_size: 9,
    num_hidden_layers: 3,
    num_attention_heads: 3,
    num_key_value_heads: 3,
    head_dim: 6,
    rope_theta: 500,
    rope_scaling: {
      rope_type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 64,
    },
  }),
};
const grouped = configs['qwen3, norms of q and k'];

/** Random weights; biases and gains are not left at 0 and 1. */
function weightsOf(config: ModelConfig): TensorMap {
  const tensors = initWeights(config, { seed: 5, std: 0.3 });
  for (const [name, { shape, data }] of tensors)
    if (/bias|norm/.test(name)) tensors.set(name, { shape, data: data.map((x, i) => x + 0.2 * Math.sin(i)) });
  return tensors;
}

const idsOf = (config: ModelConfig, count: number, name = 'ids') =>
  Array.from(normals(count, 3, name, 1), (x) => Math.floor(Math.abs(x) * 997) % config.vocabSize);

/** (S, V) */
function expected(config: ModelConfig, tensors: TensorMap, ids: readonly number[]): Float64Array {
  const segments = [{ start: 0, end: ids.length, parent: -1 }];
  const batch = { tokens: Int32Array.from(ids), segments, scored: new Int32Array(0), allowed: null };
  return referenceForwardBackward(config, tensors, batch, null, null).logits;
}

const worst = (got: ArrayLike<number>, wanted: ArrayLike<number>) => {
  expect(got.length).toBe(wanted.length);
  return Array.from(wanted).reduce((most, x, i) => Math.max(most, Math.abs(x - got[i])), 0);
};

describe.each(Object.entries(configs))('%s', (_, config) => {
  const tensors = weightsOf(config);
  const ids = idsOf(config, 13);

  it('has the reference’s logits, whole and behind a cache', async () => {
    const session = await OnnxSession.create(exportOnnx(config, tensors, { operators: 'standard' }), 'wasm');
    const wanted = expected(config, tensors, ids);
    const whole = await session.run(ids, session.empty(), 'all');
    expect(worst(whole.logits, wanted)).toBeLessThan(bound);
    const first = await session.run(ids.slice(0, 5), session.empty(), 'all');
    const second = await session.run(ids.slice(5, 12), first.cache, 'all');
    const third = await session.run(ids.slice(12), second.cache, 'last');
    const pieces = [first, second, third].flatMap(({ logits }) => [...logits]);
    expect(worst(pieces, wanted)).toBeLessThan(bound);
    // Continuing from a cache does not change it.
    const again = await session.run(ids.slice(5, 12), first.cache, 'all');
    expect([...again.logits]).toEqual([...second.logits]);
    await session.destroy();
  });

  it('can keep its weights in a second file', async () => {
    const { model, data } = exportOnnx(config, tensors, { operators: 'standard', external: true });
    const bytes = new Uint8Array(data.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of data) {
      bytes.set(piece, at);
      at += piece.length;
    }
    const session = await OnnxSession.create({ model, external: [{ path: externalFile, data: bytes }] }, 'wasm');
    const { logits } = await session.run(ids, session.empty(), 'all');
    expect(worst(logits, expected(config, tensors, ids))).toBeLessThan(bound);
    await session.destroy();
  });
});

it('has the layout of the Hub’s exports', () => {
  const { graph, opsetImport } = decodeOnnx(exportOnnx(grouped, weightsOf(grouped), { operators: 'standard' }).model);
  const past = [0, 1].flatMap((n) => [`past_key_values.${n}.key`, `past_key_values.${n}.value`]);
  expect(graph.input.map(({ name }) => name)).toEqual(['input_ids', 'attention_mask', 'position_ids', ...past]);
  const present = [0, 1].flatMap((n) => [`present.${n}.key`, `present.${n}.value`]);
  expect(graph.output.map(({ name }) => name)).toEqual(['logits', ...present]);
  const { elemType, shape } = graph.input[3].type.tensorType;
  expect(elemType).toBe(onnxType.float32);
  expect(shape.dim.map(({ dimValue, dimParam }) => dimValue || dimParam)).toEqual([
    'batch_size',
    2,
    'past_sequence_length',
    16,
  ]);
  expect(opsetImport).toContainEqual({ domain: '', version: 18 });
  expect(graph.node.every(({ domain }) => domain === '')).toBe(true);
});

/** Runs two rows of 9 and 6 tokens together, the shorter one padded. */
async function paddedRows(options: OnnxExportOptions, side: 'left' | 'right') {
  const tensors = weightsOf(grouped);
  const rows = [idsOf(grouped, 9, 'a'), idsOf(grouped, 6, 'b')];
  const ort = await onnxRuntime('wasm');
  const session = await ort.InferenceSession.create(exportOnnx(grouped, tensors, options).model);
  const pad = side === 'left' ? 3 : 0;
  const integers = (first: (i: number) => number, second: (i: number) => number) => {
    const row = (f: (i: number) => number, from: number, length: number) =>
      Array.from({ length: 9 }, (_, i) => (i >= from && i < from + length ? f(i - from) : 0));
    const values = [...row(first, 0, 9), ...row(second, pad, 6)].map(BigInt);
    return new ort.Tensor('int64', BigInt64Array.from(values), [2, 9]);
  };
  const past = session.inputNames.filter((name) => name.startsWith('past'));
  const empty = () => new ort.Tensor('float32', new Float32Array(0), [2, grouped.numKvHeads, 0, grouped.headDim]);
  const { logits } = await session.run({
    input_ids: integers(
      (i) => rows[0][i],
      (i) => rows[1][i],
    ),
    attention_mask: integers(
      () => 1,
      () => 1,
    ),
    position_ids: integers(
      (i) => i,
      (i) => i,
    ),
    ...Object.fromEntries(past.map((name) => [name, empty()])),
  });
  const all = logits.data as Float32Array;
  const V = grouped.vocabSize;
  await session.release();
  return [
    worst(all.subarray(0, 9 * V), expected(grouped, tensors, rows[0])),
    worst(all.subarray((9 + pad) * V, (15 + pad) * V), expected(grouped, tensors, rows[1])),
  ];
}

describe('rows of several lengths', () => {
  it('are distinguished by the mask, padded left or right', async () => {
    for (const side of ['left', 'right'] as const)
      for (const difference of await paddedRows({ operators: 'standard' }, side))
        expect(difference).toBeLessThan(bound);
  });

  it('are distinguished by their length with fused operators, padded right', async () => {
    for (const difference of await paddedRows({ operators: 'contrib' }, 'right'))
      expect(difference).toBeLessThan(bound);
  });
});

it('has the reference’s logits with fused operators, behind a cache', async () => {
  const tensors = weightsOf(grouped);
  const ids = idsOf(grouped, 11);
  const { model } = exportOnnx(grouped, tensors, { operators: 'contrib', maxPositions: 16 });
  expect(decodeOnnx(model).graph.node.filter(({ opType }) => opType === 'GroupQueryAttention')).toHaveLength(2);
  const session = await OnnxSession.create({ model }, 'wasm');
  const wanted = expected(grouped, tensors, ids);
  const first = await session.run(ids.slice(0, 8), session.empty(), 'all');
  const second = await session.run(ids.slice(8, 10), first.cache, 'all');
  const third = await session.run(ids.slice(10), second.cache, 'all');
  expect(worst([...first.logits, ...second.logits, ...third.logits], wanted)).toBeLessThan(bound);
  await session.destroy();
});

it.each(['int8', 'int4'] as const)('%s weights are those that quantize.ts packs', async (weights) => {
  const tensors = weightsOf(grouped);
  const ids = idsOf(grouped, 11);
  const unpacked: TensorMap = new Map();
  for (const [name, { shape, data }] of tensors) {
    const bits = shape.length < 2 ? null : weights === 'int4' && name.includes('_proj') ? 4 : 8;
    unpacked.set(name, { shape, data: bits ? dequantizeRows(quantizeRows(bits, data, shape[1])) : data });
  }
  const session = await OnnxSession.create(exportOnnx(grouped, tensors, { operators: 'contrib', weights }), 'wasm');
  const { logits } = await session.run(ids, session.empty(), 'all');
  await session.destroy();
  expect(worst(logits, expected(grouped, unpacked, ids))).toBeLessThan(bound);
  // The rounding is visible: the logits are not those of the original weights.
  expect(worst(logits, expected(grouped, tensors, ids))).toBeGreaterThan(10 * bound);
});

describe('the export is refused for', () => {
  const small = configs['qwen2, biases, tied'];

  it('a head size that the fused attention cannot take', () => {
    expect(() => exportOnnx(small, weightsOf(small), { operators: 'contrib' })).toThrow(
      /head_dim is 8: .* multiple of 16.*standard operators/,
    );
  });

  it('packed weights without the operators for them', () => {
    expect(() => exportOnnx(small, weightsOf(small), { operators: 'standard', weights: 'int4' })).toThrow(
      /MatMulNBits/,
    );
  });

  it('weights that lack a tensor', () => {
    const tensors = weightsOf(small);
    tensors.delete('model.layers.1.mlp.up_proj.weight');
    expect(() => exportOnnx(small, tensors, { operators: 'standard' })).toThrow(OnnxExportError);
  });

  it('a file that is not a model', async () => {
    await expect(OnnxSession.create({ model: new Uint8Array([1, 2, 3]) }, 'wasm')).rejects.toThrow(
      /refuses this model/,
    );
  });
});
