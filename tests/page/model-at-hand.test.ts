// Copies of a listed language model in this browser, from the hub and from files.
import { describe, expect, it } from 'vitest';
import type { KeptModelInfo, ModelCard } from '../../src/models/protocol.ts';
import { modelAtHand } from '../../src/ui/state/model-at-hand.ts';

const wanted = {
  model: 'smollm2-135m',
  repository: 'HuggingFaceTB/SmolLM2-135M-Instruct',
  precision: 'int8',
} as const;
const hub = 'https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct@main';
const file = 'folder/SmolLM2-135M-Instruct.Q4_1.gguf@0a1b2c';
const kept = (key: string, change: Partial<KeptModelInfo> = {}): KeptModelInfo => ({
  folder: 'f',
  key,
  label: key,
  precision: 'int8',
  bytes: 1,
  complete: true,
  ...change,
});
const card = (change: Partial<ModelCard>): ModelCard => ({
  key: hub,
  name: 'smollm2-135m',
  label: 'SmolLM2',
  precision: 'int8',
  modelType: 'llama',
  layers: 30,
  hidden: 576,
  vocabulary: 49152,
  parameters: 134515008,
  totalBytes: 10,
  remainingBytes: 10,
  storedBytes: 10,
  gpuBytes: null,
  ...change,
});

describe('a language model at hand', () => {
  it.each([
    ['nothing is here', [], null, null],
    ["the hub's is kept", [kept(hub)], null, 'smollm2-135m'],
    ['it is kept in part', [kept(hub, { complete: false })], null, null],
    ['it is kept in another precision', [kept(hub, { precision: 'int4' })], null, null],
    ['a file of it is kept', [kept('folder/other@1'), kept(file)], null, file],
    ["both are kept: the hub's", [kept(file), kept(hub)], null, 'smollm2-135m'],
    ['a file of it was looked up', [], card({ key: file, name: file }), file],
    ['a file of it was looked up in another precision', [], card({ key: file, name: file, precision: 'int4' }), null],
    ["the hub's was looked up and is not downloaded", [], card({}), null],
    ["the hub's was downloaded now", [], card({ remainingBytes: 0 }), 'smollm2-135m'],
    ['another model was looked up', [], card({ key: 'folder/qwen@1', name: 'folder/qwen@1' }), null],
  ])('%s', (_, keptModels, found, name) => {
    expect(modelAtHand(wanted, { keptModels, card: found })).toBe(name);
  });
});
