/**
 * Model description read from a Hugging Face `config.json`: sizes and switches of the Llama, Qwen2 and Qwen3 models
 * that the engine runs. Both spellings are accepted: the Hub's flat one with `rope_theta` and `torch_dtype`, and
 * transformers 5's with `rope_parameters` and `dtype`. Features that the engine does not run are refused by name here,
 * before any weight is read. This file depends on JSON and names only, never on a GPU.
 */
import { power } from './elementary.ts';

/** Llama 3's scaling of the rotary frequencies (`rope_type: "llama3"`). */
interface Llama3Scaling {
  type: 'llama3';
  factor: number;
  lowFreqFactor: number;
  highFreqFactor: number;
  originalMaxPosition: number;
}

/** Division of all rotary frequencies by a factor (`rope_type: "linear"`). */
interface LinearScaling {
  type: 'linear';
  factor: number;
}

type RopeScaling = Llama3Scaling | LinearScaling;

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

/** Thrown for a `config.json` that the engine cannot run. Lists every problem: field, value and supported values. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  constructor(readonly problems: readonly string[]) {
    super(`This model's config.json cannot be run: ${problems.join('; ')}`);
  }
}

type Fields = { [name: string]: unknown };
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const show = (value: unknown) => JSON.stringify(value) ?? 'absent';

/** Reads fields of a JSON object and collects all problems, so that one error lists them all. */
class Reader {
  readonly problems: string[] = [];
  constructor(
    readonly json: Fields,
    readonly prefix = '',
  ) {}

  refuse(field: string, because: string) {
    this.problems.push(`${this.prefix}${field} is ${show(this.json[field])}: ${because}`);
  }

  number(field: string, fallback?: number): number {
    const value = this.json[field] ?? fallback;
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
    this.refuse(field, 'it must be a number above 0');
    return 1;
  }

  integer(field: string, fallback?: number): number {
    const value = this.number(field, fallback);
    if (Number.isInteger(value)) return value;
    this.refuse(field, 'it must be a whole number');
    return 1;
  }

  boolean(field: string, fallback: boolean): boolean {
    const value = this.json[field] ?? fallback;
    if (typeof value === 'boolean') return value;
    this.refuse(field, 'it must be true or false');
    return fallback;
  }
}

const modelTypes: readonly string[] = ['llama', 'qwen2', 'qwen3'];

function readModelType(read: Reader): ModelType {
  const type = read.json.model_type;
  if (typeof type === 'string' && modelTypes.includes(type)) return type as ModelType;
  throw new ConfigError([`model_type is ${show(type)}: the engine runs ${modelTypes.join(', ')}`]);
}

/** Refuses features of related models that change the arithmetic and are not implemented. */
function refuseUnsupported(read: Reader, layers: number) {
  const { json } = read;
  if ((json.hidden_act ?? 'silu') !== 'silu') read.refuse('hidden_act', 'only silu (SwiGLU) is supported');
  if (json.mlp_bias === true) read.refuse('mlp_bias', 'a bias in the MLP is not supported');
  if (json.attention_bias === true)
    read.refuse('attention_bias', 'it puts a bias on o_proj too, which is not supported');
  if (json.rope_interleaved === true) read.refuse('rope_interleaved', 'only the half-split rotation is supported');
  if ((json.partial_rotary_factor ?? 1) !== 1)
    read.refuse('partial_rotary_factor', 'only a rotation of the whole head is supported');
  if (json.quantization_config != null) read.refuse('quantization_config', 'only f32, f16 and bf16 weights are read');
  for (const field of ['num_experts', 'num_local_experts', 'n_routed_experts'])
    if (json[field] != null) read.refuse(field, 'mixtures of experts are not supported');
  refuseSlidingWindow(read, layers);
}

/** Refuses a sliding window that some layer applies. Qwen2 files often name a window that no layer uses. */
function refuseSlidingWindow(read: Reader, layers: number) {
  const { json } = read;
  const types = json.layer_types;
  if (Array.isArray(types)) {
    const others = [...new Set(types.filter((type) => type !== 'full_attention'))];
    if (others.length) read.refuse('layer_types', `layers of type ${others.join(', ')} are not supported`);
    if (types.length !== layers) read.refuse('layer_types', `num_hidden_layers is ${layers}`);
    return;
  }
  const from = typeof json.max_window_layers === 'number' ? json.max_window_layers : layers;
  if (json.use_sliding_window === true && json.sliding_window != null && from < layers)
    read.refuse('sliding_window', `sliding-window attention (layers ${from} to ${layers - 1}) is not supported`);
}

/** Rotary settings, from either spelling. */
function readRope(read: Reader): { ropeTheta: number; ropeScaling: RopeScaling | null } {
  const { json } = read;
  const parameters = isObject(json.rope_parameters) ? json.rope_parameters : {};
  const scaling = isObject(json.rope_scaling) ? json.rope_scaling : parameters;
  const where = isObject(json.rope_scaling) ? 'rope_scaling.' : 'rope_parameters.';
  const theta = new Reader({ rope_theta: parameters.rope_theta ?? json.rope_theta });
  const inner = new Reader(scaling, where);
  const ropeTheta = theta.number('rope_theta', 10_000);
  const ropeScaling = readScaling(inner);
  if ((parameters.partial_rotary_factor ?? 1) !== 1)
    inner.refuse('partial_rotary_factor', 'only a rotation of the whole head is supported');
  read.problems.push(...theta.problems, ...inner.problems);
  return { ropeTheta, ropeScaling };
}

