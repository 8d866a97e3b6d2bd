/**
 * Translates a GGUF file's metadata into the fields of a `config.json`, with llama.cpp's defaults. Every key of the
 * architecture is known here: it is read, or has values that leave the arithmetic of Llama, Qwen2 and Qwen3 unchanged,
 * or the file is refused by the key's name.
 *
 * Keys: LLM_KV_NAMES in llama.cpp's src/llama-arch.cpp (github.com/ggml-org/llama.cpp, MIT); defaults:
 * load_hparams in src/llama-model.cpp.
 */
import { type ModelConfig, parseConfig, ropeInverseFrequencies } from '../config.ts';
import { GgufError } from './gguf-error.ts';
import type { GgufMetadata, GgufScalar } from './gguf-header.ts';
import { cut } from './json-text.ts';

type Fields = { [field: string]: unknown };

/** Tensor of rotary factors in Llama 3 files. It is read into the config and is not a weight. */
export const ropeFactors = 'rope_freqs.weight';

const architectures = ['llama', 'qwen2', 'qwen3'];

const show = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.slice(0, 8).map(show)}${value.length > 8 ? ', ...' : ''}]`
    : typeof value === 'string'
      ? cut(JSON.stringify(value))
      : String(value);

/** Reads keys of the file's architecture. Values of another kind are refused by name. */
class Keys {
  constructor(
    readonly metadata: GgufMetadata,
    readonly architecture: string,
  ) {}

  get(key: string): GgufScalar | readonly GgufScalar[] | undefined {
    return this.metadata.get(`${this.architecture}.${key}`);
  }

  refuse(key: string, because: string): GgufError {
    return new GgufError(`The GGUF file's ${this.architecture}.${key} is ${show(this.get(key))}: ${because}.`);
  }

  /** A number, or a list with the same number for every layer. */
  optional(key: string): number | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    const list = Array.isArray(value) ? [...new Set(value)] : [value];
    if (list.length > 1) throw this.refuse(key, 'sizes that differ between layers are not supported');
    if (typeof list[0] === 'number' && Number.isFinite(list[0])) return list[0];
    throw this.refuse(key, 'it must be a finite number');
  }

  number(key: string): number {
    const value = this.optional(key);
    if (value !== undefined) return value;
    throw new GgufError(`The GGUF file has no ${this.architecture}.${key}, which llama.cpp's converter always writes.`);
  }
}

type Accept = (value: unknown, keys: Keys) => boolean;

const any: Accept = () => true;
const oneOf =
  (...values: unknown[]): Accept =>
  (value) =>
    values.includes(value);
const none = oneOf(0, false);
const one = oneOf(0, 1);
const headDimOf = (keys: Keys) =>
  keys.optional('attention.key_length') ??
  Math.floor(keys.number('embedding_length') / keys.number('attention.head_count'));
const isHeadDim: Accept = (value, keys) => value === headDimOf(keys);

/** Keys that are read into the config. */
const read = [
  ...['context_length', 'embedding_length', 'block_count', 'feed_forward_length', 'vocab_size'],
  ...['attention.head_count', 'attention.head_count_kv', 'attention.key_length'],
  ...['attention.layer_norm_rms_epsilon', 'rope.freq_base'],
  ...['rope.scaling.type', 'rope.scaling.factor', 'rope.scale_linear'],
];

/** Values of further keys that change nothing. */
const harmless: { readonly [key: string]: Accept } = {
  // Keys for embedding models, for training and for other programs, on which logits do not depend.
  ...{ pooling_type: any, 'rope.scaling.finetuned': any, 'attention.layer_norm_epsilon': any },
  // Used by YaRN only, which is refused by its type.
  'rope.scaling.original_context_length': any,
  ...{ 'rope.scaling.yarn_beta_fast': any, 'rope.scaling.yarn_beta_slow': any },
  ...{ 'rope.scaling.yarn_ext_factor': none, 'rope.scaling.yarn_log_multiplier': none },
  ...{ 'rope.scaling.yarn_attn_factor': one, 'rope.scaling.attn_factor': one },
  // Both are names of the row order that every converter writes.
  tensor_data_layout: oneOf('reference', 'Meta AI original pth'),
  'rope.dimension_count': isHeadDim,
  'attention.value_length': isHeadDim,
  'attention.causal': oneOf(true),
  'attention.scale': (value, keys) => value === 0 || value === Math.fround(1 / Math.sqrt(headDimOf(keys))),
  'attention.sliding_window': none,
  hidden_activation: oneOf('silu'),
  use_parallel_residual: none,
  // Scales: zero stands for none in llama.cpp.
  ...{ logit_scale: one, embedding_scale: one, residual_scale: one },
  ...{ 'attention.output_scale': one, 'attention.value_scale': one },
  ...{ attn_logit_softcapping: none, final_logit_softcapping: none },
  ...{ 'attention.clamp_kqv': none, 'attention.max_alibi_bias': none },
  ...{ expert_count: none, expert_used_count: none, expert_shared_count: none, leading_dense_block_count: none },
  ...{ nextn_predict_layers: none, moe_every_n_layers: none, interleave_moe_layer_step: none },
};

