// A run with an adapter on a frozen language model, here a small random one. After a kill it continues with the same
// numbers; a checkpoint contains only the adapter; the export is a PEFT checkpoint; a plan that does not fit is refused
// with a change that fits.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { writePath } from '../../src/experiment/paths.ts';
import type { LoraPolicy } from '../../src/experiment/policies/adapted.ts';
import type { BaseModel } from '../../src/models/base-model.ts';
import { configOf, findModel } from '../../src/policy/catalogue.ts';
import { parameterShapes, writeConfig } from '../../src/policy/config.ts';
import { loadAdapter, saveAdapter } from '../../src/policy/formats/peft.ts';
import { misfit } from '../../src/policy/plan/fit.ts';
import { buildTokenizer } from '../../src/policy/text/tokenizer.ts';
import { adapterShapes, initAdapter, projections } from '../../src/policy/weights/adapter.ts';
import { piecesOf } from '../../src/policy/weights/base.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { decodeState } from '../../src/session/checkpoint.ts';
import { importedAdapter } from '../../src/session/policies/adapted-import.ts';
import {
  type Adapted,
  adaptedCapacity,
  changeOf,
  contextProblem,
  LANGUAGE_MODEL_BUDGET,
  loraOf,
  planAdapted,
} from '../../src/session/policies/adapted-plan.ts';
import { modelConfigOf } from '../../src/session/policies/tiny.ts';
import type { SessionEvent } from '../../src/session/protocol.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { Session } from '../../src/session/run/session.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { exportedPolicy } from '../../src/session/service/policy-files.ts';
import { textsOf } from '../../src/session/text/vocabulary.ts';
import type { AdapterMemory } from '../../src/store/adapter-memory.ts';
import { readAdapter, writePolicy } from '../../src/store/bundle.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { useDawn } from './machines.ts';

const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
const policy: LoraPolicy = {
  kind: 'lora',
  model: 'a small model',
  weights: 'f32',
  kvCache: 'f32',
  // A small page cache, so that trajectories must wait for each other.
  kvShare: 0.2,
  keptMiB: null,
  lora: { rank: 2, alpha: 4, targets: ['q_proj', 'v_proj', 'down_proj'] },
};
const experiment = parseExperiment({ ...micro, steps: 3, policy });
const folder = mkdtempSync(join(tmpdir(), 'tabgym-lora-'));
const store = new RunStore(new FolderStore(folder));
// Adapters grant bindings of 128 MiB (WebGPU's default) to 4 GiB; the tested advice is the one for the smallest.
const dawn = useDawn({ mostBindingBytes: 128 * 2 ** 20 });
const known = new Map<string, { readonly [kernel: string]: unknown }>();
const adapters: AdapterMemory = {
  read: async (adapter) => known.get(adapter) ?? null,
  write: async (adapter, choices) => void known.set(adapter, choices),
};
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let base: Promise<BaseModel> | null = null;

/** The micro experiment's own policy, used as the language model. */
async function makeBase(): Promise<BaseModel> {
  const world = await openWorld('textcraft');
  const tokenizer = buildTokenizer(await textsOf(world));
  await world.close();
  const config = modelConfigOf(parseExperiment(micro) as Parameters<typeof modelConfigOf>[0], tokenizer);
  const weights = initWeights(config, { seed: 8, std: 0.1 });
  return {
    config,
    texts: { 'config.json': writeConfig(config), 'tokenizer.json': JSON.stringify(tokenizer.json) },
    pieces: () => piecesOf(weights, parameterShapes(config)),
  };
}

const models = {
  openOnnx: () => Promise.reject(new Error('not asked for')),
  open: (model: string, precision: string) => {
    expect([model, precision]).toEqual(['a small model', 'f32']);
    base ??= makeBase();
    return base;
  },
};

function sessionOf(id: string, emit: (event: SessionEvent) => void = () => {}): Session {
  const engines = new Assembly({ machine: dawn, openWorld, adapters, models });
  return new Session(id, experiment, { store, engines, emit });
}

const newRun = async () => (await store.create({ name: 'a run', experiment, origin: { kind: 'new' } })).id;
const recordsOf = async (id: string) => (await store.records<StepRecord>(id)).map(withoutTimes);

