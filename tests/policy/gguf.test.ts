import { describe, expect, it } from 'vitest';
import { configOf, type Family, findModel } from '../../src/policy/catalogue.ts';
import { type ModelConfig, parameterShapes, ropeInverseFrequencies } from '../../src/policy/config.ts';
import { decodeBlocks, type GgufModel, readGguf } from '../../src/policy/formats/gguf.ts';
import { ggufTokenizer } from '../../src/policy/formats/gguf-tokenizer.ts';
import { narrowF16, widenF16 } from '../../src/policy/formats/safetensors.ts';
import { syntheticTokenizer } from '../../src/policy/text/synthetic-tokenizer.ts';
import { Tokenizer, type TokenizerJson } from '../../src/policy/text/tokenizer.ts';
import { normals } from '../../src/policy/weights/init.ts';
import { dequantizeRows, fromHalf, quantizeRows } from '../../src/policy/weights/quantize.ts';
import { toGguf } from '../../src/policy/weights/quantize-formats.ts';
import { rowSlices } from '../../src/policy/weights/stored-tensor.ts';
import { f16Bytes, f32Bytes, type GgufTensor, ggml, permute, writeGguf } from './gguf-writer.ts';
import { ggufName, metadataOf } from './small-gguf.ts';

const small = {
  hiddenSize: 64,
  intermediateSize: 96,
  numLayers: 2,
  numHeads: 4,
  numKvHeads: 2,
  headDim: 16,
  vocabSize: 600,
};

type Pack = (values: Float32Array, columns: number) => { type: number; bytes: Uint8Array };
const packs: { [type: string]: Pack } = {
  F32: (values) => ({ type: ggml.F32, bytes: f32Bytes(values) }),
  F16: (values) => ({ type: ggml.F16, bytes: f16Bytes(values) }),
  Q8_0: (values, columns) => ({ type: ggml.Q8_0, bytes: toGguf(quantizeRows(8, values, columns)) }),
  Q4_0: (values, columns) => ({ type: ggml.Q4_0, bytes: toGguf(quantizeRows(4, values, columns)) }),
};
const through: { [type: string]: (values: Float32Array, columns: number) => Float32Array } = {
  F32: (values) => values,
  F16: (values) => widenF16(narrowF16(values)),
  Q8_0: (values, columns) => dequantizeRows(quantizeRows(8, values, columns)),
  Q4_0: (values, columns) => dequantizeRows(quantizeRows(4, values, columns)),
};

const valuesOf = (name: string, shape: readonly number[]) =>
  normals(
    shape.reduce((a, b) => a * b, 1),
    5,
    name,
    0.1,
  );

function fileOf(family: Family, config: ModelConfig, type: string, extra: readonly GgufTensor[] = []) {
  const tensors = [...parameterShapes(config)].map(([name, shape]): GgufTensor => {
    const values = valuesOf(name, shape);
    const columns = shape.at(-1)!;
    const heads = /q_proj\.w/.test(name) ? config.numHeads : /k_proj\.w/.test(name) ? config.numKvHeads : 0;
    const ordered = config.modelType === 'llama' && heads ? permute(values, heads, columns) : values;
    return { name: ggufName(name), shape, ...(shape.length > 1 ? packs[type] : packs.F32)(ordered, columns) };
  });
  return writeGguf(metadataOf(family, config), [...tensors, ...extra]);
}

const read = (file: Uint8Array) => readGguf(async (start, end) => file.slice(start, end), file.length);