/** Throws GgufError for a key of the architecture whose value would change the arithmetic, or that is unknown. */
function checkKeys(keys: Keys): void {
  const prefix = `${keys.architecture}.`;
  for (const [name, value] of keys.metadata) {
    if (!name.startsWith(prefix)) continue;
    const key = name.slice(prefix.length);
    if (read.includes(key)) continue;
    if (!Object.hasOwn(harmless, key)) throw keys.refuse(cut(key), 'this key is unknown and may change the arithmetic');
    if (!harmless[key](value, keys)) throw keys.refuse(key, 'it changes the arithmetic and is not supported');
  }
}

/**
 * Rotary scaling. As in llama.cpp a factor without a type is linear, `rope.scale_linear` is the older name of the
 * factor, a factor of 0 is none, and the type "none" overrides it.
 */
function scalingOf(keys: Keys): { rope_scaling?: Fields } {
  const type = keys.get('rope.scaling.type') ?? 'linear';
  const named = keys.optional('rope.scaling.factor');
  const factor = named ?? keys.optional('rope.scale_linear') ?? 0;
  if (type === 'none') return {};
  if (type !== 'linear')
    throw keys.refuse('rope.scaling.type', `only none, linear and Llama 3's (a ${ropeFactors} tensor) are supported`);
  if (factor < 0)
    throw keys.refuse(named === undefined ? 'rope.scale_linear' : 'rope.scaling.factor', 'it must be at least 0');
  return factor === 0 || factor === 1 ? {} : { rope_scaling: { rope_type: 'linear', factor } };
}

/** Ids by which some converters write that there is no such token: -1, also without a sign. */
const noToken: readonly unknown[] = [-1, 2 ** 32 - 1];

/** Id of a special token, or undefined. */
function tokenId(metadata: GgufMetadata, name: string, vocabSize: number): number | undefined {
  const key = `tokenizer.ggml.${name}_token_id`;
  const id = metadata.get(key);
  if (id === undefined || noToken.includes(id)) return undefined;
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < vocabSize) return id;
  throw new GgufError(
    `The GGUF file's ${key} is ${show(id)}; it must be an id below ${vocabSize}, the size of its vocabulary.`,
  );
}

function checkKind(metadata: GgufMetadata): string {
  const type = metadata.get('general.type') ?? 'model';
  if (type !== 'model')
    throw new GgufError(
      `The GGUF file is of general.type ${show(type)}, not a whole model. Choose the file of the model.`,
    );
  const architecture = metadata.get('general.architecture');
  if (typeof architecture === 'string' && architectures.includes(architecture)) return architecture;
  throw new GgufError(
    `The GGUF file's general.architecture is ${architecture === undefined ? 'absent' : show(architecture)}; the engine runs ${architectures.join(', ')}.`,
  );
}

/**
 * Fields of a config.json. `vocabSize` is the number of the embedding's rows, `tied`: the file has no other head.
 * Throws GgufError.
 */
export function configJson(metadata: GgufMetadata, vocabSize: number, tied: boolean): Fields {
  const architecture = checkKind(metadata);
  const keys = new Keys(metadata, architecture);
  checkKeys(keys);
  const stated = keys.optional('vocab_size');
  if (stated !== undefined && stated !== vocabSize)
    throw keys.refuse('vocab_size', `token_embd.weight has ${vocabSize} rows`);
  const heads = keys.number('attention.head_count');
  const ends = ['eos', 'eot', 'eom'].map((name) => tokenId(metadata, name, vocabSize));
  return {
    model_type: architecture,
    vocab_size: vocabSize,
    hidden_size: keys.number('embedding_length'),
    intermediate_size: keys.number('feed_forward_length'),
    num_hidden_layers: keys.number('block_count'),
    num_attention_heads: heads,
    num_key_value_heads: keys.optional('attention.head_count_kv') ?? heads,
    head_dim: headDimOf(keys),
    rms_norm_eps: keys.number('attention.layer_norm_rms_epsilon'),
    rope_theta: keys.optional('rope.freq_base') ?? 10_000,
    ...scalingOf(keys),
    max_position_embeddings: keys.number('context_length'),
    tie_word_embeddings: tied,
    bos_token_id: tokenId(metadata, 'bos', vocabSize) ?? null,
    eos_token_id: [...new Set(ends.filter((token) => token !== undefined))],
    hidden_act: 'silu',
  };
}

/** Largest allowed difference of a factor from Llama 3's, relative: the rounding to f32 of another formula. */
const factorTolerance = 1e-5;

/** Adds Llama 3's scaling to the config. Throws GgufError if the file's factors are different. */
export function withFactors(json: Fields, factors: Float32Array): Fields {
  const bare = parseConfig(json);
  if (factors.every((factor) => factor === 1) && factors.length === bare.headDim / 2) return json;
  const scaling = {
    rope_type: 'llama3',
    factor: factors.reduce((a, b) => Math.max(a, b), 1),
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 8192,
  };
  const scaled = { ...json, rope_scaling: scaling };
  if (bare.ropeScaling || !agree(bare, parseConfig(scaled), factors))
    throw new GgufError(`The factors in ${ropeFactors} are not Llama 3's; other rotary scalings are not supported.`);
  return scaled;
}

function agree(bare: ModelConfig, scaled: ModelConfig, factors: Float32Array): boolean {
  const [plain, frequencies] = [bare, scaled].map(ropeInverseFrequencies);
  return (
    plain.length === factors.length &&
    plain.every((f, i) => Math.abs(f / frequencies[i] / factors[i] - 1) < factorTolerance)
  );
}
