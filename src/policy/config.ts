/**
 * Model description read from a Hugging Face `config.json`: sizes and switches of the Llama, Qwen2 and Qwen3 models
 * that the engine runs. Both spellings are accepted: the Hub's flat one with `rope_theta` and `torch_dtype`, and
 * transformers 5's with `rope_parameters` and `dtype`. Features that the engine does not run are refused by name here,
 * before any weight is read. This file depends on JSON and names only, never on a GPU.
 */
import { ConfigError, ConfigReader, isObject, show } from './config-reader.ts';
import { inverseFrequencies, type RopeScaling, readRope, writeScaling } from './rope.ts';

export { ConfigError };

type ModelType = 'llama' | 'qwen2' | 'qwen3';

export interface ModelConfig {
  modelType: ModelType;
  vocabSize: number;
  hiddenSize: number;
  intermediateSize: number;
  numLayers: number;
  numHeads: number;
  numKvHeads: number;
  headDim: number;
  rmsNormEps: number;
  ropeTheta: number;
  ropeScaling: null | RopeScaling;
  maxPosition: number;
  tieWordEmbeddings: boolean;
  /** Bias on q, k and v (Qwen2). The output projection has no bias. */
  qkvBias: boolean;
  /** RMSNorm of each head's q and k before the rotation (Qwen3). */
  qkNorm: boolean;
  bosToken: number | null;
  eosTokens: number[];
}

const modelTypes: readonly string[] = ['llama', 'qwen2', 'qwen3'];

function readModelType(read: ConfigReader): ModelType {
  const type = read.json.model_type;
  if (typeof type === 'string' && modelTypes.includes(type)) return type as ModelType;
  throw new ConfigError([`model_type is ${show(type)}: the engine runs ${modelTypes.join(', ')}`]);
}

/**
 * Fields of related models with which the arithmetic differs from the engine's, and their values that leave it
 * unchanged. Null and an absent field always leave it unchanged.
 */
const unsupported: { readonly [field: string]: { readonly neutral: readonly unknown[]; readonly because: string } } = {
  hidden_act: { neutral: ['silu', 'swish'], because: 'only silu (SwiGLU) is supported' },
  rope_interleaved: { neutral: [false], because: 'only the half-split rotation is supported' },
  partial_rotary_factor: { neutral: [1], because: 'only a rotation of the whole head is supported' },
  quantization_config: { neutral: [], because: 'only f32, f16 and bf16 weights are read' },
  compression_config: { neutral: [], because: 'only f32, f16 and bf16 weights are read' },
  ...each(['num_experts', 'num_local_experts', 'n_routed_experts'], [0], 'mixtures of experts are not supported'),
  ...each(['embedding_multiplier', 'scale_emb'], [1], 'scaled embeddings are not supported'),
  ...each(['logits_scaling', 'logit_scale'], [1], 'scaled logits are not supported'),
  ...each(['residual_multiplier', 'scale_depth'], [1], 'scaled residuals are not supported'),
  ...each(['attention_multiplier', 'query_pre_attn_scalar'], [], 'another scale of attention is not supported'),
  ...each(['final_logit_softcapping', 'attn_logit_softcapping'], [0], 'capped logits are not supported'),
  ...each(['no_rope_layers', 'attention_chunk_size', 'clip_qkv'], [], 'another form of attention is not supported'),
  ...each(['alibi', 'parallel_attn', 'use_parallel_residual'], [false], 'another form of layer is not supported'),
  is_causal: { neutral: [true], because: 'attention to later tokens is not supported' },
  per_layer_config: { neutral: [], because: 'layers of different shapes are not supported' },
  text_config: { neutral: [], because: 'only models of text alone are supported' },
  configuration_files: { neutral: [], because: 'a choice of config files is not supported: keep one config.json' },
};

function each(fields: readonly string[], neutral: readonly unknown[], because: string) {
  return Object.fromEntries(fields.map((field) => [field, { neutral, because }]));
}

/** Refuses features of related models that change the arithmetic and are not implemented. */
function refuseUnsupported(read: ConfigReader, type: ModelType, layers: number, maxPosition: number) {
  const { json } = read;
  for (const [field, { neutral, because }] of Object.entries(unsupported))
    if (json[field] != null && !neutral.includes(json[field])) read.refuse(field, because);
  // Qwen2 has its biases whatever the file states, and only Llama's MLP may have one.
  if (type !== 'qwen2' && (json.attention_bias ?? false) !== false)
    read.refuse('attention_bias', 'it puts a bias on o_proj too, which is not supported');
  if (type === 'llama' && (json.mlp_bias ?? false) !== false)
    read.refuse('mlp_bias', 'a bias in the MLP is not supported');
  refuseSlidingWindow(read, type, layers, maxPosition);
}

