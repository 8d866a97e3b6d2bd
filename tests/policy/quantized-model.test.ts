// A model on packed weights equals, up to rounding, the f32 model on the dequantised values: logits, scores, an
// adapter's gradients, tokens. Also the loading of packed weights, their memory, and the splitting of a large
// vocabulary.
import { describe, expect, it } from 'vitest';
import { type ModelConfig, parameterShapes } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import type { ModelOptions } from '../../src/policy/engine/model-options.ts';
import { givenWeights } from '../../src/policy/engine/objective.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import type { GenerateRow, TensorMap } from '../../src/policy/policy.ts';
import { initAdapter, type LoraConfig, projections } from '../../src/policy/weights/adapter.ts';
import { piecesOf } from '../../src/policy/weights/base.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import type { WeightPiece } from '../../src/policy/weights/linear.ts';
import { type PackedPrecision, planPacked } from '../../src/policy/weights/packed-layout.ts';
import { quantizeRows } from '../../src/policy/weights/quantize.ts';
import { dequantizedModel, tensorFormat } from '../../src/policy/weights/quantized-model.ts';
import { type InspectedModel, inspected } from '../../tools/golden/inspected-model.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { openDevice, useDevice } from '../device/open.ts';
import { entropyWeight, sharedPrefix, weight } from './shared-prefix.ts';
import { smallConfig } from './small-model.ts';

const gpu = useDevice();

const small = (change: object = {}): ModelConfig =>
  smallConfig({ vocab_size: 51, hidden_size: 72, intermediate_size: 44, ...change });

const capacity = { rows: 2, groups: 1, promptTokens: 8, completionTokens: 8, batchTokens: 16, batchScored: 16 };
const batch = sharedPrefix(48);
const lora: LoraConfig = { rank: 4, alpha: 8, targets: projections };

/** Weights as initialised, with biases other than zero. */
function weightsOf(config: ModelConfig): TensorMap {
  const tensors = initWeights(config, { seed: 2, std: 0.2 });
  for (const [name, { data }] of tensors) if (name.endsWith('.bias')) data.set(normals(data.length, 5, name, 0.2));
  return tensors;
}

/** An adapter that has an effect: B is not zero. */
function adapterOf(config: ModelConfig) {
  const tensors = initAdapter(config, lora, 3);
  for (const [name, { data }] of tensors)
    if (name.endsWith('lora_B.weight')) data.set(normals(data.length, 4, name, 0.3));
  return { lora, tensors };
}

async function withModel<T>(
  config: ModelConfig,
  options: Partial<ModelOptions>,
  use: (model: InspectedModel) => Promise<T>,
) {
  const weights = weightsOf(config);
  const defaults = { capacity, weights, adapter: adapterOf(config), trainable: true, reference: false };
  const model = inspected(await Model.create(await gpu(), config, { ...defaults, ...options }));
  try {
    return await use(model);
  } finally {
    model.destroy();
  }
}

const trie = {
  edgeStart: Int32Array.from([0, 2, 2, 4, 4, 4]),
  edgeToken: Int32Array.from([3, 9, 4, 40]),
  edgeNode: Int32Array.from([1, 2, 3, 4]),
  leaf: Int32Array.from([-1, 0, -1, 1, 2]),
  depth: 2,
};

/** Everything that a model computes: logits, both heads' scores, gradients, a free turn and a constrained one. */
async function everything(model: InspectedModel) {
  const open = { ...batch, allowed: null };
  const logits = await model.logits(batch);
  const scores = [
    await model.score(batch, { temperature: 0.7, weights: 'policy' }),
    await model.score(open, { temperature: 0.7, weights: 'policy' }),
    await model.score(open, { temperature: 0.7, weights: 'reference' }),
  ];
  const gradients = [
    await model.gradients(batch, weight, entropyWeight, { temperature: 0.7 }),
    await model.gradients(open, weight, entropyWeight),
  ];
  await begin(model, [{ prompt: batch.tokens.slice(0, 5), slots: [0, 1], rowKeys: [7, 8] }]);
  const rows: GenerateRow[] = [
    { slot: 0, append: Int32Array.of(4), constraint: null },
    { slot: 1, append: Int32Array.of(4), constraint: trie },
  ];
  const turns = await wholeTurns(model, rows, { temperature: 0, seed: 1, stream: 0, maxTokens: 5, stopTokens: [] });
  return { logits, scores, gradients, turns };
}
type Everything = Awaited<ReturnType<typeof everything>>;

const farthest = (a: Float32Array, b: Float32Array) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
const largest = (a: Float32Array) => farthest(a, new Float32Array(a.length));

function agree(got: Everything, expected: Everything) {
  expect(farthest(got.logits, expected.logits)).toBeLessThan(1e-5 * largest(expected.logits));
  for (const [i, { logprob, entropy }] of expected.scores.entries()) {
    expect(farthest(got.scores[i].logprob, logprob)).toBeLessThan(1e-5);
    expect(farthest(got.scores[i].entropy, entropy)).toBeLessThan(1e-5);
  }
  for (const [i, tensors] of expected.gradients.entries())
    for (const [name, { data }] of tensors) {
      expect(largest(data), name).toBeGreaterThan(0);
      expect(farthest(got.gradients[i].get(name)!.data, data), name).toBeLessThan(2e-5 * largest(data));
    }
  const tokens = ({ turns }: Everything) => turns.map((turn) => [...turn.tokens]);
  expect(tokens(got)).toEqual(tokens(expected));
  expect(got.turns.map(({ leaf }) => leaf)).toEqual(expected.turns.map(({ leaf }) => leaf));
}

