// One optimiser step of the engine compared with its double-precision twin: objective, micro-batches, clipping, weight
// decay, moments; and a saved state resumes exactly.
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import type {
  ObjectiveSpec,
  OptimizerSettings,
  PackedBatch,
  PolicyState,
  UpdateRequest,
} from '../../src/policy/policy.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import { useDevice } from '../device/open.ts';
import { largest } from './reference.ts';
import { ReferencePolicy } from './reference-policy.ts';

const gpu = useDevice();

const config = parseConfig({
  model_type: 'qwen2',
  vocab_size: 19,
  hidden_size: 12,
  intermediate_size: 20,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 4,
  rope_theta: 100,
  tie_word_embeddings: true,
});
const capacity = { rows: 2, groups: 2, promptTokens: 4, completionTokens: 4, batchTokens: 16, batchScored: 16 };
const tensors = initWeights(config, { seed: 4, std: 0.3 });

/** A loss that is curved in logprob, so that its weights change between steps, with an entropy term and aux columns. */
const curved: ObjectiveSpec = {
  name: 'curved',
  wgsl: `fn objective(i: u32, logprob: f32, entropy: f32) -> Objective {
  let w = column(0u, i);
  let goal = column(1u, i);
  let d = logprob - goal;
  return Objective(w * d * d - scalar(0u) * entropy, 2.0 * w * d, -scalar(0u), vec4f(d, w, 0.0, scalar(1u)));
}`,
  columns: ['w', 'target'],
  scalars: ['entropyCoefficient', 'mark'],
  aux: ['distance', 'w', 'zero', 'mark'],
  evaluate: ({ logprob, entropy, columns: { w, target }, scalars: { entropyCoefficient, mark } }) => {
    const each = (read: (i: number) => number) => Float64Array.from(logprob, (_, i) => read(i));
    const d = each((i) => logprob[i] - target[i]);
    return {
      loss: each((i) => w[i] * d[i] * d[i] - entropyCoefficient * entropy[i]),
      weight: each((i) => 2 * w[i] * d[i]),
      entropyWeight: each(() => -entropyCoefficient),
      aux: { distance: d, w: Float64Array.from(w), zero: each(() => 0), mark: each(() => mark) },
    };
  },
};
const { wgsl: _, ...onHost } = curved;

/**
 * The same, times the mean distance of all rows of the update: no row's gradient is known before all rows are scored.
 */
const coupled: ObjectiveSpec = {
  ...onHost,
  name: 'coupled',
  batch: true,
  evaluate: (rows) => {
    const { loss, weight, entropyWeight, aux } = curved.evaluate(rows);
    const distance = aux.distance.reduce((sum, d) => sum + Math.abs(d), 0) / rows.count;
    const scaled = (values: Float64Array) => values.map((value) => value * distance);
    return {
      loss: scaled(loss),
      weight: scaled(weight),
      entropyWeight: scaled(entropyWeight),
      aux,
      metrics: { distance, rows: rows.count },
    };
  },
};

const batches: PackedBatch[] = [
  {
    tokens: Int32Array.from([1, 5, 2, 7, 3, 3, 9, 4, 11, 6]),
    segments: [
      { start: 0, end: 4, parent: -1 },
      { start: 4, end: 7, parent: 0 },
      { start: 7, end: 10, parent: 0 },
    ],
    scored: Int32Array.from([4, 5, 7, 9]),
    allowed: { offsets: Int32Array.from([0, 2, 2, 5, 6]), tokens: Int32Array.from([3, 8, 2, 4, 17, 6]) },
  },
  {
    tokens: Int32Array.from([18, 0, 12, 5, 5]),
    segments: [{ start: 0, end: 5, parent: -1 }],
    scored: Int32Array.from([1, 2, 3, 4]),
    allowed: null,
  },
];

const request = (settings: Partial<OptimizerSettings>, objective = curved): UpdateRequest => ({
  batches: batches.map((batch, k) => ({
    batch,
    columns: [normals(4, k, 'w', 1).map(Math.abs), normals(4, k, 'target', 1).map((x) => -Math.abs(x))],
  })),
  objective,
  scalars: [0.05, 42],
  optimizer: {
    learningRate: 1e-2,
    beta1: 0.9,
    beta2: 0.99,
    // Larger than usual, so that a gradient near zero does not become a whole step in either direction.
    epsilon: 1e-4,
    weightDecay: 0.3,
    maxGradNorm: 1,
    ...settings,
  },
});

/** Destroys the models even after a failure, so that it is not reported as a leak as well. */
async function withModels(count: number, use: (...models: Model[]) => Promise<void>) {
  const options = { capacity, weights: tensors, trainable: true, reference: true, updateRows: 8 };
  const models: Model[] = [];
  try {
    while (models.length < count) models.push(await Model.create(await gpu(), config, options));
    await use(...models);
  } finally {
    for (const model of models) model.destroy();
  }
}

const parameters = (state: PolicyState) => new Map([...state.tensors].filter(([name]) => !name.startsWith('exp_avg')));

