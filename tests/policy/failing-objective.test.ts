// An objective that fails in the middle of an update has no effect: the weights stay, and the next update gives the
// same as on a model that never failed. With a critic on the trunk, and on a second model.
import { expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import type {
  CriticKind,
  ObjectiveRows,
  PackedBatch,
  RemoteObjective,
  UpdateRequest,
} from '../../src/policy/policy.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { useDevice } from '../device/open.ts';

const gpu = useDevice();
const config = parseConfig({
  model_type: 'qwen2',
  vocab_size: 19,
  hidden_size: 12,
  intermediate_size: 20,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 6,
  rope_theta: 100,
  tie_word_embeddings: true,
});
const capacity = { rows: 2, groups: 2, promptTokens: 4, completionTokens: 4, batchTokens: 16, batchScored: 16 };
const weights = initWeights(config, { seed: 4, std: 0.3 });

const batchOf = (tokens: readonly number[]): PackedBatch => ({
  tokens: Int32Array.from(tokens),
  segments: [{ start: 0, end: tokens.length, parent: -1 }],
  scored: Int32Array.from([1, 2, 3]),
  allowed: null,
});

/** All derivatives are one; from the call number `failing` on it throws. */
function objective(failing = Number.POSITIVE_INFINITY): RemoteObjective {
  let calls = 0;
  const evaluate = async ({ count, logprob, entropy, value }: ObjectiveRows) => {
    calls += 1;
    if (calls >= failing) throw new RangeError('the code failed');
    const ones = () => new Float64Array(count).fill(1);
    const loss = Float64Array.from({ length: count }, (_, i) => logprob[i] + entropy[i] + (value?.[i] ?? 0));
    return { loss, weight: ones(), entropyWeight: ones(), valueWeight: value ? ones() : undefined, aux: {} };
  };
  return { name: 'remote', columns: [], scalars: [], evaluate };
}

const request = (own: RemoteObjective, critic: boolean): UpdateRequest => ({
  batches: [batchOf([1, 5, 2, 7]), batchOf([18, 0, 12, 5])].map((batch) => ({ batch, columns: [] })),
  objective: own,
  scalars: [],
  optimizer: { learningRate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 },
  ...(critic ? { critic: { learningRate: 0.01, trunkWeight: 0.5 } } : {}),
});

async function opened(critic: CriticKind | null) {
  return Model.create(await gpu(), config, { capacity, weights, trainable: true, reference: false, critic });
}

const state = async (model: Model) => {
  const { tensors, optimizerStep } = await model.save();
  return { optimizerStep, tensors: [...tensors].map(([name, { data }]) => [name, Array.from(data)]) };
};

it.each([null, 'shared', 'separate'] as const)('critic: %s', async (critic) => {
  const [failed, never] = [await opened(critic), await opened(critic)];
  const before = await state(failed);
  const update = (model: Model, own: RemoteObjective) =>
    model.update(request(own, critic !== null), { temperature: 1 });
  await expect(update(failed, objective(2))).rejects.toThrow('the code failed');
  expect(await state(failed)).toEqual(before);
  for (let k = 0; k < 2; k++) for (const model of [failed, never]) await update(model, objective());
  expect(await state(failed)).toEqual(await state(never));
  expect((await state(never)).tensors).not.toEqual(before.tensors);
  for (const model of [failed, never]) model.destroy();
});