/**
 * Refuses a sliding window that some layer applies. Qwen files often name one that no layer uses, or one as long as the
 * context. Defaults are those of transformers: a window of 4096 tokens from layer 28 on.
 */
function refuseSlidingWindow(read: ConfigReader, type: ModelType, layers: number, maxPosition: number) {
  const { json } = read;
  const uses = read.boolean('use_sliding_window', false);
  const window = uses ? ('sliding_window' in json ? json.sliding_window : 4096) : null;
  const isHarmless = window === null || (typeof window === 'number' && window >= maxPosition);
  if (json.layer_types == null) {
    const from = 'max_window_layers' in json ? json.max_window_layers : 28;
    if (!isHarmless && !(typeof from === 'number' && from >= layers))
      read.refuse('use_sliding_window', `a sliding window of ${show(window)} tokens is not supported`);
    return;
  }
  if (!Array.isArray(json.layer_types) || json.layer_types.length !== layers)
    return read.refuse('layer_types', `it must list the ${layers} layers of num_hidden_layers`);
  const types = json.layer_types.map((name) => (name === 'attention' ? 'full_attention' : name));
  const known = type !== 'llama' && isHarmless && window !== null ? ['sliding_attention'] : [];
  const others = [...new Set(types)].filter((name) => name !== 'full_attention' && !known.includes(name));
  if (others.length) read.refuse('layer_types', `layers of type ${show(others)} are not supported`);
}

/** Token ids that the vocabulary has. Files give -1 and ids beyond it for tokens that do not exist. */
function readTokens(read: ConfigReader, field: string, vocabSize: number): number[] {
  const value = read.json[field] ?? [];
  const list = Array.isArray(value) ? value : [value];
  if (list.every((token) => Number.isInteger(token))) return list.filter((id) => id >= 0 && id < vocabSize);
  read.refuse(field, 'it must be a token id or a list of token ids');
  return [];
}

/** Default head size of transformers: 128 for Qwen3 at any hidden size, hidden size / heads for the others. */
function defaultHeadDim(type: ModelType, hidden: number, heads: number, read: ConfigReader): number {
  if (type === 'qwen3') return 128;
  if (read.json.head_dim == null && hidden % heads !== 0)
    read.refuse('hidden_size', `without head_dim it must be a multiple of num_attention_heads ${heads}`);
  return Math.max(1, Math.floor(hidden / heads));
}

/** Default number of transformers, if the field is absent; null means as many as the attention heads. */
const defaultKvHeads = (type: ModelType, heads: number, { json }: ConfigReader): number =>
  type === 'llama' || 'num_key_value_heads' in json ? heads : 32;

function refuseImpossibleHeads(read: ConfigReader, heads: number, kvHeads: number, headDim: number) {
  if (heads % kvHeads !== 0) read.refuse('num_key_value_heads', `it must divide num_attention_heads ${heads}`);
  if (headDim % 2 !== 0) read.problems.push(`head_dim is ${headDim}: the rotation needs an even number`);
}

/** Bound on the layers of a model, far above any published one, so that a damaged file is refused at once. */
const mostLayers = 4096;
/** The same for its other sizes: no tensor of a file is so wide. */
const largestSize = 2 ** 27;

const sizes = [
  ...['hidden_size', 'intermediate_size', 'num_attention_heads', 'num_key_value_heads', 'head_dim', 'vocab_size'],
  'max_position_embeddings',
];

/** Reads a parsed `config.json`. Throws ConfigError listing everything that the engine cannot run. */
export function parseConfig(json: unknown): ModelConfig {
  if (!isObject(json)) throw new ConfigError(['the file holds no JSON object']);
  const read = new ConfigReader(json);
  const modelType = readModelType(read);
  const hiddenSize = read.integer('hidden_size');
  const numLayers = read.integer('num_hidden_layers');
  if (numLayers > mostLayers) read.refuse('num_hidden_layers', `it must be at most ${mostLayers}`);
  const numHeads = read.integer('num_attention_heads');
  const numKvHeads = read.integer('num_key_value_heads', defaultKvHeads(modelType, numHeads, read));
  const headDim = read.integer('head_dim', defaultHeadDim(modelType, hiddenSize, numHeads, read));
  const vocabSize = read.integer('vocab_size');
  const maxPosition = read.integer('max_position_embeddings', modelType === 'llama' ? 2048 : 32768);
  const config: ModelConfig = {
    modelType,
    vocabSize,
    hiddenSize,
    intermediateSize: read.integer('intermediate_size'),
    numLayers,
    numHeads,
    numKvHeads,
    headDim,
    rmsNormEps: read.number('rms_norm_eps', 1e-6),
    ...readRope(read, maxPosition),
    maxPosition,
    tieWordEmbeddings: read.boolean('tie_word_embeddings', false),
    qkvBias: modelType === 'qwen2',
    qkNorm: modelType === 'qwen3',
    bosToken: readTokens(read, 'bos_token_id', vocabSize)[0] ?? null,
    eosTokens: readTokens(read, 'eos_token_id', vocabSize),
  };
  for (const size of sizes)
    if (Number(json[size] ?? 0) > largestSize) read.refuse(size, `it must be at most ${largestSize}`);
  refuseImpossibleHeads(read, numHeads, numKvHeads, headDim);
  refuseUnsupported(read, modelType, numLayers, maxPosition);
  if (read.problems.length) throw new ConfigError(read.problems);
  return config;
}

