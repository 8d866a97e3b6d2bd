/**
 * The engine's twin: the same model, forward and backward, in double precision and plain loops. It is written from the
 * formulas of the papers and shares no code with the WGSL engine, so that the two can check each other. Deliberately
 * slow.
 *
 * Shapes: T tokens, h hidden, I intermediate, V vocabulary, H heads, K key/value heads, d head size, N scored
 * positions.
 */
import { type ModelConfig, parameterShapes, ropeInverseFrequencies } from '../../src/policy/config.ts';
import type { PackedBatch, TensorMap } from '../../src/policy/policy.ts';

export type Gradients = Map<string, { shape: number[]; data: Float64Array }>;

export interface ReferenceResult {
  /** (T, V), not divided by the temperature. */
  logits: Float64Array;
  /** (L + 1) arrays (T, h): embeddings, the stream after each layer, the last one after the final norm. */
  hidden: Float64Array[];
  /** (N) */
  logprob: Float64Array;
  /** (N) nats */
  entropy: Float64Array;
  /** Gradient of sum(weight * logprob + entropyWeight * entropy). */
  gradients: Gradients;
}

/** Largest absolute difference. Lengths must agree. */
export function largest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let worst = 0;
  for (let i = 0; i < b.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    if (!(difference <= worst)) worst = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
  }
  return worst;
}

/** Positions and visible tokens, derived from the segments. */
interface Layout {
  tokens: Int32Array;
  /** (T) position in its sequence, counting the parents. */
  position: Int32Array;
  /** (T) indices that each token attends to, itself last. */
  visible: number[][];
  /** (T) index of the previous token in its sequence, or -1. */
  previous: Int32Array;
}

export function layoutOf(batch: PackedBatch): Layout {
  const T = batch.tokens.length;
  const layout: Layout = {
    tokens: batch.tokens,
    position: new Int32Array(T),
    visible: Array.from({ length: T }, () => []),
    previous: new Int32Array(T).fill(-1),
  };
  const whole: number[][] = [];
  for (const { start, end, parent } of batch.segments) {
    const before = parent < 0 ? [] : [...whole[parent]];
    for (let t = start; t < end; t++) {
      layout.previous[t] = before.at(-1) ?? -1;
      layout.position[t] = before.length;
      before.push(t);
      layout.visible[t] = [...before];
    }
    whole.push(before);
  }
  return layout;
}

/** out (T, N) = inp (T, K) · weight (N, K)ᵀ + bias (N) */
function linear(inp: Float64Array, weight: Float64Array, bias: Float64Array | null, K: number): Float64Array {
  const T = inp.length / K;
  const N = weight.length / K;
  const out = new Float64Array(T * N);
  for (let t = 0; t < T; t++)
    for (let n = 0; n < N; n++) {
      let sum = bias ? bias[n] : 0;
      for (let k = 0; k < K; k++) sum += inp[t * K + k] * weight[n * K + k];
      out[t * N + n] = sum;
    }
  return out;
}

/** Adds to dweight (N, K) and dbias (N); returns dinp (T, K) = dout (T, N) · weight (N, K). */
function linearBackward(
  dout: Float64Array,
  inp: Float64Array,
  weight: Float64Array,
  dweight: Float64Array,
  dbias: Float64Array | null,
  K: number,
): Float64Array {
  const T = inp.length / K;
  const N = weight.length / K;
  const dinp = new Float64Array(T * K);
  for (let t = 0; t < T; t++)
    for (let n = 0; n < N; n++) {
      const g = dout[t * N + n];
      if (g === 0) continue;
      if (dbias) dbias[n] += g;
      for (let k = 0; k < K; k++) {
        dinp[t * K + k] += g * weight[n * K + k];
        dweight[n * K + k] += g * inp[t * K + k];
      }
    }
  return dinp;
}

/** RMSNorm of rows of `size`: out = inp / rms * weight. */
function rmsnorm(inp: Float64Array, weight: Float64Array, eps: number): Float64Array {
  const size = weight.length;
  const out = new Float64Array(inp.length);
  for (let row = 0; row < inp.length; row += size) {
    const scale = inverseRms(inp, row, size, eps);
    for (let i = 0; i < size; i++) out[row + i] = inp[row + i] * scale * weight[i];
  }
  return out;
}

