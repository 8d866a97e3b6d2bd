// A language model in ONNX plays on the stage without a GPU. Through its own chat template it plays the same turns as
// its safetensors on the engine. Missing or oversized files and training are refused with a message.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exportedFiles, readCheckpoint } from '../../src/cli/export.ts';
import { makeModel } from '../../src/cli/random-model.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { NodeBaseModels } from '../../src/library/node/base-models.ts';
import type { BaseModels } from '../../src/models/base-model.ts';
import { mostOnnxBytes, prepareOnnx } from '../../src/models/onnx-model.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { OnnxActor } from '../../src/policy/onnx/actor.ts';
import type { OnnxSource } from '../../src/policy/onnx/session.ts';
import type { GpuMachine } from '../../src/session/device/gpu-report.ts';
import type { LiveTurn, SessionEvent } from '../../src/session/protocol.ts';
import { Session } from '../../src/session/run/session.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { exportedPolicy } from '../../src/session/service/policy-files.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { BusyError, WeightsCache } from '../../src/store/weights-cache.ts';
import { NodeDisk } from '../../src/store/weights-disk.ts';
import { FolderSource, nodeFiles } from '../../src/store/weights-folder.ts';
import { type ModelSource, SourceError } from '../../src/store/weights-source.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { noGpu, useDawn } from './machines.ts';
import { SmallDisk } from './small-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-onnx-'));
const safetensors = join(folder, 'safetensors');
/** The model as the exporter writes it. */
const model = join(folder, 'onnx');
const store = new RunStore(new FolderStore(join(folder, 'runs')));
const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
const { signal } = new AbortController();
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

beforeAll(async () => {
  const overrides = { layers: 1, hidden: 32, intermediate: 48, heads: 2, kvHeads: 1, headDim: 16, vocab: 1500 };
  await makeModel(findModel('qwen2.5-0.5b'), { out: safetensors, seed: 1, dtype: 'f32', overrides });
  const options = { format: 'onnx', operators: 'standard', weights: 'float32', dtype: 'float32' } as const;
  const files = exportedFiles(await readCheckpoint(safetensors), options);
  mkdirSync(join(model, 'onnx'), { recursive: true });
  for (const [name, pieces] of files) writeFileSync(join(model, name), Buffer.concat(pieces));
});

const dawn = useDawn();

const experimentOf = (policy: object) =>
  parseExperiment({
    ...micro,
    policy: { model: safetensors, ...policy },
    sampling: {
      ...micro.sampling,
      maskActions: false,
      promptTokens: 2048,
      completionTokens: 256,
      maxTokensPerTurn: 12,
    },
  });

async function sessionOf(policy: object, machine: GpuMachine, models: BaseModels = new NodeBaseModels()) {
  const experiment = experimentOf(policy);
  const { id } = await store.create({ name: 'a run', experiment, origin: { kind: 'new' } });
  const live: LiveTurn[] = [];
  const emit = (event: SessionEvent) => void (event.type === 'live' && live.push(event.live));
  const engines = new Assembly({ machine, openWorld, models });
  return { id, session: new Session(id, experiment, { store, engines, emit }), live };
}

it('the model plays like the engine with the same weights', { tags: 'slow' }, async () => {
  const episodes: LiveTurn[][] = [];
  for (const [policy, machine] of [
    [{ kind: 'onnx', model }, noGpu],
    [{ kind: 'lora', weights: 'f32' }, dawn],
  ] as const) {
    const { session, live } = await sessionOf(policy, machine);
    await session.watch({ split: 'test', taskIndex: 1, turnMs: 0 });
    await session.close();
    episodes.push(live);
  }
  expect(episodes[0].length).toBeGreaterThan(1);
  expect(episodes[0].at(-1)!.done).toBe(true);
  expect(episodes[0].map(({ action }) => action)).toEqual(episodes[1].map(({ action }) => action));
});

