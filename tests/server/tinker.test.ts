/** Tinker's protocol over HTTP: a tiny policy's losses, steps, samples and saved states, beside its double-precision twin. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPolicyAt } from '../../src/cli/served-policy.ts';
import { type OpenedModel, openTrainedModel } from '../../src/library/node/trained-model.ts';
import { loadPolicy } from '../../src/library/policy.ts';
import { parseConfig } from '../../src/policy/config.ts';
import type { ObjectiveSpec, PackedBatch } from '../../src/policy/policy.ts';
import type { Server } from '../../src/server/server.ts';
import { readTraining } from '../../src/server/tinker/wire.ts';
import { decodeState } from '../../src/session/checkpoint.ts';
import { largest } from '../policy/reference.ts';
import { ReferencePolicy } from '../policy/reference-policy.ts';
import { startServer } from './helpers.ts';
import { adam, heldStates, type TestDatum, TinkerClient } from './tinker-client.ts';

const base = readPolicyAt('public/sample-policy.zip');
const { saved, files } = heldStates();

let opened: OpenedModel;
let server: Server;
let client: TinkerClient;

beforeAll(async () => {
  opened = await openTrainedModel('tiny', base, { device: 'wasm', threads: 1 }, files);
  server = await startServer(['textcraft'], { trained: [opened.model] });
  client = new TinkerClient(await server.app.listen({ port: 0, host: '127.0.0.1' }));
  await client.open();
});
afterAll(async () => {
  await server?.close();
  await opened?.close();
});

/** The second datum's first target is not its next token. */
const sequences: TestDatum[] = [
  { tokens: [1, 9, 12, 30], targets: [9, 12, 30, 44], columns: {} },
  { tokens: [1, 9, 17], targets: [50, 17, 6], columns: {} },
];
const withColumns = (columns: (k: number, count: number) => TestDatum['columns']) =>
  sequences.map((datum, k) => ({ ...datum, columns: columns(k, datum.tokens.length) }));
const weighted = withColumns((k, count) => ({ weights: Array.from({ length: count }, (_, i) => (i + k) % 3) }));

/** Every target at the end of a sequence of its own. */
const asBatches = sequences.flatMap(({ tokens, targets }) =>
  targets.map((target, i): PackedBatch => {
    const all = Int32Array.from([...tokens.slice(0, i + 1), target]);
    const segments = [{ start: 0, end: all.length, parent: -1 }];
    return { tokens: all, segments, scored: Int32Array.of(i + 1), allowed: null };
  }),
);

function twin(): ReferencePolicy {
  const config = parseConfig(JSON.parse(new TextDecoder().decode(base.assets!['config.json'])));
  const { tensors } = decodeState(base.checkpoints![0].bytes, 0);
  const room = { rows: 1, groups: 1, promptTokens: 8, completionTokens: 8, batchTokens: 64, batchScored: 64 };
  return new ReferencePolicy(config, tensors, room);
}

const logprobsOf = async (policy: ReferencePolicy) => {
  const found = [];
  for (const batch of asBatches)
    found.push(...(await policy.score(batch, { temperature: 1, weights: 'policy' })).logprob);
  return found;
};

/** Loss of a token. `held`: its log-probability as a constant, without a gradient. */
type TwinLoss = (logprob: number, read: (name: string) => number, held: number) => number;

/** A loss per token, and its slope by a central difference. */
const objectiveOf = (columns: string[], loss: TwinLoss): ObjectiveSpec => ({
  ...{ name: 'twin', columns, scalars: [] },
  evaluate({ count, logprob, columns: given }) {
    const at = (i: number, shift: number) => loss(logprob[i] + shift, (name) => given[name][i], logprob[i]);
    const each = (read: (i: number) => number) => Float64Array.from({ length: count }, (_, i) => read(i));
    const slope = (i: number) => (at(i, 1e-5) - at(i, -1e-5)) / 2e-5;
    return { loss: each((i) => at(i, 0)), weight: each(slope), entropyWeight: new Float64Array(count), aux: {} };
  },
});

const clip = (ratio: number) => Math.min(1.2, Math.max(0.7, ratio));
/** Losses as Tinker's documentation writes them; CISPO's weight is a constant. */
const losses: { [name: string]: { config: object; loss: TwinLoss } } = {
  importance_sampling: {
    config: {},
    loss: (p, read) => -Math.exp(p - read('logprobs')) * read('advantages'),
  },
  ppo: {
    config: { clip_low_threshold: 0.7, clip_high_threshold: 1.2 },
    loss(p, read) {
      const ratio = Math.exp(p - read('logprobs'));
      return -Math.min(ratio * read('advantages'), clip(ratio) * read('advantages'));
    },
  },
  cispo: {
    config: { clip_low_threshold: 0.7, clip_high_threshold: 1.2 },
    loss: (p, read, held) => -clip(Math.exp(held - read('logprobs'))) * read('advantages') * p,
  },
  dro: {
    config: { beta: 0.3 },
    loss: (p, read) => -(p * read('advantages') - 0.15 * (p - read('logprobs')) ** 2),
  },
};

