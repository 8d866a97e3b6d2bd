import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import textcraftFirst from '../../experiments/textcraft-first.json';
import { exportedFiles, readCheckpoint } from '../../src/cli/export.ts';
import { makeModel } from '../../src/cli/random-model.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { withLanguageModel, withOnnxModel } from '../../src/models/draft.ts';
import { ModelLibrary, storedBytes } from '../../src/models/library.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { WeightsCache } from '../../src/store/weights-cache.ts';
import { NodeDisk } from '../../src/store/weights-disk.ts';
import { publicHub } from '../../src/store/weights-http.ts';
import { ModelServer } from './model-server.ts';

const overrides = { layers: 2, hidden: 64, intermediate: 96, heads: 4, kvHeads: 2, headDim: 16, vocab: 600 };
const blockBytes = 128 * 2 ** 20;
const plain = { operators: 'standard', weights: 'float32', dtype: 'float32' } as const;
let folder: string;
let server: ModelServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabgym-library-'));
  const out = join(folder, 'models/test/small');
  await makeModel(findModel('qwen2.5-0.5b'), { out, seed: 7, dtype: 'f32', overrides, shardBytes: 120_000 });
  server = await ModelServer.open(join(folder, 'models'));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => server.reset());

let caches = 0;
const fresh = () => new ModelLibrary(new WeightsCache(new NodeDisk(join(folder, `cache-${caches++}`))));
const again = () => new ModelLibrary(new WeightsCache(new NodeDisk(join(folder, `cache-${caches - 1}`))));
const place = () => ({ kind: 'hub', id: 'test/small', base: server.base }) as const;

