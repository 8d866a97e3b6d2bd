// A policy out of a zip or a folder, as the files that other programs open; and what is not one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { exportedFiles, readCheckpoint } from '../../src/cli/export.ts';
import { loadCheckpoint, saveCheckpoint } from '../../src/policy/checkpoint.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { initWeights } from '../../src/policy/init.ts';
import { decodeOnnx } from '../../src/policy/onnx-proto.ts';
import { writePolicy } from '../../src/store/bundle.ts';

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
const saved = saveCheckpoint(config, initWeights(config, { seed: 1, std: 0.1 }), '{"model":{}}');
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
])('%s goes out as a checkpoint unchanged', (_, write) => {
  const checkpoint = readCheckpoint(write());
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

it('goes out as ONNX where the Hub has it', () => {
  const options = { format: 'onnx', operators: 'contrib', weights: 'int4', dtype: 'float32' } as const;
  const files = exportedFiles(readCheckpoint(writeFolder()), options);
  expect([...files.keys()].sort()).toEqual(['config.json', 'onnx/model.onnx', 'tokenizer.json']);
  const { graph } = decodeOnnx(files.get('onnx/model.onnx')![0]);
  expect(graph.node.filter(({ opType }) => opType === 'MatMulNBits')).toHaveLength(8);
});

it('says what is no policy', () => {
  expect(() => readCheckpoint(join(folder, 'nothing'))).toThrow(/There is no .*nothing/);
  expect(() => readCheckpoint(folder)).toThrow(/is no checkpoint: config.json and model.safetensors/);
  const path = join(folder, 'text.zip');
  writeFileSync(path, 'not a zip');
  expect(() => readCheckpoint(path)).toThrow(/not a whole zip/);
});
