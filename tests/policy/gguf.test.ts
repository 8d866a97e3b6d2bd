import { describe, expect, it } from 'vitest';
import { configOf, type Family, findModel } from '../../src/policy/catalogue.ts';
import { type ModelConfig, parameterShapes, ropeInverseFrequencies } from '../../src/policy/config.ts';
import { decodeBlocks } from '../../src/policy/formats/ggml-blocks.ts';
import { type GgufModel, readGguf } from '../../src/policy/formats/gguf.ts';
import { ggufTokenizer } from '../../src/policy/formats/gguf-tokenizer.ts';
import { narrowF16, widenF16 } from '../../src/policy/formats/safetensors.ts';
import { syntheticTokenizer } from '../../src/policy/text/synthetic-tokenizer.ts';
import { Tokenizer, type TokenizerJson } from '../../src/policy/text/tokenizer.ts';
import { fromHalf, toHalf } from '../../src/policy/weights/half.ts';
import { normals } from '../../src/policy/weights/init.ts';
import { dequantizeRows, quantizeRows } from '../../src/policy/weights/quantize.ts';
import { toGguf } from '../../src/policy/weights/quantize-formats.ts';
import { rowSlices } from '../../src/policy/weights/stored-tensor.ts';
import { f16Bytes, f32Bytes, type GgufKeys, type GgufTensor, ggml, permute, writeGguf } from './gguf-writer.ts';
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

/** Q4_1 blocks by the smallest and largest value of each 32. */
function packQ41(values: Float32Array): Uint8Array {
  const out = new Uint8Array((values.length / 32) * 20);
  for (let b = 0; b < values.length / 32; b++) {
    const group = values.subarray(b * 32, b * 32 + 32);
    const low = Math.min(...group);
    const scale = (Math.max(...group) - low) / 15;
    for (const [i, half] of [toHalf(scale), toHalf(low)].entries()) {
      out[b * 20 + 2 * i] = half & 255;
      out[b * 20 + 2 * i + 1] = half >> 8;
    }
    const code = (j: number) => Math.round((group[j] - low) / scale);
    for (let j = 0; j < 16; j++) out[b * 20 + 4 + j] = code(j) | (code(j + 16) << 4);
  }
  return out;
}

