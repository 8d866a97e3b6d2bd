/**
 * GGUF files of small models of each family, with the names, metadata and tokenizer that llama.cpp's converter writes.
 */
import type { Family } from '../../src/policy/catalogue.ts';
import { type ModelConfig, parameterShapes } from '../../src/policy/config.ts';
import { syntheticTokenizer } from '../../src/policy/text/synthetic-tokenizer.ts';
import { f32Bytes, type GgufTensor, ggml, permute, writeGguf } from './gguf-writer.ts';

const ggufNames: [RegExp, string][] = [
  [/^model\.embed_tokens\./, 'token_embd.'],
  [/^model\.norm\./, 'output_norm.'],
  [/^lm_head\./, 'output.'],
  [/^model\.layers\.(\d+)\./, 'blk.$1.'],
  [/input_layernorm/, 'attn_norm'],
  [/post_attention_layernorm/, 'ffn_norm'],
  [/self_attn\.([qkv])_proj/, 'attn_$1'],
  [/self_attn\.([qk])_norm/, 'attn_$1_norm'],
  [/self_attn\.o_proj/, 'attn_output'],
  [/mlp\.(gate|up|down)_proj/, 'ffn_$1'],
];
export const ggufName = (name: string) => ggufNames.reduce((text, [from, to]) => text.replace(from, to), name);

const preOf: { [family in Family]: string } = {
  'qwen2.5': 'qwen2',
  qwen3: 'qwen2',
  smollm2: 'smollm',
  'llama-3.2': 'llama-bpe',
};

export function metadataOf(family: Family, config: ModelConfig) {
  const { tokenizer, config: tokenizerConfig, bosToken, eosTokens } = syntheticTokenizer(family, config.vocabSize);
  const { model, added_tokens } = tokenizer as {
    model: { vocab: { [token: string]: number }; merges: string[][] };
    added_tokens: { id: number; content: string; special: boolean }[];
  };
  const tokens = Array.from({ length: config.vocabSize }, (_, id) => `[PAD${id}]`);
  const types = tokens.map(() => 5);
  for (const [token, id] of Object.entries(model.vocab)) [tokens[id], types[id]] = [token, 1];
  for (const { id, content, special } of added_tokens) [tokens[id], types[id]] = [content, special ? 3 : 4];
  const arch = config.modelType;
  return {
    'general.architecture': arch,
    'general.name': 'test',
    [`${arch}.block_count`]: config.numLayers,
    [`${arch}.embedding_length`]: config.hiddenSize,
    [`${arch}.feed_forward_length`]: config.intermediateSize,
    [`${arch}.attention.head_count`]: config.numHeads,
    [`${arch}.attention.head_count_kv`]: config.numKvHeads,
    [`${arch}.attention.key_length`]: config.headDim,
    [`${arch}.attention.layer_norm_rms_epsilon`]: config.rmsNormEps,
    [`${arch}.rope.freq_base`]: config.ropeTheta + 0.5,
    [`${arch}.context_length`]: config.maxPosition,
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': preOf[family],
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': types,
    'tokenizer.ggml.merges': model.merges.map((pair) => pair.join(' ')),
    'tokenizer.ggml.bos_token_id': bosToken,
    'tokenizer.ggml.eos_token_id': eosTokens.at(-1)!,
    'tokenizer.chat_template': tokenizerConfig.chat_template,
  };
}

type Stored = Pick<GgufTensor, 'type' | 'bytes'>;
const asF32 = (_: string, __: readonly number[], values: Float32Array): Stored => ({
  type: ggml.F32,
  bytes: f32Bytes(values),
});

/** A whole file of a small SmolLM2, in f32 unless `store` chooses otherwise. */
export function smallGguf(
  config: ModelConfig,
  valuesOf: (name: string, shape: readonly number[]) => Float32Array,
  store: (name: string, shape: readonly number[], values: Float32Array) => Stored = asF32,
): Uint8Array<ArrayBuffer> {
  return writeGguf(smallMetadata(config), smallTensors(config, valuesOf, store));
}

const smallMetadata = (config: ModelConfig) => ({
  ...metadataOf('smollm2', config),
  'llama.rope.freq_base': config.ropeTheta,
});

function smallTensors(
  config: ModelConfig,
  valuesOf: (name: string, shape: readonly number[]) => Float32Array,
  store: (name: string, shape: readonly number[], values: Float32Array) => Stored,
): GgufTensor[] {
  return [...parameterShapes(config)].map(([name, shape]) => {
    const heads = /q_proj/.test(name) ? config.numHeads : /k_proj/.test(name) ? config.numKvHeads : 0;
    const values = valuesOf(name, shape);
    const ordered = heads ? permute(values, heads, shape[1]) : values;
    return { name: ggufName(name), shape, ...store(name, shape, ordered) };
  });
}

/** The same model in two parts, as llama-gguf-split writes them: the metadata only in the first. */
export function splitGguf(
  config: ModelConfig,
  valuesOf: (name: string, shape: readonly number[]) => Float32Array,
): [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>] {
  const tensors = smallTensors(config, valuesOf, asF32);
  const half = Math.floor(tensors.length / 2);
  const split = (no: number) => ({ 'split.no': no, 'split.count': 2, 'split.tensors.count': tensors.length });
  return [
    writeGguf({ ...smallMetadata(config), ...split(0) }, tensors.slice(0, half)),
    writeGguf(split(1), tensors.slice(half)),
  ];
}
