/**
 * Imports a policy that another program trained: an adapter, a tiny policy or a whole language model, with the settings
 * and the origin of its hand-off.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { exportedFiles, readCheckpoint } from '../../src/cli/export.ts';
import { returnedRun } from '../../src/cli/returning.ts';
import { CommandError } from '../../src/cli/training-run.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { saveAdapter } from '../../src/policy/formats/peft.ts';
import { syntheticTokenizer } from '../../src/policy/text/synthetic-tokenizer.ts';
import { adapterShapes } from '../../src/policy/weights/adapter.ts';
import { decodeState } from '../../src/session/checkpoint.ts';
import { readRun } from '../../src/store/bundle.ts';
import { unzip } from '../../src/store/zip.ts';

const root = mkdtempSync(join(tmpdir(), 'tabgym-returning-'));
afterAll(() => rmSync(root, { recursive: true }));

const json = (path: string, value: unknown) => writeFileSync(path, JSON.stringify(value));
const lora = { rank: 4, alpha: 8, targets: ['q_proj', 'v_proj'] as ('q_proj' | 'v_proj')[] };
const experiment = {
  format: 'tabgym-experiment-1',
  name: 'Handed over',
  seed: 5,
  steps: 6,
  policy: { kind: 'lora', model: 'qwen2.5-0.5b', weights: 'int8', lora },
  worlds: [{ name: 'textcraft', options: { depths: [2] } }],
  algorithm: { name: 'rloo', groups: 2, groupSize: 2 },
  horizon: [{ steps: 6, turns: 7 }],
  sampling: { temperature: 1, maskActions: false, maxTokensPerTurn: 64, promptTokens: 900, completionTokens: 600 },
  optimizer: { learningRate: 1e-5, weightDecay: 0, maxGradNorm: 1 },
  evaluation: { every: 0, episodes: 8 },
};
const from = { trainer: 'verl', run: 'Handed over', step: 3 };

/** Writes a hand-off folder and returns a folder two levels below it. */
function handoff(name: string, document: unknown = experiment): string {
  const folder = join(root, name, 'checkpoints', 'merged');
  mkdirSync(folder, { recursive: true });
  json(join(root, name, 'handoff.json'), from);
  json(join(root, name, 'experiment.json'), document);
  return folder;
}

const model = parseConfig({
  model_type: 'qwen2',
  vocab_size: 64,
  hidden_size: 16,
  intermediate_size: 32,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  tie_word_embeddings: true,
});

function writeAdapter(folder: string, base: string | null): void {
  const tensors = new Map(
    [...adapterShapes(model, lora)].map(([name, shape]) => {
      const data = new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(0.25);
      return [name, { shape, data }] as const;
    }),
  );
  const files = saveAdapter(model, { lora, tensors }, { name: base });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}

it("an adapter takes the settings of its hand-off; verl's merged adapter names no model", () => {
  const folder = handoff('adapter');
  writeAdapter(folder, null);
  const run = returnedRun(folder, null);
  expect(run.origin).toEqual({ kind: 'import', file: 'merged', from });
  const { policy, algorithm, worlds, sampling } = parseExperiment(run.experiment);
  expect(policy).toMatchObject({ kind: 'lora', model: 'qwen2.5-0.5b', weights: 'int8', lora });
  expect([algorithm.name, worlds[0].options, sampling.completionTokens]).toEqual(['rloo', { depths: [2] }, 600]);
  expect(run.checkpoints).toHaveLength(1);
});

it('an adapter that names a folder of another machine takes the model of its settings', () => {
  const folder = handoff('elsewhere');
  writeAdapter(folder, '/data/models/qwen');
  expect(parseExperiment(returnedRun(folder, null).experiment).policy).toMatchObject({ model: 'qwen2.5-0.5b' });
});

it('a checkpoint with a tiny vocabulary becomes a tiny policy', () => {
  const files = unzip(new Uint8Array(readFileSync('public/sample-policy.zip')));
  const tiny = JSON.parse(readFileSync('experiments/textcraft-first.json', 'utf8'));
  const folder = handoff('tiny', tiny);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name.split('/').at(-1)!), bytes);
  const run = returnedRun(folder, null);
  expect(run.origin).toMatchObject({ from });
  const back = parseExperiment(run.experiment);
  expect([back.policy.kind, back.worlds.length, back.algorithm.groups]).toEqual(['tiny', 2, 12]);
  expect(run.assets?.['tokenizer.json']).toEqual(new Uint8Array(readFileSync(join(folder, 'tokenizer.json'))));
});

const site = 'public/agents';
const shipped = readdirSync(site).filter((name) => statSync(join(site, name)).isDirectory());

it.each(shipped)('the exported agent %s comes back, with and without its experiment', async (name) => {
  const file = join(site, name, `${name}.tabgym`);
  const { experiment: document, checkpoints } = readRun(new Uint8Array(readFileSync(file)), file);
  const { tensors } = decodeState(checkpoints!.at(-1)!.bytes, 0);
  const folder = join(root, `agent-${name}`);
  mkdirSync(folder);
  const form = { format: 'hf', operators: 'standard', weights: 'float32', dtype: 'float32' } as const;
  for (const [path, [bytes]] of exportedFiles(await readCheckpoint(file), form))
    writeFileSync(join(folder, path), bytes);
  const own = join(root, `${name}.json`);
  json(own, document);
  for (const experimentFile of [null, own]) {
    const run = returnedRun(folder, experimentFile);
    const { policy } = parseExperiment(run.experiment);
    const trained = parseExperiment(document).policy;
    // PEFT's files do not name the precision of the frozen weights.
    if (trained.kind === 'lora')
      expect(policy).toEqual({ ...trained, weights: experimentFile ? trained.weights : 'int4' });
    else {
      const { layers, hidden, heads } = trained as typeof trained & { kind: 'tiny' };
      expect(policy).toMatchObject({ kind: 'tiny', layers, hidden, heads, inductionHeads: 0 });
    }
    const back = decodeState(run.checkpoints![0].bytes, 0).tensors;
    expect([...back.keys()].sort()).toEqual([...tensors.keys()].sort());
    const changed = [...back].filter(([key, { data }]) => data.some((value, i) => value !== tensors.get(key)!.data[i]));
    expect(changed.map(([key]) => key)).toEqual([]);
  }
});

it('a whole language model becomes the base of a new adapter', () => {
  const folder = handoff('whole');
  json(join(folder, 'config.json'), {});
  json(join(folder, 'tokenizer.json'), syntheticTokenizer('qwen2.5', 512).tokenizer);
  const run = returnedRun(folder, null);
  expect(parseExperiment(run.experiment).policy).toMatchObject({ kind: 'lora', model: folder, weights: 'int8', lora });
  expect(run.checkpoints).toBeUndefined();
});

it('reports missing files', () => {
  const empty = join(root, 'empty');
  mkdirSync(empty);
  expect(() => returnedRun(empty, null)).toThrow(CommandError);
  expect(() => returnedRun(join(root, 'nowhere'), null)).toThrow('no folder');
});

it('a GGUF file, or a folder that holds only one, becomes the frozen model of a new adapter', () => {
  const folder = join(root, 'gguf');
  mkdirSync(folder);
  const file = join(folder, 'm.gguf');
  writeFileSync(file, '');
  for (const path of [folder, file])
    expect(parseExperiment(returnedRun(path, null).experiment).policy).toMatchObject({ kind: 'lora', model: path });
  expect(() => returnedRun(join(folder, 'none.gguf'), null)).toThrow(/There is no file .*none\.gguf/);
});
