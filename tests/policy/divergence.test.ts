// The divergence from a teacher's distributions in an update: values and gradients of all parameters against the model
// in double precision and central differences of its loss; a teacher's distributions; refusals by name.
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { givenWeights } from '../../src/policy/engine/objective.ts';
import type { ObjectiveSpec, PackedBatch, TeacherRows, TensorMap, UpdateRequest } from '../../src/policy/policy.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import { useDevice } from '../device/open.ts';
import { largest, referenceForwardBackward } from './reference.ts';

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
const capacity = {
  ...{ rows: 2, groups: 2, promptTokens: 4, completionTokens: 4, batchTokens: 16, batchScored: 16 },
  freeTokens: true,
};
const tensors = initWeights(config, { seed: 4, std: 0.3 });
const teacherTensors = initWeights(config, { seed: 5, std: 0.4 });
const temperature = 0.8;

/** The second row of the first batch and all rows of the second allow the whole vocabulary. */
const batches: PackedBatch[] = [
  {
    tokens: Int32Array.from([1, 5, 2, 7, 3, 3, 9, 4, 11, 6]),
    segments: [
      { start: 0, end: 4, parent: -1 },
      { start: 4, end: 7, parent: 0 },
      { start: 7, end: 10, parent: 0 },
    ],
    scored: Int32Array.from([4, 5, 7, 9]),
    allowed: { offsets: Int32Array.from([0, 2, 2, 5, 8]), tokens: Int32Array.from([3, 8, 2, 4, 17, 1, 6, 18]) },
  },
  {
    tokens: Int32Array.from([18, 0, 12, 5, 5]),
    segments: [{ start: 0, end: 5, parent: -1 }],
    scored: Int32Array.from([1, 3, 4]),
    allowed: null,
  },
];

/** Log-probabilities of each row's allowed tokens, in double precision. */
function distributionsOf(weights: TensorMap, batch: PackedBatch, divisor: number): number[][] {
  const { tokens, segments, scored, allowed } = batch;
  const { logits } = referenceForwardBackward(config, weights, batch, null, null);
  return Array.from(scored, (at, row) => {
    const segment = segments.find(({ start, end }) => at >= start && at < end)!;
    const before = at > segment.start ? at - 1 : segments[segment.parent].end - 1;
    expect(before).toBeLessThan(tokens.length);
    const list = allowed ? [...allowed.tokens.subarray(allowed.offsets[row], allowed.offsets[row + 1])] : [];
    const ids = list.length ? list : Array.from({ length: config.vocabSize }, (_, id) => id);
    const scaled = ids.map((id) => logits[before * config.vocabSize + id] / divisor);
    const lse = Math.log(scaled.reduce((sum, x) => sum + Math.exp(x), 0));
    return scaled.map((x) => x - lse);
  });
}

/** The divergences by their definitions. */
function divergenceOf(logp: readonly number[], logq: readonly number[], beta: number): number {
  const kl = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, i) => sum + Math.exp(value) * (value - b[i]), 0);
  if (beta === 1) return kl(logp, logq);
  if (beta === 0) return kl(logq, logp);
  const mixed = logp.map((value, i) => Math.log(beta * Math.exp(logq[i]) + (1 - beta) * Math.exp(value)));
  return beta * kl(logq, mixed) + (1 - beta) * kl(logp, mixed);
}

const teachers = batches.map((batch) => distributionsOf(teacherTensors, batch, 1));
/** The third row of the first batch has no teacher. */
const isTaught = (k: number, n: number) => k !== 0 || n !== 2;
const teacherRows = (k: number): TeacherRows => {
  const rows = teachers[k].map((row, n) => (isTaught(k, n) ? row : []));
  const offsets = Int32Array.from({ length: rows.length + 1 }, (_, n) => rows.slice(0, n).flat().length);
  const weights = Float32Array.from(rows, (_, n) => 0.5 + 0.25 * n + k);
  return { offsets, logprobs: Float32Array.from(rows.flat()), weights };
};
const columnsOf = (k: number) =>
  ['weight', 'entropy'].map((name) => normals(batches[k].scored.length, k, name, 0.3).map((x) => x));

const { wgsl: _, ...onHost } = givenWeights;

const request = (divergence: number, objective: ObjectiveSpec = givenWeights): UpdateRequest => ({
  batches: batches.map((batch, k) => ({ batch, columns: columnsOf(k), teacher: teacherRows(k) })),
  divergence,
  objective,
  scalars: [],
  // The first moment after one step is a tenth of the gradient.
  optimizer: {
    ...{ learningRate: 0, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 },
    maxGradNorm: Number.POSITIVE_INFINITY,
  },
});

/** Loss of an update in double precision: the objective's and the divergences' by their weights. */
function lossOf(weights: TensorMap, beta: number): number {
  return batches.reduce((total, batch, k) => {
    const [weight, entropyWeight] = columnsOf(k);
    const teacher = teacherRows(k);
    const { logprob, entropy } = referenceForwardBackward(config, weights, batch, null, null, temperature);
    return distributionsOf(weights, batch, temperature).reduce((sum, logp, n) => {
      const divergence = isTaught(k, n) ? divergenceOf(logp, teachers[k][n], beta) : 0;
      return sum + weight[n] * logprob[n] + entropyWeight[n] * entropy[n] + teacher.weights[n] * divergence;
    }, total);
  }, 0);
}