it('the model is loaded once for several episodes, and a failed load leaves the run unchanged', async () => {
  const { session, live } = await sessionOf({ kind: 'onnx', model }, noGpu);
  const load = vi.spyOn(OnnxActor, 'create');
  for (const taskIndex of [0, 1]) await session.watch({ split: 'test', taskIndex, turnMs: 0 });
  expect(load).toHaveBeenCalledTimes(1);
  expect(live.filter(({ done }) => done)).toHaveLength(2);
  await session.close();
  load.mockRestore();
  const wrong = await sessionOf({ kind: 'onnx', model: safetensors }, noGpu);
  const watching = () => wrong.session.watch({ split: 'test', taskIndex: 0, turnMs: 0 });
  await expect(watching()).rejects.toThrow(/no onnx\/model\.onnx/);
  expect(wrong.session.status).toBe('idle');
  await expect(watching()).rejects.toThrow(/no onnx\/model\.onnx/);
  await wrong.session.close();
});

it('stops loading when watching stops, and has no policy to export', async () => {
  const aborted: unknown[] = [];
  let wasRequested = false;
  const models = {
    open: () => Promise.reject(new Error('not asked for')),
    openOnnx: async (name: string, file: string) => ({
      ...(await new NodeBaseModels().openOnnx(name, file)),
      load: ({ signal }: { signal: AbortSignal }) =>
        new Promise<never>((_, reject) => {
          wasRequested = true;
          signal.addEventListener('abort', () => {
            aborted.push(signal.reason);
            reject(signal.reason);
          });
        }),
    }),
  };
  const { session, id } = await sessionOf({ kind: 'onnx', model }, noGpu, models);
  const watching = session.watch({ split: 'test', taskIndex: 0, turnMs: 0 });
  await vi.waitFor(() => expect(wasRequested).toBe(true), { timeout: 30_000 });
  await session.stopWatching();
  await watching;
  expect(aborted).toHaveLength(1);
  expect(session.status).toBe('idle');
  await session.close();
  await expect(exportedPolicy(store, id)).rejects.toThrow(/plays .* as it is/);
});

it('cannot be trained', async () => {
  const { session } = await sessionOf({ kind: 'onnx', model }, noGpu);
  await expect(session.train()).rejects.toThrow(/plays and does not train.*lora/);
  await session.close();
});

it('lists the existing files if its file is missing', async () => {
  const { session } = await sessionOf({ kind: 'onnx', model, file: 'onnx/model_q4.onnx' }, noGpu);
  await expect(session.watch({ split: 'test', taskIndex: 0, turnMs: 0 })).rejects.toThrow(
    /no onnx\/model_q4\.onnx\. It has onnx\/model\.onnx/,
  );
  await session.close();
});

it('reads the weights in its second file, with progress, and refuses more than the runtime can hold', async () => {
  const source = await FolderSource.open('a folder', await nodeFiles(model));
  const part = (name: string, bytes: number, value: number) => ({
    name,
    bytes,
    sha256: null,
    identity: '',
    async *stream() {
      yield new Uint8Array(Math.min(bytes, 100)).fill(value);
    },
  });
  const parts = new Map(
    [
      part('onnx/big.onnx', 100, 1),
      part('onnx/big.onnx_data', 100, 2),
      part('onnx/big.onnx_data_1', 100, 3),
      part('onnx/huge.onnx', 100, 4),
      part('onnx/huge.onnx_data', mostOnnxBytes, 5),
    ].map((each) => [each.name, each]),
  );
  const fields = { ...source, key: 'x', label: 'a folder', names: () => null, text: source.text.bind(source) };
  const files = { ...fields, file: async (name: string) => parts.get(name) ?? null };
  const big = await prepareOnnx(files, 'onnx/big.onnx', { cache: null, signal });
  const seen: number[] = [];
  const loaded = await big.load({ signal, onProgress: (done, total) => seen.push(done / total) });
  expect([big.totalBytes, loaded.model[0]]).toEqual([300, 1]);
  expect(loaded.external!.map(({ path, data }) => [path, data[0]])).toEqual([
    ['big.onnx_data', 2],
    ['big.onnx_data_1', 3],
  ]);
  expect(seen).toEqual([1 / 3, 2 / 3, 1]);
  await expect(prepareOnnx(files, 'onnx/huge.onnx', { cache: null, signal })).rejects.toThrow(/1\.50 GiB.*fewer bits/);
});

