// Switching an experiment to a language model: by every route its episodes have room, its replies are free, and its
// first evaluation can be played.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { defaultPolicy } from '../../src/experiment/policies/registry.ts';
import { presets } from '../../src/experiment/presets.ts';
import { withLanguageModel, withPolicyKind } from '../../src/models/draft.ts';
import { configOf, findModel } from '../../src/policy/catalogue.ts';
import { saveAdapter } from '../../src/policy/formats/peft.ts';
import { initAdapter } from '../../src/policy/weights/adapter.ts';
import { acknowledgement } from '../../src/rl/episode/conversation.ts';
import { turnsFor } from '../../src/rl/schedule/horizon.ts';
import { noLocks } from '../../src/session/service/ownership.ts';
import { TrainerService } from '../../src/session/service/trainer-service.ts';
import { writePolicy } from '../../src/store/bundle.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { Draft } from '../../src/ui/control/draft.ts';
import { Store } from '../../src/ui/state/state.ts';
import { openWorld, worldModules } from '../../src/worlds/registry.ts';
import { FakeEngines } from './fakes.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-draft-'));
beforeAll(() => buildWasm());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const all = presets.map(parseExperiment);
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A PEFT checkpoint as Python saves it, with a few tensors of an adapter for the listed model. */
function peftFiles(model: string, change: object = {}): { [name: string]: Uint8Array } {
  const config = { ...configOf(findModel(model)), numLayers: 1 };
  const lora = { rank: 2, alpha: 4, targets: ['q_proj' as const] };
  const files = saveAdapter(config, { lora, tensors: initAdapter(config, lora, 1) }, { name: model });
  const json = { ...JSON.parse(files['adapter_config.json']), ...change };
  return { ...files, 'adapter_config.json': bytesOf(JSON.stringify(json)) };
}

const peftZip = (model: string, change: object = {}) => new Blob([writePolicy(peftFiles(model, change))]);

function service(): TrainerService {
  const store = new RunStore(new FolderStore(folder));
  return new TrainerService({ store, engines: new FakeEngines(), locks: noLocks, presets });
}

async function imported(): Promise<Experiment> {
  return (await service().importPolicy(peftZip('Qwen/Qwen2.5-0.5B-Instruct'), 'adapter.zip')).experiment;
}

const draftOf = (store: Store) =>
  new Draft(
    store,
    () => service(),
    { notify: () => {} },
    async () => {},
  );

/** Changes the setting `policy.kind` in the setup, one kind after the other. */
function chosenKind(preset: number, kinds: readonly string[]): Experiment {
  const store = new Store();
  store.set({ presets: all });
  const drafting = draftOf(store);
  drafting.usePreset(preset);
  for (const kind of kinds) drafting.edit('policy.kind', kind);
  expect(store.state.problems).toEqual([]);
  return store.state.draft!;
}

/** A lora draft from an earlier link: a tiny policy's settings under another kind of policy. */
const mislabelled = (draft: Experiment) => parseExperiment({ ...draft, policy: defaultPolicy('lora') });

/** English in these worlds has more than three characters a token in every vocabulary of the catalogue. */
const tokensIn = (text: string) => Math.ceil(text.length / 3);
const templateCharacters = 200;

/** Room that the longest of a preset's episodes needs, played by the oracle with every reply at its limit. */
async function longest({ worlds, horizon, sampling }: Experiment): Promise<{ prompt: number; completion: number }> {
  const most = { prompt: 0, completion: 0 };
  for (const { name, options } of worlds) {
    const world = await openWorld(name);
    const every = await world.tasks(options, 'train');
    for (const task of every.filter((_, i) => i % Math.ceil(every.length / 40) === 0)) {
      const [{ observation }] = await world.reset([0], [task]);
      const opening = `${world.describe().instruction}${acknowledgement}${observation}`;
      most.prompt = Math.max(most.prompt, tokensIn(opening) + templateCharacters / 3);
      const [plan] = await world.oracle([0]);
      const limit = Math.max(...horizon.map(({ turns }) => turnsFor(turns, plan?.length ?? 0)));
      let tokens = 0;
      for (const action of (plan ?? []).slice(0, limit)) {
        const [{ observation }] = await world.step([0], [action]);
        tokens += sampling.maxTokensPerTurn + tokensIn(observation) + 12;
      }
      most.completion = Math.max(most.completion, tokens);
    }
    await world.close();
  }
  return most;
}

const ways: { [way: string]: () => Promise<Experiment> } = {
  'an adapter brought in': imported,
  'a model picked': async () => withLanguageModel(all[0], 'qwen2.5-0.5b', 'int4'),
  'another kind chosen': async () => chosenKind(0, ['lora']),
  'a model picked for a draft of the wrong settings': async () =>
    withLanguageModel(mislabelled(all[0]), 'qwen2.5-0.5b', 'int4'),
};

describe.each(Object.keys(ways))('%s', (way) => {
  it('can be played: free replies, and room for prompts and turns', async () => {
    const experiment = await ways[way]();
    expect(experiment.policy).toMatchObject({ kind: 'lora' });
    const { maskActions, promptTokens, completionTokens, maxTokensPerTurn } = experiment.sampling;
    expect(maskActions).toBe(false);
    expect(maxTokensPerTurn).toBeGreaterThanOrEqual(64);
    const needs = await longest(experiment);
    expect(promptTokens).toBeGreaterThanOrEqual(needs.prompt);
    expect(completionTokens).toBeGreaterThanOrEqual(needs.completion);
  });

  it('can be trained: small groups and steps, no bonus over a whole vocabulary, a short evaluation', async () => {
    const { algorithm, optimizer, evaluation } = await ways[way]();
    expect(algorithm).toMatchObject({ groups: 2, minibatches: 1, entropy: 0 });
    expect(optimizer).toMatchObject({ learningRate: 1e-4, weightDecay: 0 });
    expect(evaluation.episodes).toBe(32);
  });
});

