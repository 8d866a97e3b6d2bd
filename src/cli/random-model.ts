/**
 * Writes a random model of any listed shape in the Hub's layout: `config.json`, `tokenizer.json`,
 * `tokenizer_config.json` and `model.safetensors`, split into several files on request. Written slice by slice, so that
 * a 3B model needs no more memory than a small one. Every value depends only on the seed, the tensor's name and its
 * index in the tensor, not on the dtype or the split.
 */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogueEntry } from '../policy/catalogue.ts';
import { type ModelConfig, parameterShapes, parseConfig } from '../policy/config.ts';
import { dtypeBytes, narrowBf16, narrowF16, writeHeader } from '../policy/formats/safetensors.ts';
import { syntheticTokenizer } from '../policy/text/synthetic-tokenizer.ts';
import { normals } from '../policy/weights/init.ts';
import { writeWhole } from './whole-files.ts';

export type FloatDtype = 'f32' | 'f16' | 'bf16';

/** Sizes that override the listed model's. */
export interface ShapeOverrides {
  layers?: number;
  hidden?: number;
  intermediate?: number;
  heads?: number;
  kvHeads?: number;
  headDim?: number;
  vocab?: number;
  tied?: boolean;
}

export interface MakeModelOptions {
  out: string;
  seed: number;
  dtype: FloatDtype;
  overrides?: ShapeOverrides;
  /** Maximum bytes of one weight file. Default: one file. */
  shardBytes?: number;
  print?: (line: string) => void;
}

interface Planned {
  name: string;
  shape: number[];
  values: number;
}

const names: { [dtype in FloatDtype]: 'F32' | 'F16' | 'BF16' } = { f32: 'F32', f16: 'F16', bf16: 'BF16' };
const torchNames: { [dtype in FloatDtype]: string } = { f32: 'float32', f16: 'float16', bf16: 'bfloat16' };

/** Values generated at a time. */
const sliceValues = 1 << 20;

/** Fields of config.json with the overrides applied. */
function overridden(config: CatalogueEntry['config'], overrides: ShapeOverrides): { [field: string]: unknown } {
  const fields = {
    num_hidden_layers: overrides.layers,
    hidden_size: overrides.hidden,
    intermediate_size: overrides.intermediate,
    num_attention_heads: overrides.heads,
    num_key_value_heads: overrides.kvHeads,
    head_dim: overrides.headDim,
    vocab_size: overrides.vocab,
    tie_word_embeddings: overrides.tied,
  };
  return { ...config, ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) };
}

/**
 * Standard deviation and mean of a tensor's values: norms lie around 1; biases and matrices are small, as in a model
 * before training.
 */
function spreadOf(name: string): { std: number; mean: number } {
  if (name.endsWith('norm.weight')) return { std: 0.1, mean: 1 };
  return { std: 0.02, mean: 0 };
}

/** Values `start` to `start + count` of a tensor of the random model. */
export function randomValues(name: string, seed: number, start: number, count: number): Float32Array {
  const { std, mean } = spreadOf(name);
  const values = normals(count, seed, name, std, start);
  if (mean !== 0) for (let i = 0; i < count; i++) values[i] += mean;
  return values;
}

function encode(values: Float32Array, dtype: FloatDtype): Uint8Array {
  const stored = dtype === 'f32' ? values : dtype === 'f16' ? narrowF16(values) : narrowBf16(values);
  return new Uint8Array(stored.buffer as ArrayBuffer, stored.byteOffset, stored.byteLength);
}

/** Groups the tensors, in order, into files of at most `shardBytes`. A larger tensor gets its own file. */
function split(tensors: readonly Planned[], bytesPerValue: number, shardBytes = Number.POSITIVE_INFINITY): Planned[][] {
  const shards: Planned[][] = [[]];
  let bytes = 0;
  for (const tensor of tensors) {
    const size = tensor.values * bytesPerValue;
    if (bytes > 0 && bytes + size > shardBytes) {
      shards.push([]);
      bytes = 0;
    }
    shards.at(-1)!.push(tensor);
    bytes += size;
  }
  return shards;
}

const shardName = (index: number, count: number) =>
  count === 1
    ? 'model.safetensors'
    : `model-${String(index + 1).padStart(5, '0')}-of-${String(count).padStart(5, '0')}.safetensors`;

async function writeShard(path: string, tensors: readonly Planned[], { seed, dtype }: MakeModelOptions): Promise<void> {
  const file = await open(`${path}.part`, 'w');
  try {
    const table = tensors.map(({ name, shape }) => ({ name, shape, dtype: names[dtype] }));
    await file.write(writeHeader(table, { format: 'pt' }));
    for (const { name, values } of tensors)
      for (let start = 0; start < values; start += sliceValues)
        await file.write(encode(randomValues(name, seed, start, Math.min(sliceValues, values - start)), dtype));
  } catch (error) {
    await rm(`${path}.part`, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
}

function indexOf(shards: readonly Planned[][], bytesPerValue: number): string {
  const map = shards.flatMap((shard, i) => shard.map(({ name }) => [name, shardName(i, shards.length)]));
  const total = shards.flat().reduce((sum, { values }) => sum + values * bytesPerValue, 0);
  return JSON.stringify({ metadata: { total_size: total }, weight_map: Object.fromEntries(map) }, null, 1);
}

/** Writes the folder and returns the model's config. Throws ConfigError or RangeError on invalid shapes. */
export async function makeModel(entry: CatalogueEntry, options: MakeModelOptions): Promise<ModelConfig> {
  const { out, dtype, shardBytes, print = () => {} } = options;
  const fields = overridden(entry.config, options.overrides ?? {});
  const made = syntheticTokenizer(entry.family, fields.vocab_size as number);
  const json = {
    ...fields,
    torch_dtype: torchNames[dtype],
    bos_token_id: made.bosToken,
    eos_token_id: made.eosTokens.length === 1 ? made.eosTokens[0] : made.eosTokens,
  };
  const config = parseConfig(json);
  await mkdir(out, { recursive: true });
  writeWhole(join(out, 'config.json'), JSON.stringify(json, null, 2));
  writeWhole(join(out, 'tokenizer.json'), JSON.stringify(made.tokenizer));
  writeWhole(join(out, 'tokenizer_config.json'), JSON.stringify(made.config, null, 2));
  const bytesPerValue = dtypeBytes(names[dtype]);
  const tensors = [...parameterShapes(config)].map(([name, shape]) => ({
    name,
    shape,
    values: shape.reduce((a, b) => a * b, 1),
  }));
  const shards = split(tensors, bytesPerValue, shardBytes);
  for (const [i, shard] of shards.entries()) {
    await writeShard(join(out, shardName(i, shards.length)), shard, options);
    print(`${shardName(i, shards.length)}: ${shard.length} tensors`);
  }
  if (shards.length > 1) writeWhole(join(out, 'model.safetensors.index.json'), indexOf(shards, bytesPerValue));
  return config;
}