function inverseRms(inp: Float64Array, row: number, size: number, eps: number): number {
  let squares = 0;
  for (let i = 0; i < size; i++) squares += inp[row + i] ** 2;
  return 1 / Math.sqrt(squares / size + eps);
}

function rmsnormBackward(
  dout: Float64Array,
  inp: Float64Array,
  weight: Float64Array,
  dweight: Float64Array,
  eps: number,
): Float64Array {
  const size = weight.length;
  const dinp = new Float64Array(inp.length);
  for (let row = 0; row < inp.length; row += size) {
    const scale = inverseRms(inp, row, size, eps);
    let dot = 0;
    for (let i = 0; i < size; i++) {
      dweight[i] += dout[row + i] * inp[row + i] * scale;
      dot += dout[row + i] * weight[i] * inp[row + i];
    }
    for (let i = 0; i < size; i++)
      dinp[row + i] = scale * (dout[row + i] * weight[i] - (inp[row + i] * scale * scale * dot) / size);
  }
  return dinp;
}

/**
 * Rotates pairs (i, i + d/2) of each head by position * frequency; `direction` -1 is the inverse, used by the backward
 * pass.
 */
function rotate(x: Float64Array, heads: number, frequencies: Float64Array, position: Int32Array, direction: 1 | -1) {
  const half = frequencies.length;
  const out = new Float64Array(x.length);
  for (let t = 0; t < position.length; t++)
    for (let head = 0; head < heads; head++)
      for (let i = 0; i < half; i++) {
        const angle = direction * position[t] * frequencies[i];
        const a = (t * heads + head) * 2 * half + i;
        out[a] = x[a] * Math.cos(angle) - x[a + half] * Math.sin(angle);
        out[a + half] = x[a + half] * Math.cos(angle) + x[a] * Math.sin(angle);
      }
  return out;
}

interface AttentionSizes {
  heads: number;
  kvHeads: number;
  dim: number;
}

/** Attention weights of one query of one head over the tokens it sees. */
function attentionRow(q: Float64Array, k: Float64Array, t: number, head: number, see: number[], s: AttentionSizes) {
  const kvHead = Math.floor(head / (s.heads / s.kvHeads));
  const scores = see.map((u) => {
    let dot = 0;
    for (let i = 0; i < s.dim; i++)
      dot += q[(t * s.heads + head) * s.dim + i] * k[(u * s.kvHeads + kvHead) * s.dim + i];
    return dot / Math.sqrt(s.dim);
  });
  const max = Math.max(...scores);
  const exps = scores.map((score) => Math.exp(score - max));
  const total = exps.reduce((a, b) => a + b, 0);
  return { kvHead, weights: exps.map((e) => e / total) };
}

/** out (T, H, d) from q (T, H, d), k and v (T, K, d). */
function attention(q: Float64Array, k: Float64Array, v: Float64Array, visible: number[][], s: AttentionSizes) {
  const out = new Float64Array(q.length);
  for (let t = 0; t < visible.length; t++)
    for (let head = 0; head < s.heads; head++) {
      const { kvHead, weights } = attentionRow(q, k, t, head, visible[t], s);
      visible[t].forEach((u, j) => {
        for (let i = 0; i < s.dim; i++)
          out[(t * s.heads + head) * s.dim + i] += weights[j] * v[(u * s.kvHeads + kvHead) * s.dim + i];
      });
    }
  return out;
}

