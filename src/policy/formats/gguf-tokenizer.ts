/**
 * Builds a `tokenizer.json` from a GGUF file's metadata, for byte-level BPE tokenizers (`tokenizer.ggml.model` "gpt2")
 * with a known pre-tokenizer. Others are refused by name; such a model can be loaded from its safetensors files.
 */

import { preTokenizers } from '../text/pre-tokenizers.ts';
import { GgufError } from './gguf-error.ts';
import type { GgufMetadata } from './gguf-header.ts';
import { cut } from './json-text.ts';

export interface GgufTokenizer {
  /** tokenizer.json, as an object. */
  tokenizer: object;
  /** tokenizer_config.json, as an object. */
  config: { [field: string]: unknown };
}

/** Kinds of tokens (llama.cpp's llama_token_type). */
const control = 3;
const userDefined = 4;
const unused = 5;

/**
 * Names under which llama.cpp's converter writes these pre-tokenizers (convert_hf_to_gguf_update.py), where the model's
 * own tokenizer.json splits by the same rule. "default" is none of them: it names no rule of the model.
 */
const aliases: { readonly [name: string]: string } = {
  'deepseek-r1-qwen': 'qwen2',
  llama3: 'llama-bpe',
  'llama-v3': 'llama-bpe',
};

const show = (value: unknown) => cut(typeof value === 'string' ? JSON.stringify(value) : String(value));

function strings(metadata: GgufMetadata, key: string): string[] {
  const list = metadata.get(key);
  if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
  throw new GgufError(`The GGUF file's metadata has no list of strings under ${key}: its tokenizer cannot be built.`);
}

/** Name of the file's pre-tokenizer in pre-tokenizers.ts. */
function preTokenizerOf(metadata: GgufMetadata): string {
  const model = metadata.get('tokenizer.ggml.model');
  if (model !== 'gpt2')
    throw new GgufError(
      `The GGUF file's tokenizer is of kind ${show(model)}; only "gpt2" (byte-level BPE) is read. Load the model from its safetensors files.`,
    );
  const written = metadata.get('tokenizer.ggml.pre');
  if (written === undefined || written === 'default')
    throw new GgufError(
      `The GGUF file does not name its pre-tokenizer (tokenizer.ggml.pre is ${written === undefined ? 'absent' : '"default"'}), so its text would be split by another rule than the model's. ` +
        'Choose a file converted since May 2024, or the safetensors files.',
    );
  const name = aliases[String(written)] ?? written;
  if (typeof name === 'string' && Object.hasOwn(preTokenizers, name)) return name;
  throw new GgufError(
    `The GGUF file's pre-tokenizer is ${show(written)}; known are ${[...Object.keys(preTokenizers), ...Object.keys(aliases)].join(', ')}. ` +
      'Load the model from its safetensors files.',
  );
}

/** Settings of llama.cpp's tokenizers that byte-level BPE must not have. */
const foreign = [
  ...['add_space_prefix', 'remove_extra_whitespaces', 'precompiled_charsmap'],
  ...['normalizer.lowercase', 'normalizer.strip_accents'],
];

function checkSettings(metadata: GgufMetadata): void {
  for (const name of foreign) {
    const value = metadata.get(`tokenizer.ggml.${name}`);
    if (value === undefined || value === false) continue;
    throw new GgufError(`The GGUF file's tokenizer.ggml.${name} is set, which byte-level BPE does not support.`);
  }
}

/** Kind of every token. Without a list all are normal. */
function typesOf(metadata: GgufMetadata, tokens: readonly string[]): readonly unknown[] {
  const types = metadata.get('tokenizer.ggml.token_type');
  if (types === undefined) return [];
  if (Array.isArray(types) && types.length === tokens.length) return types;
  throw new GgufError(
    `The GGUF file's tokenizer.ggml.token_type must be a list of ${tokens.length} kinds, as many as there are tokens.`,
  );
}

function checkTokens(tokens: readonly string[]): void {
  const ids = new Map<string, number>();
  for (const [id, token] of tokens.entries()) {
    const before = ids.get(token);
    if (before !== undefined)
      throw new GgufError(
        `The GGUF file's vocabulary has the token ${show(token)} twice, with ids ${before} and ${id}.`,
      );
    ids.set(token, id);
  }
}

/** The two tokens of a merge, which are separated by one space. */
function pairOf(merge: string): string[] {
  const pair = merge.split(' ');
  if (pair.length === 2 && pair[0] && pair[1]) return pair;
  throw new GgufError(`The GGUF file's tokenizer.ggml.merges has ${show(merge)}, which is not two tokens and a space.`);
}

function addsBos(metadata: GgufMetadata): boolean | undefined {
  const value = metadata.get('tokenizer.ggml.add_bos_token');
  if (value === undefined || typeof value === 'boolean') return value;
  throw new GgufError(`The GGUF file's tokenizer.ggml.add_bos_token is ${show(value)}; it must be true or false.`);
}

/** Builds the tokenizer. Throws GgufError naming the unsupported feature. */
export function ggufTokenizer(metadata: GgufMetadata): GgufTokenizer {
  const pre = preTokenizerOf(metadata);
  checkSettings(metadata);
  const tokens = strings(metadata, 'tokenizer.ggml.tokens');
  checkTokens(tokens);
  const types = typesOf(metadata, tokens);
  const added = (id: number) => types[id] === control || types[id] === userDefined;
  const used = tokens.map((token, id) => ({ token, id })).filter(({ id }) => types[id] !== unused);
  const named = (key: string) => tokens[Number(metadata.get(`tokenizer.ggml.${key}`) ?? -1)] ?? null;
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: used.filter(({ id }) => added(id)).map(({ token, id }) => entry(token, id, types[id] === control)),
    normalizer: pre === 'qwen2' ? { type: 'NFC' } : null,
    pre_tokenizer: preTokenizers[pre],
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: pre === 'llama-bpe',
      // With the added tokens: for those outside of it tokenizers ignores the ids that a file states.
      vocab: Object.fromEntries(used.map(({ token, id }) => [token, id])),
      merges: strings(metadata, 'tokenizer.ggml.merges').map(pairOf),
    },
  };
  const [template, tools] = ['', '.tool_use'].map((name) => metadata.get(`tokenizer.chat_template${name}`));
  const templates = { default: template, tool_use: tools };
  const chosen = typeof tools === 'string' ? templates : template;
  const config = {
    tokenizer_class: 'PreTrainedTokenizerFast',
    bos_token: named('bos_token_id'),
    eos_token: named('eos_token_id'),
    pad_token: named('padding_token_id'),
    // llama.cpp's default.
    add_bos_token: addsBos(metadata) ?? pre === 'llama-bpe',
    clean_up_tokenization_spaces: false,
    ...(typeof template === 'string' ? { chat_template: chosen } : {}),
  };
  return { tokenizer, config };
}

const entry = (content: string, id: number, special: boolean) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special,
});
