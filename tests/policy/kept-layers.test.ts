// Layers that keep their activations and layers that the backward recomputes give the same bits, in the planned memory.
// No other test has so wide a feed-forward block that its rows are processed in pieces, and the gates and ups of all rows
// exceed a binding.
import { describe, expect, it } from 'vitest';
import { type ModelConfig, parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import {
  activationBuffers,
  adapterProductBytes,
  keptLayerBytes,
  keptLayers,
} from '../../src/policy/plan/layer-buffers.ts';
import { sizesOf } from '../../src/policy/plan/sizes.ts';
import type { PackedBatch } from '../../src/policy/policy.ts';
import { initAdapter, projections } from '../../src/policy/weights/adapter.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';
import { useDevice } from '../device/open.ts';

const open = useDevice({ mostBindingBytes: 2 ** 26 });
const openNarrow = useDevice({ mostBindingBytes: 2 ** 22 });

const config = (change: object): ModelConfig =>
  parseConfig({
    ...{ model_type: 'qwen2', vocab_size: 13, hidden_size: 12, intermediate_size: 10, num_hidden_layers: 4 },
    ...{ num_attention_heads: 4, num_key_value_heads: 2, head_dim: 6, rope_theta: 100, tie_word_embeddings: true },
    ...change,
  });

const T = 70;
const capacity = { rows: 1, groups: 1, promptTokens: 4, completionTokens: 4, batchTokens: T, batchScored: T };
const batch: PackedBatch = {
  tokens: Int32Array.from({ length: T }, (_, t) => (t * 7) % 13),
  segments: [
    { start: 0, end: 41, parent: -1 },
    { start: 41, end: T, parent: -1 },
  ],
  scored: Int32Array.from({ length: T - 1 }, (_, t) => t + 1).filter((t) => t !== 41),
  allowed: null,
};
const N = batch.scored.length;

const lora = { rank: 4, alpha: 8, targets: projections };
const adapterFor = (model: ModelConfig) => {
  const tensors = initAdapter(model, lora, 3);
  for (const [name, { data }] of tensors)
    if (name.endsWith('lora_B.weight')) data.set(normals(data.length, 4, name, 0.3));
  return { lora, tensors };
};

/** Gradients with room for the activations of `kept` layers and, if `products`, the adapter's first products. */
async function gradientsWith(
  model: ModelConfig,
  packed: boolean,
  kept: number,
  { products = packed, device: opened = open } = {},
) {
  const device = await opened();
  const sizes = sizesOf(model, capacity, device.bindingBytes);
  const keptBytes = kept * keptLayerBytes(sizes) + (products ? adapterProductBytes(sizes, lora) : 0);
  const own = packed ? ({ adapter: adapterFor(model), precision: 'int4' } as const) : {};
  const options = { capacity, weights: initWeights(model, { seed: 2, std: 0.2 }), trainable: true, reference: false };
  const before = device.bytesAllocated;
  const created = inspected(await Model.create(device, model, { ...options, ...own, keptBytes }));
  try {
    const bytes = totalBytes(created.plan);
    expect(device.bytesAllocated - before).toBe(bytes);
    const dispatches = created.counters().dispatches;
    expect(created.plan.filter(({ name }) => /^normed\.\d/.test(name))).toHaveLength(kept);
    expect(created.plan.some(({ name }) => name.startsWith('loraMid.'))).toBe(products);
    const gradients = await created.gradients(batch, normals(N, 1, 'w', 1), normals(N, 1, 'e', 0.1));
    return { gradients, bytes, dispatches: created.counters().dispatches - dispatches };
  } finally {
    created.destroy();
  }
}

describe.each([
  ['all weights', config({}), false],
  ['all weights, with a norm of the heads', config({ model_type: 'qwen3', head_dim: 8 }), false],
  ['an adapter on packed weights', config({}), true],
  [
    'a feed-forward block in pieces',
    config({ hidden_size: 4, intermediate_size: 125_000, num_hidden_layers: 2 }),
    false,
  ],
])('%s', (_, model, packed) => {
  it('gives the same gradients, bit for bit, whichever layers keep their activations', async () => {
    const none = await gradientsWith(model, packed, 0);
    let last = none;
    for (const kept of new Set([1, model.numLayers - 1])) {
      const now = await gradientsWith(model, packed, kept);
      expect([...now.gradients.keys()]).toEqual([...none.gradients.keys()]);
      for (const [name, { data }] of none.gradients)
        expect(Buffer.compare(Buffer.from(now.gradients.get(name)!.data.buffer), Buffer.from(data.buffer)), name).toBe(
          0,
        );
      expect(now.bytes).toBeGreaterThan(last.bytes);
      expect(now.dispatches).toBeLessThan(last.dispatches);
      last = now;
    }
  });
});

it.each([
  // The backward's product of each operand, and those of recomputed layers but down.
  ['all tokens at once', config({}), open, 4 * 4 + 3 * 3],
  // The same with gates, ups and down in two pieces, and gates and ups of the last layer recomputed.
  [
    'a feed-forward block in pieces',
    config({ intermediate_size: 8000, num_hidden_layers: 2 }),
    openNarrow,
    2 * 6 + 4 + 2,
  ],
])('an adapter that keeps its first products computes them once, with the same gradients: %s', async (...given) => {
  const [, model, device, fewer] = given;
  const again = await gradientsWith(model, true, 0, { products: false, device });
  const kept = await gradientsWith(model, true, 0, { device });
  for (const [name, { data }] of again.gradients) expect(kept.gradients.get(name)!.data, name).toEqual(data);
  expect(again.dispatches - kept.dispatches).toBe(fewer);
  expect(kept.bytes).toBeGreaterThan(again.bytes);
});

describe('the number of kept layers', () => {
  const sizes = sizesOf(config({}), capacity, 2 ** 27);
  const one = keptLayerBytes(sizes);

  it('is what fits, and at most all but the last', () => {
    const numbers = [0, one - 1, one, 2.5 * one, 100 * one].map((bytes) => keptLayers(sizes, bytes));
    expect(numbers).toEqual([0, 0, 1, 2, 3]);
  });

  it('does not depend on the size of a binding, which each buffer fits', () => {
    const wide = config({ intermediate_size: 100 });
    const bytes = 8 * (T - 1) * wide.intermediateSize;
    const pieces = sizesOf(wide, capacity, bytes);
    expect(keptLayerBytes(pieces)).toBe(keptLayerBytes(sizesOf(wide, capacity, 2 ** 27)));
    expect(keptLayers(pieces, keptLayerBytes(pieces))).toBe(1);
    for (const [name, floats] of activationBuffers(pieces, 1)) expect(4 * floats, name).toBeLessThanOrEqual(bytes);
  });
});