function attentionBackward(
  dout: Float64Array,
  q: Float64Array,
  k: Float64Array,
  v: Float64Array,
  visible: number[][],
  s: AttentionSizes,
) {
  const dq = new Float64Array(q.length);
  const dk = new Float64Array(k.length);
  const dv = new Float64Array(v.length);
  for (let t = 0; t < visible.length; t++)
    for (let head = 0; head < s.heads; head++) {
      const { kvHead, weights } = attentionRow(q, k, t, head, visible[t], s);
      const at = (t * s.heads + head) * s.dim;
      const dweights = visible[t].map((u, j) => {
        const kv = (u * s.kvHeads + kvHead) * s.dim;
        let dot = 0;
        for (let i = 0; i < s.dim; i++) {
          dot += dout[at + i] * v[kv + i];
          dv[kv + i] += weights[j] * dout[at + i];
        }
        return dot;
      });
      const mean = dweights.reduce((sum, dw, j) => sum + dw * weights[j], 0);
      visible[t].forEach((u, j) => {
        const kv = (u * s.kvHeads + kvHead) * s.dim;
        const dscore = (weights[j] * (dweights[j] - mean)) / Math.sqrt(s.dim);
        for (let i = 0; i < s.dim; i++) {
          dq[at + i] += dscore * k[kv + i];
          dk[kv + i] += dscore * q[at + i];
        }
      });
    }
  return { dq, dk, dv };
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const add = (a: Float64Array, b: Float64Array) => a.map((x, i) => x + b[i]);

/** Weights in double precision, with their gradients. */
class Parameters {
  readonly values = new Map<string, Float64Array>();
  readonly gradients: Gradients = new Map();
  constructor(config: ModelConfig, tensors: TensorMap | Gradients) {
    for (const [name, shape] of parameterShapes(config)) {
      const tensor = tensors.get(name);
      if (!tensor) throw new Error(`reference: ${name} is missing`);
      this.values.set(name, Float64Array.from(tensor.data));
      this.gradients.set(name, { shape, data: new Float64Array(tensor.data.length) });
    }
  }
  value = (name: string) => this.values.get(name)!;
  optional = (name: string) => this.values.get(name) ?? null;
  gradient = (name: string) => this.gradients.get(name)!.data;
  optionalGradient = (name: string) => this.gradients.get(name)?.data ?? null;
}

/** One layer; keeps the values that its backward pass needs. */
class Layer {
  private readonly name: (part: string) => string;
  private readonly sizes: AttentionSizes;
  private readonly frequencies: Float64Array;
  private kept!: { [name: string]: Float64Array };

  constructor(
    private readonly config: ModelConfig,
    private readonly p: Parameters,
    private readonly layout: Layout,
    index: number,
  ) {
    this.name = (part) => `model.layers.${index}.${part}`;
    this.sizes = { heads: config.numHeads, kvHeads: config.numKvHeads, dim: config.headDim };
    this.frequencies = ropeInverseFrequencies(config);
  }

  private project(part: string, inp: Float64Array, K: number) {
    return linear(inp, this.p.value(this.name(`${part}.weight`)), this.p.optional(this.name(`${part}.bias`)), K);
  }

  private projectBackward(part: string, dout: Float64Array, inp: Float64Array, K: number) {
    const weight = this.name(`${part}.weight`);
    const dbias = this.p.optionalGradient(this.name(`${part}.bias`));
    return linearBackward(dout, inp, this.p.value(weight), this.p.gradient(weight), dbias, K);
  }

  private norm(part: string, inp: Float64Array) {
    return rmsnorm(inp, this.p.value(this.name(`${part}.weight`)), this.config.rmsNormEps);
  }

  private normBackward(part: string, dout: Float64Array, inp: Float64Array) {
    const weight = this.name(`${part}.weight`);
    return rmsnormBackward(dout, inp, this.p.value(weight), this.p.gradient(weight), this.config.rmsNormEps);
  }

  /** `kept` simulates a cache that loses precision: it maps keys and values to what the cache returns. */
  forward(x: Float64Array, kept = (rows: Float64Array) => rows): Float64Array {
    const { hiddenSize: h, intermediateSize: I, numHeads, numKvHeads, headDim, qkNorm } = this.config;
    const { position, visible } = this.layout;
    const normed = this.norm('input_layernorm', x);
    const q = this.project('self_attn.q_proj', normed, h);
    const k = this.project('self_attn.k_proj', normed, h);
    const v = this.project('self_attn.v_proj', normed, h);
    const qn = qkNorm ? this.norm('self_attn.q_norm', q) : q;
    const kn = qkNorm ? this.norm('self_attn.k_norm', k) : k;
    const qr = rotate(qn, numHeads, this.frequencies, position, 1);
    const kr = rotate(kn, numKvHeads, this.frequencies, position, 1);
    const mixed = attention(qr, kept(kr), kept(v), visible, this.sizes);
    const middle = add(x, this.project('self_attn.o_proj', mixed, numHeads * headDim));
    const normed2 = this.norm('post_attention_layernorm', middle);
    const gate = this.project('mlp.gate_proj', normed2, h);
    const up = this.project('mlp.up_proj', normed2, h);
    const activated = gate.map((g, i) => g * sigmoid(g) * up[i]);
    this.kept = { x, normed, q, k, v, qr, kr, mixed, middle, normed2, gate, up, activated };
    return add(middle, this.project('mlp.down_proj', activated, I));
  }

  private mlpBackward(dout: Float64Array): Float64Array {
    const { hiddenSize: h, intermediateSize: I } = this.config;
    const { middle, normed2, gate, up, activated } = this.kept;
    const dactivated = this.projectBackward('mlp.down_proj', dout, activated, I);
    const dup = dactivated.map((d, i) => d * gate[i] * sigmoid(gate[i]));
    const dgate = dactivated.map((d, i) => {
      const s = sigmoid(gate[i]);
      return d * up[i] * (s + gate[i] * s * (1 - s));
    });
    const dnormed = add(
      this.projectBackward('mlp.gate_proj', dgate, normed2, h),
      this.projectBackward('mlp.up_proj', dup, normed2, h),
    );
    return add(dout, this.normBackward('post_attention_layernorm', dnormed, middle));
  }

  private headsBackward(dmixed: Float64Array) {
    const { numHeads, numKvHeads, qkNorm } = this.config;
    const { q, k, v, qr, kr } = this.kept;
    const { dq, dk, dv } = attentionBackward(dmixed, qr, kr, v, this.layout.visible, this.sizes);
    const dqn = rotate(dq, numHeads, this.frequencies, this.layout.position, -1);
    const dkn = rotate(dk, numKvHeads, this.frequencies, this.layout.position, -1);
    return {
      dq: qkNorm ? this.normBackward('self_attn.q_norm', dqn, q) : dqn,
      dk: qkNorm ? this.normBackward('self_attn.k_norm', dkn, k) : dkn,
      dv,
    };
  }

  backward(dout: Float64Array): Float64Array {
    const { hiddenSize: h, numHeads, headDim } = this.config;
    const { x, normed, mixed } = this.kept;
    const dmiddle = this.mlpBackward(dout);
    const dmixed = this.projectBackward('self_attn.o_proj', dmiddle, mixed, numHeads * headDim);
    const { dq, dk, dv } = this.headsBackward(dmixed);
    const dnormed = add(
      add(
        this.projectBackward('self_attn.q_proj', dq, normed, h),
        this.projectBackward('self_attn.k_proj', dk, normed, h),
      ),
      this.projectBackward('self_attn.v_proj', dv, normed, h),
    );
    return add(dmiddle, this.normBackward('input_layernorm', dnormed, x));
  }
}

export interface HeadRow {
  logprob: number;
  entropy: number;
  lse: number;
  /** Probability of each allowed token; the others have none. */
  probabilities: Map<number, number>;
}

/** Log-probability of `token` and entropy of softmax(logits / temperature) over the allowed tokens. */
export function headRow(logits: Float64Array, token: number, allowed: Iterable<number>, temperature: number): HeadRow {
  const ids = [...allowed];
  if (!ids.includes(token)) throw new Error(`reference: token ${token} is scored but is not among the allowed ones`);
  const scaled = ids.map((id) => logits[id] / temperature);
  const max = Math.max(...scaled);
  const lse = max + Math.log(scaled.reduce((sum, s) => sum + Math.exp(s - max), 0));
  const entropy = scaled.reduce((sum, s) => sum - Math.exp(s - lse) * (s - lse), 0);
  const probabilities = new Map(ids.map((id, i) => [id, Math.exp(scaled[i] - lse)]));
  return { logprob: logits[token] / temperature - lse, entropy, lse, probabilities };
}

/** Tokens allowed at scored row `row`: its list, or the whole vocabulary if it has none or an empty one. */
function allowedAt(batch: PackedBatch, row: number, V: number): Iterable<number> {
  const { allowed } = batch;
  const list = allowed?.tokens.subarray(allowed.offsets[row], allowed.offsets[row + 1]);
  return list?.length ? list : Array.from({ length: V }, (_, id) => id);
}

/**
 * Everything that the engine computes for a batch. `weight` and `entropyWeight` are (N); the returned gradient is that
 * of sum(weight * logprob + entropyWeight * entropy). With null weights only the forward pass runs, and gradients are
 * zero. `kept` maps keys and values as a cache would return them (forward only).
 */
export function referenceForwardBackward(
  config: ModelConfig,
  tensors: TensorMap | Gradients,
  batch: PackedBatch,
  weight: ArrayLike<number> | null,
  entropyWeight: ArrayLike<number> | null,
  temperature = 1,
  kept?: (rows: Float64Array) => Float64Array,
): ReferenceResult {
  const { hiddenSize: h, vocabSize: V, numLayers, rmsNormEps } = config;
  const p = new Parameters(config, tensors);
  const layout = layoutOf(batch);
  const T = batch.tokens.length;
  const headName = config.tieWordEmbeddings ? 'model.embed_tokens.weight' : 'lm_head.weight';
  const embedding = p.value('model.embed_tokens.weight');

  let x = new Float64Array(T * h);
  for (let t = 0; t < T; t++) x.set(embedding.subarray(batch.tokens[t] * h, (batch.tokens[t] + 1) * h), t * h);
  const hidden = [x];
  const layers = Array.from({ length: numLayers }, (_, index) => new Layer(config, p, layout, index));
  for (const layer of layers) {
    x = layer.forward(x, kept) as Float64Array<ArrayBuffer>;
    hidden.push(x);
  }
  const final = rmsnorm(x, p.value('model.norm.weight'), rmsNormEps);
  hidden[numLayers] = final as Float64Array<ArrayBuffer>;
  const logits = linear(final, p.value(headName), null, h);

  const N = batch.scored.length;
  const logprob = new Float64Array(N);
  const entropy = new Float64Array(N);
  const dlogits = new Float64Array(T * V);
  for (let row = 0; row < N; row++) {
    const at = layout.previous[batch.scored[row]];
    if (at < 0) throw new Error(`reference: scored position ${batch.scored[row]} has no token before it`);
    const token = batch.tokens[batch.scored[row]];
    const result = headRow(logits.subarray(at * V, (at + 1) * V), token, allowedAt(batch, row, V), temperature);
    logprob[row] = result.logprob;
    entropy[row] = result.entropy;
    const w = weight?.[row] ?? 0;
    const c = entropyWeight?.[row] ?? 0;
    for (const [id, probability] of result.probabilities) {
      const surprise = probability > 0 ? Math.log(probability) + result.entropy : 0;
      const dscaled = w * ((id === token ? 1 : 0) - probability) - c * probability * surprise;
      dlogits[at * V + id] += dscaled / temperature;
    }
  }
  if (weight || entropyWeight) {
    const dfinal = linearBackward(dlogits, final, p.value(headName), p.gradient(headName), null, h);
    let dx = rmsnormBackward(dfinal, x, p.value('model.norm.weight'), p.gradient('model.norm.weight'), rmsNormEps);
    for (const layer of layers.reverse()) dx = layer.backward(dx);
    const dembedding = p.gradient('model.embed_tokens.weight');
    for (let t = 0; t < T; t++) for (let i = 0; i < h; i++) dembedding[batch.tokens[t] * h + i] += dx[t * h + i];
  }
  return { logits, hidden, logprob, entropy, gradients: p.gradients };
}
