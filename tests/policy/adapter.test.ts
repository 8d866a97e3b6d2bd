// An adapter on a frozen model, compared with its double-precision twin, at sizes that no tile divides and also with
// only some projections; its memory on the GPU; the reference, which is the model without it; and a vocabulary split
// over several bindings.
import { describe, expect, it } from 'vitest';
import { type ModelConfig, parameterShapes, parseConfig } from '../../src/policy/config.ts';
import { defaultChoices } from '../../src/policy/engine/kernel-choices.ts';
import { canVectorise } from '../../src/policy/engine/low-rank-forms.ts';
import { Model } from '../../src/policy/engine/model.ts';
import type { ModelOptions } from '../../src/policy/engine/model-options.ts';
import { givenWeights } from '../../src/policy/engine/objective.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import type { PackedBatch, TensorMap } from '../../src/policy/policy.ts';
import {
  adaptedOperands,
  adapterShapes,
  initAdapter,
  type LoraConfig,
  projections,
} from '../../src/policy/weights/adapter.ts';
import { piecesOf } from '../../src/policy/weights/base.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import type { WeightPiece } from '../../src/policy/weights/linear.ts';
import { planLayout } from '../../src/policy/weights/parameters.ts';
import { type InspectedModel, inspected } from '../../tools/golden/inspected-model.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { openDevice, useDevice } from '../device/open.ts';
import { largest } from './reference.ts';
import { ReferencePolicy } from './reference-policy.ts';
import { entropyWeight, sharedPrefix, weight } from './shared-prefix.ts';

const gpu = useDevice();

const small = (change: object = {}): ModelConfig =>
  parseConfig({
    model_type: 'qwen2',
    vocab_size: 19,
    hidden_size: 15,
    intermediate_size: 9,
    num_hidden_layers: 2,
    num_attention_heads: 3,
    num_key_value_heads: 1,
    head_dim: 6,
    rope_theta: 100,
    tie_word_embeddings: true,
    ...change,
  });

const capacity = { rows: 2, groups: 2, promptTokens: 8, completionTokens: 8, batchTokens: 16, batchScored: 16 };

const batch = sharedPrefix();

/** An adapter that has an effect: B is not zero. */
function trained(config: ModelConfig, lora: LoraConfig): TensorMap {
  const tensors = initAdapter(config, lora, 3);
  for (const [name, { data }] of tensors)
    if (name.endsWith('lora_B.weight')) data.set(normals(data.length, 4, name, 0.3));
  return tensors;
}

async function withModel(
  config: ModelConfig,
  options: Partial<ModelOptions>,
  use: (model: InspectedModel) => Promise<void>,
) {
  const weights = initWeights(config, { seed: 2, std: 0.3 });
  const model = inspected(
    await Model.create(await gpu(), config, {
      capacity,
      weights,
      trainable: true,
      reference: false,
      ...options,
    }),
  );
  try {
    await use(model);
  } finally {
    model.destroy();
  }
}

const cases: [string, object, LoraConfig][] = [
  ['all projections, rank 4', {}, { rank: 4, alpha: 8, targets: projections }],
  ['k, v and up, rank 3', { model_type: 'qwen3' }, { rank: 3, alpha: 5, targets: ['k_proj', 'v_proj', 'up_proj'] }],
  ['o and gate, rank 1', { model_type: 'llama' }, { rank: 1, alpha: 2, targets: ['o_proj', 'gate_proj'] }],
  [
    'q and down, rank 8, sizes of four',
    { hidden_size: 16, intermediate_size: 12, head_dim: 8, tie_word_embeddings: false },
    { rank: 8, alpha: 4, targets: ['q_proj', 'down_proj'], rankStabilized: true },
  ],
];

