/**
 * Models in GGUF files, the format of llama.cpp. The library @huggingface/gguf parses metadata and tensor table; this
 * file decodes values and translates names. F32, F16, BF16, Q8_0, Q4_0 and Q6_K become f32, rows of Llama's q and k
 * return to Hugging Face's order, and the metadata becomes a `config.json` and a `tokenizer.json` (gguf-tokenizer.ts).
 * Unsupported features are refused by name.
 *
 * Format and block layouts: github.com/ggml-org/ggml (MIT), its page on GGUF and ggml-common.h. Published "Q4_0" files
 * keep embedding and head in Q6_K. This file depends on bytes and names only, never on a server.
 */
import { type ModelConfig, parseConfig, ropeInverseFrequencies } from '../config.ts';
import { fromHalf, type PackedRows, type QuantBits } from '../weights/quantize.ts';
import { fromGguf } from '../weights/quantize-formats.ts';
import { rowsOf, type StoredTensor } from '../weights/stored-tensor.ts';
import { tensorView, toFloat32 } from './safetensors.ts';

/** Thrown for a GGUF file that cannot be read or run. Names the feature and the supported ones. */
export class GgufError extends Error {
  override name = 'GgufError';
}

export type GgufMetadata = { readonly [key: string]: unknown };

export interface GgufModel {
  metadata: GgufMetadata;
  /** Fields of a config.json. */
  json: { [field: string]: unknown };
  config: ModelConfig;
  tensors: StoredTensor[];
}

/** Reads bytes `start` to `end` of the file, fewer at its end. */
export type ReadBytes = (start: number, end: number) => Promise<Uint8Array>;

interface BlockType {
  name: string;
  /** Set if a block's codes and scale can be used as packed rows (quantize-formats.ts). */
  bits?: QuantBits;
  /** Number of values and bytes in one block. */
  values: number;
  bytes: number;
  decode(bytes: Uint8Array): Float32Array;
}

const halfAt = (bytes: Uint8Array, at: number) => fromHalf(bytes[at] | (bytes[at + 1] << 8));
const signed = (byte: number) => (byte << 24) >> 24;

/** Decoder that works block by block. */
function byBlocks(
  name: string,
  values: number,
  bytes: number,
  block: (bytes: Uint8Array, at: number, out: Float32Array, to: number) => void,
): BlockType {
  const decode = (data: Uint8Array) => {
    const count = data.length / bytes;
    const out = new Float32Array(count * values);
    for (let i = 0; i < count; i++) block(data, i * bytes, out, i * values);
    return out;
  };
  return { name, values, bytes, decode };
}

/** An f16 scale, then 16 bytes: byte j holds value j in its lower and value j + 16 in its upper nibble, each plus 8. */
function decodeQ4(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at);
  for (let j = 0; j < 16; j++) {
    const byte = bytes[at + 2 + j];
    out[to + j] = ((byte & 15) - 8) * d;
    out[to + j + 16] = ((byte >> 4) - 8) * d;
  }
}

function decodeQ8(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at);
  for (let j = 0; j < 32; j++) out[to + j] = signed(bytes[at + 2 + j]) * d;
}

/** 128 bytes of lower nibbles, 64 of upper pairs, 16 scales of 16 values, and one f16 scale for the block. */
function decodeQ6(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at + 208);
  for (let half = 0; half < 2; half++) {
    const low = at + half * 64;
    const high = at + 128 + half * 32;
    const scales = at + 192 + half * 8;
    for (let l = 0; l < 32; l++)
      for (let quarter = 0; quarter < 4; quarter++) {
        const byte = bytes[low + l + (quarter & 1) * 32];
        const nibble = quarter < 2 ? byte & 15 : byte >> 4;
        const q = (nibble | (((bytes[high + l] >> (2 * quarter)) & 3) << 4)) - 32;
        const scale = signed(bytes[scales + (l >> 4) + 2 * quarter]);
        out[to + half * 128 + quarter * 32 + l] = d * scale * q;
      }
  }
}

function floatType(dtype: 'F32' | 'F16' | 'BF16', bytes: number): BlockType {
  const decode = (data: Uint8Array) =>
    toFloat32({ dtype, shape: [data.length / bytes], data: tensorView(data, dtype) });
  return { name: dtype, values: 1, bytes, decode };
}

/** Block types by ggml's type number. */
const blockTypes: { readonly [type: number]: BlockType } = {
  0: floatType('F32', 4),
  1: floatType('F16', 2),
  2: { ...byBlocks('Q4_0', 32, 18, decodeQ4), bits: 4 },
  8: { ...byBlocks('Q8_0', 32, 34, decodeQ8), bits: 8 },
  14: byBlocks('Q6_K', 256, 210, decodeQ6),
  30: floatType('BF16', 2),
};

/** Decodes the blocks of a ggml type (0 F32, 1 F16, 2 Q4_0, 8 Q8_0, 14 Q6_K, 30 BF16). */
export const decodeBlocks = (type: number, bytes: Uint8Array): Float32Array => blockTypes[type].decode(bytes);

