/** Updates on packed weights with an adapter, as the benches measure and the model of a GPU counts them. */
import type { Model } from '../src/policy/engine/model.ts';
import { givenWeights } from '../src/policy/engine/objective.ts';
import type { Capacity, PackedBatch } from '../src/policy/policy.ts';
import { type LoraConfig, projections } from '../src/policy/weights/adapter.ts';

export const lora: LoraConfig = { rank: 16, alpha: 32, targets: projections };

/** Room for 32 rows that share a prompt, and for an update of `tokens`. */
export function capacityFor(tokens: number, promptTokens: number): Capacity {
  return { rows: 32, groups: 1, promptTokens, completionTokens: 64, batchTokens: tokens, batchScored: tokens };
}

/** Sequences of 256 tokens, with the second half of each scored. */
function trainingBatch(T: number, vocab: number): PackedBatch {
  const segments = Array.from({ length: T / 256 }, (_, i) => ({ start: i * 256, end: (i + 1) * 256, parent: -1 }));
  const scored = Int32Array.from({ length: T }, (_, t) => t).filter((t) => t % 256 >= 128);
  return { tokens: Int32Array.from({ length: T }, (_, t) => (t * 7919) % vocab), segments, scored, allowed: null };
}

/** Trains on T tokens. */
export function update(model: Model, T: number) {
  const batch = trainingBatch(T, model.vocabSize);
  const columns = [1e-3, 0].map((value) => new Float32Array(batch.scored.length).fill(value));
  const optimizer = { learningRate: 1e-5, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
  return model.update(
    { batches: [{ batch, columns }], objective: givenWeights, scalars: [], optimizer },
    { temperature: 1 },
  );
}
