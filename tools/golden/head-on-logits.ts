/**
 * Runs the head alone on given logits, for tests and recorded data. If the hidden rows are unit vectors and the table
 * contains the logits as columns, the head computes exactly those logits. So the same kernels as in training run, and
 * the gradient of the table is the gradient of the logits.
 */
import { type Device, slice } from '../../src/device/device.ts';
import { parameterShapes, parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { requestObjective, runObjective } from '../../src/policy/engine/objective.ts';
import { resultFloats } from '../../src/policy/plan/head-buffers.ts';
import type { ObjectiveSpec, PackedBatch, TensorMap } from '../../src/policy/policy.ts';

export interface HeadInput {
  /** (N, V) */
  logits: Float32Array;
  /** (N) */
  tokens: Int32Array;
  /** (N) derivatives with respect to the log-probability and the entropy */
  weight: Float32Array;
  entropyWeight: Float32Array;
  temperature: number;
}

export interface HeadOutput {
  /** (N) */
  logprob: Float32Array;
  entropy: Float32Array;
  /** Log of the sum of exponentials of logits / temperature. */
  lse: Float32Array;
  /** (N, V) gradient of sum(weight * logprob + entropyWeight * entropy) */
  dlogits: Float32Array;
}

const headName = 'lm_head.weight';

const given: ObjectiveSpec = {
  name: 'given-weights',
  wgsl: 'fn objective(i: u32, logprob: f32, entropy: f32) -> Objective { return Objective(0.0, column(0u, i), column(1u, i), vec4f()); }',
  columns: ['weight', 'entropyWeight'],
  scalars: [],
  evaluate: ({ count, columns }) => ({
    loss: new Float64Array(count),
    weight: Float64Array.from(columns.weight),
    entropyWeight: Float64Array.from(columns.entropyWeight),
    aux: {},
  }),
};

/** A model with one idle layer whose untied head contains the logits (N, V) as its columns. */
function modelOf(logits: Float32Array, N: number, V: number) {
  const hiddenSize = Math.ceil(N / 4) * 4;
  const config = parseConfig({
    model_type: 'llama',
    vocab_size: V,
    hidden_size: hiddenSize,
    intermediate_size: 4,
    num_hidden_layers: 1,
    num_attention_heads: 1,
    head_dim: 4,
    tie_word_embeddings: false,
  });
  const weights: TensorMap = new Map();
  for (const [name, shape] of parameterShapes(config))
    weights.set(name, { shape, data: new Float32Array(shape.reduce((a, b) => a * b, 1)) });
  const table = weights.get(headName)!.data;
  for (let n = 0; n < N; n++) for (let v = 0; v < V; v++) table[v * hiddenSize + n] = logits[n * V + v];
  return { config, weights, hiddenSize };
}

/** (N, size) rows; row n is the n-th unit vector. */
function unitRows(N: number, size: number): Float32Array<ArrayBuffer> {
  const out = new Float32Array(N * size);
  for (let n = 0; n < N; n++) out[n * size + n] = 1;
  return out;
}

/** The first N columns of a table (V, size) as rows (N, V). */
function columns(table: Float32Array, N: number, V: number, size: number): Float32Array {
  const out = new Float32Array(N * V);
  for (let n = 0; n < N; n++) for (let v = 0; v < V; v++) out[n * V + v] = table[v * size + n];
  return out;
}

export async function headOnLogits(gpu: Device, input: HeadInput): Promise<HeadOutput> {
  const N = input.tokens.length;
  const V = input.logits.length / N;
  const { config, weights, hiddenSize } = modelOf(input.logits, N, V);
  const capacity = {
    rows: 1,
    groups: 1,
    promptTokens: 1,
    completionTokens: 1,
    batchTokens: N + 1,
    batchScored: N,
  };
  const model = await Model.create(gpu, config, { capacity, weights, trainable: true, reference: false });
  try {
    const { head, ops, recorder } = model;
    const batch: PackedBatch = {
      tokens: Int32Array.of(0, ...input.tokens),
      segments: [{ start: 0, end: N + 1, parent: -1 }],
      scored: Int32Array.from({ length: N }, (_, n) => n + 1),
      allowed: null,
    };
    const rows = head.upload(batch);
    recorder.upload(head.ws.buffer('hiddenNormed'), 0, unitRows(N, hiddenSize));
    // The backward of the final norm reads these buffers; its result is not used.
    recorder.clear(head.ws.buffer('hidden'));
    recorder.clear(head.ws.buffer('rstdHead'));
    head.scoresFromHidden(model.weights, rows, 0, input.temperature);
    requestObjective(ops, given);
    await model.kernels.settle();
    runObjective(ops, head.ws, given, [input.weight, input.entropyWeight], [], N, 0);
    head.backward(model.weights, rows, N + 1, 0, input.temperature);
    const at = (name: Parameters<typeof head.ws.buffer>[0], floats: number) =>
      slice(head.ws.buffer(name), 0, floats * 4);
    const read = await recorder.read([
      at('results', N * resultFloats),
      at('headLse', N),
      model.weights.gradient('head')!,
    ]);
    const [results, lse, dtable] = read.map((bytes) => new Float32Array(bytes));
    const column = (c: number) => Float32Array.from({ length: N }, (_, n) => results[n * resultFloats + c]);
    return {
      logprob: column(0),
      entropy: column(1),
      lse: lse.slice(0, N),
      dlogits: columns(dtable, N, V, hiddenSize),
    };
  } finally {
    model.destroy();
  }
}
