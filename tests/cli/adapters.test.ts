// Adapters as trainers leave them: folders with checkpoints, verl's adapter inside its merged model, zips, pickles, and
// an adapter's own tokenizer and chat template, brought in by --from, by a zip and by serve.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdapterExport, exportedFiles, readCheckpoint } from '../../src/cli/export.ts';
import { readSource } from '../../src/cli/handoff-folder.ts';
import { makeModel } from '../../src/cli/random-model.ts';
import { returnedRun } from '../../src/cli/returning.ts';
import { openServedPolicy } from '../../src/cli/served-policy.ts';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import type { LoraPolicy } from '../../src/experiment/policies/adapted.ts';
import { presets } from '../../src/experiment/presets.ts';
import { withLanguageModel } from '../../src/models/draft.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import type { ModelConfig } from '../../src/policy/config.ts';
import { saveAdapter } from '../../src/policy/formats/peft.ts';
import { initAdapter } from '../../src/policy/weights/adapter.ts';
import { decodeState } from '../../src/session/checkpoint.ts';
import { importedRun } from '../../src/session/policies/registry.ts';
import { zip } from '../../src/store/zip.ts';

const root = mkdtempSync(join(tmpdir(), 'tabgym-adapters-'));
const base = join(root, 'base');
const overrides = { layers: 2, hidden: 48, intermediate: 80, heads: 6, kvHeads: 2, headDim: 8, vocab: 400 };
const lora = { rank: 4, alpha: 8, targets: ['q_proj' as const, 'down_proj' as const] };
let model: ModelConfig;

beforeAll(async () => {
  model = await makeModel(findModel('qwen2.5-0.5b'), { out: base, seed: 1, dtype: 'f32', overrides });
});
afterAll(() => rmSync(root, { recursive: true }));

/** An adapter's two files. Each seed has other values. */
function adapterOf(seed: number, change: object = {}, name: string | null = base): { [name: string]: Uint8Array } {
  const files = saveAdapter(model, { lora, tensors: initAdapter(model, lora, seed) }, { name });
  const config = { ...JSON.parse(files['adapter_config.json']), ...change };
  return { ...files, 'adapter_config.json': new TextEncoder().encode(JSON.stringify(config)) };
}

function write(folder: string, files: { [name: string]: Uint8Array | string }): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, folder, name)), { recursive: true });
    writeFileSync(join(root, folder, name), content);
  }
  return join(root, folder);
}

const prefixed = (folder: string, files: { [name: string]: Uint8Array }) =>
  Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`${folder}${name}`, bytes]));
const zipped = (files: { [name: string]: Uint8Array }) =>
  zip(Object.entries(files).map(([name, bytes]) => ({ name, bytes, stored: true })));
const imported = (files: { [name: string]: Uint8Array }) =>
  importedRun(zipped(files), parseExperiment(presets[0]), 'adapter.zip');
const policyOf = (run: { experiment: unknown }) => (run.experiment as Experiment).policy as LoraPolicy;

/** Values of a run's adapter. */
const valuesOf = (run: ReturnType<typeof returnedRun>) =>
  [...decodeState(run.checkpoints![0].bytes, 0).tensors].map(([name, { data }]) => [name, [...data]]);
const valuesFor = (seed: number) => [...initAdapter(model, lora, seed)].map(([name, { data }]) => [name, [...data]]);

describe("a trainer's zip", () => {
  it('is read at its outermost adapter', () => {
    const [inner, outer] = [prefixed('out/checkpoint-10/', adapterOf(1)), prefixed('out/', adapterOf(2))];
    expect(valuesOf(imported({ ...inner, ...outer }))).toEqual(valuesFor(2));
    expect(valuesOf(imported({ ...outer, ...inner }))).toEqual(valuesFor(2));
    // A folder with one of the two files is no adapter.
    const half = { 'out/adapter_config.json': new Uint8Array(), ...prefixed('out/x/', adapterOf(2)) };
    expect(valuesOf(imported(half))).toEqual(valuesFor(2));
  });

  it('with several outermost adapters is refused with their names', () => {
    const several = {
      ...prefixed('out/checkpoint-10/', adapterOf(1)),
      ...prefixed('out/checkpoint-20/', adapterOf(2)),
    };
    expect(() => imported(several)).toThrow('several adapters: out/checkpoint-10/, out/checkpoint-20/');
  });

  it('with a pickle is refused with the way to convert it', () => {
    const files = adapterOf(1);
    const pickled = { 'adapter_config.json': files['adapter_config.json'], 'adapter_model.bin': new Uint8Array(8) };
    expect(() => imported(pickled)).toThrow(/adapter_model.bin, a pickle.*save_pretrained/);
    expect(() => returnedRun(write('pickled', pickled), null)).toThrow(/adapter_model.bin, a pickle.*save_pretrained/);
  });
});