describe('update', () => {
  it.each<[string, Partial<OptimizerSettings>, ObjectiveSpec?]>([
    ['clipped, with decay', {}],
    ['the definition of the objective, on the host', {}, onHost],
    ['over all rows of the update', {}, coupled],
    ['not clipped', { maxGradNorm: Number.POSITIVE_INFINITY }],
    ['without decay', { weightDecay: 0 }],
    ['other betas', { beta1: 0.5, beta2: 0.7 }],
  ])('agrees with the twin over three steps: %s', (_, settings, objective) =>
    withModels(1, async (model) => {
      const reference = new ReferencePolicy(config, tensors, capacity);
      for (let step = 1; step <= 3; step++) {
        const got = await model.update(request(settings, objective), { temperature: 0.8 });
        const expected = await reference.update(request(settings, objective), { temperature: 0.8 });
        expect(Math.abs(got.gradNorm / expected.gradNorm - 1), `norm of step ${step}`).toBeLessThan(1e-5);
        if (objective?.batch) expect(got.metrics!.rows).toBe(8);
        for (const [k, { logprob, entropy, loss, weight, aux }] of expected.outputs.entries()) {
          const output = got.outputs[k];
          for (const [a, b] of [
            [output.logprob, logprob],
            [output.entropy, entropy],
            [output.loss, loss],
            [output.weight, weight],
            ...Object.entries(aux).map(([name, column]) => [output.aux[name], column]),
          ])
            expect(largest(a, b)).toBeLessThan(1e-4);
        }
      }
      const [got, expected] = [await model.save(), await reference.save()];
      expect(got.optimizerStep).toBe(3);
      // An NVIDIA H200 differs by 2.003e-5 (docs/gpu.md); the cause is not known.
      for (const [name, { data }] of expected.tensors)
        expect(largest(got.tensors.get(name)!.data, data), name).toBeLessThan(3e-5);
    }),
  );

  it.each([true, false])('trains all weights but frozen embeddings, tied: %s', async (tied) => {
    const own = { ...config, tieWordEmbeddings: tied };
    const options = { capacity, weights: initWeights(own, { seed: 4, std: 0.3 }), trainable: true, reference: false };
    const models: Model[] = [];
    try {
      for (const frozenEmbeddings of [true, false])
        models.push(await Model.create(await gpu(), own, { ...options, updateRows: 8, frozenEmbeddings }));
      const settings = { weightDecay: 0, maxGradNorm: Number.POSITIVE_INFINITY };
      for (const model of models) await model.update(request(settings), { temperature: 0.8 });
      const [frozen, trained] = await Promise.all(models.map(async (model) => parameters(await model.save())));
      for (const [name, { data }] of frozen) {
        const isTable = /embed_tokens|lm_head/.test(name);
        expect(data, name).toEqual(isTable ? options.weights.get(name)!.data : trained.get(name)!.data);
        if (isTable) expect(trained.get(name)!.data).not.toEqual(data);
      }
    } finally {
      for (const model of models) model.destroy();
    }
  });

  it('resumes exactly from a saved state, in another model', () =>
    withModels(2, async (first, second) => {
      await first.update(request({}), { temperature: 1 });
      const saved = await first.save();
      const straight = await first.update(request({}), { temperature: 1 });
      await second.load(saved);
      const resumed = await second.update(request({}), { temperature: 1 });
      expect(resumed).toEqual(straight);
      expect((await second.save()).tensors).toEqual((await first.save()).tensors);
    }));

  it.each<[string, ObjectiveSpec]>([
    ['on the device', curved],
    ['on the host', onHost],
  ])('measures a gradient without a trace, %s: parts add up, and the next update is bit-identical', (_, objective) =>
    withModels(2, async (first, second) => {
      const { optimizer, ...whole } = request({ maxGradNorm: Number.POSITIVE_INFINITY }, objective);
      const options = { temperature: 0.8 };
      const sum = await first.gradient(whole, options);
      const parts: Float32Array[] = [];
      for (const batch of whole.batches) parts.push(await first.gradient({ ...whole, batches: [batch] }, options));
      expect(
        largest(
          sum,
          parts[0].map((value, i) => value + parts[1][i]),
        ),
      ).toBeLessThan(1e-5);
      const measured = await first.update({ ...whole, optimizer }, options);
      expect(Math.hypot(...sum) / measured.gradNorm).toBeCloseTo(1, 6);
      expect(measured).toEqual(await second.update({ ...whole, optimizer }, options));
      expect(await first.save()).toEqual(await second.save());
    }),
  );

  it('keeps the reference frozen until it is replaced', () =>
    withModels(1, async (model) => {
      const score = (weights: 'policy' | 'reference') => model.score(batches[1], { temperature: 1, weights });
      const before = await score('reference');
      expect(await score('policy')).toEqual(before);
      await model.update(request({}), { temperature: 1 });
      expect(await score('reference')).toEqual(before);
      expect(await score('policy')).not.toEqual(before);
      await model.freezeReference();
      expect(await score('reference')).toEqual(await score('policy'));
      expect((await model.save({ reference: true })).tensors).toEqual(parameters(await model.save()));
    }));

  it('refuses a state of another shape and changes nothing', () =>
    withModels(1, async (model) => {
      const before = await model.save();
      const wrong = new Map(before.tensors);
      wrong.set('model.norm.weight', { shape: [5], data: new Float32Array(5) });
      await expect(model.load({ tensors: wrong, optimizerStep: 9 })).rejects.toThrow(/model\.norm\.weight.*5.*12/);
      expect(await model.save()).toEqual(before);
    }));
});
