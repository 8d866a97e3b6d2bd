/**
 * Small random models in a folder and on two servers, and ways to load them: for the tests of the loader, of what it
 * keeps, and of GGUF files.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect } from 'vitest';
import { type MakeModelOptions, makeModel } from '../../src/cli/random-model.ts';
import { type PreparedModel, prepareModel } from '../../src/models/loader.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { loadCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import type { Precision, WeightPiece } from '../../src/policy/weights/linear.ts';
import { dequantizeRows } from '../../src/policy/weights/quantize.ts';
import { WeightsCache } from '../../src/store/weights-cache.ts';
import { NodeDisk } from '../../src/store/weights-disk.ts';
import { FolderSource, nodeFiles } from '../../src/store/weights-folder.ts';
import { HttpSource } from '../../src/store/weights-http.ts';
import type { ModelSource } from '../../src/store/weights-source.ts';
import { ModelServer } from './model-server.ts';

const overrides = { layers: 2, hidden: 64, intermediate: 96, heads: 4, kvHeads: 2, headDim: 16, vocab: 600 };
export const signal = new AbortController().signal;

const smallModels = {
  plain: {},
  split: { shardBytes: 60_000 },
  half: { dtype: 'f16' },
  brain: { dtype: 'bf16' },
  tall: { overrides: { ...overrides, layers: 1, vocab: 40_000 } },
} satisfies { [name: string]: Partial<MakeModelOptions> };

interface Loaded {
  tensors: Map<string, Float32Array>;
  pieces: WeightPiece[];
}

/** Loads a model and joins its tensors, checking that every row comes once and in order. */
export async function load(
  source: ModelSource,
  {
    cache = null,
    precision = 'f32',
    gguf = null,
  }: { cache?: WeightsCache | null; precision?: Precision; gguf?: string | null } = {},
): Promise<Loaded> {
  const model = await prepareModel(source, { cache, precision, gguf, signal });
  return collect(model);
}

/** Passes each piece to `take`, which may throw as an engine might. */
export async function each(model: PreparedModel, take: (piece: WeightPiece) => void, stop = signal) {
  for await (const piece of model.pieces({ signal: stop })) take(piece);
}

export async function collect(model: PreparedModel): Promise<Loaded> {
  const tensors = new Map<string, Float32Array>();
  const next = new Map<string, number>();
  const pieces: WeightPiece[] = [];
  await each(model, (piece) => {
    const columns = piece.shape.at(-1)!;
    const whole = tensors.get(piece.name) ?? new Float32Array(piece.shape.reduce((a, b) => a * b, 1));
    expect(piece.row).toBe(next.get(piece.name) ?? 0);
    next.set(piece.name, piece.row + piece.rows);
    whole.set(piece.kind === 'f32' ? piece.values : dequantizeRows(piece.packed), piece.row * columns);
    tensors.set(piece.name, whole);
    pieces.push(piece);
  });
  return { tensors, pieces };
}

/** A hash of each tensor's bits, by name, which is quick to compare. */
export const sorted = (tensors: ReadonlyMap<string, Float32Array>) =>
  [...tensors]
    .map(
      ([name, values]) =>
        `${name} ${values.length} ${createHash('sha1')
          .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
          .digest('hex')}`,
    )
    .sort();

/**
 * Writes some of the small models to a new folder, and opens the servers over it, which are reset before each test. The
 * folder and the servers go after the file's tests.
 */
export async function openSmallModels(names: readonly (keyof typeof smallModels)[]) {
  const folder = await mkdtemp(join(tmpdir(), 'tabgym-load-'));
  const make = (name: string, options: Partial<MakeModelOptions> = {}) =>
    makeModel(findModel('qwen2.5-0.5b'), {
      out: join(folder, 'models', name),
      seed: 7,
      dtype: 'f32',
      overrides,
      ...options,
    });
  for (const name of names) await make(name, smallModels[name]);
  const server = await ModelServer.open(join(folder, 'models'));
  /** Server to which a hub redirects large files. */
  const content = await ModelServer.open(join(folder, 'models'));
  afterAll(async () => {
    await server.close();
    await content.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => {
    server.reset();
    content.reset({ hash: 'none', strangeTag: true });
  });

  let caches = 0;
  const freshCache = () => new WeightsCache(new NodeDisk(join(folder, `cache-${caches++}`)));
  const newestCache = () => join(folder, `cache-${caches - 1}`);
  const onServer = (id: string, options: { token?: string; retries?: number } = {}) =>
    new HttpSource({ id, base: server.base }, { retryMs: 1, retries: 2, ...options });
  const onDisk = async (id: string) => FolderSource.open(id, await nodeFiles(join(folder, 'models', id)));

  /** Result of the other reader, which loads whole files, for the same folder. */
  function whole(id: string) {
    const at = join(folder, 'models', id);
    const parts = readdirSync(at).filter((name) => name.endsWith('.safetensors'));
    const { tensors } = loadCheckpoint({
      config: readFileSync(join(at, 'config.json'), 'utf8'),
      model: parts.map((name) => new Uint8Array(readFileSync(join(at, name)))),
    });
    return new Map([...tensors].map(([name, { data }]) => [name, data]));
  }

  return { folder, make, server, content, freshCache, newestCache, onServer, onDisk, whole };
}
