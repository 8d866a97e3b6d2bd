/**
 * Random weights for a policy that starts from nothing. Every value is a function of (seed, tensor name, element), made
 * with integer arithmetic and one multiplication (and `elementary.ts`), so that every browser and Node start from bit-identical weights.
 */
import { type ModelConfig, parameterShapes, ropeInverseFrequencies } from '../config.ts';
import { cos, sin } from '../elementary.ts';
import { pcg4d } from '../engine/random.ts';
import type { TensorMap } from '../policy.ts';

/** FNV-1a over the UTF-16 units of a name. */
function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Variance of a sum of eight whole numbers, each uniform over 0 to 65535. */
const sumVariance = (8 * (65536 ** 2 - 1)) / 12;
const sumMean = 8 * 32767.5;

/**
 * `count` values from the `start`th, nearly normal (a sum of eight uniforms: excess kurtosis -0.15, largest 4.9 std), mean 0.
 */
export function normals(count: number, seed: number, name: string, std: number, start = 0): Float32Array {
  const out = new Float32Array(count);
  const state = new Uint32Array(4);
  const stream = hashName(name);
  const scale = std / Math.sqrt(sumVariance);
  for (let i = 0; i < count; i++) {
    state[0] = seed;
    state[1] = stream;
    state[2] = start + i;
    state[3] = 0;
    pcg4d(state);
    let sum = 0;
    for (const word of state) sum += (word >>> 16) + (word & 0xffff);
    out[i] = (sum - sumMean) * scale;
  }
  return out;
}

export interface InitOptions {
  seed: number;
  /** Standard deviation of every matrix; those that write to the residual stream get std / sqrt(2 layers). */
  std: number;
  /** Of the embedding (and of an untied head); `std` where it is not given. */
  embeddingStd?: number;
  /**
   * c: a layer's value rows start orthonormal and each head's output columns as their transpose times c / (heads of a key
   * head), so that attention begins by copying what it looks at, or, where c is below 0, by making it unlikely. See `copying`. 0: random, like
   * every other matrix.
   */
  copyScale?: number;
  /** The first heads of the first layer that begin by looking at one token before, the h-th (from 0) at the (h + 1)th before. See `lookBack`. */
  previousTokenHeads?: number;
}

/** Norms 1, biases 0, matrices random. */
export function initWeights(config: ModelConfig, options: InitOptions): TensorMap {
  const { seed, std, embeddingStd = std, copyScale = 0, previousTokenHeads = 0 } = options;
  const residualStd = std / Math.sqrt(2 * config.numLayers);
  const tensors: TensorMap = new Map();
  for (const [name, shape] of parameterShapes(config)) {
    const size = shape.reduce((a, b) => a * b, 1);
    tensors.set(name, { shape, data: initialValues(name, size) });
  }
  if (copyScale !== 0)
    for (let layer = 0; layer < config.numLayers; layer++) copying(config, tensors, layer, copyScale);
  if (previousTokenHeads > 0) lookBack(config, tensors, options);
  return tensors;

  function initialValues(name: string, size: number): Float32Array {
    if (name.endsWith('norm.weight')) return new Float32Array(size).fill(1);
    if (name.endsWith('.bias')) return new Float32Array(size);
    return normals(size, seed, name, stdOf(name));
  }

  function stdOf(name: string): number {
    if (/embed_tokens|lm_head/.test(name)) return embeddingStd;
    return name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight') ? residualStd : std;
  }
}

/**
 * Lets a layer's attention begin as a copy: W_V orthonormal, W_O = scale W_V^T for each head, so that W_O W_V is `scale` times a projection where
 * all heads of a key head look at one place. What a tiny policy must learn of a list it reads is where to look, for any word
 * alike; with random W_V and W_O it learns to copy word by word. The products of value and output projections near a multiple of the
 * identity are what Trockman & Kolter (2023, "Mimetic Initialization of Self-Attention Layers", https://arxiv.org/abs/2305.09828) find in trained
 * models and start from; the sign here is the one that copies.
 */
function copying(config: ModelConfig, tensors: TensorMap, layer: number, scale: number): void {
  const { hiddenSize: C, headDim: D, numHeads: H, numKvHeads } = config;
  const at = (name: string) => tensors.get(`model.layers.${layer}.self_attn.${name}_proj.weight`)!.data as Float32Array;
  const [values, outputs] = [at('v'), at('o')];
  orthonormalize(values, numKvHeads * D, C);
  const shared = H / numKvHeads;
  for (let h = 0; h < H; h++)
    setOutput(config, outputs, h, values.subarray(Math.floor(h / shared) * D * C), scale / shared);
}