describe.each(cases)('an adapter: %s', (_, change, lora) => {
  const config = small(change);
  const adapter = { lora, tensors: trained(config, lora) };
  const twin = () => new ReferencePolicy(config, initWeights(config, { seed: 2, std: 0.3 }), capacity, adapter);

  it.each([
    [true, 'wide'],
    [false, 'wide'],
    [false, 'lanes'],
  ] as const)('scores and gradients agree with the twin, masked %s, sums %s', (masked, form) =>
    withModel(config, { adapter, choices: { ...defaultChoices, matmul_nt_narrow: form } }, async (model) => {
      const requested = masked ? batch : { ...batch, allowed: null };
      for (const weights of ['policy', 'reference'] as const) {
        const got = await model.score(requested, { temperature: 0.7, weights });
        const expected = await twin().score(requested, { temperature: 0.7, weights });
        expect(largest(got.logprob, expected.logprob)).toBeLessThan(2e-5);
        expect(largest(got.entropy, expected.entropy)).toBeLessThan(2e-5);
      }
      const got = await model.gradients(requested, weight, entropyWeight, { temperature: 0.7 });
      const expected = await twin().gradients(requested, weight, entropyWeight, { temperature: 0.7 });
      expect([...got.keys()].sort()).toEqual([...adapterShapes(config, lora).keys()].sort());
      for (const [name, { data }] of expected) {
        const scale = largest(data, new Float32Array(data.length));
        expect(largest(got.get(name)!.data, data) / scale, name).toBeLessThan(5e-5);
      }
      const shared =
        form === 'lanes' && adaptedOperands(config, lora).some((operand) => canVectorise(operand, lora.rank));
      for (const name of ['lora_up_backward_lanes', 'lora_up_backward_weight_lanes'])
        expect(model.recorder.perKernel.has(name), name).toBe(shared);
    }),
  );

  it('is the only part that is trained and saved, and resumes exactly from a saved state', () =>
    withModel(config, { adapter }, async (model) => {
      const reference = await model.score(batch, { temperature: 1, weights: 'reference' });
      const update = () =>
        model.update(
          {
            batches: [{ batch, columns: [weight, entropyWeight] }],
            objective: givenWeights,
            scalars: [],
            optimizer: { learningRate: 1e-2, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 },
          },
          { temperature: 1 },
        );
      await update();
      const saved = await model.save();
      const own = [...adapterShapes(config, lora).keys()];
      const names = ['', 'exp_avg.', 'exp_avg_sq.'].flatMap((prefix) => own.map((name) => prefix + name));
      expect([...saved.tensors.keys()].sort()).toEqual(names.sort());
      await update();
      const after = await model.save();
      expect(after).not.toEqual(saved);
      await model.load(saved);
      await update();
      expect(await model.save()).toEqual(after);
      expect(await model.score(batch, { temperature: 1, weights: 'reference' })).toEqual(reference);
      expect((await model.save({ reference: true })).tensors.size).toBe(0);
    }));

  it('takes the planned memory on the GPU, without gradients or moments of the base', async () => {
    const device = await gpu();
    const before = device.bytesAllocated;
    await withModel(config, { adapter }, async (model) => {
      expect(device.bytesAllocated - before).toBe(totalBytes(model.plan));
      const optimizer = model.plan.filter(({ part }) => part === 'optimizer');
      const own = [...adapterShapes(config, lora).values()].reduce((sum, [a, b]) => sum + a * b * 4, 0);
      // Each operand begins at a multiple of 256 bytes.
      const most = own + 256 * 8 * config.numLayers;
      for (const { bytes } of optimizer) expect(bytes).toBeLessThanOrEqual(most);
    });
    expect(device.bytesAllocated).toBe(before);
  });
});

it.each([
  [true, true],
  [true, false],
  [false, false],
])('a model without adapter takes the planned memory too: trainable %s, reference %s', async (trainable, reference) => {
  const device = await gpu();
  const before = device.bytesAllocated;
  await withModel(small(), { trainable, reference }, async (model) => {
    expect(device.bytesAllocated - before).toBe(totalBytes(model.plan));
  });
});

it('an untrained adapter changes nothing', () => {
  const config = small();
  const lora = { rank: 4, alpha: 8, targets: projections };
  return withModel(config, { adapter: { lora, tensors: initAdapter(config, lora, 1) } }, async (model) => {
    const score = (weights: 'policy' | 'reference') => model.score(batch, { temperature: 1, weights });
    expect(await score('policy')).toEqual(await score('reference'));
  });
});