it('a run killed after each step, or with a device lost between updates, has the same numbers and keeps only its adapter', {
  tags: 'slow',
  timeout: 300_000,
}, async () => {
  const whole = await newRun();
  const session = sessionOf(whole);
  await session.train();
  await session.close();
  const records = await recordsOf(whole);
  expect(records.slice(1).every(({ metrics }) => metrics.gradNorm > 0 && metrics.buffersCreated === 0)).toBe(true);
  // B starts at zero: the first step equals the base, later ones differ.
  expect(records.at(-1)!.metrics.kl).toBeGreaterThan(0);

  const killed = await newRun();
  for (let life = 0; life < experiment.steps; life++) {
    const one = sessionOf(killed);
    await one.train({ steps: 1 });
    await one.close();
  }
  expect(await recordsOf(killed)).toEqual(records);

  // If the device is lost between two updates of a step, the adapter on it belongs neither to the previous step nor to
  // this one, and is dropped.
  const lost = await newRun();
  const losses: number[] = [];
  const notices: string[] = [];
  const losing = sessionOf(lost, (event) => {
    if (event.type === 'notice') notices.push(event.message);
    if (event.type !== 'progress' || event.progress?.what !== 'updates') return;
    const { done, total } = event.progress;
    if (losses.length < 2 && done === losses.length + 1 && done < total!) {
      losses.push(done);
      dawn.opened.at(-1)!.device.destroy();
    }
  });
  await losing.train();
  await losing.close();
  expect(losses).toEqual([1, 2]);
  expect(notices.filter((message) => /device was lost/.test(message))).toHaveLength(2);
  expect(await recordsOf(lost)).toEqual(records);

  const { config } = await models.open('a small model', 'f32');
  const own = [...adapterShapes(config, loraOf(policy)).keys()];
  const { tensors } = decodeState((await store.checkpoint(whole))!.bytes, 0);
  const names = ['', 'exp_avg.', 'exp_avg_sq.'].flatMap((prefix) => own.map((name) => prefix + name));
  expect([...tensors.keys()].sort()).toEqual(names.sort());

  const files = await exportedPolicy(store, whole);
  const adapter = loadAdapter(config, {
    config: new TextDecoder().decode(files['adapter_config.json']),
    tensors: files['adapter_model.safetensors'],
  });
  expect(adapter.lora).toEqual(loraOf(policy));
  for (const [name, { data }] of adapter.tensors) expect(data).toEqual(tensors.get(name)!.data);

  // Imported from a zip: a run at step 0 with the same adapter on the same model, and with settings taken from the
  // adapter.
  const again = importedAdapter(readAdapter(writePolicy(files))!, experiment, 'adapter.zip');
  expect(again.experiment).toMatchObject({ policy });
  const back = decodeState(again.checkpoints![0].bytes, 0).tensors;
  expect([...back.keys()].sort()).toEqual([...own].sort());
  for (const [name, { data }] of back) expect(data).toEqual(tensors.get(name)!.data);
});

it('a language model is refused with a message if there is no model library', async () => {
  const assembly = new Assembly({ machine: dawn, openWorld });
  const options = { assets: null, choices: null, onProgress: () => {}, signal: new AbortController().signal };
  await expect(assembly.open(experiment, options)).rejects.toThrow(/a small model cannot be opened here/);
});

describe('an experiment that does not fit', () => {
  const roomy = { promptTokens: 1024, completionTokens: 512 };
  const binding = 128 * 2 ** 20;
  const of = (change: Partial<LoraPolicy>, sampling: object = roomy, algorithm: object = {}) =>
    parseExperiment({
      ...experiment,
      policy: { ...policy, kvShare: 1, ...change },
      sampling: { ...experiment.sampling, ...sampling },
      algorithm: { ...experiment.algorithm, ...algorithm },
    }) as Adapted;
  const refused = (each: Adapted) => {
    const config = configOf(findModel(each.policy.model));
    if (contextProblem(each, config)) return true;
    try {
      const room = { bindingBytes: binding, totalBytes: LANGUAGE_MODEL_BUDGET };
      return misfit(planAdapted(each, config, undefined, { blockBytes: binding }), room) !== null;
    } catch (error) {
      // A matrix too large for a binding.
      expect(error).toBeInstanceOf(RangeError);
      return true;
    }
  };
  const changed = (each: Adapted) =>
    changeOf(each, configOf(findModel(each.policy.model)), binding)!
      .split(' and ')
      .map((setting) => setting.split(' '))
      .reduce((next, [path, value]) => writePath(next, path, Number(value) || value), each);
  const all = [...projections];

  it.each([
    ['for its weights', of({ model: 'qwen2.5-3b', weights: 'f32' })],
    ['for its adapter, too', of({ model: 'qwen2.5-3b', weights: 'f32', lora: { rank: 256, alpha: 32, targets: all } })],
    [
      'for long episodes',
      of({ model: 'llama-3.2-3b', weights: 'int4' }, { promptTokens: 8192, completionTokens: 8192 }),
    ],
    [
      'for a large group',
      of({ model: 'qwen3-1.7b', weights: 'int8' }, roomy, { groups: 4, groupSize: 64, minibatches: 1 }),
    ],
    ['for its context', of({ model: 'smollm2-135m' }, { promptTokens: 8192, completionTokens: 1024 })],
  ])('%s, fits with the proposed change', (_, large) => {
    expect(refused(large)).toBe(true);
    expect(refused(parseExperiment(changed(large)) as Adapted)).toBe(false);
  });

  it('falls back to floats for heads that cannot have a cache of bytes', () => {
    const config = { ...configOf(findModel('smollm2-135m')), headDim: 6 };
    const bytes = of({ model: 'smollm2-135m', kvCache: 'int8' });
    expect(changeOf(bytes, config, binding)).toBe('policy.kvCache f32');
    const wide = { ...configOf(findModel('qwen3-1.7b')), headDim: 130 };
    const large = of({ model: 'qwen3-1.7b', weights: 'int8' }, roomy, { groups: 4, groupSize: 64, minibatches: 1 });
    expect(changeOf(large, wide, binding)).toMatch(/^algorithm.groupSize \d+$/);
  });

  it('gets no proposal if no change is enough', () => {
    const config = { ...configOf(findModel('qwen2.5-3b')), vocabSize: 10_000_000 };
    expect(changeOf(of({ model: 'qwen2.5-3b' }), config, binding)).toBeNull();
  });

  it('is refused with both numbers, in the plan and on opening', async () => {
    const assembly = new Assembly({ machine: dawn, openWorld, models });
    const { fits, advice } = await assembly.plan(
      of({ model: 'smollm2-135m' }, { promptTokens: 8192, completionTokens: 1024 }),
    );
    expect(fits).toBe(false);
    expect(advice).toBe(
      'smollm2-135m reads at most 8192 tokens, and an episode may have 9216 (sampling.promptTokens 8192 and ' +
        'sampling.completionTokens 1024): sampling.promptTokens 4096 would make it fit.',
    );
    const wide = await assembly.plan(of({ model: 'qwen2.5-3b', weights: 'f32' }));
    expect(wide).toMatchObject({
      fits: false,
      advice: expect.stringMatching(/gateUp needs \d+ bytes.*: policy.weights int8 would/),
    });
    const { promptTokens, completionTokens } = experiment.sampling;
    const options = { assets: null, choices: null, onProgress: () => {}, signal: new AbortController().signal };
    const longer = of({ model: 'a small model' }, { promptTokens, completionTokens: completionTokens + 1 });
    await expect(assembly.open(longer, options)).rejects.toThrow(
      `a small model reads at most ${promptTokens + completionTokens} tokens`,
    );
  });
});

