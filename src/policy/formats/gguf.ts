/**
 * Models in GGUF files, the format of llama.cpp: the tensors of one file or of the parts of a split model. Names become
 * Hugging Face's, rows of Llama's q and k return to its order, and the metadata becomes a `config.json`
 * (gguf-config.ts) and a `tokenizer.json` (gguf-tokenizer.ts). Unsupported features are refused by name.
 *
 * Format and block layouts: gguf-header.ts and ggml-blocks.ts. This file depends on bytes and names only, never on a
 * server.
 */
import { type ModelConfig, parseConfig } from '../config.ts';
import type { PackedRows } from '../weights/quantize.ts';
import { rowsOf, type StoredTensor } from '../weights/stored-tensor.ts';
import { blockTypes } from './ggml-blocks.ts';
import { packedBlocks, rowsOfBlocks } from './ggml-packed.ts';
import { configJson, ropeFactors, withFactors } from './gguf-config.ts';
import { GgufError } from './gguf-error.ts';
import { type GgufHeader, type GgufMetadata, type GgufTensorInfo, type ReadBytes, readHeader } from './gguf-header.ts';

/** One file that can be read at any byte. */
export interface GgufFile {
  name: string;
  bytes: number;
  read: ReadBytes;
}

export interface GgufModel {
  metadata: GgufMetadata;
  /** Fields of a config.json. */
  json: { [field: string]: unknown };
  config: ModelConfig;
  /** Files of the model with their tensors in byte order. */
  parts: { name: string; tensors: StoredTensor[] }[];
}

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

function stored({ name, shape, type, start, end }: GgufTensorInfo, config: ModelConfig): StoredTensor {
  const block = blockTypes[type];
  const { rows, columns } = rowsOf(shape);
  const known = huggingFaceName(name);
  const permuted = isPermuted(known, config);
  const decode = (bytes: Uint8Array) => {
    const values = block.decode(bytes);
    return permuted ? unpermute(values, columns, config.headDim) : values;
  };
  const blocks = packedBlocks[block.name];
  const take = (bytes: Uint8Array) => {
    const packed = rowsOfBlocks(blocks!, bytes, columns);
    return permuted ? unpermutePacked(packed, config.headDim) : packed;
  };
  const rowGroup = permuted ? config.headDim : 1;
  const suggested = blocks?.format ?? block.suggested;
  return { name: known, shape, start, end, rows, columns, rowGroup, decode, suggested, ...(blocks && { take }) };
}

/** Names of the parts of a split model: PREFIX-00001-of-00003.gguf and so on. */
const partName = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;

/** Name of the first part of the split model to which a file belongs; the name itself for another file. */
export const firstPart = (name: string) => name.replace(partName, '$1-00001-of-$3.gguf');

interface Part {
  file: GgufFile;
  header: GgufHeader;
}

const countOf = ({ metadata }: GgufHeader, key: string) => Number(metadata.get(key) ?? 0);

/** Throws GgufError if a part is not part `index` of `total`. */
function checkPart({ file, header }: Part, index: number, total: number): void {
  const [found, count] = [countOf(header, 'split.no'), countOf(header, 'split.count')];
  if (found === index && count === total) return;
  throw new GgufError(
    `${file.name} should be part ${index + 1} of ${total} of a split model, but its split.no is ${found} and its split.count ${count}.`,
  );
}

/**
 * Opens all parts of a model, given its first file. `open` resolves to null for a file that does not exist. Throws
 * GgufError for a missing or foreign part.
 */
async function readParts(first: GgufFile, open: (name: string) => Promise<GgufFile | null>): Promise<Part[]> {
  const parts: Part[] = [{ file: first, header: await readHeader(first.read, first.bytes) }];
  const total = Math.max(1, countOf(parts[0].header, 'split.count'));
  if (total === 1) return parts;
  const [, prefix, , ofTotal] = partName.exec(first.name) ?? [];
  if (Number(ofTotal) !== total)
    throw new GgufError(
      `${first.name} is part ${countOf(parts[0].header, 'split.no') + 1} of a model in ${total} files (split.count). Its parts must keep their names, ` +
        `ending in -00001-of-${String(total).padStart(5, '0')}.gguf; parts that were joined by cat are to be joined with llama-gguf-split --merge.`,
    );
  checkPart(parts[0], 0, total);
  for (let i = 1; i < total; i++) {
    const name = `${prefix}-${String(i + 1).padStart(5, '0')}-of-${ofTotal}.gguf`;
    const file = await open(name);
    if (!file)
      throw new GgufError(
        `${first.name} is the first of ${total} files of a model (split.count), and ${name} is missing. Load all parts from one folder.`,
      );
    const part = { file, header: await readHeader(file.read, file.bytes) };
    checkPart(part, i, total);
    parts.push(part);
  }
  checkTensors(parts);
  return parts;
}

/** Throws GgufError if the parts of a split model have another number of tensors than announced, or one twice. */
function checkTensors(parts: readonly Part[]): void {
  const names = parts.flatMap(({ header }) => header.tensors.map(({ name }) => name));
  const announced = countOf(parts[0].header, 'split.tensors.count');
  if (announced && announced !== names.length)
    throw new GgufError(
      `The ${parts.length} parts of the GGUF model have ${names.length} tensors; ${announced} are announced (split.tensors.count).`,
    );
  const seen = new Set<string>();
  const twice = names.find((name) => seen.size === seen.add(name).size);
  if (twice !== undefined) throw new GgufError(`${twice} is in more than one part of the GGUF model.`);
}

/** Reads the factors of Llama 3's rotary scaling, if a part has them, into the config. */
async function scaledJson(json: GgufModel['json'], parts: readonly Part[]): Promise<GgufModel['json']> {
  for (const { file, header } of parts) {
    const factors = header.tensors.find(({ name }) => name === ropeFactors);
    if (!factors) continue;
    const { start, end, type } = factors;
    return withFactors(json, blockTypes[type].decode(await file.read(start, end)));
  }
  return json;
}

/**
 * Reads a model's metadata and tensor tables. `open` finds further parts of a split model. Throws GgufError or
 * ConfigError.
 */
export async function readGguf(
  first: GgufFile,
  open: (name: string) => Promise<GgufFile | null> = async () => null,
): Promise<GgufModel> {
  const parts = await readParts(first, open);
  const infos = parts.flatMap(({ header }) => header.tensors);
  const embedding = infos.find(({ name }) => name === 'token_embd.weight');
  if (!embedding)
    throw new GgufError('The GGUF file has no token_embd.weight: it is not a language model, or only a part of one.');
  const tied = !infos.some(({ name }) => name === 'output.weight');
  const { metadata } = parts[0].header;
  const json = await scaledJson(configJson(metadata, embedding.shape[0], tied), parts);
  const config = parseConfig(json);
  const tensorsOf = ({ header }: Part) =>
    header.tensors.filter(({ name }) => name !== ropeFactors).map((info) => stored(info, config));
  return { metadata, json, config, parts: parts.map((part) => ({ name: part.file.name, tensors: tensorsOf(part) })) };
}