const layerNames: { readonly [gguf: string]: string } = {
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_q_norm: 'self_attn.q_norm',
  attn_k_norm: 'self_attn.k_norm',
  attn_output: 'self_attn.o_proj',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
};

const outerNames: { readonly [gguf: string]: string } = {
  'token_embd.weight': 'model.embed_tokens.weight',
  'output_norm.weight': 'model.norm.weight',
  'output.weight': 'lm_head.weight',
};

/**
 * Hugging Face's name of a tensor. Unknown names are returned unchanged, and are later refused as not part of the
 * model.
 */
function huggingFaceName(name: string): string {
  const [, layer, part, kind] = /^blk\.(\d+)\.(\w+)\.(weight|bias)$/.exec(name) ?? [];
  const known = part && layerNames[part];
  return known ? `model.layers.${layer}.${known}.${kind}` : (outerNames[name] ?? name);
}

/** Tensor of rotary factors in Llama 3 files. It is read into the config and is not a weight. */
const ropeFactors = 'rope_freqs.weight';

/** A `fetch` for the library, which requests byte ranges. */
function rangeFetch(read: ReadBytes, fileBytes: number): typeof fetch {
  return async (_, init) => {
    const range = new Headers(init?.headers).get('range') ?? '';
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(range) ?? [];
    const start = Math.min(Number(first), fileBytes);
    const bytes = await read(start, Math.min(Number(last) + 1, fileBytes));
    return new Response(bytes as Uint8Array<ArrayBuffer>, {
      status: 206,
      headers: { 'content-range': `bytes ${first}-${last}/${fileBytes}` },
    });
  };
}

async function parseFile(read: ReadBytes, fileBytes: number) {
  const { gguf } = await import('@huggingface/gguf');
  const failure: { error?: unknown } = {};
  const recordingError: ReadBytes = async (start, end) => {
    try {
      return await read(start, end);
    } catch (error) {
      failure.error = error;
      throw error;
    }
  };
  try {
    // The URL only makes the library read by ranges.
    return await gguf('http://gguf.invalid/model.gguf', { fetch: rangeFetch(recordingError, fileBytes) });
  } catch (error) {
    if (failure.error) throw failure.error;
    throw new GgufError(`This GGUF file cannot be read: ${(error as Error).message}`);
  }
}

function configJson(metadata: GgufMetadata, vocabSize: number, tied: boolean): { [field: string]: unknown } {
  const type = metadata['general.architecture'];
  const of = (key: string) => {
    const value = metadata[`${type}.${key}`];
    return typeof value === 'bigint' ? Number(value) : value;
  };
  const scaling = of('rope.scaling.type');
  if (scaling !== undefined && scaling !== 'none')
    throw new GgufError(
      `The GGUF file's rotary scaling is ${JSON.stringify(scaling)}; only none and Llama 3's (a ${ropeFactors} tensor) are supported.`,
    );
  const tokens = ['tokenizer.ggml.eos_token_id', 'tokenizer.ggml.eot_token_id'].map((key) => metadata[key]);
  return {
    model_type: type,
    vocab_size: vocabSize,
    hidden_size: of('embedding_length'),
    intermediate_size: of('feed_forward_length'),
    num_hidden_layers: of('block_count'),
    num_attention_heads: of('attention.head_count'),
    num_key_value_heads: of('attention.head_count_kv'),
    ...(of('attention.key_length') === undefined ? {} : { head_dim: of('attention.key_length') }),
    rms_norm_eps: of('attention.layer_norm_rms_epsilon'),
    rope_theta: of('rope.freq_base') ?? 10_000,
    max_position_embeddings: of('context_length'),
    tie_word_embeddings: tied,
    bos_token_id: metadata['tokenizer.ggml.bos_token_id'] ?? null,
    eos_token_id: [...new Set(tokens.filter((token) => token !== undefined))],
    ...((of('expert_count') ?? 0) ? { num_experts: of('expert_count') } : {}),
    hidden_act: 'silu',
  };
}

/** Adds Llama 3's scaling to the config. Throws GgufError if the file's factors are different. */
function withFactors(json: { [field: string]: unknown }, factors: Float32Array): { [field: string]: unknown } {
  const scaling = {
    rope_type: 'llama3',
    factor: factors.reduce((a, b) => Math.max(a, b), 0),
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 8192,
  };
  const scaled = { ...json, rope_scaling: scaling };
  const [unscaled, frequencies] = [json, scaled].map((each) => ropeInverseFrequencies(parseConfig(each)));
  const agree =
    unscaled.length === factors.length &&
    unscaled.every((f, i) => Math.abs(f / frequencies[i] / factors[i] - 1) < 1e-3);
  if (!agree)
    throw new GgufError(`The factors in ${ropeFactors} are not Llama 3's; other rotary scalings are not supported.`);
  return scaled;
}

