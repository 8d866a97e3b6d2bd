// Exports a policy from a zip or a folder as files for other programs, and refuses input that is not a policy.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import textcraftFirst from '../../experiments/textcraft-first.json';
import { exportedFiles, policyZip, readCheckpoint } from '../../src/cli/export.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { forLanguageModel } from '../../src/models/draft.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { type Checkpoint, loadCheckpoint, saveCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import { loadAdapter } from '../../src/policy/formats/peft.ts';
import { readSafetensors } from '../../src/policy/formats/safetensors.ts';
import { decodeOnnx } from '../../src/policy/onnx/proto.ts';
import { initAdapter } from '../../src/policy/weights/adapter.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { encodeState, REFERENCE } from '../../src/session/checkpoint.ts';
import { exportRun, readAdapter, writePolicy } from '../../src/store/bundle.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-export-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = parseConfig({
  model_type: 'qwen3',
  vocab_size: 11,
  hidden_size: 8,
  intermediate_size: 12,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 16,
  max_position_embeddings: 64,
});
const saved = saveCheckpoint(
  config,
  initWeights(config, { seed: 1, std: 0.1 }),
  '{"model":{"type":"BPE","vocab":{},"merges":[]}}',
);
const bytes = (text: string) => new TextEncoder().encode(text);

function writeFolder(): string {
  const path = join(folder, 'checkpoint');
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'config.json'), saved['config.json']);
  writeFileSync(join(path, 'model.safetensors'), saved['model.safetensors']);
  writeFileSync(join(path, 'tokenizer.json'), saved['tokenizer.json']!);
  return path;
}

function writeZip(): string {
  const path = join(folder, 'policy.zip');
  const files = { 'config.json': bytes(saved['config.json']), 'tokenizer.json': bytes(saved['tokenizer.json']!) };
  writeFileSync(path, writePolicy({ ...files, 'model.safetensors': saved['model.safetensors'] }));
  return path;
}