/** One step of the twin; the columns are those of `data`, flat. */
async function twinStep(policy: ReferencePolicy, data: TestDatum[], objective: ObjectiveSpec) {
  const flat = objective.columns.map((name) => data.flatMap(({ columns }) => columns[name]));
  const batches = asBatches.map((batch, i) => ({ batch, columns: flat.map((column) => Float32Array.of(column[i])) }));
  const optimizer = {
    ...{ learningRate: adam.learning_rate, beta1: adam.beta1, beta2: adam.beta2, epsilon: adam.eps },
    ...{ weightDecay: adam.weight_decay, maxGradNorm: adam.grad_clip_norm },
  };
  return policy.update({ batches, objective, scalars: [], optimizer }, { temperature: 1 });
}

describe('training', () => {
  test('cross_entropy: log-probabilities, losses and two steps of AdamW as in double precision', async () => {
    const policy = twin();
    const model = await client.createModel('tiny');
    const objective = objectiveOf(['weights'], (logprob, read) => -logprob * read('weights'));
    for (let step = 0; step < 2; step++) {
      const expected = await logprobsOf(policy);
      const { logprobs, elementwise_loss } = await client.train(model, 'cross_entropy', weighted);
      expect(logprobs.map((row) => row.length)).toEqual([4, 3]);
      expect(largest(logprobs.flat(), expected)).toBeLessThan(2e-4);
      const weights = weighted.flatMap(({ columns }) => columns.weights);
      expect(
        largest(
          elementwise_loss.flat(),
          expected.map((each, i) => -each * weights[i]),
        ),
      ).toBeLessThan(4e-4);
      const { metrics } = await client.step(model);
      const { gradNorm } = await twinStep(policy, weighted, objective);
      expect(metrics.grad_norm / gradNorm).toBeCloseTo(1, 4);
    }
    const { logprobs } = await client.train(model, 'cross_entropy', weighted, { forwardOnly: true });
    expect(largest(logprobs.flat(), await logprobsOf(policy))).toBeLessThan(5e-4);
  });

  test.each(Object.entries(losses))('%s: loss, and the weights after a step', async (name, { config, loss }) => {
    const policy = twin();
    const model = await client.createModel('tiny');
    const old = await logprobsOf(policy);
    const sampled = withColumns((k, count) => ({
      logprobs: old.slice(k * 4, k * 4 + count).map((each, i) => each + [0.4, -0.5, 0.05, -0.1][i]),
      advantages: Array.from({ length: count }, (_, i) => [1.5, -0.5, 0, -1][(i + k) % 4]),
    }));
    const { elementwise_loss } = await client.train(model, name, sampled, { config });
    await client.step(model);
    const flat = (column: string) => sampled.flatMap(({ columns }) => columns[column]);
    const expected = old.map((logprob, i) => loss(logprob, (column) => flat(column)[i], logprob));
    expect(largest(elementwise_loss.flat(), expected)).toBeLessThan(1e-3);
    await twinStep(policy, sampled, objectiveOf(['logprobs', 'advantages'], loss));
    const after = await client.train(model, 'cross_entropy', weighted, { forwardOnly: true });
    expect(largest(after.logprobs.flat(), await logprobsOf(policy))).toBeLessThan(1e-3);
  });

  test('gradients of several requests, of different losses, add up to one step', async () => {
    const [parts, whole] = [await client.createModel('tiny'), await client.createModel('tiny')];
    await client.train(whole, 'cross_entropy', weighted);
    for (const datum of weighted) await client.train(parts, 'cross_entropy', [datum]);
    const norms = [(await client.step(whole)).metrics.grad_norm, (await client.step(parts)).metrics.grad_norm];
    expect(norms[0] / norms[1]).toBeCloseTo(1, 5);
    // The policy gradient of log-probabilities that are equal to the old ones is the likelihood's.
    const { logprobs } = await client.train(parts, 'cross_entropy', weighted, { forwardOnly: true });
    const sampled = withColumns((k) => ({ logprobs: logprobs[k], advantages: weighted[k].columns.weights }));
    await client.train(whole, 'cross_entropy', weighted);
    await client.train(parts, 'cispo', sampled);
    const [a, b] = [(await client.step(whole)).metrics.grad_norm, (await client.step(parts)).metrics.grad_norm];
    expect(a / b).toBeCloseTo(1, 4);
  });

  test('clients have weights of their own; a saved state resumes exactly and opens as a run', async () => {
    const [first, other] = [await client.createModel('tiny'), await client.createModel('tiny')];
    const untouched = await client.train(other, 'cross_entropy', weighted, { forwardOnly: true });
    await client.train(first, 'cross_entropy', weighted);
    await client.step(first);
    expect(await client.train(other, 'cross_entropy', weighted, { forwardOnly: true })).toEqual(untouched);
    const path = await client.save(first, 'one');
    expect(path).toBe(`tinker://${first}/weights/one`);
    const [resumed, fresh] = [await client.loadModel(path, true), await client.loadModel(path, false)];
    const next = async (model: string) => {
      await client.train(model, 'cross_entropy', weighted);
      await client.step(model);
      return client.train(model, 'cross_entropy', weighted, { forwardOnly: true });
    };
    const expected = await next(first);
    expect(await next(resumed)).toEqual(expected);
    expect(await next(fresh)).not.toEqual(expected);
    await expect(client.save(first, 'one')).rejects.toThrow('one exists');
    await client.save(first, 'one', { overwrite: true });
    const policy = await loadPolicy([...saved.values()][0], { device: 'wasm', threads: 1 });
    expect(await policy.act([{ role: 'user', content: 'Goal: craft oak planks.' }], { maxTokens: 4 })).toHaveLength(1);
    await policy.close();
  });
});

