/** Tinker's protocol for an adapter on a language model, here a small random one, beside its double-precision twin. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeModel } from '../../src/cli/random-model.ts';
import { readPolicyAt } from '../../src/cli/served-policy.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { type OpenedModel, openTrainedModel } from '../../src/library/node/trained-model.ts';
import { loadPolicy } from '../../src/library/policy.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { loadCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import { freshState } from '../../src/policy/moments.ts';
import { initAdapter, type LoraConfig } from '../../src/policy/weights/adapter.ts';
import type { Server } from '../../src/server/server.ts';
import { checkpointOf } from '../../src/session/checkpoint.ts';
import type { NewRun } from '../../src/store/run-store.ts';
import { largest } from '../policy/reference.ts';
import { ReferencePolicy } from '../policy/reference-policy.ts';
import { startServer } from './helpers.ts';
import { adam, heldStates, type TestDatum, TinkerClient } from './tinker-client.ts';

const lora: LoraConfig = { rank: 4, alpha: 8, targets: ['q_proj', 'v_proj', 'down_proj'] };
const parts = { rank: 4, train_unembed: false };
const folder = mkdtempSync(join(tmpdir(), 'tabgym-tinker-'));
const { saved, files } = heldStates();

let opened: OpenedModel;
let tiny: OpenedModel;
let server: Server;
let client: TinkerClient;
let twin: ReferencePolicy;

async function makeRun(): Promise<NewRun> {
  const config = await makeModel(findModel('qwen2.5-0.5b'), {
    ...{ out: folder, seed: 7, dtype: 'f32' },
    overrides: { layers: 2, hidden: 32, intermediate: 48, heads: 2, kvHeads: 1, headDim: 16, vocab: 400 },
  });
  const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
  const policy = { kind: 'lora', model: folder, weights: 'f32', lora };
  const experiment = parseExperiment({ ...micro, policy });
  const tensors = initAdapter(config, lora, 3);
  const choices = { kernelChoices: {}, batchPlan: {}, adapter: '' };
  const base = loadCheckpoint({
    config: readFileSync(join(folder, 'config.json'), 'utf8'),
    model: new Uint8Array(readFileSync(join(folder, 'model.safetensors'))),
  });
  const room = { rows: 1, groups: 1, promptTokens: 8, completionTokens: 8, batchTokens: 64, batchScored: 64 };
  twin = new ReferencePolicy(config, base.tensors, room, { lora, tensors });
  const checkpoints = [checkpointOf(0, freshState(tensors), choices)];
  return { name: 'adapted', experiment, origin: { kind: 'new' }, checkpoints };
}

beforeAll(async () => {
  const device = { device: 'wasm', threads: 1 } as const;
  opened = await openTrainedModel('adapted', await makeRun(), device, files);
  // Its states lie in the same folder.
  tiny = await openTrainedModel('tiny', readPolicyAt('public/sample-policy.zip'), device, files);
  server = await startServer(['textcraft'], { trained: [tiny.model, opened.model] });
  client = new TinkerClient(await server.app.listen({ port: 0, host: '127.0.0.1' }));
  await client.open();
});
afterAll(async () => {
  await server?.close();
  await opened?.close();
  await tiny?.close();
  rmSync(folder, { recursive: true, force: true });
});

const tokens = [5, 9, 12, 30, 44];
const data: TestDatum[] = [
  { tokens: tokens.slice(0, -1), targets: tokens.slice(1), columns: { weights: [0, 1, 1.5, 1] } },
];
const batch = {
  tokens: Int32Array.from(tokens),
  segments: [{ start: 0, end: tokens.length, parent: -1 }],
  scored: Int32Array.of(1, 2, 3, 4),
  allowed: null,
};
const logprobsOf = async () => [...(await twin.score(batch, { temperature: 1, weights: 'policy' })).logprob];

test('two steps of AdamW change the adapter as in double precision, and a saved state opens as a run', async () => {
  const model = await client.createModel('adapted', parts);
  expect((await client.json('get_info', { model_id: model })).body).toMatchObject({ is_lora: true, lora_rank: 4 });
  for (let step = 0; step < 2; step++) {
    const { logprobs } = await client.train(model, 'cross_entropy', data);
    expect(largest(logprobs[0], await logprobsOf())).toBeLessThan(2e-4);
    const { metrics } = await client.step(model);
    const { gradNorm } = await twin.update(
      {
        batches: [{ batch, columns: [Float32Array.from(data[0].columns.weights)] }],
        objective: {
          ...{ name: 'likelihood', columns: ['weights'], scalars: [] },
          evaluate: ({ count, logprob, columns: { weights } }) => ({
            loss: Float64Array.from(logprob, (each, i) => -each * weights[i]),
            weight: Float64Array.from({ length: count }, (_, i) => -weights[i]),
            ...{ entropyWeight: new Float64Array(count), aux: {} },
          }),
        },
        scalars: [],
        optimizer: {
          ...{ learningRate: adam.learning_rate, beta1: adam.beta1, beta2: adam.beta2, epsilon: adam.eps },
          ...{ weightDecay: adam.weight_decay, maxGradNorm: adam.grad_clip_norm },
        },
      },
      { temperature: 1 },
    );
    expect(metrics.grad_norm / gradNorm).toBeCloseTo(1, 3);
  }
  const after = async (id: string) =>
    (await client.train(id, 'cross_entropy', data, { forwardOnly: true })).logprobs[0];
  const learnt = await after(model);
  expect(largest(learnt, await logprobsOf())).toBeLessThan(5e-4);
  const untouched = await after(await client.createModel('adapted', parts));
  expect(largest(learnt, untouched)).toBeGreaterThan(1e-3);

  const path = await client.save(model, 'one');
  expect((await client.json('weights_info', { tinker_path: path })).body).toEqual({
    ...{ base_model: 'adapted', is_lora: true, lora_rank: 4 },
    ...{ train_unembed: false, train_mlp: true, train_attn: true },
  });
  expect(await after(await client.loadModel(path, true))).toEqual(learnt);
  const wrong = { path, base_model: 'tiny', optimizer: true, model_seq_id: 99, session_id: client.session };
  await expect(client.result('load_weights', wrong)).rejects.toThrow('one is the state of another policy than tiny');
  const sampler = await client.sampler(model);
  const asked = { max_tokens: 1, stop: [] };
  const { promptLogprobs } = await client.sample(sampler, tokens, asked, { prompt_logprobs: true });
  expect(largest(promptLogprobs!.slice(1), learnt)).toBeLessThan(1e-5);
  const policy = await loadPolicy([...saved.values()][0], { device: 'wasm', threads: 1 });
  expect(await policy.act([{ role: 'user', content: 'Goal: craft oak planks.' }], { maxTokens: 4 })).toHaveLength(1);
  await policy.close();
});

test("another adapter than the run's is refused by name", async () => {
  const cases: [object, string][] = [
    [
      { rank: 32, train_unembed: false },
      "lora_config.rank: 32 is not honoured, only 4: this run's adapter has this form",
    ],
    [{ rank: 4 }, 'lora_config.train_unembed: true is not honoured, only false'],
    [{ ...parts, train_attn: false }, 'lora_config.train_attn: false is not honoured, only true'],
    [{ ...parts, seed: 5 }, 'lora_config.seed: 5 is not honoured, only null'],
  ];
  for (const [given, message] of cases) await expect(client.createModel('adapted', given)).rejects.toThrow(message);
});