describe('a stored ONNX model', () => {
  const name = 'onnx/large.onnx';
  const bytes = Uint8Array.from({ length: 20 << 20 }, (_, i) => (i * 2654435761) >>> 24);
  const secondFile = Uint8Array.of(1, 2, 3);
  const total = bytes.length + secondFile.length;
  let disks = 0;
  const freshDisk = () => new NodeDisk(join(folder, `kept-${disks++}`));

  /** A source whose first file breaks off at `cutAt`. `asked` lists the offset of every read. */
  async function sourceOf({ cutAt = Number.POSITIVE_INFINITY, sha256 = null as string | null } = {}) {
    const offsets: number[] = [];
    const small = await FolderSource.open('a folder', await nodeFiles(model));
    const part = (file: string, content: Uint8Array, cut: number, hash: string | null) => ({
      ...{ name: file, bytes: content.length, sha256: hash, identity: 'the same' },
      async *stream(start: number) {
        offsets.push(start);
        for (let at = start; at < content.length; at += 1 << 20) {
          if (at >= cut) throw new SourceError('unreachable', 'The line is dead.');
          yield content.slice(at, at + (1 << 20));
        }
      },
    });
    const parts = new Map([
      [name, part(name, bytes, cutAt, sha256)],
      [`${name}_data`, part(`${name}_data`, secondFile, Number.POSITIVE_INFINITY, null)],
    ]);
    const source: ModelSource = {
      ...{ key: 'test/large', label: 'large', names: () => null, text: small.text.bind(small) },
      file: async (file) => parts.get(file) ?? null,
    };
    return { source, offsets };
  }

  /** Compares every byte of both files with Buffer.compare; `toEqual` on so long an array takes minutes. */
  function expectWhole({ model: loaded, external }: OnnxSource) {
    expect(Buffer.compare(loaded, bytes)).toBe(0);
    expect(external).toEqual([{ path: 'large.onnx_data', data: secondFile }]);
  }
  const load = async (source: ModelSource, cache: WeightsCache) =>
    (await prepareOnnx(source, name, { cache, signal })).load({ signal });

  it('is complete, and another visit sends no request to its source', async () => {
    const cache = new WeightsCache(freshDisk());
    expectWhole(await load((await sourceOf()).source, cache));
    expect(await cache.list()).toMatchObject([{ key: 'test/large', kind: name, complete: true }]);
    const { source, offsets } = await sourceOf();
    const gone: ModelSource = { ...source, file: () => Promise.reject(new Error('it is gone')) };
    const kept = await prepareOnnx(gone, name, { cache, signal });
    expect([kept.totalBytes, kept.remainingBytes]).toEqual([total, 0]);
    expectWhole(await kept.load({ signal }));
    expect(offsets).toEqual([]);
  });

  it('is resumed after an interruption', async () => {
    const cache = new WeightsCache(freshDisk());
    await expect(load((await sourceOf({ cutAt: 18 << 20 })).source, cache)).rejects.toThrow('The line is dead');
    const { source, offsets } = await sourceOf();
    const again = await prepareOnnx(source, name, { cache, signal });
    expect(again.remainingBytes).toBe(total - (16 << 20));
    expectWhole(await again.load({ signal }));
    expect(offsets).toEqual([16 << 20, 0]);
  });

  it('is skipped if there is no room or another tab writes it, and the model plays all the same', async () => {
    const full = new WeightsCache(new SmallDisk(join(folder, 'full'), 9 << 20));
    expectWhole(await load((await sourceOf()).source, full));
    expect(await full.list()).toEqual([]);
    const disk = freshDisk();
    const cache = new WeightsCache(disk);
    await expect(load((await sourceOf({ cutAt: 10 << 20 })).source, cache)).rejects.toThrow('The line is dead');
    disk.writer = () => Promise.reject(new BusyError());
    expectWhole(await load((await sourceOf()).source, cache));
    expect(await cache.list()).toMatchObject([{ complete: false }]);
  });

  it('is dropped if it arrived damaged', async () => {
    const cache = new WeightsCache(freshDisk());
    await expect(load((await sourceOf({ sha256: '0'.repeat(64) })).source, cache)).rejects.toThrow(/its SHA-256 is/);
    expect(await cache.list()).toEqual([]);
  });
});