it.each([
  ['a folder', writeFolder],
  ['a zip', writeZip],
])('%s is exported as a checkpoint unchanged', async (_, write) => {
  const checkpoint = (await readCheckpoint(write())) as Checkpoint;
  const files = exportedFiles(checkpoint, {
    format: 'hf',
    operators: 'standard',
    weights: 'float32',
    dtype: 'float32',
  });
  expect([...files.keys()].sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
  const back = loadCheckpoint({ config: saved['config.json'], model: files.get('model.safetensors')![0] });
  expect(back.tensors).toEqual(checkpoint.tensors);
});

it('a checkpoint is exported as ONNX with the file names of the Hub', async () => {
  const options = { format: 'onnx', operators: 'contrib', weights: 'int4', dtype: 'float32' } as const;
  const files = exportedFiles(await readCheckpoint(writeFolder()), options);
  expect([...files.keys()].sort()).toEqual(['config.json', 'onnx/model.onnx', 'tokenizer.json']);
  const { graph } = decodeOnnx(files.get('onnx/model.onnx')![0]);
  expect(graph.node.filter(({ opType }) => opType === 'MatMulNBits')).toHaveLength(8);
});

describe('a run with an adapter', () => {
  const lora = { rank: 2, alpha: 4, targets: ['q_proj' as const, 'down_proj' as const] };
  const tensors = initAdapter(config, lora, 3);
  const moments = new Map([...tensors].map(([name, tensor]) => [`exp_avg.${name}`, tensor] as const));
  const form = { format: 'hf', operators: 'standard', weights: 'float32', dtype: 'float32' } as const;

  /** Writes the file of a run with two training steps. */
  async function runFile(): Promise<string> {
    const experiment = forLanguageModel(parseExperiment(textcraftFirst), { kind: 'lora', model: 'qwen3-0.6b', lora });
    const store = new RunStore(new FolderStore(join(folder, 'runs')));
    const state = (of: typeof tensors, optimizerStep: number) => encodeState({ tensors: of, optimizerStep });
    const meta = { optimizerStep: 2, kernelChoices: {}, batchPlan: {}, adapter: '' };
    const { id } = await store.create({
      name: 'a run',
      experiment,
      origin: { kind: 'new' },
      step: 2,
      records: [0, 1, 2].map((step) => ({ step, stage: 0, metrics: {} })),
      checkpoints: [{ meta: { ...meta, step: 2 }, bytes: state(new Map([...tensors, ...moments]), 2) }],
      assets: {
        'config.json': bytes(saved['config.json']),
        'tokenizer.json': bytes(saved['tokenizer.json']!),
        [REFERENCE]: state(new Map(), 0),
      },
    });
    const path = join(folder, 'run.tabgym');
    writeFileSync(path, await exportRun(store, id, { checkpoints: 'all' }));
    return path;
  }

  it("is exported in PEFT's form, from the run and from its zip", async () => {
    const files = exportedFiles(await readCheckpoint(await runFile()), form);
    expect([...files.keys()].sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors', 'tokenizer.json']);
    const text = new TextDecoder().decode(files.get('adapter_config.json')![0]);
    expect(JSON.parse(text)).toMatchObject({ base_model_name_or_path: 'Qwen/Qwen3-0.6B', r: 2, lora_alpha: 4 });
    const back = loadAdapter(config, { config: text, tensors: files.get('adapter_model.safetensors')![0] });
    expect(back).toEqual({ lora, tensors });

    const zip = join(folder, 'adapter.zip');
    writeFileSync(zip, policyZip(files));
    expect(readAdapter(new Uint8Array(readFileSync(zip)))).not.toBeNull();
    const again = exportedFiles(await readCheckpoint(zip), form);
    for (const [name, pieces] of again) expect(pieces[0]).toEqual(files.get(name)![0]);
    expect(again.has('adapter_config.json') && again.has('adapter_model.safetensors')).toBe(true);
  });

  it('is exported in float16, each value rounded to the nearest', async () => {
    const files = exportedFiles(await readCheckpoint(await runFile()), { ...form, dtype: 'float16' });
    const stored = readSafetensors(files.get('adapter_model.safetensors')![0]);
    expect(new Set([...stored.values()].map(({ dtype }) => dtype))).toEqual(new Set(['F16']));
    const text = new TextDecoder().decode(files.get('adapter_config.json')![0]);
    const back = loadAdapter(config, { config: text, tensors: files.get('adapter_model.safetensors')![0] });
    expect(back.lora).toEqual(lora);
    // Half a unit in the last of 11 bits.
    for (const [name, exact] of tensors)
      for (const [i, value] of back.tensors.get(name)!.data.entries())
        expect(Math.abs(value - exact.data[i])).toBeLessThanOrEqual(Math.abs(exact.data[i]) * 2 ** -11 + 2 ** -25);
    expect(() => exportedFiles(saved as never, { ...form, dtype: 'float16' })).toThrow(/float16 is for adapters/);
  });

  it('is refused by name where whole weights are needed', async () => {
    const from = await readCheckpoint(await runFile());
    expect(() => exportedFiles(from, { ...form, format: 'onnx' })).toThrow(
      /is an adapter.*--format hf.*merge_and_unload/s,
    );
    expect(() => exportedFiles(from, { ...form, dtype: 'bfloat16' })).toThrow(/float32.*float16.*not in bfloat16/);
  });
});

it('refuses input that is not a policy', async () => {
  await expect(readCheckpoint(join(folder, 'nothing'))).rejects.toThrow(/There is no .*nothing/);
  await expect(readCheckpoint(folder)).rejects.toThrow(/contains no weights/);
  const path = join(folder, 'text.zip');
  writeFileSync(path, 'not a zip');
  await expect(readCheckpoint(path)).rejects.toThrow(/not a complete zip/);
});