/** Head h's output columns, (C, D) of W_O, as the transpose of the first D rows (D, C), scaled. */
function setOutput(config: ModelConfig, outputs: Float32Array, h: number, rows: Float32Array, scale: number): void {
  const { hiddenSize: C, headDim: D, numHeads: H } = config;
  for (let d = 0; d < D; d++) for (let c = 0; c < C; c++) outputs[c * H * D + h * D + d] = scale * rows[d * C + c];
}

/** How much more a head that looks back gives to its own place than to the ones beside it, in nats. */
const lookBackMargin = 6;

/**
 * Previous-token heads (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; Olsson et al. 2022,
 * https://arxiv.org/abs/2209.11895): the first half of what finds the place where a word stood before, and takes over what followed it. A tiny policy
 * that learns by reward alone hardly forms them. Biases of the queries and keys make the h-th head's score a function of
 * the distance alone, which is largest at h + 1 tokens: with a key bias of sqrt(s) in every rotary pair, and the same as
 * the query's bias, turned back by h + 1 places, the score is s / sqrt(D) * sum_i cos((distance - h - 1) theta_i). s is such that the
 * place beside gets `lookBackMargin` nats less. With `copyScale` these heads write what they copy to directions of their own, so that later layers
 * can tell a token from the one before it.
 */
function lookBack(config: ModelConfig, tensors: TensorMap, options: InitOptions): void {
  const { seed, copyScale = 0, previousTokenHeads: heads = 0 } = options;
  const { hiddenSize: C, headDim: D, numHeads: H, numKvHeads, qkvBias } = config;
  if (!qkvBias || heads > H)
    throw new RangeError(
      `${heads} heads that look back need biases of the queries and keys, and as many heads; here are ${H}.`,
    );
  const at = (name: string) => tensors.get(`model.layers.0.self_attn.${name}`)!.data as Float32Array;
  const [queries, keys, outputs] = [at('q_proj.bias'), at('k_proj.bias'), at('o_proj.weight')];
  const frequencies = ropeInverseFrequencies(config);
  const fall = frequencies.reduce((sum, theta) => sum + 1 - cos(theta), 0);
  const bias = Math.sqrt((lookBackMargin * Math.sqrt(D)) / fall);
  const directions = normals(heads * D * C, seed, 'model.layers.0.previous_token_heads', 1);
  orthonormalize(directions, heads * D, C);
  for (let h = 0; h < heads; h++) {
    const key = Math.floor(h / (H / numKvHeads)) * D;
    for (const [i, theta] of frequencies.entries()) {
      keys[key + i] = bias;
      queries[h * D + i] = bias * cos((h + 1) * theta);
      queries[h * D + D / 2 + i] = -bias * sin((h + 1) * theta);
    }
    if (copyScale !== 0) setOutput(config, outputs, h, directions.subarray(h * D * C), copyScale);
  }
}

/** Gram-Schmidt over the rows of (rows, columns), beginning anew after each `columns` rows. Sums in double precision, in one order everywhere. */
function orthonormalize(values: Float32Array, rows: number, columns: number): void {
  const done: Float64Array[] = [];
  for (let r = 0; r < rows; r++) {
    if (done.length === columns) done.length = 0;
    const row = Float64Array.from(values.subarray(r * columns, (r + 1) * columns));
    // Twice: once leaves rounding's share of the others where many rows are taken out.
    for (let pass = 0; pass < 2; pass++)
      for (const other of done) {
        let dot = 0;
        for (let c = 0; c < columns; c++) dot += row[c] * other[c];
        for (let c = 0; c < columns; c++) row[c] -= dot * other[c];
      }
    let square = 0;
    for (let c = 0; c < columns; c++) square += row[c] * row[c];
    const scale = 1 / Math.sqrt(square);
    done.push(row.map((value) => value * scale));
    values.set(done.at(-1)!, r * columns);
  }
}

/** What an experiment says of a tiny policy's start. */
export interface StartSettings {
  initStd: number;
  embeddingStd?: number | null;
  copyScale?: number;
  previousTokenHeads?: number;
}

/** A tiny policy's first weights, as its experiment describes them. */
export const initTiny = (
  config: ModelConfig,
  { initStd, embeddingStd, copyScale, previousTokenHeads }: StartSettings,
  seed: number,
) =>
  initWeights(config, {
    seed,
    std: initStd,
    embeddingStd: embeddingStd ?? initStd,
    copyScale,
    previousTokenHeads,
  });
