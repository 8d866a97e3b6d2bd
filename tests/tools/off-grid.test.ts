// Weights off the grid of a file's blocks: the model with moved groups computes the same, a model with a merged adapter
// computes the same as the model with the adapter beside it, and a copied file has the values of the original.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { readGguf } from '../../src/policy/formats/gguf.ts';
import { type Adapter, saveAdapter } from '../../src/policy/formats/peft.ts';
import type { TensorMap } from '../../src/policy/policy.ts';
import { initAdapter, projections } from '../../src/policy/weights/adapter.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';
import { copyGguf } from '../../tools/quantisation/gguf-copy.ts';
import { merged, shifted } from '../../tools/quantisation/off-grid.ts';
import { useDevice } from '../device/open.ts';
import { smallGguf } from '../policy/small-gguf.ts';

const device = useDevice();
const folder = mkdtempSync(join(tmpdir(), 'tabgym-off-grid-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every part: biases, norms of heads, groups of queries; heads of two groups of 32. */
const configOf = (type: string) =>
  parseConfig({
    model_type: type,
    vocab_size: 320,
    hidden_size: 96,
    intermediate_size: 128,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    head_dim: 64,
    tie_word_embeddings: type !== 'qwen2',
  });

function weightsOf(type: string): TensorMap {
  const tensors = initWeights(configOf(type), { seed: 4, std: 0.1 });
  for (const [name, { shape, data }] of tensors)
    if (shape.length === 1) data.set(normals(data.length, 6, name, 0.3).map((x) => x + 1));
  return tensors;
}

function adapterOf(type: string): Adapter {
  const lora = { rank: 3, alpha: 6, targets: projections };
  const tensors = initAdapter(configOf(type), lora, 3);
  for (const [name, { data }] of tensors)
    if (name.endsWith('lora_B.weight')) data.set(normals(data.length, 4, name, 0.1));
  return { lora, tensors };
}

async function logitsOf(type: string, weights: TensorMap, adapter?: Adapter): Promise<Float32Array> {
  const sizes = { rows: 1, groups: 1, promptTokens: 8, completionTokens: 8, batchTokens: 16, batchScored: 16 };
  const options = { capacity: sizes, weights, trainable: false, reference: false, ...(adapter && { adapter }) };
  const model = inspected(await Model.create(await device(), configOf(type), options));
  try {
    const tokens = Int32Array.from({ length: 12 }, (_, t) => (7 * t + 3) % 40);
    const segments = [{ start: 0, end: tokens.length, parent: -1 }];
    return await model.logits({ tokens, segments, scored: new Int32Array(0), allowed: null });
  } finally {
    model.destroy();
  }
}

const bytesOf = (values: Float32Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);

function expectClose(got: Float32Array, expected: Float32Array): void {
  const largest = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const error = got.reduce((most, x, i) => Math.max(most, Math.abs(x - expected[i])), 0);
  expect(error).toBeLessThan(1e-5 * largest);
}

it.each(['llama', 'qwen2', 'qwen3'])('moved groups compute the same: %s', async (type) => {
  const weights = weightsOf(type);
  const moved = shifted(configOf(type), weights);
  for (const [name, { data }] of moved)
    if (!/[qk]_norm|[qk]_proj\.bias/.test(name)) expect(data, name).not.toEqual(weights.get(name)!.data);
  expectClose(await logitsOf(type, moved), await logitsOf(type, weights));
});

it('a merged adapter computes as beside its model', async () => {
  const [weights, adapter] = [weightsOf('llama'), adapterOf('llama')];
  const got = await logitsOf('llama', merged(configOf('llama'), weights, adapter));
  const expected = await logitsOf('llama', weights, adapter);
  expectClose(got, expected);
});

it('a copied file has the tensors that it should, in order of its rows', async () => {
  const [config, weights, adapter] = [configOf('llama'), weightsOf('llama'), adapterOf('llama')];
  const path = join(folder, 'model.gguf');
  writeFileSync(
    path,
    smallGguf(config, (name) => weights.get(name)!.data),
  );
  const { 'adapter_config.json': json, 'adapter_model.safetensors': bytes } = saveAdapter(config, adapter, {
    name: 'x',
  });
  writeFileSync(join(folder, 'adapter_config.json'), json);
  writeFileSync(join(folder, 'adapter_model.safetensors'), bytes);
  const copies = [
    [null, weights],
    ['shifted', shifted(config, weights)],
    ['merged', merged(config, weights, adapter)],
  ] as const;
  for (const [offGrid, expected] of copies) {
    const out = join(folder, `${offGrid}.gguf`);
    await copyGguf(path, out, { offGrid, adapter: folder });
    const file = new Uint8Array(readFileSync(out));
    const { parts, metadata } = await readGguf({
      name: 'copy.gguf',
      bytes: file.length,
      read: async (start, end) => file.subarray(start, end),
    });
    expect(metadata.get('general.name')).toBe('test');
    expect(parts[0].tensors).toHaveLength(weights.size);
    for (const { name, start, end, decode } of parts[0].tensors)
      expect(bytesOf(decode(file.slice(start, end))).equals(bytesOf(expected.get(name)!.data)), name).toBe(true);
  }
});
