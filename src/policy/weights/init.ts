/**
 * Random initial weights. Every value is a function of (seed, tensor name, element), computed with integer arithmetic,
 * one multiplication and `elementary.ts`, so that every browser and Node start from bit-identical weights.
 */
import { type ModelConfig, parameterShapes, ropeInverseFrequencies } from '../config.ts';
import { cos, sin } from '../elementary.ts';
import { pcg4d } from '../engine/random.ts';
import type { TensorMap } from '../policy.ts';

/** FNV-1a hash of the UTF-16 units of a name. */
function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Variance of the sum of eight integers, each uniform over 0 to 65535. */
const sumVariance = (8 * (65536 ** 2 - 1)) / 12;
const sumMean = 8 * 32767.5;

/**
 * `count` values, starting with number `start`, nearly normal with mean 0 (a sum of eight uniforms: excess kurtosis
 * -0.15, largest 4.9 std).
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
  /** Standard deviation of every matrix. Matrices that write to the residual stream get std / sqrt(2 layers). */
  std: number;
  /** Standard deviation of the embedding and of an untied head. Default: `std`. */
  embeddingStd?: number;
  /**
   * Scale c of attention that starts as a copy: a layer's value rows start orthonormal, and each head's output columns
   * as their transpose times c / (heads of a key head). Attention then starts by copying the tokens it attends to; a
   * negative c makes them less likely. See `initCopying`. 0: random, like every other matrix.
   */
  copyScale?: number;
  /**
   * Number of heads of the first layer that start as previous-token heads: head h attends to the (h + 1)th token
   * before. See `initPreviousTokenHeads`.
   */
  previousTokenHeads?: number;
  /**
   * Number of heads of the second layer that start as induction heads, which attend to the token after an earlier
   * occurrence of the current one. See `initInductionHeads`.
   */
  inductionHeads?: number;
  /** (V) token of each id, if embeddings of words start as their letters. See `initSpelledWords`. */
  spelledTokens?: readonly string[];
}