type Pack = (values: Float32Array, columns: number) => { type: number; bytes: Uint8Array };
const packs: { [type: string]: Pack } = {
  F32: (values) => ({ type: ggml.F32, bytes: f32Bytes(values) }),
  F16: (values) => ({ type: ggml.F16, bytes: f16Bytes(values) }),
  Q8_0: (values, columns) => ({ type: ggml.Q8_0, bytes: toGguf(quantizeRows(8, values, columns)) }),
  Q4_0: (values, columns) => ({ type: ggml.Q4_0, bytes: toGguf(quantizeRows(4, values, columns)) }),
  Q4_1: (values) => ({ type: ggml.Q4_1, bytes: packQ41(values) }),
};
const through: { [type: string]: (values: Float32Array, columns: number) => Float32Array } = {
  F32: (values) => values,
  F16: (values) => widenF16(narrowF16(values)),
  Q8_0: (values, columns) => dequantizeRows(quantizeRows(8, values, columns)),
  Q4_0: (values, columns) => dequantizeRows(quantizeRows(4, values, columns)),
  Q4_1: (values) => decodeBlocks(ggml.Q4_1, packQ41(values)),
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

const asFile = (file: Uint8Array, name = 'model.gguf') => ({
  name,
  bytes: file.length,
  read: async (start: number, end: number) => file.slice(start, end),
});

const read = (file: Uint8Array) => readGguf(asFile(file));

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
    model.parts[0].tensors.map((tensor) => {
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
    // tokenizers ignores the ids of added tokens outside of the vocabulary.
    const { added_tokens, model } = made.tokenizer as unknown as TokenizerJson;
    expect(added_tokens.length).toBeGreaterThan(0);
    for (const { content, id } of added_tokens) expect((model.vocab as { [token: string]: number })[content]).toBe(id);
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

const qwen = { ...configOf(findModel('qwen2.5-0.5b')), ...small };

/** Small Qwen2 file with changed keys (undefined: removed), and tensors chosen by `keep`. */
function qwenFile(changes: { [key: string]: GgufKeys[string] | undefined } = {}, keep = (_: string) => true) {
  const keys = Object.entries({ ...metadataOf('qwen2.5', qwen), ...changes });
  const metadata = Object.fromEntries(
    keys.filter((entry): entry is [string, GgufKeys[string]] => entry[1] !== undefined),
  );
  const tensors = [...parameterShapes(qwen)].map(([name, shape]) => ({
    name: ggufName(name),
    shape,
    ...packs.F32(valuesOf(name, shape), shape.at(-1)!),
  }));
  return writeGguf(
    metadata,
    tensors.filter(({ name }) => keep(name)),
  );
}

describe('the rotary scaling of a GGUF file', () => {
  const scalingOf = async (changes: GgufKeys) => (await read(qwenFile(changes))).config.ropeScaling;

  it('is linear by the older key, by a factor without a type, and by its type', async () => {
    const linear = { type: 'linear', factor: 4 };
    expect(await scalingOf({ 'qwen2.rope.scale_linear': 4 })).toEqual(linear);
    expect(await scalingOf({ 'qwen2.rope.scaling.factor': 4 })).toEqual(linear);
    expect(await scalingOf({ 'qwen2.rope.scaling.factor': 4, 'qwen2.rope.scale_linear': 2 })).toEqual(linear);
    expect(await scalingOf({ 'qwen2.rope.scaling.type': 'linear', 'qwen2.rope.scaling.factor': 4 })).toEqual(linear);
  });

  it('is none by type "none" and by factors of 0 and 1', async () => {
    expect(await scalingOf({ 'qwen2.rope.scaling.type': 'none', 'qwen2.rope.scaling.factor': 4 })).toBe(null);
    expect(await scalingOf({ 'qwen2.rope.scaling.factor': 0 })).toBe(null);
    expect(await scalingOf({ 'qwen2.rope.scale_linear': 1 })).toBe(null);
  });

  it('divides every frequency by the factor', async () => {
    const { config } = await read(qwenFile({ 'qwen2.rope.scale_linear': 4 }));
    const plain = ropeInverseFrequencies({ ...config, ropeScaling: null });
    expect([...ropeInverseFrequencies(config)]).toEqual([...plain].map((frequency) => frequency / 4));
  });
});

describe('a split GGUF model', () => {
  const parts = (names: [string, string], changes: GgufKeys = {}) => {
    const count = parameterShapes(qwen).size;
    const split = (no: number) => ({ 'split.no': no, 'split.count': 2, 'split.tensors.count': count, ...changes });
    const second = writeGguf(
      split(1),
      [...parameterShapes(qwen)]
        .filter(([name]) => /layers\.1/.test(name))
        .map(([name, shape]) => ({ name: ggufName(name), shape, ...packs.F32(valuesOf(name, shape), 1) })),
    );
    return new Map([
      [names[0], qwenFile({ ...split(0) }, (name) => !/^blk\.1\./.test(name))],
      [names[1], second],
    ]);
  };
  const names: [string, string] = ['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf'];
  const open = (files: Map<string, Uint8Array>, first = names[0]) =>
    readGguf(asFile(files.get(first)!, first), async (name) =>
      files.has(name) ? asFile(files.get(name)!, name) : null,
    );

  it('has the tensors of all parts', async () => {
    const { parts: found } = await open(parts(names));
    expect(found.map(({ name, tensors }) => [name, tensors.length])).toEqual([
      [names[0], 14],
      [names[1], 12],
    ]);
  });

  it('is refused without a part, with a foreign part, and under other names', async () => {
    const files = parts(names);
    files.delete(names[1]);
    await expect(open(files)).rejects.toThrow(/first of 2 files.*m-00002-of-00002\.gguf is missing/);
    await expect(open(parts(names, { 'split.no': 0 }))).rejects.toThrow(/should be part 2 of 2.*split\.no is 0/);
    await expect(open(parts(names, { 'split.tensors.count': 27 }))).rejects.toThrow(
      /have 26 tensors; 27 are announced/,
    );
    await expect(open(parts(['joined.gguf', 'b.gguf']), 'joined.gguf')).rejects.toThrow(/part 1 of a model in 2 files/);
    const same = parts(names);
    same.set(names[1], same.get(names[0])!);
    await expect(open(same)).rejects.toThrow(/should be part 2 of 2/);
  });
});

describe('a key of a GGUF file', () => {
  it.each<[string, GgufKeys[string]]>([
    ['qwen2.attention.sliding_window', 4096],
    ['qwen2.attention.scale', 0.5],
    ['qwen2.attention.causal', false],
    ['qwen2.attention.value_length', 8],
    ['qwen2.attention.clamp_kqv', 8],
    ['qwen2.rope.dimension_count', 8],
    ['qwen2.rope.scaling.attn_factor', 1.2],
    ['qwen2.rope.scaling.yarn_ext_factor', 1],
    ['qwen2.rope.scaling.yarn_log_multiplier', 0.1],
    ['qwen2.logit_scale', 0.25],
    ['qwen2.embedding_scale', 12],
    ['qwen2.residual_scale', 0.2],
    ['qwen2.final_logit_softcapping', 30],
    ['qwen2.expert_count', 8],
    ['qwen2.nextn_predict_layers', 1],
    ['qwen2.hidden_activation', 'gelu'],
    ['qwen2.tensor_data_layout', 'interleaved'],
    ['qwen2.use_parallel_residual', true],
    ['qwen2.some_new_key', 1],
    ['qwen2.toString', 1],
    ['qwen2.vocab_size', 599],
    ['qwen2.attention.head_count', [4, 8]],
    ['qwen2.embedding_length', '64'],
    ['qwen2.rope.scaling.factor', -2.5],
    ['general.architecture', 'gemma3'],
    ['general.type', 'adapter'],
    ['general.alignment', 24],
    ['tokenizer.ggml.eos_token_id', 600],
  ])('%s of %s is refused by its name', async (key, value) => {
    await expect(read(qwenFile({ [key]: value }))).rejects.toThrow(new RegExp(key.replaceAll('.', '\\.')));
  });

  it.each(['context_length', 'block_count', 'feed_forward_length', 'attention.layer_norm_rms_epsilon'])(
    'qwen2.%s must be there',
    async (key) => {
      await expect(read(qwenFile({ [`qwen2.${key}`]: undefined }))).rejects.toThrow(`has no qwen2.${key}`);
    },
  );

  it('that changes nothing is accepted', async () => {
    const { config } = await read(qwenFile());
    const same = await read(
      qwenFile({
        'qwen2.attention.sliding_window': 0,
        'qwen2.attention.causal': true,
        'qwen2.attention.value_length': 16,
        'qwen2.attention.scale': 0.25,
        'qwen2.rope.dimension_count': 16,
        'qwen2.rope.scaling.original_context_length': 4096,
        'qwen2.rope.scaling.attn_factor': 1,
        'qwen2.expert_count': 0,
        'qwen2.pooling_type': 3,
        'qwen2.attention.head_count': [4, 4],
        'general.note': 'of a person',
        'other.logit_scale': 2,
      }),
    );
    expect(same.config).toEqual(config);
  });

  it('may be an integer of 64 bits', async () => {
    const keys = { 'tokenizer.ggml.eos_token_id': { u64: 598 }, 'qwen2.block_count': { u64: 2 } };
    const { config, json } = await read(qwenFile(keys));
    expect([config.eosTokens, config.numLayers]).toEqual([[598], 2]);
    expect(JSON.parse(JSON.stringify(json)).eos_token_id).toEqual([598]);
    // As -1 is written without a sign: there is no such token.
    const none = await read(qwenFile({ 'tokenizer.ggml.bos_token_id': { u64: 2 ** 32 - 1 } }));
    expect(none.config.bosToken).toBeNull();
    const large = read(qwenFile({ 'qwen2.block_count': { u64: 2 ** 60 } }));
    await expect(large).rejects.toThrow(/block_count is 1152921504606846976: it must be a finite number/);
  });
});

describe('the tokenizer of a GGUF file', () => {
  const made = async (changes: { [key: string]: GgufKeys[string] | undefined }) =>
    ggufTokenizer((await read(qwenFile(changes))).metadata);

  it.each(['deepseek-r1-qwen', 'llama3', 'llama-v3'])('is known as %s', async (pre) => {
    const { tokenizer } = await made({ 'tokenizer.ggml.pre': pre });
    const same = await made({ 'tokenizer.ggml.pre': pre.startsWith('llama') ? 'llama-bpe' : 'qwen2' });
    expect(tokenizer).toEqual(same.tokenizer);
  });

  it("has Llama 3's rule without its whole words under the name smaug-bpe", async () => {
    const { tokenizer, config } = await made({ 'tokenizer.ggml.pre': 'smaug-bpe' });
    const llama = (await made({ 'tokenizer.ggml.pre': 'llama-bpe' })).tokenizer as { model: object };
    expect(tokenizer).toEqual({ ...llama, model: { ...llama.model, ignore_merges: false } });
    expect(config).toMatchObject({ add_bos_token: false });
  });

  const tokens = metadataOf('qwen2.5', qwen)['tokenizer.ggml.tokens'] as string[];
  it.each<[string, { [key: string]: GgufKeys[string] | undefined }, RegExp]>([
    ['of another kind', { 'tokenizer.ggml.model': 'llama' }, /of kind "llama".*safetensors/],
    ['of another family', { 'tokenizer.ggml.pre': 'tekken' }, /"tekken"; known are qwen2, llama-bpe, smollm/],
    ['named after a property of objects', { 'tokenizer.ggml.pre': 'constructor' }, /"constructor"; known are/],
    ['with the default rule', { 'tokenizer.ggml.pre': 'default' }, /does not name its pre-tokenizer.*"default"/],
    ['without a rule', { 'tokenizer.ggml.pre': undefined }, /does not name its pre-tokenizer.*absent/],
    ['with a space before texts', { 'tokenizer.ggml.add_space_prefix': true }, /add_space_prefix is set/],
    [
      'with a token twice',
      { 'tokenizer.ggml.tokens': [...tokens.slice(0, -1), tokens[7]] },
      /twice, with ids 7 and 599/,
    ],
    ['with too few kinds', { 'tokenizer.ggml.token_type': [1, 1] }, /a list of 600 kinds/],
    ['with a merge of three', { 'tokenizer.ggml.merges': ['a b c'] }, /"a b c", which is not two tokens/],
  ])('%s is refused', async (_, changes, message) => {
    await expect(made(changes)).rejects.toThrow(message);
  });
});

describe('reading is refused for', () => {
  it('a tensor in an unsupported type, by its name', async () => {
    const typed = writeGguf(metadataOf('qwen2.5', qwen), [
      { name: 'token_embd.weight', shape: [600, 256], type: ggml.IQ3_S, bytes: new Uint8Array(1000) },
    ]);
    await expect(read(typed)).rejects.toThrow(/has tensors in IQ3_S; only F32, F16, Q4_0, Q4_1, .*BF16 are read/);
    await expect(read(qwenFile({ 'qwen2.rope.scaling.type': 'yarn' }))).rejects.toThrow(/scaling\.type is "yarn"/);
  });

  it('a foreign file, a truncated one, and a source that fails', async () => {
    await expect(read(new TextEncoder().encode('not a gguf file at all'))).rejects.toThrow(/not a GGUF file/);
    const file = qwenFile();
    for (const length of [7, 30, 5000, file.length - 100])
      await expect(read(file.slice(0, length)), String(length)).rejects.toThrow(/cut short|can hold/);
    const offline = { name: 'model.gguf', bytes: 1000, read: () => Promise.reject(new Error('offline')) };
    await expect(readGguf(offline)).rejects.toThrow(/^offline$/);
    await expect(read(qwenFile({}, (name) => name !== 'token_embd.weight'))).rejects.toThrow(/no token_embd/);
  });

  it('a tensor that does not follow the one before it', async () => {
    const file = qwenFile();
    const name = new TextEncoder().encode('blk.0.attn_norm.weight');
    const at = file.findIndex((_, i) => name.every((byte, j) => file[i + j] === byte));
    // After the name: 4 bytes of dimensions, one size of 8, the type of 4, and the offset.
    file[at + name.length + 16] += 32;
    await expect(read(file)).rejects.toThrow(/blk\.0\.attn_norm\.weight should begin at byte/);
  });

  it('other versions and byte orders', async () => {
    const file = qwenFile();
    const changed = (bytes: number[]) => file.map((byte, i) => (i >= 4 && i < 8 ? bytes[i - 4] : byte));
    await expect(read(changed([1, 0, 0, 0]))).rejects.toThrow(/version 1; only versions 2 and 3/);
    await expect(read(changed([0, 0, 0, 3]))).rejects.toThrow(/big-endian/);
    const pointer = new TextEncoder().encode('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n');
    await expect(read(pointer)).rejects.toThrow(/git-lfs pointer/);
    expect((await read(changed([2, 0, 0, 0]))).config.vocabSize).toBe(600);
  });

  it('nothing in a header longer than the first read', { tags: 'slow' }, async () => {
    const big = { ...small, vocabSize: 150_000 };
    const { metadata } = await read(
      writeGguf(metadataOf('qwen2.5', { ...qwen, ...big }), [
        { name: 'token_embd.weight', shape: [150_000, 1], type: ggml.F16, bytes: new Uint8Array(300_000) },
      ]),
    );
    const [made, original] = [ggufTokenizer(metadata), syntheticTokenizer('qwen2.5', 150_000)].map(
      ({ tokenizer }) => tokenizer as unknown as TokenizerJson,
    );
    const added = original.added_tokens.map(({ content, id }) => [content, id]);
    const vocab = { ...original.model.vocab, ...Object.fromEntries(added) };
    expect(JSON.stringify(made.model.vocab) === JSON.stringify(vocab)).toBe(true);
  });
});
