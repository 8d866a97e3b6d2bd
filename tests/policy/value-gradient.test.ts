// The gradient of a value head in its trunk, compared with finite differences of the values; a critic on a second
// model; and the memory that an update needs beside the policy, compared with the plan.
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { keptPrefix } from '../../src/policy/moments.ts';
import { ObjectiveError } from '../../src/policy/objective-rows.ts';
import { totalBytes } from '../../src/policy/plan/buffers.ts';
import type { CriticKind, ObjectiveSpec, PackedBatch, TensorMap, UpdateRequest } from '../../src/policy/policy.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { useDevice } from '../device/open.ts';

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

const masked: PackedBatch = {
  tokens: Int32Array.from([1, 5, 2, 7, 3, 3, 9, 4, 11, 6]),
  segments: [
    { start: 0, end: 4, parent: -1 },
    { start: 4, end: 7, parent: 0 },
    { start: 7, end: 10, parent: 0 },
  ],
  scored: Int32Array.from([4, 5, 7, 9]),
  allowed: { offsets: Int32Array.from([0, 2, 2, 5, 6]), tokens: Int32Array.from([3, 8, 2, 4, 17, 6]) },
};
const open: PackedBatch = {
  tokens: Int32Array.from([18, 0, 12, 5, 5]),
  segments: [{ start: 0, end: 5, parent: -1 }],
  scored: Int32Array.from([1, 2, 3, 4]),
  allowed: null,
};
const batches = [masked, open];
const targets = [Float32Array.of(1, -0.5, 0.3, 2), Float32Array.of(-1, 0.2, 0.7, 0)];

/** Half the squared distance of each value from its target, without any term of the policy. */
const values: ObjectiveSpec = {
  name: 'values',
  columns: ['target'],
  scalars: [],
  evaluate: ({ count, value, columns: { target } }) => {
    const error = Float64Array.from({ length: count }, (_, i) => value![i] - target[i]);
    const none = () => new Float64Array(count);
    return {
      loss: error.map((each) => (each * each) / 2),
      weight: none(),
      entropyWeight: none(),
      valueWeight: error,
      aux: {},
    };
  },
};

/** Adam's first moment after one step is a tenth of the gradient; with a learning rate of 0 the weights stay. */
const request = (critic: { learningRate: number; trunkWeight: number }): UpdateRequest => ({
  batches: batches.map((batch, k) => ({ batch, columns: [targets[k]] })),
  objective: values,
  scalars: [],
  optimizer: {
    learningRate: 0,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradNorm: Number.POSITIVE_INFINITY,
  },
  critic,
});

async function withCritic(critic: CriticKind, use: (model: Model) => Promise<void>, updateRows = 0) {
  const options = { capacity, weights: tensors, trainable: true, reference: false, critic, updateRows };
  const model = await Model.create(await gpu(), config, options);
  try {
    await use(model);
  } finally {
    model.destroy();
  }
}

async function lossOf(model: Model): Promise<number> {
  let sum = 0;
  for (const [k, batch] of batches.entries()) {
    const { value } = await model.score(batch, { temperature: 1, weights: 'policy', values: true });
    value!.forEach((each, n) => {
      sum += (each - targets[k][n]) ** 2 / 2;
    });
  }
  return sum;
}

/** Compares the gradient in the first moment of tensor `name` with finite differences at three places. */
async function expectGradient(model: Model, state: TensorMap, prefix: string, name: string, weight: number) {
  const moment = state.get(`${prefix}exp_avg.${name}`)!.data;
  const step = 4e-3;
  const largest = moment.reduce((most, each) => Math.max(most, Math.abs(10 * each)), 0);
  expect(largest, name).toBeGreaterThan(1e-3);
  for (const at of [0, Math.floor(moment.length / 3), moment.length - 1]) {
    const losses: number[] = [];
    for (const sign of [1, -1]) {
      const changed = new Map(state);
      const tensor = state.get(prefix + name)!;
      const data = tensor.data.slice();
      data[at] += sign * step;
      changed.set(prefix + name, { ...tensor, data });
      await model.load({ tensors: changed, optimizerStep: 1 });
      losses.push(await lossOf(model));
    }
    const slope = (weight * (losses[0] - losses[1])) / (2 * step);
    expect(Math.abs(10 * moment[at] - slope), `${name}[${at}]: ${10 * moment[at]} for ${slope}`).toBeLessThan(
      2e-3 * Math.max(largest, 1),
    );
  }
}

