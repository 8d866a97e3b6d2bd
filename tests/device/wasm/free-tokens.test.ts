// Free rows in a masked batch: tokens of a thought, each of which may be any token of the vocabulary.
import { expect, it } from 'vitest';
import { BatchError } from '../../../src/policy/engine/batch.ts';
import { Model } from '../../../src/policy/engine/model.ts';
import { givenWeights } from '../../../src/policy/engine/objective.ts';
import type { AllowedTokens, Capacity, PackedBatch } from '../../../src/policy/policy.ts';
import { initWeights } from '../../../src/policy/weights/init.ts';
import { smallConfig } from '../../policy/small-model.ts';
import { useWasm } from '../open.ts';

const open = useWasm({ threads: 2 });
const config = smallConfig({ vocab_size: 300 });
const T = 60;
const N = 40;
const capacity: Capacity = { rows: 2, groups: 1, promptTokens: 8, completionTokens: 8, batchTokens: T, batchScored: N };
const weights = initWeights(config, { seed: 3, std: 0.2 });

/** An empty list marks a free row. The last row lists the whole vocabulary, which has the same effect. */
const free: AllowedTokens = {
  offsets: Int32Array.from({ length: N + 1 }, (_, n) => (n === N ? config.vocabSize : 0)),
  tokens: Int32Array.from({ length: config.vocabSize }, (_, token) => token),
};
const batch = (allowed: AllowedTokens | null): PackedBatch => ({
  tokens: Int32Array.from({ length: T }, (_, t) => (t * 37 + 11) % config.vocabSize),
  segments: [{ start: 0, end: T, parent: -1 }],
  scored: Int32Array.from({ length: N }, (_, n) => n + 15),
  allowed,
});

/**
 * Returns weights and moments after one optimizer step that makes half of the rows more likely and the others less
 * likely.
 */
async function updated(allowed: AllowedTokens | null, planned: Capacity) {
  const model = await Model.create(await open(), config, {
    capacity: planned,
    weights,
    trainable: true,
    reference: false,
  });
  try {
    const optimizer = { learningRate: 0.01, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
    const columns = [Float32Array.from({ length: N }, (_, n) => (n % 2 ? 1 : -0.5)), new Float32Array(N).fill(1 / N)];
    const batches = [{ batch: batch(allowed), columns }];
    const step = { batches, objective: givenWeights, scalars: [], optimizer };
    await model.update(step, { temperature: 0.9 });
    return (await model.save()).tensors;
  } finally {
    model.destroy();
  }
}

it('free rows in a masked batch get the same gradient as without a mask', async () => {
  const [dense, masked] = [await updated(null, capacity), await updated(free, { ...capacity, freeTokens: true })];
  // Compares first moments, each a tenth of the gradient. The weights would not do: AdamW moves them by the gradient's
  // sign, which is unstable near zero.
  const moments = [...dense].filter(([name]) => name.includes('exp_avg') && !name.includes('exp_avg_sq'));
  expect(moments.length).toBeGreaterThan(10);
  for (const [name, { data }] of moments) {
    const other = masked.get(name)!.data;
    const largest = data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    expect(largest, name).toBeGreaterThan(0);
    const off = data.reduce((most, value, i) => Math.max(most, Math.abs(value - other[i])), 0);
    expect(off / largest, name).toBeLessThan(1e-4);
  }
});

it('free rows are refused with their number where the plan has no room for them', async () => {
  await expect(updated(free, capacity)).rejects.toThrow(BatchError);
  await expect(updated(free, capacity)).rejects.toThrow(
    /12000 allowed tokens in this batch; at most 2560 were planned/,
  );
});