it('a preset keeps no description of its random weights with a language model, and has it again without one', async () => {
  expect(all[0].description).toContain('from random weights');
  for (const way of ['an adapter brought in', 'a model picked', 'another kind chosen'])
    expect((await ways[way]()).description).toBe('');
  expect(chosenKind(0, ['lora', 'tiny']).description).toBe(all[0].description);
  const own = parseExperiment({ ...(await ways['a model picked']()), description: 'My own.' });
  expect(withLanguageModel(own, 'smollm2-135m', 'int8').description).toBe('My own.');
});

it('an adapter as its files gives the run of its zip; one saved as a pickle is refused', async () => {
  const files = peftFiles('Qwen/Qwen2.5-0.5B-Instruct');
  const picked = (names: { [name: string]: Uint8Array }) =>
    Object.entries(names).map(([name, bytes]) => ({ name, file: new File([bytes as Uint8Array<ArrayBuffer>], name) }));
  const exported = async (policy: Parameters<TrainerService['importPolicy']>[0]) => {
    const importing = service();
    const { id, experiment } = await importing.importPolicy(policy, 'peft');
    return {
      policy: experiment.policy,
      files: [...new Uint8Array(await (await importing.exportPolicy(id)).arrayBuffer())],
    };
  };
  expect(await exported(picked(files))).toEqual(await exported(new Blob([writePolicy(files)])));
  const { 'adapter_model.safetensors': weights, ...rest } = files;
  await expect(service().importPolicy(picked({ ...rest, 'adapter_model.bin': weights }), 'old')).rejects.toThrow(
    'This adapter has its weights in adapter_model.bin, a pickle',
  );
});

it.each(all.map((preset) => [preset.name, preset] as const))('%s has room for its episodes', async (_, preset) => {
  const experiment = withLanguageModel(preset, 'qwen2.5-0.5b', 'int4');
  const needs = await longest(experiment);
  expect(experiment.sampling.promptTokens).toBeGreaterThanOrEqual(needs.prompt);
  expect(experiment.sampling.completionTokens).toBeGreaterThanOrEqual(needs.completion);
});

it('another model keeps settings that a person changed', () => {
  const first = withLanguageModel(all[0], 'qwen2.5-0.5b', 'int4');
  const chosen = parseExperiment({
    ...first,
    sampling: { ...first.sampling, promptTokens: 512 },
    optimizer: { ...first.optimizer, learningRate: 2e-4 },
  });
  const { policy, ...rest } = withLanguageModel(chosen, 'smollm2-135m', 'int8');
  const { policy: _, ...others } = chosen;
  expect(rest).toEqual(others);
  expect(policy).toMatchObject({ model: 'smollm2-135m', weights: 'int8' });
});

it('an ONNX model has the same room', () => {
  const { policy, sampling } = chosenKind(0, ['onnx']);
  expect(policy.kind).toBe('onnx');
  expect(sampling).toEqual(chosenKind(0, ['lora']).sampling);
  expect(chosenKind(0, ['lora', 'onnx', 'tiny'])).toEqual(all[0]);
});

it.each(worldModules.map((module) => [module.title, module] as const))(
  'a change of world to %s makes room for its episodes and drops the former world’s options',
  (_, { name, budget, vocabulary }) => {
    for (const kind of ['tiny', 'lora']) {
      const store = new Store();
      store.set({ presets: all });
      const drafting = draftOf(store);
      drafting.usePreset(0);
      drafting.edit('policy.kind', kind);
      drafting.edit('worlds.0.name', name);
      // A tiny policy has no vocabulary for a world that brings none.
      const hasNoVocabulary = kind === 'tiny' && !vocabulary;
      expect(store.state.problems.map(({ path }) => path)).toEqual(hasNoVocabulary ? ['worlds.0.name'] : []);
      const { worlds, sampling } = store.state.draft!;
      expect(worlds[0]).toMatchObject({ name, options: {} });
      const needed = kind === 'tiny' ? budget.tiny : budget.language({});
      expect(sampling.promptTokens).toBeGreaterThanOrEqual(needed.promptTokens);
      if (kind === 'tiny') expect(sampling).toMatchObject({ maskActions: true });
      else expect(sampling.completionTokens).toBeGreaterThan(sampling.maxTokensPerTurn);
    }
  },
);

it.each(all.map((preset, index) => [preset.name, index] as const))(
  'files for a world replace the worlds of %s',
  (_, index) => {
    const { name, title, ownFiles } = worldModules.find((module) => module.ownFiles)!;
    const store = new Store();
    store.set({ presets: all });
    const drafting = draftOf(store);
    drafting.usePreset(index);
    drafting.useWorld(name, ownFiles!.option, 'mine');
    expect(store.state.problems).toEqual([]);
    expect(store.state.draft!.worlds).toMatchObject([{ name, weight: 1, options: { [ownFiles!.option]: 'mine' } }]);
    // The preset's name and description are of other worlds.
    expect(store.state.draft).toMatchObject({ name: `${title}, mine`, description: '' });
    expect(store.state.preset).toBe(-1);
  },
);

it('returning to the tiny policy restores the preset’s settings', () => {
  expect(chosenKind(0, ['lora', 'tiny'])).toEqual(all[0]);
  const { policy, sampling } = withPolicyKind(chosenKind(1, ['lora']), defaultPolicy('tiny'));
  expect(policy.kind).toBe('tiny');
  expect(sampling.maskActions).toBe(false);
});