/**
 * Restores the row order of Llama's q and k. GGUF interleaves the two halves of each head's rows (row 2j + t holds half
 * t's row j), because it rotates neighbours; Hugging Face rotates halves. A row has `length` entries of any type.
 */
function unpermute<T extends Float32Array | Uint32Array>(entries: T, length: number, headDim: number): T {
  const out = entries.slice() as T;
  const rows = entries.length / length;
  for (let row = 0; row < rows; row++) {
    const inHead = row % headDim;
    const target = row - inHead + (inHead % 2) * (headDim / 2) + (inHead >> 1);
    out.set(entries.subarray(row * length, (row + 1) * length), target * length);
  }
  return out;
}

function unpermutePacked(packed: PackedRows, headDim: number): PackedRows {
  const { codeWords, scaleWords } = packed.row;
  const codes = unpermute(packed.codes, codeWords, headDim);
  return { ...packed, codes, scales: unpermute(packed.scales, scaleWords, headDim) };
}

const isPermuted = (name: string, config: ModelConfig) =>
  config.modelType === 'llama' && /self_attn\.[qk]_proj\.weight$/.test(name);

interface Info {
  name: string;
  shape: bigint[];
  dtype: number;
  offset: bigint;
}

async function typeName(type: number): Promise<string> {
  const { GGMLQuantizationType } = await import('@huggingface/gguf');
  return GGMLQuantizationType[type] ?? `type ${type}`;
}

/** Throws one GgufError listing all unsupported tensor types. */
async function checkTypes(infos: readonly Info[]): Promise<void> {
  const unknown = [...new Set(infos.map(({ dtype }) => dtype))].filter((type) => !blockTypes[type]);
  if (!unknown.length) return;
  const names = await Promise.all(unknown.map(typeName));
  const known = Object.values(blockTypes).map(({ name }) => name);
  throw new GgufError(
    `The GGUF file has tensors in ${names.join(', ')}; only ${known.join(', ')} are read. Choose a file in one of these formats.`,
  );
}

function stored(
  { name, shape, dtype, offset }: Info,
  dataStart: number,
  fileBytes: number,
  config: ModelConfig,
): StoredTensor {
  const type = blockTypes[dtype];
  const sizes = shape.map(Number).reverse();
  const { rows, columns } = rowsOf(sizes);
  if (columns % type.values)
    throw new GgufError(
      `${name}: rows of ${columns} values must be a multiple of ${type.values}, the block size of ${type.name}.`,
    );
  const start = dataStart + Number(offset);
  const end = start + (rows * columns * type.bytes) / type.values;
  if (end > fileBytes)
    throw new GgufError(`${name} should end at byte ${end}, but the file has ${fileBytes} bytes: it was cut short.`);
  const known = huggingFaceName(name);
  const permuted = isPermuted(known, config);
  const decode = (bytes: Uint8Array) => {
    const values = type.decode(bytes);
    return permuted ? unpermute(values, columns, config.headDim) : values;
  };
  const { bits } = type;
  const take = (bytes: Uint8Array) => {
    const packed = fromGguf(bits!, bytes, columns);
    return permuted ? unpermutePacked(packed, config.headDim) : packed;
  };
  const rowGroup = permuted ? config.headDim : 1;
  const packed = bits && { bits, take };
  return { name: known, shape: sizes, start, end, rows, columns, rowGroup, decode, packed };
}

/** Reads a file's metadata and tensor table. Throws GgufError or ConfigError. */
export async function readGguf(read: ReadBytes, fileBytes: number): Promise<GgufModel> {
  const { metadata, tensorInfos, tensorDataOffset, littleEndian } = await parseFile(read, fileBytes);
  if (!littleEndian) throw new GgufError('The GGUF file is big-endian; only little-endian files are read.');
  const infos = tensorInfos as unknown as Info[];
  await checkTypes(infos);
  const embedding = infos.find(({ name }) => name === 'token_embd.weight');
  if (!embedding)
    throw new GgufError('The GGUF file has no token_embd.weight: it is not a language model, or only a part of one.');
  const tied = !infos.some(({ name }) => name === 'output.weight');
  const facts = metadata as unknown as GgufMetadata;
  const bare = configJson(facts, Number(embedding.shape[1]), tied);
  const dataStart = Number(tensorDataOffset);
  const place = (info: Info, config: ModelConfig) => stored(info, dataStart, fileBytes, config);
  const bareConfig = parseConfig(bare);
  const factors = infos.find(({ name }) => name === ropeFactors);
  const { start, end, decode } = factors ? place(factors, bareConfig) : { start: 0, end: 0, decode: null };
  const json = decode ? withFactors(bare, decode(await read(start, end))) : bare;
  const config = parseConfig(json);
  const tensors = infos.filter(({ name }) => name !== ropeFactors).map((info) => place(info, config));
  return { metadata: facts, json, config, tensors: tensors.sort((a, b) => a.start - b.start) };
}