describe('the library of language models', () => {
  it('finds an ONNX file and opens it from its source', { tags: 'slow' }, async () => {
    const out = join(folder, 'models/test/in-onnx');
    const files = exportedFiles(await readCheckpoint(join(folder, 'models/test/small')), { format: 'onnx', ...plain });
    await mkdir(join(out, 'onnx'), { recursive: true });
    for (const [name, pieces] of files) await writeFile(join(out, name), Buffer.concat(pieces));
    const library = fresh();
    const onnx = 'onnx/model.onnx';
    const there = { ...place(), id: 'test/in-onnx', onnx };
    const card = await library.findModel({ place: there, precision: 'int4' }, blockBytes);
    const { length } = await readFile(join(out, onnx));
    expect(card).toMatchObject({ onnx, layers: 2, hidden: 64, vocabulary: 600, totalBytes: length, gpuBytes: null });
    const model = await library.openOnnx(card.name, onnx);
    const { model: bytes, external } = await model.load({ signal: new AbortController().signal });
    expect([bytes.length, external]).toEqual([length, []]);
    // The draft names the model and has room for a chat template.
    const draft = withOnnxModel(parseExperiment(textcraftFirst), card.name, onnx);
    expect(draft.policy).toEqual({ kind: 'onnx', model: card.name, file: onnx, backend: 'wasm' });
    expect(draft.sampling).toMatchObject({ maskActions: false, promptTokens: 1024 });
    // Another tab opens the stored copy without the server, byte for byte.
    server.reset();
    const kept = await again().openOnnx(card.name, onnx);
    expect(kept.remainingBytes).toBe(0);
    expect((await kept.load({ signal: new AbortController().signal })).model).toEqual(bytes);
    expect(server.requests).toEqual([]);
    expect(await library.keptModels()).toMatchObject([{ label: 'test/in-onnx', precision: onnx, complete: true }]);
    await library.deleteModel((await library.keptModels())[0].folder);
    await expect(again().openOnnx(card.name, onnx)).rejects.toThrow(/this tab does not know its source/);
    const missing = library.findModel({ place: { ...there, onnx: 'onnx/q4.onnx' }, precision: 'int4' }, blockBytes);
    await expect(missing).rejects.toThrow(/has no onnx\/q4\.onnx/);
  });

  it('finds a model, states its size, downloads it with progress, and keeps it', async () => {
    const library = fresh();
    const card = await library.findModel({ place: place(), precision: 'int8' }, blockBytes);
    expect(card).toMatchObject({ label: 'test/small', layers: 2, hidden: 64, precision: 'int8', modelType: 'qwen2' });
    expect(card.name).toBe(card.key);
    expect(card.remainingBytes).toBe(card.totalBytes);
    expect(server.sent).toBe(0);
    const seen: number[] = [];
    await library.downloadModel(card.key, 'int8', (done, total) => {
      expect(total).toBe(card.totalBytes);
      seen.push(done);
    });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(card.totalBytes);
    const [kept] = await library.keptModels();
    expect(kept).toMatchObject({ label: 'test/small', precision: 'int8', complete: true });
    const model = await again().open(card.key, 'int8');
    expect(Math.abs(storedBytes(model.config, 'int8') / kept.bytes - 1)).toBeLessThan(0.5);
    server.reset();
    expect(await again().findModel({ place: place(), precision: 'int8' }, blockBytes)).toMatchObject({
      remainingBytes: 0,
    });
    expect(server.requests).toEqual([]);
  });

  it('stops a download with a message and resumes it', async () => {
    const library = fresh();
    const card = await library.findModel({ place: place(), precision: 'f32' }, blockBytes);
    const stopped = library.downloadModel(card.key, 'f32', (done, total) => {
      if (done > total / 2) void library.cancelDownload();
    });
    await expect(stopped).rejects.toThrow(/was stopped. Its received part is kept/);
    const found = await again().findModel({ place: place(), precision: 'f32' }, blockBytes);
    expect(found.remainingBytes).toBeLessThan(found.totalBytes / 2);
    expect(found.gpuBytes).toBeGreaterThan(found.parameters * 4);
  });

  it('stops looking a model up at a silent server', async () => {
    const library = fresh();
    server.reset({ silent: true });
    const arrived = server.nextRequest();
    const failure = expect(library.findModel({ place: place(), precision: 'int8' }, blockBytes)).rejects.toThrow(
      /^The lookup of the model was stopped.$/,
    );
    await arrived;
    await library.cancelDownload();
    await failure;
    server.reset();
    expect(await library.findModel({ place: place(), precision: 'int8' }, blockBytes)).toMatchObject({ layers: 2 });
  });

  it('deletes a stored model', async () => {
    const library = fresh();
    const card = await library.findModel({ place: place(), precision: 'int4' }, blockBytes);
    await library.downloadModel(card.key, 'int4', () => {});
    const [{ folder: at }] = await library.keptModels();
    await library.deleteModel(at);
    expect(await library.keptModels()).toEqual([]);
    await expect(again().open(card.key, 'int4')).rejects.toThrow(/is not kept in int4 here/);
  });

  it('refuses a base model that only another computer has, with the field to change', async () => {
    for (const model of ['/models/mine', 'SmolLM2.Q4_1'])
      await expect(fresh().open(model, 'int4')).rejects.toThrow(
        `${model} is neither a listed model nor a repository of the hub`,
      );
  });

  it('forgets a found model that was deleted', async () => {
    const library = fresh();
    const { key } = await library.findModel({ place: place(), precision: 'int8' }, blockBytes);
    await library.downloadModel(key, 'int8', () => {});
    expect((await library.findModel({ place: place(), precision: 'int8' }, blockBytes)).remainingBytes).toBe(0);
    const [{ folder: at }] = await library.keptModels();
    await library.deleteModel(at);
    await expect(library.downloadModel(key, 'int8', () => {})).rejects.toThrow(/is not kept in int8 here. Choose it/);
  });

  it('requires a new look-up after a model changed during its download', async () => {
    const library = fresh();
    server.reset({ cutAt: 100_000, replaced: 'same size' });
    const { key } = await library.findModel({ place: place(), precision: 'int8' }, blockBytes);
    await expect(library.downloadModel(key, 'int8', () => {})).rejects.toThrow(/it changed during loading/);
    await expect(library.downloadModel(key, 'int8', () => {})).rejects.toThrow(/is not kept in int8 here. Choose it/);
  });

  it('opens a model of the public hub by its short name', async () => {
    const moved: typeof fetch = (url, init) =>
      real(String(url).replace(publicHub, server.base).replace('Qwen/Qwen2.5-0.5B-Instruct', 'test/small'), init);
    const real = globalThis.fetch;
    globalThis.fetch = moved;
    try {
      const library = fresh();
      const hub = { kind: 'hub', id: 'Qwen/Qwen2.5-0.5B-Instruct' } as const;
      const card = await library.findModel({ place: hub, precision: 'int8' }, blockBytes);
      expect(card.name).toBe('qwen2.5-0.5b');
      await library.downloadModel(card.key, 'int8', () => {});
      server.reset();
      for (const name of [card.name, hub.id, card.key])
        expect((await again().open(name, 'int8')).remainingBytes).toBe(0);
      expect(server.requests).toEqual([]);
    } finally {
      globalThis.fetch = real;
    }
  });

  it('loads a model from chosen files', async () => {
    const at = join(folder, 'models/test/small');
    const { readdir } = await import('node:fs/promises');
    const files = await Promise.all(
      (await readdir(at)).map(async (name) => ({
        name,
        file: new File([new Uint8Array(await readFile(join(at, name)))], name),
      })),
    );
    const library = fresh();
    const card = await library.findModel(
      { place: { kind: 'files', label: 'mine', files }, precision: 'int8' },
      blockBytes,
    );
    expect(card.key).toMatch(/^folder\/mine@[0-9a-f]{16}$/);
    await library.downloadModel(card.key, 'int8', () => {});
    expect((await again().open(card.key, 'int8')).config.hiddenSize).toBe(64);
  });
});

describe('a draft with a language model', () => {
  const draft = parseExperiment(textcraftFirst);

  it('has an adapter, free replies and room for them', () => {
    const { policy, sampling, optimizer } = withLanguageModel(draft, 'k', 'int4');
    expect(policy).toMatchObject({ kind: 'lora', model: 'k', weights: 'int4', lora: { rank: 16 } });
    expect(sampling).toMatchObject({ maskActions: false, promptTokens: 1024, completionTokens: 512 });
    expect(optimizer.learningRate).toBeLessThanOrEqual(1e-4);
  });

  it('keeps an adapter that it already has', () => {
    const first = withLanguageModel(draft, 'k', 'int4');
    const changed = { ...first, policy: { ...first.policy, lora: { rank: 4, alpha: 8, targets: ['q_proj'] } } };
    const second = withLanguageModel(parseExperiment(changed), 'other', 'int8');
    expect(second.policy).toMatchObject({ model: 'other', weights: 'int8', lora: { rank: 4 } });
    expect(second.sampling).toEqual(first.sampling);
  });
});