const cases: [string, 'int4' | 'int8', object][] = [
  ['int4, sizes of four, no multiple of a group', 'int4', {}],
  [
    'int8, odd sizes',
    'int8',
    { model_type: 'qwen3', hidden_size: 45, intermediate_size: 23, tie_word_embeddings: false },
  ],
];

describe.each(cases)('%s', (_, precision, change) => {
  const config = small(change);

  it('equals the f32 model on the dequantised values, and not that on the original ones', async () => {
    const device = await gpu();
    const before = device.bytesAllocated;
    const packed = await withModel(config, { precision }, async (model) => {
      expect(device.bytesAllocated - before).toBe(totalBytes(model.plan));
      return everything(model);
    });
    expect(device.bytesAllocated).toBe(before);
    const dequantised = dequantizedModel(weightsOf(config), precision);
    agree(packed, await withModel(config, { weights: dequantised }, everything));
    const original = await withModel(config, {}, (model) => model.logits(batch));
    expect(farthest(packed.logits, original)).toBeGreaterThan(1e-3 * largest(original));
  });
});

describe('packed weights', () => {
  const config = small();
  const shapes = parameterShapes(config);
  const weights = weightsOf(config);

  /** Rows in pieces of `step`; with `ready`, matrices are packed beforehand and vectors are not. */
  async function* rows(step: number, ready: boolean, precision: PackedPrecision = 'int4'): AsyncGenerator<WeightPiece> {
    for await (const piece of piecesOf(weights, shapes)) {
      if (piece.kind !== 'f32') continue;
      const length = piece.values.length / piece.rows;
      for (let row = 0; row < piece.rows; row += step) {
        const count = Math.min(step, piece.rows - row);
        const values = piece.values.subarray(row * length, (row + count) * length);
        const format = ready ? tensorFormat(precision, piece.name, piece.shape) : null;
        const { name, shape } = piece;
        const where = { name, shape, row, rows: count };
        if (format === null) yield { ...where, kind: 'f32', values };
        else yield { ...where, kind: 'packed', packed: quantizeRows(format, values, length) };
      }
    }
  }

  it('load in pieces of any size, packed or not, to the same model', async () => {
    const logits = (from: ModelOptions['weights']) =>
      withModel(config, { weights: from, precision: 'int4', trainable: false }, (model) => model.logits(batch));
    const whole = await logits(weights);
    expect(await logits(rows(7, false))).toEqual(whole);
    expect(await logits(rows(5, true))).toEqual(whole);
  });

  it('of a precision that this one does not hold are refused by name, and so is training them', async () => {
    const wrong = withModel(
      config,
      { weights: rows(5, true, 'int8'), precision: 'int4', trainable: false },
      async () => {},
    );
    await expect(wrong).rejects.toThrow(
      /o_proj\.weight: 5 rows of 16 values in 8 bits were received.*in 4 bits with a minimum were expected/,
    );
    const trained = withModel(config, { precision: 'int8', adapter: null }, async () => {});
    await expect(trained).rejects.toThrow(/int8 are frozen/);
  });

  it('play without an adapter', () =>
    withModel(config, { precision: 'int8', adapter: null, trainable: false }, async (model) => {
      const withoutAdapter = await model.logits(batch);
      const adapted = await withModel(
        config,
        { precision: 'int8', adapter: { lora, tensors: initAdapter(config, lora, 1) }, trainable: false },
        (other) => other.logits(batch),
      );
      expect(adapted).toEqual(withoutAdapter);
    }));

  it('train an adapter without a new buffer, and stay unchanged', () =>
    withModel(config, { precision: 'int4' }, async (model) => {
      const device = await gpu();
      const score = (which: 'policy' | 'reference') => model.score(batch, { temperature: 1, weights: which });
      const [policy, reference] = [await score('policy'), await score('reference')];
      const created = device.buffersCreated;
      const optimizer = { learningRate: 1e-2, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
      const batches = [{ batch, columns: [weight, entropyWeight] }];
      await model.update({ batches, objective: givenWeights, scalars: [], optimizer }, { temperature: 1 });
      expect(device.buffersCreated).toBe(created);
      expect(await score('reference')).toEqual(reference);
      expect(await score('policy')).not.toEqual(policy);
    }));
});

it('computes the same with a vocabulary in three bindings', async () => {
  const config = small({ vocab_size: 5000, hidden_size: 512, intermediate_size: 32, tie_word_embeddings: false });
  const narrow = await openDevice({ mostBindingBytes: 2048 * (512 + 32) + 512 });
  const layout = planPacked(config, 'int8', narrow.bindingBytes);
  expect(['embedding', 'head'].map((name) => layout.operands.get(`${name}.2`)?.rows)).toEqual([904, 904]);
  const options = {
    capacity,
    weights: weightsOf(config),
    precision: 'int8',
    trainable: false,
    reference: false,
  } as const;
  const spread = { ...batch, tokens: batch.tokens.map((t) => t * 104), allowed: null };
  const results = [];
  for (const device of [await gpu(), narrow]) {
    const model = inspected(await Model.create(device, config, options));
    try {
      const scores = await model.score(spread, { temperature: 1, weights: 'policy' });
      await begin(model, [{ prompt: Int32Array.from([4999, 0, 2048]), slots: [0], rowKeys: [7] }]);
      const row = { slot: 0, append: new Int32Array(0), constraint: null };
      const sampling = { temperature: 1, seed: 3, stream: 0, maxTokens: 6, stopTokens: [] };
      results.push({ scores, turns: await wholeTurns(model, [row], sampling) });
      const masked = { ...row, append: Int32Array.of(1), constraint: trie };
      if (device === narrow)
        await expect(wholeTurns(model, [masked], sampling)).rejects.toThrow(/reads the whole head at once: 5000 rows/);
    } finally {
      model.destroy();
    }
  }
  narrow.destroy();
  expect(results[1]).toEqual(results[0]);
});
