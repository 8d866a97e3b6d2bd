import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FloatDtype, type MakeModelOptions, makeModel } from '../../src/cli/random-model.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { loadCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import { narrowBf16, narrowF16, readSafetensors, widenBf16, widenF16 } from '../../src/policy/formats/safetensors.ts';

const overrides = { layers: 2, hidden: 48, intermediate: 80, heads: 6, kvHeads: 2, headDim: 8, vocab: 400 };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabgym-make-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function made(name: string, options: Partial<MakeModelOptions> = {}, id = 'qwen2.5-0.5b') {
  const out = join(folder, name);
  await makeModel(findModel(id), { out, seed: 1, dtype: 'f32', overrides, ...options });
  const parts = (await readdir(out)).filter((file) => file.endsWith('.safetensors')).sort();
  const read = (file: string) => readFile(join(out, file)).then((bytes) => new Uint8Array(bytes));
  const model = await Promise.all(parts.map(read));
  const config = await readFile(join(out, 'config.json'), 'utf8');
  return { out, parts, model, ...loadCheckpoint({ config, model }) };
}

describe('make-model', () => {
  it('writes a model of the requested shape that loads', async () => {
    const { config, tensors, parts } = await made('plain');
    expect(config).toMatchObject({ numLayers: 2, hiddenSize: 48, vocabSize: 400, qkvBias: true });
    expect(parts).toEqual(['model.safetensors']);
    const weights = tensors.get('model.layers.1.mlp.up_proj.weight')!.data;
    const mean = weights.reduce((a, b) => a + b, 0) / weights.length;
    const std = Math.sqrt(weights.reduce((a, b) => a + (b - mean) ** 2, 0) / weights.length);
    expect(Math.abs(mean)).toBeLessThan(0.002);
    expect(std).toBeCloseTo(0.02, 2);
  });

  it('gives the same values whole or split, and others with another seed', async () => {
    const whole = await made('whole');
    const split = await made('split', { shardBytes: 30_000 });
    expect(split.parts.length).toBeGreaterThan(3);
    const index = JSON.parse(await readFile(join(split.out, 'model.safetensors.index.json'), 'utf8'));
    expect(new Set(Object.values(index.weight_map))).toEqual(new Set(split.parts));
    for (const [i, part] of split.parts.entries())
      for (const name of readSafetensors(split.model[i]).keys()) expect(index.weight_map[name]).toBe(part);
    expect(split.tensors).toEqual(whole.tensors);
    const other = await made('other', { seed: 2 });
    expect(other.tensors.get('model.norm.weight')).not.toEqual(whole.tensors.get('model.norm.weight'));
  });

  it.each([
    ['bf16', (x: Float32Array) => widenBf16(narrowBf16(x))],
    ['f16', (x: Float32Array) => widenF16(narrowF16(x))],
  ] as [FloatDtype, (x: Float32Array) => Float32Array][])('rounds the same values to %s', async (dtype, round) => {
    const exact = await made('exact');
    const rounded = await made(dtype, { dtype });
    for (const [name, { data }] of rounded.tensors) expect(data).toEqual(round(exact.tensors.get(name)!.data));
  });

  it.each(['smollm2-135m', 'qwen3-0.6b', 'llama-3.2-1b'])('makes %s, untied', async (id) => {
    const { tensors, config } = await made(id, { overrides: { ...overrides, tied: false } }, id);
    expect(config.tieWordEmbeddings).toBe(false);
    expect(tensors.has('lm_head.weight')).toBe(true);
  });

  it('refuses an impossible shape', async () => {
    await expect(made('bad', { overrides: { ...overrides, heads: 5 } })).rejects.toThrow(/num_key_value_heads/);
  });
});
