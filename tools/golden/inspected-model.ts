// biome-ignore-all lint/complexity/useLiteralKeys: what is private is read by its name in brackets.
/**
 * Internals of a model that only tests and golden checks read: logits, hidden states, gradients of a weighted sum.
 * Private members are read by name in brackets, which TypeScript allows
 * (https://www.typescriptlang.org/docs/handbook/2/classes.html#caveats).
 */
import { slice } from '../../src/device/device.ts';
import type { Model } from '../../src/policy/engine/model.ts';
import { givenWeights } from '../../src/policy/engine/objective.ts';
import type { PackedBatch, TensorMap } from '../../src/policy/policy.ts';
import { vocabularyTile } from '../../src/policy/weights/parameters.ts';

export interface Inspection {
  /** (T, V) logits of every token. */
  logits(batch: PackedBatch): Promise<Float32Array>;
  /** (L + 1) arrays (T, C): the embeddings, then each layer's output, the last one after the final norm. */
  hiddenStates(batch: PackedBatch): Promise<Float32Array[]>;
  /** Gradients of sum(weight * logprob + entropyWeight * entropy); both weights are (N). */
  gradients(
    batch: PackedBatch,
    weight: Float32Array,
    entropyWeight: Float32Array,
    options?: { temperature?: number },
  ): Promise<TensorMap>;
}

export type InspectedModel = Model & Inspection;

/** Adds access to its internals to the model and returns it. */
export const inspected = (model: Model): InspectedModel =>
  Object.assign(model, {
    logits: (batch: PackedBatch) => logitsOf(model, batch),
    hiddenStates: (batch: PackedBatch) => hiddenStatesOf(model, batch),
    gradients: (
      batch: PackedBatch,
      weight: Float32Array,
      entropyWeight: Float32Array,
      options: { temperature?: number } = {},
    ) => gradientsOf(model, batch, weight, entropyWeight, options),
  });

/** Gradients of sum weight * logprob + entropyWeight * entropy. Allocates nothing and leaves the gradients cleared. */
async function gradientsOf(
  model: Model,
  batch: PackedBatch,
  weight: Float32Array,
  entropyWeight: Float32Array,
  { temperature = 1 } = {},
): Promise<TensorMap> {
  const { grads } = model['train']();
  await model['accumulate'](batch, givenWeights, [weight, entropyWeight], [], 0, temperature);
  const tensors = await model['state'].read([[grads, '']]);
  grads.clear(model.recorder);
  await model.recorder.finish();
  return tensors;
}

/** (T, V) logits of every token. */
async function logitsOf(model: Model, batch: PackedBatch): Promise<Float32Array> {
  const T = batch.tokens.length;
  const V = model.vocabSize;
  const C = model.config.hiddenSize;
  const out = new Float32Array(T * V);
  model['forward'](model.weights, { ...batch, scored: new Int32Array(0), allowed: null }, 0, 1);
  const piece = Math.min(model.capacity.batchScored, T);
  for (let from = 0; from < T; from += piece) {
    const n = Math.min(piece, T - from);
    model.recorder.upload(
      model['ws'].buffer('pairs'),
      0,
      Uint32Array.from({ length: n * 2 }, (_, i) => (i % 2 ? i >> 1 : from + (i >> 1))),
    );
    model.ops.gatherRows(
      model['ws'].slice('pairs'),
      model['ws'].slice(`layerInput.${model.config.numLayers}`),
      model['ws'].slice('hidden'),
      n,
      C,
    );
    model.ops.rmsnorm(
      model['ws'].slice('hidden'),
      model.weights.vector('finalNorm'),
      model['ws'].slice('hiddenNormed'),
      model['ws'].slice('rstdHead'),
      n,
      C,
      model.config.rmsNormEps,
    );
    for (let first = 0; first < V; first += vocabularyTile) {
      const W = Math.min(vocabularyTile, V - first);
      model.weights.logits(model['ws'].slice('hiddenNormed'), model['ws'].slice('logits'), n, first, W);
      const [bytes] = await model.recorder.read([slice(model['ws'].buffer('logits'), 0, n * W * 4)]);
      const values = new Float32Array(bytes);
      for (let i = 0; i < n; i++) out.set(values.subarray(i * W, (i + 1) * W), (from + i) * V + first);
    }
  }
  return out;
}

/**
 * Hidden states as in Hugging Face, (T, C) each: the embeddings, then each layer's output, the last one after the final
 * norm.
 */
async function hiddenStatesOf(model: Model, batch: PackedBatch): Promise<Float32Array[]> {
  const T = batch.tokens.length;
  const C = model.config.hiddenSize;
  const L = model.config.numLayers;
  model['forward'](model.weights, { ...batch, scored: new Int32Array(0), allowed: null }, 0, 1);
  // The last layer's normalized input is no longer needed, so its buffers are reused.
  const [normed, rstd] = [model.layers.activation('normed', L - 1), model.layers.activation('rstd1', L - 1)];
  const last = model['ws'].slice(`layerInput.${L}`);
  model.ops.rmsnorm(last, model.weights.vector('finalNorm'), normed, rstd, T, C, model.config.rmsNormEps);
  const inputs = Array.from({ length: L }, (_, l) => model['ws'].slice(`layerInput.${l}`));
  const states: Float32Array[] = [];
  for (const { buffer } of [...inputs, normed]) {
    const [bytes] = await model.recorder.read([slice(buffer, 0, T * C * 4)]);
    states.push(new Float32Array(bytes).slice(0, T * C));
  }
  return states;
}