function readScaling(inner: Reader): RopeScaling | null {
  const type = inner.json.rope_type ?? inner.json.type ?? 'default';
  if (type === 'default') {
    const nested = Object.keys(inner.json).find((key) => isObject(inner.json[key]));
    if (nested) inner.refuse(nested, 'rotary settings that differ between layers are not supported');
    return null;
  }
  if (type === 'linear') return { type, factor: inner.number('factor') };
  if (type !== 'llama3') {
    inner.refuse('rope_type' in inner.json ? 'rope_type' : 'type', 'only default, linear and llama3 are supported');
    return null;
  }
  return {
    type: 'llama3',
    factor: inner.number('factor'),
    lowFreqFactor: inner.number('low_freq_factor'),
    highFreqFactor: inner.number('high_freq_factor'),
    originalMaxPosition: inner.integer('original_max_position_embeddings'),
  };
}

function readTokens(read: Reader, field: string): number[] {
  const value = read.json[field] ?? [];
  const list = Array.isArray(value) ? value : [value];
  if (list.every((token) => Number.isInteger(token) && token >= 0)) return list;
  read.refuse(field, 'it must be a token id or a list of token ids');
  return [];
}

/** Default head size of transformers: 128 for Qwen3 at any hidden size, hidden size / heads for the others. */
function defaultHeadDim(type: ModelType, hidden: number, heads: number, read: Reader): number {
  if (type === 'qwen3') return 128;
  if (read.json.head_dim == null && hidden % heads !== 0)
    read.refuse('hidden_size', `without head_dim it must be a multiple of num_attention_heads ${heads}`);
  return Math.max(1, Math.floor(hidden / heads));
}

function refuseImpossibleHeads(read: Reader, heads: number, kvHeads: number, headDim: number) {
  if (heads % kvHeads !== 0) read.refuse('num_key_value_heads', `it must divide num_attention_heads ${heads}`);
  if (headDim % 2 !== 0) read.problems.push(`head_dim is ${headDim}: the rotation needs an even number`);
}

/** Reads a parsed `config.json`. Throws ConfigError listing everything that the engine cannot run. */
export function parseConfig(json: unknown): ModelConfig {
  if (!isObject(json)) throw new ConfigError(['the file holds no JSON object']);
  const read = new Reader(json);
  const modelType = readModelType(read);
  const hiddenSize = read.integer('hidden_size');
  const numLayers = read.integer('num_hidden_layers');
  const numHeads = read.integer('num_attention_heads');
  const numKvHeads = read.integer('num_key_value_heads', numHeads);
  const headDim = read.integer('head_dim', defaultHeadDim(modelType, hiddenSize, numHeads, read));
  const config: ModelConfig = {
    modelType,
    vocabSize: read.integer('vocab_size'),
    hiddenSize,
    intermediateSize: read.integer('intermediate_size'),
    numLayers,
    numHeads,
    numKvHeads,
    headDim,
    rmsNormEps: read.number('rms_norm_eps', 1e-6),
    ...readRope(read),
    maxPosition: read.integer('max_position_embeddings', modelType === 'llama' ? 2048 : 32768),
    tieWordEmbeddings: read.boolean('tie_word_embeddings', false),
    qkvBias: modelType === 'qwen2',
    qkNorm: modelType === 'qwen3',
    bosToken: readTokens(read, 'bos_token_id')[0] ?? null,
    eosTokens: readTokens(read, 'eos_token_id'),
  };
  refuseImpossibleHeads(read, numHeads, numKvHeads, headDim);
  refuseUnsupported(read, numLayers);
  if (read.problems.length) throw new ConfigError(read.problems);
  return config;
}

const architectures: { [type in ModelType]: string } = {
  llama: 'LlamaForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
};

function writeScaling(scaling: RopeScaling | null) {
  if (!scaling) return null;
  if (scaling.type === 'linear') return { rope_type: 'linear', factor: scaling.factor };
  return {
    rope_type: 'llama3',
    factor: scaling.factor,
    low_freq_factor: scaling.lowFreqFactor,
    high_freq_factor: scaling.highFreqFactor,
    original_max_position_embeddings: scaling.originalMaxPosition,
  };
}

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

/**
 * (headDim / 2) rotation per position of each pair of a head, in radians. Linear scaling divides every frequency by
 * `factor`. Llama 3's divides that of long wavelengths, keeps that of short ones, and interpolates in between
 * (transformers, modeling_rope_utils.py).
 */
export function ropeInverseFrequencies(config: ModelConfig): Float64Array {
  const { headDim, ropeTheta, ropeScaling } = config;
  const plain = Float64Array.from({ length: headDim / 2 }, (_, i) => 1 / power(ropeTheta, (2 * i) / headDim));
  if (!ropeScaling) return plain;
  if (ropeScaling.type === 'linear') return plain.map((frequency) => frequency / ropeScaling.factor);
  return plain.map((frequency) => scaleLlama3(frequency, ropeScaling));
}

function scaleLlama3(frequency: number, scaling: Llama3Scaling): number {
  const { factor, lowFreqFactor, highFreqFactor, originalMaxPosition } = scaling;
  const wavelength = (2 * Math.PI) / frequency;
  if (wavelength < originalMaxPosition / highFreqFactor) return frequency;
  if (wavelength > originalMaxPosition / lowFreqFactor) return frequency / factor;
  const smooth = (originalMaxPosition / wavelength - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
  return ((1 - smooth) * frequency) / factor + smooth * frequency;
}

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