describe('weights loaded in pieces', () => {
  const config = small({ tie_word_embeddings: false });
  const shapes = parameterShapes(config);
  const weights = initWeights(config, { seed: 2, std: 0.3 });
  async function* rows(skip = ''): AsyncGenerator<WeightPiece> {
    for await (const piece of piecesOf(weights, shapes)) {
      if (piece.kind !== 'f32' || piece.name === skip) continue;
      const length = piece.values.length / piece.rows;
      for (let row = 0; row < piece.rows; row += 4) {
        const count = Math.min(4, piece.rows - row);
        yield { ...piece, row, rows: count, values: piece.values.subarray(row * length, (row + count) * length) };
      }
    }
  }

  it('give the same model', () =>
    withModel(config, { weights }, async (whole) =>
      withModel(config, { weights: rows() }, async (pieces) => {
        expect(await pieces.logits(batch)).toEqual(await whole.logits(batch));
      }),
    ));

  it('must be complete', async () => {
    const missing = withModel(config, { weights: rows('model.norm.weight') }, async () => {});
    await expect(missing).rejects.toThrow(/model\.norm\.weight is incomplete/);
  });
});

it('computes the same with the vocabulary in two bindings and the feed-forward half in two pieces', async () => {
  const config = small({
    vocab_size: 16_500,
    hidden_size: 64,
    intermediate_size: 4096,
    num_hidden_layers: 1,
  });
  const narrow = await openDevice({ mostBindingBytes: 1 << 22 });
  const lora = { rank: 2, alpha: 2, targets: projections };
  const options = {
    capacity: { ...capacity, groups: 1, batchTokens: 150 },
    weights: initWeights(config, { seed: 2, std: 0.3 }),
    adapter: { lora, tensors: trained(config, lora) },
    trainable: true,
    reference: false,
  };
  // Tokens from every piece of the vocabulary, in sequences that end on both sides of the cut between batches.
  const tokens = Int32Array.from({ length: 150 }, (_, t) => (t * 7919) % config.vocabSize);
  const segments = [
    { start: 0, end: 70, parent: -1 },
    { start: 70, end: 150, parent: 0 },
  ];
  const long: PackedBatch = {
    tokens,
    segments,
    scored: Int32Array.from([2, 40, 69, 70, 127, 128, 149]),
    allowed: null,
  };
  const results = [];
  for (const device of [await gpu(), narrow]) {
    const model = inspected(await Model.create(device, config, options));
    try {
      const scores = await model.score(long, { temperature: 1, weights: 'policy' });
      const gradients = await model.gradients(long, weight, entropyWeight);
      await begin(model, [{ prompt: Int32Array.from([16_499, 0, 16_384]), slots: [0], rowKeys: [7] }]);
      const row = { slot: 0, append: new Int32Array(0), constraint: null };
      const sampling = { temperature: 1, seed: 3, stream: 0, maxTokens: 6, stopTokens: [] };
      results.push({ scores, gradients, turns: await wholeTurns(model, [row], sampling) });
      if (device === narrow) await expectNoMask(model);
    } finally {
      model.destroy();
    }
  }
  narrow.destroy();
  const [whole, cut] = results;
  expect(cut.scores).toEqual(whole.scores);
  expect(cut.turns).toEqual(whole.turns);
  for (const [name, { data }] of whole.gradients) {
    const scale = largest(data, new Float32Array(data.length));
    expect(largest(cut.gradients.get(name)!.data, data) / scale, name).toBeLessThan(5e-6);
  }
});

/** Expects a masked batch to be refused, since the head is in several pieces. */
async function expectNoMask(model: InspectedModel) {
  const { scored, tokens } = batch;
  const own = { offsets: Int32Array.from([...scored.keys(), scored.length]), tokens: scored.map((t) => tokens[t]) };
  const refused = model.score({ ...batch, allowed: own }, { temperature: 1, weights: 'policy' });
  await expect(refused).rejects.toThrow(/Constrained decoding reads the whole head at once: 4224000 bytes/);
}

it('splits a vocabulary too large for a binding at whole tiles, and refuses one that splitting cannot help', () => {
  const config = small({ vocab_size: 5000, hidden_size: 64 });
  const layout = planLayout(config, 2048 * 64 * 4);
  const sizes = [0, 1, 2].map((i) => layout.operands.get(`embedding.${i}`)!.size);
  expect(sizes).toEqual([2048 * 64, 2048 * 64, (5000 - 4096) * 64]);
  expect(() => planLayout(config, 100_000)).toThrow(/2048 rows of the vocabulary need 524288 bytes.*100000/);
});