function joined(parts: readonly Float32Array[]) {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function valuesIn(file: Uint8Array, model: GgufModel) {
  return new Map(
    model.tensors.map((tensor) => {
      const rowBytes = (tensor.end - tensor.start) / tensor.rows;
      // In slices of a few rows, as from a stream.
      const parts = rowSlices(tensor, 5000).map(({ row, rows }) =>
        tensor.decode(file.slice(tensor.start + row * rowBytes, tensor.start + (row + rows) * rowBytes)),
      );
      return [tensor.name, joined(parts)];
    }),
  );
}

/** Index of the first difference between two arrays, or -1. Much faster than `toEqual`. */
const difference = (a: Float32Array | undefined, b: Float32Array) =>
  a?.length === b.length
    ? b.findIndex((value, i) => !Object.is(value, a[i]))
    : `${a?.length} values instead of ${b.length}`;

const families: [Family, string][] = [
  ['qwen2.5', 'qwen2.5-0.5b'],
  ['qwen3', 'qwen3-0.6b'],
  ['smollm2', 'smollm2-135m'],
];

describe.each(families)('a GGUF file of %s', (family, id) => {
  const config = { ...configOf(findModel(id)), ...small };

  it.each(Object.keys(packs))('in %s has the written values', async (type) => {
    const file = fileOf(family, config, type);
    const model = await read(file);
    const found = valuesIn(file, model);
    for (const [name, shape] of parameterShapes(config)) {
      const values = valuesOf(name, shape);
      const expected = shape.length > 1 ? through[type](values, shape.at(-1)!) : values;
      expect(difference(found.get(name), expected), name).toBe(-1);
    }
    expect(found.size).toBe(parameterShapes(config).size);
  });

  it('has the config and the tokenizer', async () => {
    const { config: found, metadata } = await read(fileOf(family, config, 'Q8_0'));
    expect({ ...found, ropeTheta: 0, rmsNormEps: 0 }).toEqual({
      ...config,
      ...tokensOf(family),
      ropeTheta: 0,
      rmsNormEps: 0,
    });
    expect(found.ropeTheta).toBe(config.ropeTheta + 0.5);
    expect(found.rmsNormEps).toBeCloseTo(config.rmsNormEps, 10);
    const original = syntheticTokenizer(family, config.vocabSize);
    const made = ggufTokenizer(metadata);
    expect(made.config.chat_template).toBe(original.config.chat_template);
    const [a, b] = [original, made].map(
      (each) => new Tokenizer(each.tokenizer as unknown as TokenizerJson, each.config),
    );
    for (const text of ['craft 12 oak planks', "it's <|im_end|> naïve\n\n  42", '日本語'])
      expect(b.encode(text)).toEqual(a.encode(text));
  });
});

function tokensOf(family: Family) {
  const { bosToken, eosTokens } = syntheticTokenizer(family, small.vocabSize);
  return { bosToken, eosTokens: eosTokens.slice(-1) };
}

describe('Llama 3 in GGUF', () => {
  const config = { ...configOf(findModel('llama-3.2-1b')), ...small, headDim: 64, numHeads: 2, numKvHeads: 1 };
  const factors = () => {
    const stretched = ropeInverseFrequencies({ ...config, ropeTheta: config.ropeTheta + 0.5 });
    const plain = ropeInverseFrequencies({ ...config, ropeTheta: config.ropeTheta + 0.5, ropeScaling: null });
    return Float32Array.from(plain, (f, i) => f / stretched[i]);
  };
  const extra = (values: Float32Array): GgufTensor[] => [
    { name: 'rope_freqs.weight', shape: [values.length], type: ggml.F32, bytes: f32Bytes(values) },
  ];

  it('has the rotary scaling of its factors', async () => {
    const file = fileOf('llama-3.2', config, 'F32', extra(factors()));
    const model = await read(file);
    expect(model.config.ropeScaling).toEqual(config.ropeScaling);
    const name = 'model.layers.1.self_attn.q_proj.weight';
    expect(valuesIn(file, model).get(name)).toEqual(valuesOf(name, [128, 64]));
  });

  it('is refused with other factors', async () => {
    const others = factors().map((f, i) => (i === 3 ? f * 1.5 : f));
    await expect(read(fileOf('llama-3.2', config, 'F32', extra(others)))).rejects.toThrow(/are not Llama 3's/);
  });
});

/** Follows dequantize_row_q6_K of ggml-quants.c. */
function walkQ6(block: Uint8Array): Float32Array {
  const signed = new Int8Array(block.buffer, block.byteOffset, block.length);
  const d = fromHalf(block[208] | (block[209] << 8));
  const y = new Float32Array(256);
  let [ql, qh, sc, out] = [0, 128, 192, 0];
  for (let n = 0; n < 256; n += 128) {
    for (let l = 0; l < 32; l++) {
      const is = Math.floor(l / 16);
      const q1 = ((block[ql + l] & 0xf) | (((block[qh + l] >> 0) & 3) << 4)) - 32;
      const q2 = ((block[ql + l + 32] & 0xf) | (((block[qh + l] >> 2) & 3) << 4)) - 32;
      const q3 = ((block[ql + l] >> 4) | (((block[qh + l] >> 4) & 3) << 4)) - 32;
      const q4 = ((block[ql + l + 32] >> 4) | (((block[qh + l] >> 6) & 3) << 4)) - 32;
      y[out + l] = d * signed[sc + is] * q1;
      y[out + l + 32] = d * signed[sc + is + 2] * q2;
      y[out + l + 64] = d * signed[sc + is + 4] * q3;
      y[out + l + 96] = d * signed[sc + is + 6] * q4;
    }
    [out, ql, qh, sc] = [out + 128, ql + 64, qh + 32, sc + 8];
  }
  return y;
}

describe('blocks', () => {
  it('of Q6_K are read as ggml reads them', () => {
    const values = normals(3 * 210, 9, 'blocks', 1);
    const bytes = Uint8Array.from(values, (x) => Math.floor(Math.abs(x) * 1000) & 255);
    for (let b = 0; b < 3; b++) bytes[b * 210 + 209] = 0x20 + b;
    const expected = [0, 1, 2].flatMap((b) => [...walkQ6(bytes.slice(b * 210, (b + 1) * 210))]);
    expect([...decodeBlocks(ggml.Q6_K, bytes)]).toEqual(expected);
  });

  it.each([4, 8] as const)('of %d bits pack again to the same codes', (bits) => {
    const once = quantizeRows(bits, normals(4096, 3, 'again', 0.3), 64);
    const twice = quantizeRows(bits, decodeBlocks(bits === 4 ? ggml.Q4_0 : ggml.Q8_0, toGguf(once)), 64);
    expect(twice).toEqual(once);
  });
});

describe('reading is refused for', () => {
  const config = { ...configOf(findModel('qwen2.5-0.5b')), ...small };
  const altered = (changes: object, drop: RegExp | null = null) => {
    const metadata = { ...metadataOf('qwen2.5', config), ...changes };
    const tensors = [...parameterShapes(config)].map(([name, shape]) => ({
      name: ggufName(name),
      shape,
      ...packs.F32(valuesOf(name, shape), shape.at(-1)!),
    }));
    return writeGguf(
      metadata as never,
      tensors.filter(({ name }) => !drop?.test(name)),
    );
  };

  it('an unsupported architecture, scaling, tokenizer or type, by name', async () => {
    await expect(read(altered({ 'general.architecture': 'gemma3' }))).rejects.toThrow(/model_type is "gemma3"/);
    await expect(read(altered({ 'qwen2.rope.scaling.type': 'yarn' }))).rejects.toThrow(/rotary scaling is "yarn"/);
    const spm = await read(altered({ 'tokenizer.ggml.model': 'llama' }));
    expect(() => ggufTokenizer(spm.metadata)).toThrow(/of kind "llama".*safetensors/);
    const pre = await read(altered({ 'tokenizer.ggml.pre': 'tekken' }));
    expect(() => ggufTokenizer(pre.metadata)).toThrow(/"tekken"; known are qwen2, llama-bpe, smollm/);
    const typed = writeGguf(metadataOf('qwen2.5', config), [
      { name: 'token_embd.weight', shape: [600, 64], type: ggml.Q4_K, bytes: new Uint8Array(1000) },
    ]);
    await expect(read(typed)).rejects.toThrow(/has tensors in Q4_K; only F32, F16, Q4_0, Q8_0, Q6_K, BF16 are read/);
  });

  it('a foreign file, a truncated one, and a source that fails', async () => {
    await expect(read(new TextEncoder().encode('not a gguf file at all'))).rejects.toThrow(/GGUF file cannot be read/);
    const file = fileOf('qwen2.5', config, 'F32');
    await expect(read(file.slice(0, file.length - 100))).rejects.toThrow(/it was cut short/);
    await expect(readGguf(() => Promise.reject(new Error('offline')), 1000)).rejects.toThrow(/^offline$/);
    await expect(read(altered({}, /token_embd/))).rejects.toThrow(/no token_embd/);
  });

  it('nothing in a header longer than one read of the library', async () => {
    const big = { ...small, vocabSize: 150_000 };
    const { metadata } = await read(
      writeGguf(metadataOf('qwen2.5', { ...config, ...big }), [
        { name: 'token_embd.weight', shape: [150_000, 1], type: ggml.F16, bytes: new Uint8Array(300_000) },
      ]),
    );
    const { tokenizer } = ggufTokenizer(metadata);
    const vocab = (tokenizer as { model: { vocab: object } }).model.vocab;
    const original = (syntheticTokenizer('qwen2.5', 150_000).tokenizer as { model: { vocab: object } }).model.vocab;
    expect(JSON.stringify(vocab) === JSON.stringify(original)).toBe(true);
  });
});
