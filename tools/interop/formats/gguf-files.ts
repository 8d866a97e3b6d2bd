/** Small random language models as GGUF files, and mutations of their headers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockTypes } from '../../../src/policy/formats/ggml-blocks.ts';
import { syntheticTokenizer } from '../../../src/policy/text/synthetic-tokenizer.ts';
import type { Choices } from './part.ts';

/** Value of a key with the number of its GGUF type: 4 u32, 5 i32, 6 f32, 7 bool, 8 text, 10 u64, 12 f64. */
export interface Typed {
  type: number;
  value: number | string | boolean | readonly (number | string)[];
}

interface DraftTensor {
  name: string;
  /** ggml's order. */
  sizes: number[];
  type: number;
  bytes: Uint8Array;
  /** Replaces the offset that follows from the tensors before it. */
  offset?: number;
}

export interface GgufDraft {
  version: number;
  /** In order; a key may occur twice. */
  keys: [string, Typed][];
  tensors: DraftTensor[];
  alignment: number;
}

export const u32 = (value: number): Typed => ({ type: 4, value });
export const f32 = (value: number): Typed => ({ type: 6, value });
export const text = (value: string): Typed => ({ type: 8, value });

const vocabulary = 300;
const made = syntheticTokenizer('qwen2.5', vocabulary);

/** Offsets of the f16 numbers in a block, one bit of whose exponents is cleared to keep them finite. */
const halves: { readonly [type: string]: number[] } = {
  ...{ Q4_0: [0], Q4_1: [0, 2], Q5_0: [0], Q5_1: [0, 2], Q8_0: [0], Q2_K: [80, 82], Q3_K: [108] },
  ...{ Q4_K: [0, 2], Q5_K: [0, 2], Q6_K: [208], IQ4_NL: [0], IQ4_XS: [0], F16: [0], BF16: [0], F32: [2] },
};

function randomTensor(name: string, sizes: number[], choices: Choices): DraftTensor {
  const fitting = Object.keys(blockTypes).filter((type) => sizes[0] % blockTypes[Number(type)].values === 0);
  const type = sizes.length === 1 ? 0 : Number(choices.one(fitting));
  const block = blockTypes[type];
  const count = sizes.reduce((a, b) => a * b, 1) / block.values;
  const bytes = Uint8Array.from({ length: count * block.bytes }, () => choices.below(256));
  for (let i = 0; i < count; i++) for (const at of halves[block.name]) bytes[i * block.bytes + at + 1] &= 0xbf;
  return { name, sizes, type, bytes };
}

function tokenizerKeys(pre: string): [string, Typed][] {
  const { model, added_tokens } = made.tokenizer as {
    model: { vocab: { [token: string]: number }; merges: string[][] };
    added_tokens: { id: number; content: string; special: boolean }[];
  };
  const tokens = Array.from({ length: vocabulary }, (_, id) => `[PAD${id}]`);
  const types = tokens.map(() => 5);
  for (const [token, id] of Object.entries(model.vocab)) [tokens[id], types[id]] = [token, 1];
  for (const { id, content, special } of added_tokens) [tokens[id], types[id]] = [content, special ? 3 : 4];
  return [
    ['tokenizer.ggml.model', text('gpt2')],
    ['tokenizer.ggml.pre', text(pre)],
    ['tokenizer.ggml.tokens', { type: 8, value: tokens }],
    ['tokenizer.ggml.token_type', { type: 5, value: types }],
    ['tokenizer.ggml.merges', { type: 8, value: model.merges.map((pair) => pair.join(' ')) }],
    ['tokenizer.ggml.eos_token_id', u32(made.eosTokens[0])],
    ['tokenizer.chat_template', text('{{ messages }}')],
  ];
}

function layerTensors(type: string, hidden: number, heads: number, headDim: number): [string, number[]][] {
  const [q, kv] = [heads * headDim, headDim];
  const biases: [string, number[]][] = [
    ['attn_q.bias', [q]],
    ['attn_k.bias', [kv]],
    ['attn_v.bias', [kv]],
  ];
  const norms: [string, number[]][] = [
    ['attn_q_norm.weight', [headDim]],
    ['attn_k_norm.weight', [headDim]],
  ];
  return [
    ['attn_norm.weight', [hidden]],
    ['attn_q.weight', [hidden, q]],
    ['attn_k.weight', [hidden, kv]],
    ['attn_v.weight', [hidden, kv]],
    ['attn_output.weight', [q, hidden]],
    ...(type === 'qwen2' ? biases : []),
    ...(type === 'qwen3' ? norms : []),
    ['ffn_norm.weight', [hidden]],
    ['ffn_gate.weight', [hidden, hidden]],
    ['ffn_up.weight', [hidden, hidden]],
    ['ffn_down.weight', [hidden, hidden]],
  ];
}