const trunkNames = [
  'model.embed_tokens.weight',
  'model.layers.0.self_attn.k_proj.weight',
  'model.layers.1.mlp.down_proj.weight',
  'model.norm.weight',
];

/**
 * Trains the value head first, so that its gradient is not zero, then drops the moments of those steps and takes one
 * more step.
 */
async function trainedHead(model: Model, trunkWeight: number): Promise<TensorMap> {
  for (let k = 0; k < 5; k++) await model.update(request({ learningRate: 0.1, trunkWeight: 0 }), { temperature: 0.8 });
  const { tensors: learnt } = await model.save();
  const fresh = [...learnt].filter(([name]) => !/^(kept\.critic\.)?exp_avg|^kept\.critic\.step/.test(name));
  await model.load({ tensors: new Map(fresh), optimizerStep: 0 });
  await model.update(request({ learningRate: 0, trunkWeight }), { temperature: 0.8 });
  return (await model.save()).tensors;
}

const largestOf = (state: TensorMap, prefix: string) =>
  Math.max(
    ...[...state].filter(([name]) => name.startsWith(prefix)).flatMap(([, { data }]) => [...data].map(Math.abs)),
  );

describe('the critic’s gradient', () => {
  it('goes into a shared trunk, by its weight', () =>
    withCritic('shared', async (model) => {
      const state = await trainedHead(model, 0.5);
      for (const name of trunkNames) await expectGradient(model, state, '', name, 0.5);
    }));

  it('stops at the trunk if the critic only reads it, or if its weight is 0', async () => {
    for (const kind of ['head', 'shared'] as const)
      await withCritic(kind, async (model) => {
        const before = await lossOf(model);
        const state = await trainedHead(model, kind === 'head' ? 0.5 : 0);
        expect(largestOf(state, 'exp_avg.')).toBe(0);
        expect(await lossOf(model)).toBeLessThan(before);
      });
  });

  it('goes into a second model if the critic has one, and leaves the policy unchanged', () =>
    withCritic('separate', async (model) => {
      const state = await trainedHead(model, 0);
      expect(largestOf(state, 'exp_avg.')).toBe(0);
      for (const name of trunkNames) await expectGradient(model, state, `${keptPrefix}critic.`, name, 1);
    }));

  it('of a second model resumes exactly from a saved state, and the model begins as the policy', () =>
    withCritic('separate', (one) =>
      withCritic('separate', async (other) => {
        const moving = request({ learningRate: 0.1, trunkWeight: 0 });
        const learning = { ...moving, optimizer: { ...moving.optimizer, learningRate: 1e-2 } };
        for (let k = 0; k < 2; k++) await one.update(learning, { temperature: 1 });
        await other.load(await one.save());
        for (const model of [one, other]) await model.update(learning, { temperature: 1 });
        expect((await other.save()).tensors).toEqual((await one.save()).tensors);
        await other.load({ tensors, optimizerStep: 0 });
        const { tensors: first } = await other.save();
        for (const name of trunkNames)
          expect(first.get(`${keptPrefix}critic.${name}`)!.data).toEqual(tensors.get(name)!.data);
      }),
    ));
});

describe('the plan', () => {
  it.each<[CriticKind, number]>([
    ['head', 0],
    ['shared', 8],
    ['separate', 100],
  ])('counts the allocated memory on the device and on the host: %s, %i rows of an update', async (kind, rows) => {
    const device = await gpu();
    const before = device.bytesAllocated;
    await withCritic(
      kind,
      async (model) => {
        const host = model.plan.filter(({ part }) => part === 'host');
        expect(model.hostBytes).toBe(totalBytes(host));
        expect(host.map(({ name }) => name)).toEqual(['hiddenRows', ...(rows ? ['updateScores'] : [])]);
        expect(device.bytesAllocated - before + model.hostBytes).toBe(totalBytes(model.plan));
        expect(model.memory().reduce((sum, { bytes }) => sum + bytes, 0)).toBe(totalBytes(model.plan));
      },
      rows,
    );
    expect(device.bytesAllocated).toBe(before);
  });

  it('refuses an objective over more rows than planned, without any effect on the weights', () =>
    withCritic(
      'head',
      async (model) => {
        const all = { ...request({ learningRate: 0.1, trunkWeight: 0 }), objective: { ...values, batch: true } };
        const before = await model.save();
        const refused = model.update(all, { temperature: 1 });
        await expect(refused).rejects.toThrow(ObjectiveError);
        await expect(refused).rejects.toThrow(/all 8 rows.*the plan allows 4/);
        expect(await model.save()).toEqual(before);
      },
      4,
    ));
});