describe('sampling', () => {
  test('samples have the log-probabilities that training computes, and a sampler keeps its weights', async () => {
    const model = await client.createModel('tiny');
    const sampler = await client.sampler(model);
    const prompt = [1, 9, 12];
    const ask = () => client.sample(sampler, prompt, { max_tokens: 5, seed: 7, stop: [] }, { num_samples: 3 });
    const before = await ask();
    expect(before.sequences.map(({ tokens }) => tokens.length)).toEqual([5, 5, 5]);
    const data = before.sequences.map(({ tokens }): TestDatum => {
      const all = [...prompt, ...tokens];
      return { tokens: all.slice(0, -1), targets: all.slice(1), columns: { weights: all.slice(1).map(() => 1) } };
    });
    const { logprobs } = await client.train(model, 'cross_entropy', data);
    for (const [k, { logprobs: sampled }] of before.sequences.entries())
      expect(largest(logprobs[k].slice(2), sampled)).toBeLessThan(1e-4);
    await client.step(model);
    expect(await ask()).toEqual(before);
    const now = await client.sample(await client.sampler(model), prompt, { max_tokens: 1 }, { prompt_logprobs: true });
    const trained = await client.train(model, 'cross_entropy', data, { forwardOnly: true });
    expect(now.promptLogprobs![0]).toBeNaN();
    expect(largest(now.promptLogprobs!.slice(1), trained.logprobs[0].slice(0, 2))).toBeLessThan(1e-5);
    const untrained = await client.samplerOf({ base_model: 'tiny' });
    expect(await client.sample(untrained, prompt, { max_tokens: 5, seed: 7, stop: [] }, { num_samples: 3 })).toEqual(
      before,
    );
  });

  test('a reply ends at a stop token, and a long prompt continues after the planned prompt', async () => {
    const sampler = await client.samplerOf({ base_model: 'tiny' });
    const [{ tokens }] = (await client.sample(sampler, [1, 9], { max_tokens: 6, seed: 3, stop: [] })).sequences;
    const stop = [tokens[2]];
    const [stopped] = (await client.sample(sampler, [1, 9], { max_tokens: 6, seed: 3, stop })).sequences;
    expect(stopped.tokens).toEqual(tokens.slice(0, tokens.indexOf(tokens[2]) + 1));
    const long = Array.from({ length: opened.model.contextTokens - 10 }, (_, i) => 5 + (i % 50));
    const asked = { max_tokens: 1, stop: [] };
    const {
      sequences: [next],
      promptLogprobs,
    } = await client.sample(sampler, long, asked, { prompt_logprobs: true });
    const whole = await client.sample(sampler, [...long, ...next.tokens], asked, { prompt_logprobs: true });
    expect(promptLogprobs).toHaveLength(long.length);
    expect(whole.promptLogprobs!.at(-1)).toBeCloseTo(next.logprobs[0], 3);
  });
});