/** Initial weights: norms 1, biases 0, matrices random. */
export function initWeights(config: ModelConfig, options: InitOptions): TensorMap {
  const { seed, std, embeddingStd = std, copyScale = 0, previousTokenHeads = 0, inductionHeads = 0 } = options;
  const { spelledTokens } = options;
  const residualStd = std / Math.sqrt(2 * config.numLayers);
  const tensors: TensorMap = new Map();
  for (const [name, shape] of parameterShapes(config)) {
    const size = shape.reduce((a, b) => a * b, 1);
    tensors.set(name, { shape, data: initialValues(name, size) });
  }
  if (spelledTokens) initSpelledWords(config, tensors, options, spelledTokens);
  if (copyScale !== 0)
    for (let layer = 0; layer < config.numLayers; layer++) initCopying(config, tensors, layer, copyScale);
  if (previousTokenHeads > 0) initPreviousTokenHeads(config, tensors, options);
  if (inductionHeads > 0) initInductionHeads(config, tensors, options);
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

const spelledWord = /^[a-z]{2,}$/;

/**
 * Initialises the embedding of each word of several letters as the sum of a random vector for each letter at its place,
 * over the root of their number, as fastText composes words of their parts (Bojanowski et al. 2017,
 * https://arxiv.org/abs/1607.04606). What a policy learns of a letter at a place then holds for all words that have it,
 * also for words that no training task asks for. Without it a word's letters are learnt for each word separately.
 */
function initSpelledWords(
  { hiddenSize: C }: ModelConfig,
  tensors: TensorMap,
  { seed, std, embeddingStd = std }: InitOptions,
  tokens: readonly string[],
): void {
  const letters = new Map<string, Float32Array>();
  const vectorOf = (letter: string, place: number) => {
    const name = `letter ${place} ${letter}`;
    const vector = letters.get(name) ?? normals(C, seed, name, embeddingStd);
    letters.set(name, vector);
    return vector;
  };
  const tables = ['model.embed_tokens.weight', 'lm_head.weight'].flatMap((name) => tensors.get(name) ?? []);
  for (const [id, token] of tokens.entries()) {
    if (!spelledWord.test(token)) continue;
    const parts = Array.from(token, vectorOf);
    const scale = 1 / Math.sqrt(parts.length);
    for (const { data } of tables)
      for (let c = 0; c < C; c++) data[id * C + c] = scale * parts.reduce((sum, part) => sum + part[c], 0);
  }
}

/**
 * Initialises a layer's attention as a copy: W_V orthonormal, and W_O = scale W_V^T for each head, so that W_O W_V is
 * `scale` times a projection if all heads of a key head attend to one place. A tiny policy that reads a list must then
 * only learn the position to attend to, which is the same for all words; with random W_V and W_O it learns to copy each
 * word separately. Trockman & Kolter (2023, "Mimetic Initialization of Self-Attention Layers",
 * https://arxiv.org/abs/2305.09828) find products of value and output projections near a multiple of the identity in
 * trained models, and initialise with them; the sign here is the one that copies.
 */
function initCopying(config: ModelConfig, tensors: TensorMap, layer: number, scale: number): void {
  const { hiddenSize: C, headDim: D, numHeads: H, numKvHeads } = config;
  const at = (name: string) => tensors.get(`model.layers.${layer}.self_attn.${name}_proj.weight`)!.data as Float32Array;
  const [values, outputs] = [at('v'), at('o')];
  orthonormalize(values, numKvHeads * D, C);
  const shared = H / numKvHeads;
  for (let h = 0; h < H; h++)
    setOutput(config, outputs, h, values.subarray(Math.floor(h / shared) * D * C), scale / shared);
}

/** Sets head h's output columns, (C, D) of W_O, to the transpose of the first D rows (D, C), scaled. */
function setOutput(config: ModelConfig, outputs: Float32Array, h: number, rows: Float32Array, scale: number): void {
  const { hiddenSize: C, headDim: D, numHeads: H } = config;
  for (let d = 0; d < D; d++) for (let c = 0; c < C; c++) outputs[c * H * D + h * D + d] = scale * rows[d * C + c];
}

/** Score margin of a previous-token head, in nats: its own position over the adjacent ones. */
const previousTokenMargin = 6;

/**
 * Initialises previous-token heads (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; Olsson et
 * al. 2022, https://arxiv.org/abs/2209.11895). They are the first half of the circuit that finds an earlier occurrence
 * of a token and copies the token after it; a tiny policy trained by reward alone hardly forms them. Biases of queries
 * and keys make the score of head h a function of the distance alone, with its maximum at h + 1 tokens. The key bias is
 * sqrt(s) in every rotary pair, and the query bias is the same, rotated back by h + 1 positions, so the score is s /
 * sqrt(D) * sum_i cos((distance - h - 1) theta_i). s is chosen such that the adjacent position gets
 * `previousTokenMargin` nats less. With `copyScale`, these heads write to directions of their own, so that later layers
 * can distinguish a token from the one before it.
 */
function initPreviousTokenHeads(config: ModelConfig, tensors: TensorMap, options: InitOptions): void {
  const { seed, copyScale = 0, previousTokenHeads: heads = 0 } = options;
  const { hiddenSize: C, headDim: D, numHeads: H, numKvHeads, qkvBias } = config;
  if (!qkvBias || heads > H)
    throw new RangeError(
      `${heads} previous-token heads need query and key biases (qkvBias) and at least as many heads; the model has ${H}.`,
    );
  const at = (name: string) => tensors.get(`model.layers.0.self_attn.${name}`)!.data as Float32Array;
  const [queries, keys, outputs] = [at('q_proj.bias'), at('k_proj.bias'), at('o_proj.weight')];
  const frequencies = ropeInverseFrequencies(config);
  const fall = frequencies.reduce((sum, theta) => sum + 1 - cos(theta), 0);
  const bias = Math.sqrt((previousTokenMargin * Math.sqrt(D)) / fall);
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

/** Score margin of an induction head, in nats: a match over an unrelated token. */
const inductionMargin = 12;
/** Distance in tokens over which the rotary pairs used for matching turn by at most 1.6 radians. */
const inductionReach = 256;

/**
 * Initialises induction heads (Elhage et al. 2021 and Olsson et al. 2022, as above). Head 0 of the second layer attends
 * to positions preceded by the current token; head h attends to positions whose token h + 1 before equals the token h
 * before the current one. The heads copy the token at that position, and so look up a name in a list; small models need
 * thousands of steps to form them. To make matches visible, token embeddings start in the first S = C - (previous-token
 * heads) D dimensions of the residual stream, and each previous-token head writes the same projection of its token to D
 * dimensions of its own. Queries and keys read those dimensions, only in the slowly rotating pairs.
 */
function initInductionHeads(config: ModelConfig, tensors: TensorMap, options: InitOptions): void {
  const { seed, std, embeddingStd = std, copyScale = 0, previousTokenHeads = 0, inductionHeads = 0 } = options;
  const { hiddenSize: C, headDim: D, numHeads: H, numKvHeads, numLayers } = config;
  const S = C - previousTokenHeads * D;
  if (inductionHeads > previousTokenHeads || copyScale <= 0 || numKvHeads !== H || numLayers < 2 || S < D)
    throw new RangeError(
      `${inductionHeads} induction heads need as many previous-token heads, a copyScale above 0, one key head per head, two layers, ` +
        `and a hidden size of at least head size x (previous-token heads + 1).`,
    );
  const at = (layer: number, name: string) =>
    tensors.get(`model.layers.${layer}.self_attn.${name}_proj.weight`)!.data as Float32Array;
  const embedding = tensors.get('model.embed_tokens.weight')!.data as Float32Array;
  const scaleUp = Math.sqrt(C / S);
  for (let i = 0; i < embedding.length; i++) embedding[i] = i % C < S ? embedding[i] * scaleUp : 0;
  const readProjection = projection(D, S, C, seed, 'model.layers.0.induction.reading');
  for (let h = 0; h < previousTokenHeads; h++) {
    at(0, 'v').set(readProjection, h * D * C);
    const own = new Float32Array(D * C);
    for (let d = 0; d < D; d++) own[d * C + S + h * D + d] = 1;
    setOutput(config, at(0, 'o'), h, own, copyScale);
  }
  const slow = slowRows(config);
  // Root-mean-square lengths in the second layer's input: of a token, of one copy, and of their sum.
  const tokenLength = embeddingStd * Math.sqrt(C);
  const copyLength = copyScale * Math.sqrt((C * D) / S);
  const unit = Math.sqrt(C) / Math.hypot(tokenLength, copyLength * Math.sqrt(previousTokenHeads));
  const [tokenRead, copyRead] = [
    tokenLength * unit * Math.sqrt(slow.length / S),
    copyLength * unit * Math.sqrt(slow.length / D),
  ];
  const [queries, keys] = [at(1, 'q'), at(1, 'k')];
  for (let h = 0; h < inductionHeads; h++) {
    const gain = Math.sqrt((inductionMargin * Math.sqrt(D)) / ((h === 0 ? tokenRead : copyRead) * copyRead));
    queries.fill(0, h * D * C, (h + 1) * D * C);
    for (const d of slow) {
      const row = (h * D + d) * C;
      keys.fill(0, row, row + C);
      keys[row + S + h * D + d] = gain;
      if (h === 0) for (let c = 0; c < S; c++) queries[row + c] = gain * readProjection[d * C + c];
      else queries[row + S + (h - 1) * D + d] = gain;
    }
    const values = projection(D, S, C, seed, `model.layers.1.induction.${h}`);
    at(1, 'v').set(values, h * D * C);
    setOutput(config, at(1, 'o'), h, values, copyScale);
  }
}

/** Rows of a head that belong to slowly rotating pairs. */
function slowRows(config: ModelConfig): number[] {
  const { headDim: D } = config;
  const slow = [...ropeInverseFrequencies(config).entries()].filter(([, theta]) => theta * inductionReach <= 1.6);
  return slow.flatMap(([i]) => [i, i + D / 2]);
}

/** (rows, columns) matrix with orthonormal rows that are nonzero in the first `used` columns only. */
function projection(rows: number, used: number, columns: number, seed: number, name: string): Float32Array {
  const dense = normals(rows * used, seed, name, 1);
  orthonormalize(dense, rows, used);
  const wide = new Float32Array(rows * columns);
  for (let r = 0; r < rows; r++) wide.set(dense.subarray(r * used, (r + 1) * used), r * columns);
  return wide;
}

/**
 * Gram-Schmidt over the rows of (rows, columns), restarted after every `columns` rows. Sums in double precision, always
 * in the same order.
 */
function orthonormalize(values: Float32Array, rows: number, columns: number): void {
  const done: Float64Array[] = [];
  for (let r = 0; r < rows; r++) {
    if (done.length === columns) done.length = 0;
    const row = Float64Array.from(values.subarray(r * columns, (r + 1) * columns));
    // Two passes, because a single pass leaves rounding errors when many rows are subtracted.
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

/** Initialisation settings of a tiny policy in an experiment. */
export interface StartSettings {
  initStd: number;
  embeddingStd?: number | null;
  copyScale?: number;
  previousTokenHeads?: number;
  inductionHeads?: number;
  spelledWords?: boolean;
}

/** Initial weights of a tiny policy, as its experiment describes them. `tokens`: (V) token of each id. */
export const initTiny = (
  config: ModelConfig,
  { initStd, embeddingStd, copyScale, previousTokenHeads, inductionHeads, spelledWords }: StartSettings,
  seed: number,
  tokens: readonly string[],
) =>
  initWeights(config, {
    seed,
    std: initStd,
    embeddingStd: embeddingStd ?? initStd,
    copyScale,
    previousTokenHeads,
    inductionHeads,
    spelledTokens: spelledWords ? tokens : undefined,
  });