describe('a folder', () => {
  it("of verl's merger is read as the adapter inside, on the model around it", () => {
    const around = { 'config.json': '{}', 'model.safetensors': '', 'tokenizer.json': '{}' };
    const merged = write('merged', { ...around, ...prefixed('lora_adapter/', adapterOf(3, {}, null)) });
    for (const folder of [merged, join(merged, 'lora_adapter')]) {
      const run = returnedRun(folder, null);
      expect(policyOf(run)).toMatchObject({ model: merged, lora });
      expect(valuesOf(run)).toEqual(valuesFor(3));
    }
  });

  it("with verl's alpha of 0 takes the alpha of its hand-off", () => {
    const settings = parseExperiment({
      ...parseExperiment(presets[0]),
      policy: { kind: 'lora', model: base, weights: 'f32', lora },
    });
    write('handed', {
      'handoff.json': '{"trainer":"verl","run":"r","step":3}',
      'experiment.json': JSON.stringify(settings),
    });
    const folder = write('handed/merged/lora_adapter', adapterOf(1, { lora_alpha: 0 }, null));
    expect(policyOf(returnedRun(folder, null)).lora).toEqual(lora);
    const alone = write('alone', adapterOf(1, { lora_alpha: 0 }));
    expect(() => returnedRun(alone, null)).toThrow(/lora_alpha is 0.*verl/);
    expect(() => imported(adapterOf(1, { lora_alpha: 0 }))).toThrow(/lora_alpha is 0.*verl/);
  });

  it('of checkpoints is refused with their names', () => {
    write('trainer/checkpoint-10', adapterOf(1));
    const folder = write('trainer/checkpoint-20', adapterOf(2));
    expect(() => returnedRun(dirname(folder), null)).toThrow('folders checkpoint-10, checkpoint-20 do: name one');
  });

  it('is exported unchanged, and handed over with its values', async () => {
    const folder = write('plain', adapterOf(4));
    const form = { format: 'hf', operators: 'standard', weights: 'float32', dtype: 'float32' } as const;
    const { adapter } = (await readCheckpoint(folder)) as AdapterExport;
    expect(adapter).toEqual(adapterOf(4));
    expect([...exportedFiles({ adapter }, form).keys()]).toEqual(Object.keys(adapter));
    const { files } = readSource(folder);
    expect(files!['adapter_model.safetensors'].length).toBeGreaterThan(0);
    expect(valuesOf(imported({ ...files }))).toEqual(valuesFor(4));
  });
});

it('an adapter on some layers is trained on these', () => {
  const some = { ...lora, layers: [1] };
  const files = saveAdapter(model, { lora: some, tensors: initAdapter(model, some, 1) }, { name: base });
  const bytes = new TextEncoder().encode(files['adapter_config.json']);
  const { experiment } = imported({ ...files, 'adapter_config.json': bytes });
  expect(policyOf({ experiment }).lora).toEqual(some);
  // Another model may have fewer layers.
  const other = withLanguageModel(experiment as Experiment, 'qwen2.5-0.5b', 'int8');
  expect(policyOf({ experiment: other }).lora).toEqual(lora);
});

describe('a served adapter', () => {
  const say = [{ role: 'user' as const, content: 'hi' }];
  const request = { n: 1, temperature: 0, maxTokens: 4, seed: 1, choices: null, stop: [] };

  async function promptTokens(path: string): Promise<number> {
    const { policy } = await openServedPolicy(path, { device: 'wasm', threads: 1 });
    const { promptTokens: count } = await policy.complete(say, request);
    await policy.close();
    return count;
  }

  it("is a folder of two files or a zip; its own tokenizer and chat template go before its model's", {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    const folder = write('served', adapterOf(5));
    const plain = await promptTokens(folder);
    const zipFile = join(write('zips', { 'served.zip': zipped(adapterOf(5)) }), 'served.zip');
    expect(await promptTokens(zipFile)).toBe(plain);

    const template =
      "{% for m in messages %}{{ '<|im_start|>' + m['role'] + ': ' + m['content'] + '<|im_end|>' }}{% endfor %}" +
      "{% if add_generation_prompt %}{{ '<|im_start|>assistant: ' }}{% endif %}";
    const config = JSON.parse(readFileSync(join(base, 'tokenizer_config.json'), 'utf8'));
    const own = {
      'tokenizer.json': readFileSync(join(base, 'tokenizer.json')),
      'tokenizer_config.json': JSON.stringify({ ...config, chat_template: template }),
    };
    const withOwn = await promptTokens(write('own', { ...adapterOf(5), ...own }));
    expect(withOwn).not.toBe(plain);
    const withoutTemplate = JSON.stringify({ ...config, chat_template: undefined });
    const part = { ...adapterOf(5), ...own, 'tokenizer_config.json': withoutTemplate };
    expect(await promptTokens(write('part', part))).toBe(plain);
  });

  it('with more tokens than its model is refused', async () => {
    const tokenizer = JSON.parse(readFileSync(join(base, 'tokenizer.json'), 'utf8'));
    tokenizer.added_tokens.push({ ...tokenizer.added_tokens[0], id: model.vocabSize, content: '<new>' });
    const folder = write('more', { ...adapterOf(5), 'tokenizer.json': JSON.stringify(tokenizer) });
    await expect(promptTokens(folder)).rejects.toThrow(/ids up to 400, but .* rows for ids up to 399/);
    const config = JSON.parse(readFileSync(join(base, 'tokenizer_config.json'), 'utf8'));
    const named = JSON.stringify({ ...config, extra_special_tokens: ['<more>'] });
    const whole = readFileSync(join(base, 'tokenizer.json'));
    const special = write('special', { ...adapterOf(5), 'tokenizer.json': whole, 'tokenizer_config.json': named });
    await expect(promptTokens(special)).rejects.toThrow(
      /tokenizer_config.json adds the special token <more> with the id 400, but/,
    );
  }, 120_000);

  it('of another model is refused, whatever its layers', async () => {
    const deeper = { ...model, numLayers: 3 };
    const files = saveAdapter(deeper, { lora, tensors: initAdapter(deeper, lora, 1) }, { name: base });
    await expect(promptTokens(write('deeper', { ...files }))).rejects.toThrow(/not part of this model: .*layers\.2/);
  }, 120_000);
});