describe('refusals', () => {
  test('what is not honoured is refused by name', async () => {
    const model = await client.createModel('tiny');
    const sampler = await client.sampler(model);
    const [datum] = weighted;
    const cases: [() => Promise<unknown>, string][] = [
      [() => client.createModel('tiny', { rank: 32 }), 'lora_config.rank: 32 is not honoured, only 0'],
      [() => client.createModel('tiny', { rank: 0, train_mlp: false }), 'lora_config.train_mlp'],
      [() => client.createModel('large'), 'base_model: there is no large, only tiny'],
      [() => client.train(model, 'stable_reinforce', [datum]), 'loss_fn: stable_reinforce is not honoured'],
      [() => client.train(model, 'constructor', [datum]), 'loss_fn: constructor is not honoured'],
      [() => client.train(model, 'importance_sampling', [datum]), 'loss_fn_inputs.logprobs is missing'],
      [() => client.train(model, 'cross_entropy', [datum], { config: { beta: 1 } }), 'loss_fn_config.beta'],
      [() => client.train(model, 'dro', [datum]), 'loss_fn_config.beta is missing'],
      [() => client.train(model, 'cross_entropy', [{ ...datum, tokens: [1, 2, 3, 9999] }]), 'Token 9999 is outside'],
      [() => client.step(model), 'optim_step needs a forward_backward'],
      [() => client.step(model, { ...adam, amsgrad: true }), 'adam_params.amsgrad'],
      [() => client.save(model, '../up'), 'a name has 1 to 64 letters'],
      [() => client.save(model, 'x', { ttl_seconds: 3600 }), 'ttl_seconds: 3600 is not honoured'],
      [() => client.loadModel('tinker://a/weights/../b', true), 'must be tinker://CLIENT/weights/NAME'],
      [() => client.loadModel('tinker://a/weights/b', true), 'there is no saved state'],
      [() => client.sample(sampler, [1], { top_p: 0.9 }), 'sampling_params.top_p: 0.9 is not honoured, only 1'],
      [() => client.sample(sampler, [1], { stop: 'two words' }), 'is not one token of this policy'],
      [() => client.sample(sampler, [1], { max_tokens: 5000 }), 'leaves room for'],
      [() => client.sample(sampler, [1], {}, { topk_sample_logprobs: 3 }), 'topk_sample_logprobs: 3 is not honoured'],
      [() => client.result('save_weights_external', {}), 'save_weights_external is not honoured: export a saved state'],
    ];
    for (const [call, message] of cases) await expect(call(), message).rejects.toThrow(message);
  });

  test('a step whose weights are not finite is not taken', async () => {
    const model = await client.createModel('tiny');
    await client.train(model, 'cross_entropy', weighted);
    await expect(client.step(model, { ...adam, learning_rate: 1e38, eps: 0 })).rejects.toThrow('Lower learning_rate');
    const { logprobs } = await client.train(model, 'cross_entropy', weighted, { forwardOnly: true });
    expect(largest(logprobs.flat(), await logprobsOf(twin()))).toBeLessThan(2e-4);
  });

  test('without policies to train there is no such interface', async () => {
    const plain = await startServer(['textcraft']);
    expect((await plain.app.inject({ method: 'POST', url: '/api/v1/create_session', payload: '{}' })).statusCode).toBe(
      404,
    );
    await plain.close();
  });
});

test('a request recorded from tinker 0.38.0 is read', () => {
  const recorded =
    'CgFNEAMaiAEKEAoOCgwFAAAABgAAAAcAAAASIQoKYWR2YW50YWdlcxITCgwAAAAAAACAPwAAAMAYASIBAxIfCghsb2dwcm9icxITCgwAAAAAAAAAvwAAoL8YASIBAxIwCg10YXJnZXRfdG9rZW5zEh8KGAYAAAAAAAAACQAAAAAAAAAsAQAAAAAAABgCIgEDGmAKCAoGCgQEAAAAEhkKCmFkdmFudGFnZXMSCwoEAAAAPxgBIgEBEhcKCGxvZ3Byb2JzEgsKBAAAAMAYASIBARIgCg10YXJnZXRfdG9rZW5zEg8KCAQAAAAAAAAAGAIiAQEiA3BwbyodChJjbGlwX2xvd190aHJlc2hvbGQRAAAAAAAA6D8wATofChJjbGlwX2xvd190aHJlc2hvbGQSCQkAAAAAAADoPw==';
  expect(readTraining(Buffer.from(recorded, 'base64'))).toEqual({
    ...{ modelId: 'M', seqId: 3, loss: 'ppo', settings: { clip_low_threshold: 0.75 }, forwardOnly: true },
    data: [
      {
        tokens: Int32Array.of(5, 6, 7),
        targets: Int32Array.of(6, 9, 300),
        columns: { advantages: Float32Array.of(0, 1, -2), logprobs: Float32Array.of(0, -0.5, -1.25) },
      },
      {
        ...{ tokens: Int32Array.of(4), targets: Int32Array.of(4) },
        columns: { advantages: Float32Array.of(0.5), logprobs: Float32Array.of(-2) },
      },
    ],
  });
});