/** A model of any of the families, with matrices of random types. */
export function ggufDraft(choices: Choices): GgufDraft {
  const type = choices.one(['llama', 'qwen2', 'qwen3']);
  const hidden = choices.one([32, 32, 256]);
  const [heads, headDim] = [2, hidden / 2];
  const shapes: [string, number[]][] = [
    ['token_embd.weight', [hidden, vocabulary]],
    ...layerTensors(type, hidden, heads, headDim).map(([name, sizes]): [string, number[]] => [`blk.0.${name}`, sizes]),
    ['output_norm.weight', [hidden]],
    ...(choices.next() < 0.5 ? [['output.weight', [hidden, vocabulary]] as [string, number[]]] : []),
  ];
  const keys: [string, Typed][] = [
    ['general.architecture', text(type)],
    ['general.name', text('small')],
    [`${type}.block_count`, u32(1)],
    [`${type}.context_length`, u32(2048)],
    [`${type}.embedding_length`, u32(hidden)],
    [`${type}.feed_forward_length`, u32(hidden)],
    [`${type}.attention.head_count`, u32(heads)],
    [`${type}.attention.head_count_kv`, u32(1)],
    [`${type}.attention.layer_norm_rms_epsilon`, f32(1e-5)],
    [`${type}.rope.freq_base`, f32(10_000)],
    ...tokenizerKeys(choices.one(['qwen2', 'llama-bpe', 'smollm', 'gpt-2'])),
  ];
  const tensors = shapes.map(([name, sizes]) => randomTensor(name, sizes, choices));
  return { version: 3, keys, tensors, alignment: 32 };
}

class Bytes {
  private parts: Uint8Array[] = [];
  length = 0;

  add(bytes: Uint8Array): this {
    this.parts.push(bytes);
    this.length += bytes.length;
    return this;
  }

  scalar(type: number, value: number | string | boolean): this {
    if (type === 8) return this.text(String(value));
    const view = new DataView(new ArrayBuffer(8));
    const number = Number(value);
    if (type === 6) view.setFloat32(0, number, true);
    else if (type === 12) view.setFloat64(0, number, true);
    else view.setBigInt64(0, BigInt(Math.trunc(number)), true);
    const size = { 0: 1, 1: 1, 2: 2, 3: 2, 7: 1, 10: 8, 11: 8, 12: 8 }[type] ?? 4;
    return this.add(new Uint8Array(view.buffer, 0, size));
  }

  text(value: string): this {
    const bytes = new TextEncoder().encode(value);
    return this.scalar(10, bytes.length).add(bytes);
  }

  typed({ type, value }: Typed): this {
    if (!Array.isArray(value)) return this.scalar(4, type).scalar(type, value as number);
    this.scalar(4, 9).scalar(4, type).scalar(10, value.length);
    for (const each of value) this.scalar(type, each);
    return this;
  }

  pad(to: number): this {
    return this.add(new Uint8Array((to - (this.length % to)) % to));
  }

  join(): Uint8Array {
    return Uint8Array.from(Buffer.concat(this.parts));
  }
}

/** Bytes of a file, and the number of those before its data. */
export function ggufBytes({ version, keys, tensors, alignment }: GgufDraft): { bytes: Uint8Array; header: number } {
  const out = new Bytes().add(new TextEncoder().encode('GGUF')).scalar(4, version);
  out.scalar(10, tensors.length).scalar(10, keys.length);
  for (const [key, typed] of keys) out.text(key).typed(typed);
  let next = 0;
  for (const { name, sizes, type, bytes, offset } of tensors) {
    out.text(name).scalar(4, sizes.length);
    for (const size of sizes) out.scalar(10, size);
    out.scalar(4, type).scalar(10, offset ?? next);
    next += Math.ceil(bytes.length / alignment) * alignment;
  }
  const header = out.pad(alignment).length;
  for (const { bytes } of tensors) out.add(bytes).pad(alignment);
  return { bytes: out.join(), header };
}

export const writeGgufFile = (folder: string, bytes: Uint8Array) => writeFileSync(join(folder, 'model.gguf'), bytes);