/** The weights with one number of one tensor moved. */
function moved(name: string, at: number, by: number): TensorMap {
  const { shape, data } = tensors.get(name)!;
  const changed = Float64Array.from(data);
  changed[at] += by;
  return new Map([...tensors, [name, { shape, data: changed as never }]]);
}

const options = { capacity, weights: tensors, trainable: true, reference: false, taughtRows: 16 };

async function withModel<T>(change: object, use: (model: Model) => Promise<T>): Promise<T> {
  const model = await Model.create(await gpu(), config, { ...options, ...change });
  try {
    return await use(model);
  } finally {
    model.destroy();
  }
}

const betas: [string, number][] = [
  ['reverse KL', 1],
  ['forward KL', 0],
  ['generalised Jensen-Shannon', 0.3],
];

describe.each(betas)('%s', (_, beta) => {
  it.each([
    ['the device', givenWeights],
    ['the host', onHost],
  ])('has the values and the gradient of its definition, with an objective on %s', (__, objective) =>
    withModel({}, async (model) => {
      const { outputs } = await model.update(request(beta, objective), { temperature });
      for (const [k, batch] of batches.entries()) {
        const own = distributionsOf(tensors, batch, temperature);
        const expected = own.map((row, n) => (isTaught(k, n) ? divergenceOf(row, teachers[k][n], beta) : 0));
        expect(largest(outputs[k].divergence!, expected)).toBeLessThan(2e-6);
      }
      const loss = outputs.reduce((sum, output) => sum + output.loss.reduce((own, each) => own + each, 0), 0);
      expect(loss).toBeCloseTo(lossOf(tensors, beta), 4);
      const { tensors: state } = await model.save();
      const step = 1e-4;
      for (const name of tensors.keys()) {
        const moment = state.get(`exp_avg.${name}`)!.data;
        const size = moment.reduce((most, each) => Math.max(most, Math.abs(10 * each)), 0);
        for (const at of [0, Math.floor(moment.length / 3), moment.length - 1]) {
          const slope = (lossOf(moved(name, at, step), beta) - lossOf(moved(name, at, -step), beta)) / (2 * step);
          expect(Math.abs(10 * moment[at] - slope), `${name}[${at}]`).toBeLessThan(2e-5 * Math.max(1, size));
        }
      }
    }),
  );
});

it('distributions are those of the model in double precision, and their scored tokens those of score', () =>
  withModel({ trainable: false, taughtRows: undefined, weights: teacherTensors }, async (model) => {
    for (const [k, batch] of batches.entries()) {
      const { offsets, logprobs } = await model.distributions(batch, { temperature: 1 });
      expect(largest(logprobs, teachers[k].flat())).toBeLessThan(1e-5);
      const { logprob } = await model.score(batch, { temperature: 1, weights: 'policy' });
      batch.scored.forEach((at, n) => {
        const row = logprobs.subarray(offsets[n], offsets[n + 1]);
        const list = batch.allowed?.tokens.subarray(batch.allowed.offsets[n], batch.allowed.offsets[n + 1]);
        const index = list?.length ? list.indexOf(batch.tokens[at]) : batch.tokens[at];
        expect(Math.abs(row[index] - logprob[n])).toBeLessThan(1e-5);
      });
    }
  }));

it('a teacher equal to the policy has no gradient', () =>
  withModel({}, async (model) => {
    for (const [, beta] of betas) {
      const own = await model.distributions(batches[0], { temperature });
      const teacher = { ...own, weights: new Float32Array(4).fill(1) };
      const none = [new Float32Array(4), new Float32Array(4)];
      const gradient = await model.gradient(
        {
          batches: [{ batch: batches[0], columns: none, teacher }],
          divergence: beta,
          objective: givenWeights,
          scalars: [],
        },
        { temperature },
      );
      expect(largest(gradient, new Float32Array(gradient.length))).toBeLessThan(1e-6);
    }
  }));

it('an update without a teacher has the same bits in a policy that is planned with one', async () => {
  const plain = { ...request(1), divergence: undefined };
  const step = (change: object) =>
    withModel(change, async (model) => {
      await model.update({ ...plain, optimizer: { ...plain.optimizer, learningRate: 0.01 } }, { temperature });
      return (await model.save()).tensors;
    });
  const [planned, bare] = [await step({}), await step({ taughtRows: undefined })];
  for (const [name, { data }] of planned) expect(data, name).toEqual(bare.get(name)!.data);
});

it('what does not fit is refused by name', async () => {
  await withModel({ taughtRows: undefined }, (model) =>
    expect(model.update(request(1), { temperature })).rejects.toThrow(/planned without a teacher's distributions/),
  );
  await withModel({}, async (model) => {
    const wrong = request(1);
    const { offsets, ...rest } = teacherRows(0);
    const shifted = { ...rest, offsets: offsets.map((at, n) => (n === 1 ? at - 1 : at)) };
    const changed = { ...wrong, batches: [{ ...wrong.batches[0], teacher: shifted }] };
    await expect(model.update(changed, { temperature })).rejects.toThrow(
      /Row 0 has 2 allowed tokens, and its teacher 1/,
    );
    const short = { ...wrong, batches: [{ ...wrong.batches[0], teacher: teacherRows(1) }] };
    await expect(model.update(short, { temperature })).rejects.toThrow(/teacher of 3 rows with 3 weights for 4 scored/);
  });
});
