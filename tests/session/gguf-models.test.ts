// Language models in GGUF files, loaded from a folder and a server.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openKept, prepareModel } from '../../src/models/loader.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { parameterShapes, parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { decodeBlocks } from '../../src/policy/formats/ggml-blocks.ts';
import { toHalf } from '../../src/policy/weights/half.ts';
import { normals } from '../../src/policy/weights/init.ts';
import type { Precision } from '../../src/policy/weights/linear.ts';
import type { WeightsCache } from '../../src/store/weights-cache.ts';
import type { ModelSource } from '../../src/store/weights-source.ts';
import { inspected } from '../../tools/golden/inspected-model.ts';
import { useDevice } from '../device/open.ts';
import { f32Bytes, ggml } from '../policy/gguf-writer.ts';
import { smallGguf, splitGguf } from '../policy/small-gguf.ts';
import { collect, load, openSmallModels, signal, sorted } from './small-models.ts';

const { folder, server, freshCache, onServer, onDisk } = await openSmallModels([]);

const device = useDevice();

const ggufFields = {
  num_hidden_layers: 2,
  hidden_size: 64,
  intermediate_size: 96,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 16,
  vocab_size: 600,
};

describe('a GGUF file', () => {
  const valuesOf = (name: string, shape: readonly number[]) =>
    normals(
      shape.reduce((a, b) => a * b, 1),
      5,
      name,
      0.1,
    );

  function write(id: string) {
    const config = parseConfig({ ...findModel('smollm2-135m').config, ...ggufFields });
    mkdirSync(join(folder, 'models', id), { recursive: true });
    writeFileSync(join(folder, 'models', id, 'model.gguf'), smallGguf(config, valuesOf));
    return config;
  }

  it('loads from a server by its name and from a folder by itself, with a tokenizer', async () => {
    const config = write('gguf');
    const cache = freshCache();
    for (const [source, gguf] of [
      [onServer('gguf'), 'model.gguf'],
      [await onDisk('gguf'), null],
    ] as const) {
      const model = await prepareModel(source, { cache, precision: 'f32', gguf, signal });
      expect(model.config).toMatchObject({ modelType: 'llama', hiddenSize: 64, ropeTheta: 100_000 });
      expect(JSON.parse(model.texts['tokenizer.json']).model.type).toBe('BPE');
      const { tensors } = await collect(model);
      const expected = new Map([...parameterShapes(config)].map(([name, shape]) => [name, valuesOf(name, shape)]));
      expect(sorted(tensors)).toEqual(sorted(expected));
    }
    server.reset();
    await load(onServer('gguf'), { cache, gguf: 'model.gguf' });
    expect(server.requests).toEqual([]);
  });

  it('loads from a folder with its name in capitals', async () => {
    write('gguf-capitals');
    const at = join(folder, 'models/gguf-capitals');
    renameSync(join(at, 'model.gguf'), join(at, 'MODEL.Q8_0.GGUF'));
    expect((await load(await onDisk('gguf-capitals'))).tensors.size).toBeGreaterThan(0);
  });

  it('in two parts loads from a folder by itself, and from a server by the name of either part', async () => {
    const config = parseConfig({ ...findModel('smollm2-135m').config, ...ggufFields });
    const names = ['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf'];
    mkdirSync(join(folder, 'models/gguf-split'), { recursive: true });
    for (const [i, part] of splitGguf(config, valuesOf).entries())
      writeFileSync(join(folder, 'models/gguf-split', names[i]), part);
    const expected = new Map([...parameterShapes(config)].map(([name, shape]) => [name, valuesOf(name, shape)]));
    for (const [source, gguf] of [
      [await onDisk('gguf-split'), null],
      [onServer('gguf-split'), names[0]],
      [onServer('gguf-split'), names[1]],
    ] as const)
      expect(sorted((await load(source, { gguf })).tensors)).toEqual(sorted(expected));
    rmSync(join(folder, 'models/gguf-split', names[1]));
    await expect(load(await onDisk('gguf-split'))).rejects.toThrow(/m-00002-of-00002\.gguf is missing/);
  });

  it('resumes after an interruption', async () => {
    const config = write('gguf-cut');
    const cache = freshCache();
    server.reset({ cutAt: 150_000, dead: true });
    await expect(load(onServer('gguf-cut'), { cache, gguf: 'model.gguf' })).rejects.toThrow(/cannot be reached/);
    server.reset();
    const { tensors } = await load(onServer('gguf-cut'), { cache, gguf: 'model.gguf' });
    expect(tensors.size).toBe(parameterShapes(config).size);
    expect((await cache.list())[0].complete).toBe(true);
  });

  /** Blocks with 7 or 100 as their largest code: quantising their values again would give other codes and scales. */
  function blocks(bits: 4 | 8, values: Float32Array): Uint8Array {
    const most = bits === 4 ? 7 : 100;
    const out = new Uint8Array((values.length / 32) * (bits === 4 ? 18 : 34));
    const view = new DataView(out.buffer);
    for (let i = 0; i < values.length / 32; i++) {
      const group = values.subarray(i * 32, i * 32 + 32);
      const scale = group.reduce((a, x) => Math.max(a, Math.abs(x)), 0) / most;
      const codes = [...group].map((x) => Math.round(x / scale));
      const at = i * (bits === 4 ? 18 : 34);
      view.setUint16(at, toHalf(scale), true);
      for (let j = 0; j < (bits === 4 ? 16 : 32); j++)
        out[at + 2 + j] = bits === 4 ? (codes[j] + 8) | ((codes[j + 16] + 8) << 4) : codes[j];
    }
    return out;
  }

  function writePacked(id: string, damage: (name: string, bytes: Uint8Array) => void = () => {}) {
    const config = parseConfig({ ...findModel('smollm2-135m').config, ...ggufFields });
    const file = smallGguf(config, valuesOf, (name, shape, values) => {
      const matrix = shape.length > 1;
      const bits = name.includes('embed_tokens') || name.includes('down_proj') ? 8 : 4;
      const bytes = matrix ? blocks(bits, values) : f32Bytes(values);
      damage(name, bytes);
      return { type: matrix ? (bits === 4 ? ggml.Q4_0 : ggml.Q8_0) : ggml.F32, bytes };
    });
    mkdirSync(join(folder, 'models', id), { recursive: true });
    writeFileSync(join(folder, 'models', id, 'model.gguf'), file);
    return config;
  }

  it.each(['int4', 'int8'] as const)('keeps its own blocks in %s bit for bit', async (precision) => {
    const config = writePacked('gguf-packed');
    const cache = freshCache();
    const model = await prepareModel(await onDisk('gguf-packed'), { cache, precision, signal });
    const expected = new Map<string, Float32Array>();
    for (const [name, shape] of parameterShapes(config)) {
      if (shape.length < 2) continue;
      const stored = name.includes('embed_tokens') || name.includes('down_proj') ? 8 : 4;
      // int8 holds the four-bit blocks without a minimum exactly.
      expect(model.formats.get(name)).toEqual({ bits: precision === 'int8' ? 8 : stored, minimum: false });
      expected.set(name, decodeBlocks(stored === 4 ? ggml.Q4_0 : ggml.Q8_0, blocks(stored, valuesOf(name, shape))));
    }
    const { tensors } = await collect(model);
    expect(sorted(new Map([...tensors].filter(([name]) => expected.has(name))))).toEqual(sorted(expected));
    const kept = (await openKept(cache, model.key, precision))!;
    expect(kept.formats).toEqual(model.formats);
    expect(sorted((await collect(kept)).tensors)).toEqual(sorted(tensors));
  });

  /** Q4_1 blocks of values, with the levels from the smallest to the largest of a group. */
  function blocksWithMinimum(values: Float32Array): Uint8Array {
    const out = new Uint8Array((values.length / 32) * 20);
    const view = new DataView(out.buffer);
    for (let i = 0; i < values.length / 32; i++) {
      const group = values.subarray(i * 32, i * 32 + 32);
      const least = Math.min(...group);
      const scale = (Math.max(...group) - least) / 15;
      view.setUint16(i * 20, toHalf(scale), true);
      view.setUint16(i * 20 + 2, toHalf(least), true);
      const code = (j: number) => Math.round((group[j] - least) / scale);
      for (let j = 0; j < 16; j++) out[i * 20 + 4 + j] = code(j) | (code(j + 16) << 4);
    }
    return out;
  }

  /** A file with all matrices in Q4_1. */
  async function withMinima(id: string): Promise<ModelSource> {
    const config = parseConfig({ ...findModel('smollm2-135m').config, ...ggufFields });
    const file = smallGguf(config, valuesOf, (_, shape, values) =>
      shape.length > 1
        ? { type: ggml.Q4_1, bytes: blocksWithMinimum(values) }
        : { type: ggml.F32, bytes: f32Bytes(values) },
    );
    mkdirSync(join(folder, 'models', id), { recursive: true });
    writeFileSync(join(folder, 'models', id, 'model.gguf'), file);
    return onDisk(id);
  }

  it.each([
    ['int4', 4],
    ['int8', 8],
  ] as const)('keeps the values of blocks with a minimum in %s, q and k in their order', async (precision, bits) => {
    const source = await withMinima('gguf-minimum');
    const model = await prepareModel(source, { cache: null, precision, signal });
    expect(model.formats.get('model.layers.0.self_attn.q_proj.weight')).toEqual({ bits, minimum: true });
    expect(sorted((await collect(model)).tensors)).toEqual(sorted((await load(source)).tensors));
  });

  it('fills a model by its pieces alone, with the same logits in f32, int8 and int4', async () => {
    const source = await withMinima('gguf-filled');
    const tokens = Int32Array.of(3, 141, 59, 26);
    const logits = async (precision: Precision, cache: WeightsCache | null) => {
      const { config, pieces } = await prepareModel(source, { cache, precision, signal });
      const capacity = { rows: 1, groups: 1, promptTokens: 8, completionTokens: 8, batchTokens: 8, batchScored: 8 };
      const options = { capacity, precision, trainable: false, reference: false };
      const model = inspected(await Model.create(await device(), config, { ...options, weights: pieces({ signal }) }));
      try {
        return await model.logits({
          tokens,
          segments: [{ start: 0, end: 4, parent: -1 }],
          scored: Int32Array.of(3),
          allowed: null,
        });
      } finally {
        model.destroy();
      }
    };
    const exact = await logits('f32', null);
    const cache = freshCache();
    for (const precision of ['int8', 'int4'] as const)
      for (const place of [null, cache, cache]) expect(await logits(precision, place)).toEqual(exact);
  });

  it('is refused if the scale of a block is not a finite number', async () => {
    writePacked('gguf-damaged', (name, bytes) => {
      if (name.includes('layers.1.mlp.up_proj')) bytes.set([0x00, 0x7e], 18 * 2 * 5);
    });
    await expect(load(await onDisk('gguf-damaged'), { precision: 'int4' })).rejects.toThrow(
      /layers.1.mlp.up_proj.weight, row 5: the scale of values 0 to 31 is not finite/,
    );
  });
});
