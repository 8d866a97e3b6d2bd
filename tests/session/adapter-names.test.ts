// Base-model names in exported adapters: a repository that Python finds, whatever name the run uses, and the same model
// after a re-import.
import { describe, expect, it } from 'vitest';
import textcraftFirst from '../../experiments/textcraft-first.json';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { forLanguageModel } from '../../src/models/draft.ts';
import { placeOf, publicRepository } from '../../src/models/names.ts';
import { configOf, findModel } from '../../src/policy/catalogue.ts';
import { writeConfig } from '../../src/policy/config.ts';
import { initAdapter } from '../../src/policy/weights/adapter.ts';
import { encodeState } from '../../src/session/checkpoint.ts';
import { importedAdapter } from '../../src/session/policies/adapted-import.ts';
import { policyFiles } from '../../src/session/service/policy-files.ts';
import { readAdapter, writePolicy } from '../../src/store/bundle.ts';
import { publicHub } from '../../src/store/weights-http.ts';

const preset = parseExperiment(textcraftFirst);
const lora = { rank: 2, alpha: 4, targets: ['q_proj' as const] };
const config = { ...configOf(findModel('qwen2.5-0.5b')), numLayers: 1 };
const utf8 = {
  encode: (text: string) => new TextEncoder().encode(text),
  decode: (b: Uint8Array) => new TextDecoder().decode(b),
};

/** Files of a run whose experiment names its model so. */
const leaving = (model: string) =>
  policyFiles(forLanguageModel(preset, { kind: 'lora', model, lora }).policy, {
    checkpoint: encodeState({ tensors: initAdapter(config, lora, 1), optimizerStep: 0 }),
    config: utf8.encode(writeConfig(config)),
    tokenizer: utf8.encode('{}'),
  });

type Files = ReturnType<typeof leaving>;
const comingBack = (files: Files) =>
  (importedAdapter(readAdapter(writePolicy(files))!, preset, 'adapter.zip').experiment as Experiment).policy;
const baseOf = (files: Files) => {
  const { base_model_name_or_path: name, revision } = JSON.parse(utf8.decode(files['adapter_config.json']));
  return [name, revision];
};

/** The same adapter as Python writes it, without the fields that only this program adds. */
function fromPython(name: string, revision?: string | null): Files {
  const files = leaving('folder/other@0123456789abcdef');
  const json = { ...JSON.parse(utf8.decode(files['adapter_config.json'])), base_model_name_or_path: name, revision };
  return { ...files, 'adapter_config.json': utf8.encode(JSON.stringify(json)) };
}

const repository = 'Qwen/Qwen2.5-0.5B-Instruct';

describe('an exported adapter', () => {
  it.each([
    ['qwen2.5-0.5b', repository, undefined],
    ['Llama-3.2-1B', 'meta-llama/Llama-3.2-1B-Instruct', undefined],
    ['someone/a-model', 'someone/a-model', undefined],
    [`${publicHub}/someone/a-model@v1.0`, 'someone/a-model', 'v1.0'],
    [`${publicHub}/someone/a-model@refs/pr/3`, 'someone/a-model', 'refs/pr/3'],
    [`https://mirror.example/models/${repository}@main`, repository, undefined],
    [`http://localhost:8000/${repository}@0123abc`, repository, '0123abc'],
    [`${publicHub}/someone/a-model-GGUF@main#model-q8_0.gguf`, 'someone/a-model-GGUF', undefined],
    ['folder/my model@0123456789abcdef', 'my model', undefined],
    ['/models/mine', '/models/mine', undefined],
    // Never the path of a GGUF file: PEFT could not load it, and it would name folders of this machine.
    ['/home/someone/models/SmolLM2.Q4_1.gguf', 'SmolLM2.Q4_1', undefined],
    ['models/split-00001-of-00003.gguf', 'split', undefined],
    ['C:\\models\\small.gguf', 'small', undefined],
  ])('of %s names %s, and is imported with the first name', (model, name, revision) => {
    const files = leaving(model);
    expect(baseOf(files)).toEqual([name, revision]);
    expect(comingBack(files)).toMatchObject({ model, lora });
  });
});

describe('an adapter of another program', () => {
  it.each([
    [repository, undefined, 'qwen2.5-0.5b'],
    [repository, 'main', 'qwen2.5-0.5b'],
    [repository, null, 'qwen2.5-0.5b'],
    ['someone/a-model', null, 'someone/a-model'],
    ['someone/a-model', 'v1.0', `${publicHub}/someone/a-model@v1.0`],
    ['/models/mine', null, '/models/mine'],
  ])('%s at %s belongs to %s', (name, revision, model) => {
    expect(comingBack(fromPython(name, revision))).toMatchObject({ model });
  });

  it('belongs to the model that its config names, if that was changed after the export', () => {
    const files = { ...leaving('folder/mine@0123456789abcdef'), ...fromPython(repository) };
    expect(comingBack(files)).toMatchObject({ model: 'qwen2.5-0.5b' });
  });

  it.each([
    [null, `${publicHub}/someone/a-model`],
    [null, 'https://mirror.example/someone/a-model@main'],
    [null, 'folder/someone/a-model@0123456789abcdef'],
    ['v1', `${publicHub}/someone/a-model@v1`],
  ])('at %s belongs to the model of the settings, %s, which is the named one in more words', (revision, model) => {
    const settings = forLanguageModel(preset, { kind: 'lora', model, lora });
    const files = readAdapter(writePolicy(fromPython('someone/a-model', revision)))!;
    const { policy } = importedAdapter(files, settings, 'adapter.zip').experiment as Experiment;
    expect(policy).toMatchObject({ model });
  });

  it('is refused if it names no model', () => {
    expect(() => comingBack(fromPython(''))).toThrow(/names no base model/);
  });
});

it('an imported adapter of a listed model finds that model in the catalogue', () => {
  const { model } = comingBack(fromPython(repository)) as { model: string };
  expect(findModel(model)).toBe(findModel(repository));
});

it.each([
  ['qwen2.5-0.5b', 'listed'],
  [repository, 'listed'],
  [`${publicHub}/${repository}@main`, 'listed'],
  ['someone/a-model', 'repository'],
  [`${publicHub}/someone/a-model@v1`, 'repository'],
  ['https://mirror.example/someone/a-model@main', 'loaded'],
  ['folder/mine@0123456789abcdef', 'loaded'],
  ['/models/mine', 'path'],
  ['mine', 'path'],
])('the page finds %s as %s', (model, place) => {
  expect(placeOf(model)).toBe(place);
});

it('only keys of the public hub count as public repositories', () => {
  expect(publicRepository(`${publicHub}/a/b@v1`)).toEqual({ id: 'a/b', revision: 'v1' });
  for (const key of [
    `https://mirror.example/a/b@v1`,
    `${publicHub}/a/b@main#x.gguf`,
    `${publicHub}/a@main`,
    'a/b',
    `${publicHub}/a/b`,
  ])
    expect(publicRepository(key)).toBeNull();
});