it('an imported adapter keeps the scale of rsLoRA, and the large alpha that it needs is accepted', async () => {
  const config = { ...configOf(findModel('qwen2.5-0.5b')), numLayers: 1 };
  const imported = (rank: number, alpha: number, rankStabilized: boolean) => {
    const lora = { rank, alpha, targets: ['q_proj' as const], rankStabilized };
    const files = saveAdapter(config, { lora, tensors: initAdapter(config, lora, 1) }, { name: 'someone/a-model' });
    const json = new TextEncoder().encode(files['adapter_config.json']);
    const run = importedAdapter({ ...files, 'adapter_config.json': json }, experiment, 'adapter.zip');
    return ((run.experiment as Experiment).policy as LoraPolicy).lora;
  };
  expect(imported(4, 16, false)).toMatchObject({ rank: 4, alpha: 16 });
  // alpha / sqrt(rank) = 8 = 32 / 4.
  expect(imported(4, 16, true)).toMatchObject({ rank: 4, alpha: 32 });
  expect(imported(9, 3, true)).toMatchObject({ rank: 9, alpha: 9 });
  // alpha is often chosen as twice the rank.
  expect(imported(256, 512, true)).toMatchObject({ rank: 256, alpha: 8192 });
});

it('keys and values are kept in bytes, and in a share of the pages, if the experiment asks for it', () => {
  const config = configOf(findModel('qwen2.5-0.5b'));
  const sampling = { ...experiment.sampling, promptTokens: 1024, completionTokens: 512 };
  const evaluation = { every: 0, episodes: 128 };
  const of = (change: Partial<LoraPolicy>) =>
    parseExperiment({
      ...experiment,
      sampling,
      evaluation,
      policy: { ...policy, model: 'qwen2.5-0.5b', kvShare: 1, ...change },
    }) as Adapted;
  const cacheBytes = (change: Partial<LoraPolicy>, capacity = adaptedCapacity(of(change), config)) =>
    planAdapted(of(change), config, capacity).reduce((sum, b) => sum + (b.name.startsWith('cache.') ? b.bytes : 0), 0);
  const whole = adaptedCapacity(of({}), config);
  expect(whole.cachePages).toBeUndefined();
  // Heads of size 64: 68 bytes instead of 256.
  expect(cacheBytes({ kvCache: 'int8' }, whole) / cacheBytes({}, whole)).toBe(68 / 256);
  const most = whole.rows * (64 + 32);
  expect(cacheBytes({}, whole)).toBe((most + 1) * 16 * 24 * 2 * 2 * 64 * 4);
  // Smaller rows let more of them decode at once in the same number of bytes.
  expect(adaptedCapacity(of({ kvCache: 'int8', kvShare: 0.25 }), config).rows).toBeGreaterThan(whole.rows);
  const few = parseExperiment({ ...of({ kvShare: 0.05 }), evaluation: { every: 0, episodes: 1 } }) as Adapted;
  const tight = adaptedCapacity({ ...few, algorithm: { ...few.algorithm, groups: 1, groupSize: 2 } }, config);
  expect(tight).toMatchObject({ rows: 2, cachePages: 64 + 32 });
});
