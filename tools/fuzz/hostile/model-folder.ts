/** A small whole model in memory, in the Hub's layout or as a GGUF file, and how such a folder is opened. */
import { findModelFiles } from '../../../src/models/files.ts';
import { parameterShapes, parseConfig } from '../../../src/policy/config.ts';
import { writeSafetensors } from '../../../src/policy/formats/safetensors.ts';
import { syntheticTokenizer } from '../../../src/policy/text/synthetic-tokenizer.ts';
import { Tokenizer, type TokenizerJson } from '../../../src/policy/text/tokenizer.ts';
import { conversationOf } from '../../../src/rl/episode/conversation-files.ts';
import type { ModelSource, SourceFile } from '../../../src/store/weights-source.ts';

/** Files of a folder by their names. */
export interface Folder {
  [name: string]: string | Uint8Array;
}

const vocabSize = 300;
const made = syntheticTokenizer('smollm2', vocabSize);

export const configJson = {
  model_type: 'llama',
  vocab_size: vocabSize,
  hidden_size: 8,
  intermediate_size: 12,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 4,
  max_position_embeddings: 512,
  tie_word_embeddings: true,
};
export const config = parseConfig(configJson);
export const tokenizerJson = made.tokenizer as unknown as TokenizerJson;
export const tokenizerConfig: { [field: string]: unknown } = made.config;

const sizeOf = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

export const tensorsOf = () =>
  new Map(
    [...parameterShapes(config)].map(([name, shape]) => [
      name,
      { shape, data: new Float32Array(sizeOf(shape)).fill(0.01) },
    ]),
  );

/** The undamaged folder. */
export const goodFolder = (): Folder => ({
  'config.json': JSON.stringify(configJson),
  'tokenizer.json': JSON.stringify(tokenizerJson),
  'tokenizer_config.json': JSON.stringify(tokenizerConfig),
  'generation_config.json': JSON.stringify({ eos_token_id: made.eosTokens }),
  'model.safetensors': writeSafetensors(tensorsOf()),
});

const bytesOf = (content: string | Uint8Array) =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

/** Source of the files of a folder in memory. */
function folderSource(folder: Folder): ModelSource {
  const names = Object.keys(folder);
  const fileOf = (name: string): SourceFile => {
    const bytes = bytesOf(folder[name]);
    return {
      name,
      bytes: bytes.length,
      sha256: null,
      identity: name,
      async *stream(start, _signal, end = bytes.length) {
        yield bytes.subarray(start, end);
      },
    };
  };
  return {
    key: 'hostile',
    label: 'The folder',
    text: async (name) => (names.includes(name) ? new TextDecoder().decode(bytesOf(folder[name])) : null),
    file: async (name) => (names.includes(name) ? fileOf(name) : null),
    names: () => names,
  };
}

/** Opens a model as far as before its weights are read: its files, its tokenizer and its conversation. */
export async function openFolder(folder: Folder): Promise<void> {
  const { signal } = new AbortController();
  const { config: read, texts } = await findModelFiles(folderSource(folder), {
    gguf: null,
    tokenizer: 'needed',
    signal,
  });
  const json = (name: string) => (texts[name] === undefined ? undefined : JSON.parse(texts[name]));
  const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json') ?? {});
  const conversation = await conversationOf(tokenizer, {
    tokenizerConfig: json('tokenizer_config.json'),
    chatTemplate: texts['chat_template.jinja'],
    generationConfig: json('generation_config.json'),
    eosTokens: read.eosTokens,
  });
  const ids = tokenizer.encode(`A text with 12 words, ${'blanks   and '.repeat(40)}names.`);
  tokenizer.decode(ids);
  if (ids.some((id) => id >= read.vocabSize || id < 0)) throw new TypeError('an id beyond the embedding');
  conversation.stopTokens;
}