const architectures: { [type in ModelType]: string } = {
  llama: 'LlamaForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
};

/** Model type that follows from the switches: QK-norm means Qwen3, a QKV bias Qwen2. */
function typeOf(config: ModelConfig): ModelType {
  if (config.qkNorm && config.qkvBias)
    throw new ConfigError(['qkNorm and qkvBias together: no model_type of Hugging Face has both']);
  return config.qkNorm ? 'qwen3' : config.qkvBias ? 'qwen2' : 'llama';
}

/** A Hugging Face `config.json` in the flat spelling, which every version of transformers reads. */
export function writeConfig(config: ModelConfig, dtype: 'float32' | 'bfloat16' = 'float32'): string {
  const type = typeOf(config);
  const json = {
    architectures: [architectures[type]],
    model_type: type,
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    intermediate_size: config.intermediateSize,
    num_hidden_layers: config.numLayers,
    num_attention_heads: config.numHeads,
    num_key_value_heads: config.numKvHeads,
    head_dim: config.headDim,
    hidden_act: 'silu',
    rms_norm_eps: config.rmsNormEps,
    rope_theta: config.ropeTheta,
    rope_scaling: writeScaling(config.ropeScaling),
    max_position_embeddings: config.maxPosition,
    tie_word_embeddings: config.tieWordEmbeddings,
    ...(type === 'qwen2' ? { use_sliding_window: false } : { attention_bias: false }),
    ...(type === 'llama' ? { mlp_bias: false } : {}),
    bos_token_id: config.bosToken,
    eos_token_id: config.eosTokens.length > 1 ? config.eosTokens : (config.eosTokens[0] ?? null),
    torch_dtype: dtype,
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

/** (headDim / 2) rotation per position of each pair of a head, in radians. */
export const ropeInverseFrequencies = (config: ModelConfig): Float64Array => inverseFrequencies(config.headDim, config);

/** Shape of every parameter under its Hugging Face name, in the engine's fixed order: embedding, layers, norm, head. */
export function parameterShapes(config: ModelConfig): Map<string, number[]> {
  const { vocabSize, hiddenSize, numLayers } = config;
  const shapes = new Map<string, number[]>([['model.embed_tokens.weight', [vocabSize, hiddenSize]]]);
  for (let layer = 0; layer < numLayers; layer++)
    for (const [name, shape] of layerShapes(config)) shapes.set(`model.layers.${layer}.${name}`, shape);
  shapes.set('model.norm.weight', [hiddenSize]);
  if (!config.tieWordEmbeddings) shapes.set('lm_head.weight', [vocabSize, hiddenSize]);
  return shapes;
}

function layerShapes(config: ModelConfig): [string, number[]][] {
  const { hiddenSize, intermediateSize, headDim, qkvBias, qkNorm } = config;
  const q = config.numHeads * headDim;
  const kv = config.numKvHeads * headDim;
  const bias = (name: string, size: number): [string, number[]][] => (qkvBias ? [[name, [size]]] : []);
  const norms: [string, number[]][] = [
    ['self_attn.q_norm.weight', [headDim]],
    ['self_attn.k_norm.weight', [headDim]],
  ];
  return [
    ['input_layernorm.weight', [hiddenSize]],
    ['self_attn.q_proj.weight', [q, hiddenSize]],
    ...bias('self_attn.q_proj.bias', q),
    ['self_attn.k_proj.weight', [kv, hiddenSize]],
    ...bias('self_attn.k_proj.bias', kv),
    ['self_attn.v_proj.weight', [kv, hiddenSize]],
    ...bias('self_attn.v_proj.bias', kv),
    ...(qkNorm ? norms : []),
    ['self_attn.o_proj.weight', [hiddenSize, q]],
    ['post_attention_layernorm.weight', [hiddenSize]],
    ['mlp.gate_proj.weight', [intermediateSize, hiddenSize]],
    ['mlp.up_proj.weight', [intermediateSize, hiddenSize]],
    ['mlp.down_proj.weight', [hiddenSize, intermediateSize]],
  ];
}

/** Number of parameters. */
export function countParameters(config: ModelConfig): number {
  let total = 0;
  for (const shape of parameterShapes(config).values()) total += shape.reduce((a, b) => a * b, 1);
  return total;
}
