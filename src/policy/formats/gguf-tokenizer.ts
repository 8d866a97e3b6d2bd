/**
 * Builds a `tokenizer.json` from a GGUF file's metadata, for byte-level BPE tokenizers (`tokenizer.ggml.model` "gpt2")
 * with a known pre-tokenizer. Others are refused by name; such a model can be loaded from its safetensors files.
 */

import { preTokenizers } from '../text/pre-tokenizers.ts';
import { GgufError, type GgufMetadata } from './gguf.ts';

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

/** Other names of the same pre-tokenizers. */
const aliases: { readonly [name: string]: string } = {
  default: 'gpt-2',
  deepseek_r1_qwen: 'qwen2',
  llama3: 'llama-bpe',
};

function strings(metadata: GgufMetadata, key: string): string[] {
  const list = metadata[key];
  if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
  throw new GgufError(`The GGUF file's metadata has no list of strings under ${key}: its tokenizer cannot be built.`);
}

function preTokenizerOf(metadata: GgufMetadata): object {
  const model = metadata['tokenizer.ggml.model'];
  if (model !== 'gpt2')
    throw new GgufError(
      `The GGUF file's tokenizer is of kind ${JSON.stringify(model)}; only "gpt2" (byte-level BPE) is read. Load the model from its safetensors files.`,
    );
  const name = String(metadata['tokenizer.ggml.pre'] ?? 'default');
  const known = preTokenizers[aliases[name] ?? name];
  if (known) return known;
  throw new GgufError(
    `The GGUF file's pre-tokenizer is ${JSON.stringify(name)}; known are ${[...Object.keys(preTokenizers), ...Object.keys(aliases)].join(', ')}. ` +
      'Load the model from its safetensors files.',
  );
}

/** Builds the tokenizer. Throws GgufError naming the unsupported feature. */
export function ggufTokenizer(metadata: GgufMetadata): GgufTokenizer {
  const preTokenizer = preTokenizerOf(metadata);
  const tokens = strings(metadata, 'tokenizer.ggml.tokens');
  const types = (metadata['tokenizer.ggml.token_type'] ?? []) as number[];
  const added = (id: number) => types[id] === control || types[id] === userDefined;
  const used = tokens.map((token, id) => ({ token, id })).filter(({ id }) => types[id] !== unused);
  const named = (key: string) => tokens[metadata[`tokenizer.ggml.${key}`] as number];
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: used.filter(({ id }) => added(id)).map(({ token, id }) => entry(token, id, types[id] === control)),
    normalizer: metadata['tokenizer.ggml.pre'] === 'qwen2' ? { type: 'NFC' } : null,
    pre_tokenizer: preTokenizer,
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
      ignore_merges: metadata['tokenizer.ggml.pre'] === 'llama-bpe',
      vocab: Object.fromEntries(used.filter(({ id }) => !added(id)).map(({ token, id }) => [token, id])),
      merges: strings(metadata, 'tokenizer.ggml.merges').map((pair) => pair.split(' ', 2)),
    },
  };
  const template = metadata['tokenizer.chat_template'];
  const config = {
    tokenizer_class: 'PreTrainedTokenizerFast',
    bos_token: named('bos_token_id') ?? null,
    eos_token: named('eos_token_id') ?? null,
    pad_token: named('padding_token_id') ?? null,
    add_bos_token: metadata['tokenizer.ggml.add_bos_token'] === true,
    clean_up_tokenization_spaces: false,
    ...(typeof template === 'string' ? { chat_template: template } : {}),
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
