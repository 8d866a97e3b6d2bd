import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MakeModelOptions, makeModel } from '../../src/cli/random-model.ts';
import { encodePiece, formatIn } from '../../src/models/format.ts';
import { openKept, type PreparedModel, prepareModel } from '../../src/models/loader.ts';
import { findModel } from '../../src/policy/catalogue.ts';
import { parameterShapes, parseConfig } from '../../src/policy/config.ts';
import { loadCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import { decodeBlocks } from '../../src/policy/formats/ggml-blocks.ts';
import { normals } from '../../src/policy/weights/init.ts';
import type { Precision, WeightPiece } from '../../src/policy/weights/linear.ts';
import { dequantizeRows, quantizeRows, toHalf } from '../../src/policy/weights/quantize.ts';
import { WeightsCache } from '../../src/store/weights-cache.ts';
import { NodeDisk } from '../../src/store/weights-disk.ts';
import { FolderSource, nodeFiles } from '../../src/store/weights-folder.ts';
import { HttpSource } from '../../src/store/weights-http.ts';
import type { ModelSource } from '../../src/store/weights-source.ts';
import { f32Bytes, ggml } from '../policy/gguf-writer.ts';
import { smallGguf, splitGguf } from '../policy/small-gguf.ts';
import { ModelServer } from './model-server.ts';
import { SmallDisk } from './small-disk.ts';

const overrides = { layers: 2, hidden: 64, intermediate: 96, heads: 4, kvHeads: 2, headDim: 16, vocab: 600 };
const ggufFields = {
  num_hidden_layers: 2,
  hidden_size: 64,
  intermediate_size: 96,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 16,
  vocab_size: 600,
};
const signal = new AbortController().signal;
let folder: string;
let server: ModelServer;
/** Server to which a hub redirects large files. */
let content: ModelServer;

async function make(name: string, options: Partial<MakeModelOptions> = {}) {
  await makeModel(findModel('qwen2.5-0.5b'), {
    out: join(folder, 'models', name),
    seed: 7,
    dtype: 'f32',
    overrides,
    ...options,
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabgym-load-'));
  await make('plain');
  await make('split', { shardBytes: 60_000 });
  await make('half', { dtype: 'f16' });
  await make('brain', { dtype: 'bf16' });
  await make('tall', { overrides: { ...overrides, layers: 1, vocab: 40_000 } });
  server = await ModelServer.open(join(folder, 'models'));
  content = await ModelServer.open(join(folder, 'models'));
});
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
const onServer = (id: string, options: { token?: string; retries?: number } = {}) =>
  new HttpSource({ id, base: server.base }, { retryMs: 1, retries: 2, ...options });
const onDisk = async (id: string) => FolderSource.open(id, await nodeFiles(join(folder, 'models', id)));

interface Tokens {
  added_tokens: { id: number }[];
  model: { vocab: { [token: string]: number } };
}

interface Loaded {
  tensors: Map<string, Float32Array>;
  pieces: WeightPiece[];
}

/** Loads a model and joins its tensors, checking that every row comes once and in order. */
async function load(
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
async function each(model: PreparedModel, take: (piece: WeightPiece) => void, stop = signal) {
  for await (const piece of model.pieces({ signal: stop })) take(piece);
}

async function collect(model: PreparedModel): Promise<Loaded> {
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

/** A hash of each tensor's bits, by name, which is quick to compare. */
const sorted = (tensors: ReadonlyMap<string, Float32Array>) =>
  [...tensors]
    .map(
      ([name, values]) =>
        `${name} ${values.length} ${createHash('sha1')
          .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
          .digest('hex')}`,
    )
    .sort();

/** A piece with its matrix packed again in symmetric codes, tables in 8 bits and all others in 4. */
function symmetricPiece(piece: WeightPiece): WeightPiece {
  if (piece.kind === 'f32') return piece;
  const bits = piece.name.includes('embed_tokens') || piece.name.includes('lm_head') ? 8 : 4;
  return { ...piece, packed: quantizeRows(bits, dequantizeRows(piece.packed), piece.packed.row.length) };
}

describe('loading', () => {
  it.each(['plain', 'split', 'half', 'brain', 'tall'])(
    '%s gives the same tensors as the reader of whole files',
    async (id) => {
      const { tensors, pieces } = await load(onServer(id));
      expect(sorted(tensors)).toEqual(sorted(whole(id)));
      if (id === 'tall') expect(pieces.filter(({ name }) => name === 'model.embed_tokens.weight').length).toBe(2);
    },
  );

  it('gives the same from a folder as from a server', async () => {
    const { tensors } = await load(await onDisk('split'));
    expect(sorted(tensors)).toEqual(sorted(whole('plain')));
  });

  it.each(['int8', 'int4'] as Precision[])('packs to %s as a whole tensor is packed', async (precision) => {
    const { tensors } = await load(onServer('plain'), { precision });
    for (const [name, values] of whole('plain')) {
      const columns = name.includes('norm') || name.includes('bias') ? null : name.includes('down') ? 96 : 64;
      const format = formatIn(precision, { name, shape: columns ? [0, columns] : [0] });
      const expected = format && columns ? dequantizeRows(quantizeRows(format, values, columns)) : values;
      expect(sorted(new Map([[name, tensors.get(name)!]]))).toEqual(sorted(new Map([[name, expected]])));
    }
    const table = { name: 'model.embed_tokens.weight', shape: [600, 64] };
    expect(formatIn('int4', table)).toEqual({ bits: 8, minimum: false });
  });

  it('works with a server that supports no ranges', async () => {
    server.reset({ ranges: false });
    expect(sorted((await load(onServer('plain'))).tensors)).toEqual(sorted(whole('plain')));
  });

  it('waits for a busy server', async () => {
    server.reset({ busy: 2 });
    expect(sorted((await load(onServer('plain'))).tensors)).toEqual(sorted(whole('plain')));
  });
});

describe('an interrupted download', () => {
  const bytes = () => readFileSync(join(folder, 'models/plain/model.safetensors')).length;
  const tenths = Array.from({ length: 10 }, (_, i) => i / 10);

  it.each(tenths)('at %d of its bytes resumes by itself', async (part) => {
    for (const ranges of [true, false]) {
      server.reset({ cutAt: Math.floor(bytes() * part), ranges });
      expect(sorted((await load(onServer('plain'))).tensors)).toEqual(sorted(whole('plain')));
      if (ranges) expect(server.sent).toBeLessThan(bytes() * 1.5);
    }
  });

  it.each([
    ['x-linked-etag', { versions: null }],
    ['etag', { versions: 'etag' }],
    ['last-modified', { versions: 'last-modified' }],
    ['etag of a server without ranges', { versions: 'etag', ranges: false }],
  ] as const)('is not resumed with another file of the same size (%s)', async (_, faults) => {
    const cache = freshCache();
    server.reset({ ...faults, cutAt: Math.floor(bytes() / 2), replaced: 'same size' });
    await expect(load(onServer('plain'), { cache, precision: 'int8' })).rejects.toThrow(
      /model.safetensors of plain had the version ".+" and now has ".+": it changed during loading/,
    );
    expect(await cache.list()).toEqual([]);
  });

  it('is not resumed with a shorter file', async () => {
    server.reset({ cutAt: Math.floor(bytes() / 2), replaced: bytes() - 1000 });
    await expect(load(onServer('plain'))).rejects.toThrow(/had \d+ bytes and now has \d+: it changed during/);
  });

  it('of tokenizer.json is repeated, and the text is complete', async () => {
    const text = readFileSync(join(folder, 'models/plain/tokenizer.json'), 'utf8');
    for (const cutTextAt of [1100, text.length - 1]) {
      server.reset({ cutTextAt });
      const model = await prepareModel(onServer('plain'), { cache: null, precision: 'f32', signal });
      expect(model.texts['tokenizer.json']).toBe(text);
      expect(server.requests.filter((each) => each === 'tokenizer.json').length).toBe(2);
    }
  });

  it.each(tenths)('whose tab is closed at %d resumes at the next opening', async (part) => {
    const cache = freshCache();
    server.reset({ cutAt: Math.floor(bytes() * part), dead: true });
    const first = await prepareModel(onServer('plain'), { cache, precision: 'int8', signal });
    await expect(collect(first)).rejects.toThrow(/cannot be reached/);
    server.reset();
    const second = await prepareModel(onServer('plain'), { cache, precision: 'int8', signal });
    const { tensors } = await collect(second);
    expect(sorted(tensors)).toEqual(sorted((await load(onServer('plain'), { precision: 'int8' })).tensors));
    if (part > 0.5) expect(second.remainingBytes).toBeLessThan(bytes() * 0.6);
    expect((await cache.list())[0]).toMatchObject({ complete: true, label: 'plain', kind: 'int8' });
  });

  it('stops on its signal and resumes later', async () => {
    const cache = freshCache();
    const stop = new AbortController();
    const model = await prepareModel(onServer('plain'), { cache, precision: 'int8', signal });
    let pieces = 0;
    const sink = () => {
      if (++pieces === 5) stop.abort();
    };
    await expect(each(model, sink, stop.signal)).rejects.toThrow(/abort/i);
    expect(pieces).toBe(5);
    const { tensors } = await collect(model);
    expect(sorted(tensors)).toEqual(sorted((await load(onServer('plain'), { precision: 'int8' })).tensors));
  });

  it('keeps what arrived before the engine failed', async () => {
    const cache = freshCache();
    const model = await prepareModel(onServer('plain'), { cache, precision: 'int8', signal });
    const lost = () => {
      throw new Error('the device is lost');
    };
    await expect(each(model, lost)).rejects.toThrow(/device is lost/);
    server.reset();
    await collect(model);
    expect(server.sent).toBeGreaterThan(0);
    expect((await cache.list())[0].complete).toBe(true);
  });
});

describe('a stored model', () => {
  it('is opened a second time without a request', async () => {
    const cache = freshCache();
    const first = await load(onServer('split'), { cache, precision: 'int4' });
    server.reset();
    const second = await load(onServer('split'), { cache, precision: 'int4' });
    expect(server.requests).toEqual([]);
    expect(sorted(second.tensors)).toEqual(sorted(first.tensors));
    const kept = await openKept(cache, onServer('split').key, 'int4');
    expect(kept?.texts['tokenizer.json']).toContain('BPE');
    expect(await openKept(cache, onServer('split').key, 'int8')).toBeNull();
  });

  it('is dropped if the source has another file of the same name', async () => {
    const cache = freshCache();
    cpSync(join(folder, 'models/plain'), join(folder, 'models/changing'), { recursive: true });
    server.reset({ cutAt: 100_000, dead: true });
    await expect(load(onServer('changing'), { cache })).rejects.toThrow(/cannot be reached/);
    expect((await cache.list())[0]).toMatchObject({ complete: false });
    const path = join(folder, 'models/changing/model.safetensors');
    await make('changed', { seed: 8 });
    writeFileSync(path, readFileSync(join(folder, 'models/changed/model.safetensors')));
    const other = await ModelServer.open(join(folder, 'models'));
    const moved = new HttpSource(
      { id: 'changing', base: server.base },
      { fetch: (url, init) => fetch(String(url).replace(server.base, other.base), init) },
    );
    const { tensors } = await load(moved, { cache });
    await other.close();
    expect(sorted(tensors)).toEqual(sorted(whole('changed')));
  });

  it('is found damaged if its bytes were changed', async () => {
    const cache = freshCache();
    await load(onServer('plain'), { cache, precision: 'int8' });
    const at = join(folder, `cache-${caches - 1}`);
    const data = join(at, readdirSync(at)[0], 'data.bin');
    const bytes = readFileSync(data);
    bytes[bytes.length >> 1] ^= 1;
    writeFileSync(data, bytes);
    await expect(load(onServer('plain'), { cache, precision: 'int8' })).rejects.toThrow(/damaged. Delete it/);
  });

  it('loses only the last line of a torn journal', async () => {
    const cache = freshCache();
    await load(onServer('plain'), { cache, precision: 'int8' });
    const at = join(folder, `cache-${caches - 1}`);
    const journal = join(at, readdirSync(at)[0], 'pieces.jsonl');
    const lines = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, `${lines.slice(0, 9).join('\n')}\n${lines[9].slice(0, 20)}`);
    expect((await cache.list())[0].complete).toBe(false);
    const { tensors } = await load(onServer('plain'), { cache, precision: 'int8' });
    expect(sorted(tensors)).toEqual(sorted((await load(onServer('plain'), { precision: 'int8' })).tensors));
  });

  it('is deleted by its folder', async () => {
    const cache = freshCache();
    await load(onServer('plain'), { cache, precision: 'int8' });
    const [kept] = await cache.list();
    expect(kept.bytes).toBeGreaterThan(50_000);
    await cache.remove(kept.folder);
    expect(await cache.list()).toEqual([]);
  });
});

describe('a hub that redirects large files', () => {
  const sha256 = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, 'models/plain', name)))
      .digest('hex');

  it.each(['ranged', 'whole'] as const)('gives the hash in its pointer, which is answered %s', async (pointer) => {
    server.reset({ contentFrom: content.base, pointer });
    expect((await onServer('plain').file('model.safetensors', signal))?.sha256).toBe(sha256('model.safetensors'));
    expect(sorted((await load(onServer('plain'))).tensors)).toEqual(sorted(whole('plain')));
    expect(content.sent).toBeGreaterThan(0);
  });

  it('gives no hash if it has no pointer, whatever the etag of the other server looks like', async () => {
    server.reset({ contentFrom: content.base });
    expect((await onServer('plain').file('model.safetensors', signal))?.sha256).toBeNull();
    expect(sorted((await load(onServer('plain'))).tensors)).toEqual(sorted(whole('plain')));
  });

  it('has no hash if its pointer is too long', async () => {
    const { length } = readFileSync(join(folder, 'models/plain/model.safetensors'));
    const large = `oid sha256:${'a'.repeat(64)}\nsize ${length}\n`.padEnd(4000);
    const file = async (url: string | URL | Request, init?: RequestInit) => {
      if (String(url).includes('/raw/')) return new Response(large, { headers: { 'content-length': '4000' } });
      return fetch(String(url).replace('//hub.test', `//${new URL(server.base).host}`), init);
    };
    server.reset({ contentFrom: content.base });
    const source = new HttpSource({ id: 'plain', base: 'http://hub.test' }, { fetch: file as typeof fetch });
    expect((await source.file('model.safetensors', signal))?.sha256).toBeNull();
  });

  it('causes an error for a text whose hash differs from its pointer', async () => {
    server.reset({ contentFrom: content.base, pointer: 'whole', hash: 'wrong' });
    await expect(onServer('plain').text('tokenizer.json', signal)).rejects.toThrow(
      /tokenizer.json of plain was damaged in transfer: its SHA-256 is [0-9a-f]{64}, the server states/,
    );
  });

  it('needs no pointer if a mirror gives the hash in its plain etag', async () => {
    const hash = sha256('model.safetensors');
    const plainly: typeof fetch = async (url, init) => {
      const { status, headers, body } = await fetch(url, init);
      const own = new Headers(headers);
      own.delete('x-linked-etag');
      own.set('etag', `"${hash}"`);
      return new Response(body, { status, headers: own });
    };
    const source = new HttpSource({ id: 'plain', base: server.base }, { fetch: plainly });
    expect((await source.file('model.safetensors', signal))?.sha256).toBe(hash);
  });
});

describe('a full disk', () => {
  it('is reported, loses nothing, and loading resumes when there is room', async () => {
    const disk = new SmallDisk(join(folder, 'small'), 100_000);
    const cache = new WeightsCache(disk);
    const model = await prepareModel(onServer('plain'), { cache, precision: 'int8', signal });
    // The message names only panels that the page has.
    await expect(collect(model)).rejects.toThrow(
      /no space to keep .* No stored data is lost, and loading will continue from here: delete a model or runs under Storage, then load it again.$/,
    );
    const [kept] = await cache.list();
    expect(kept).toMatchObject({ complete: false });
    disk.room = 1e9;
    const again = await prepareModel(onServer('plain'), { cache, precision: 'int8', signal });
    expect(again.remainingBytes).toBeLessThan(again.totalBytes);
    const { tensors } = await collect(again);
    expect(sorted(tensors)).toEqual(sorted((await load(onServer('plain'), { precision: 'int8' })).tensors));
  });

  it('does not prevent loading without a cache', async () => {
    expect((await load(onServer('plain'), { cache: null, precision: 'int8' })).tensors.size).toBeGreaterThan(20);
  });
});

describe('loading is refused for', () => {
  it('a gated model without a token, or with a wrong one', async () => {
    server.reset({ token: 'secret' });
    await expect(load(onServer('plain'))).rejects.toThrow(
      /is gated.* Accept its licence at .*\/plain, then enter an access token/,
    );
    await expect(load(onServer('plain', { token: 'other' }))).rejects.toThrow(/refuses plain to this token/);
    expect((await load(onServer('plain', { token: 'secret' }))).tensors.size).toBeGreaterThan(0);
  });

  it('an unknown model', async () => {
    await expect(load(onServer('nothing'))).rejects.toThrow(/nothing has no config.json/);
  });

  it('an unreachable server and an invalid address', async () => {
    const gone = new HttpSource({ id: 'plain', base: 'http://127.0.0.1:9' }, { retryMs: 1, retries: 1 });
    await expect(load(gone)).rejects.toThrow(/127.0.0.1:9 cannot be reached/);
    expect(() => new HttpSource({ id: 'plain', base: 'hub' })).toThrow(/"hub" is not a server address/);
  });

  it('bytes whose hash differs from the server’s, which are then dropped', async () => {
    const cache = freshCache();
    server.reset({ hash: 'wrong' });
    await expect(load(onServer('plain'), { cache, precision: 'int8' })).rejects.toThrow(
      /its SHA-256 is [0-9a-f]{64}, the server states/,
    );
    expect(await cache.list()).toEqual([]);
    server.reset({ hash: 'none' });
    expect((await load(onServer('plain'))).tensors.size).toBeGreaterThan(0);
  });

  it('a file that ends before its announced end', async () => {
    server.reset({ shorter: 1000 });
    await expect(load(onServer('plain'))).rejects.toThrow(/ended at byte|terminated|cannot be reached/);
  });

  it('another architecture, by its name, before any weight is requested', async () => {
    cpSync(join(folder, 'models/plain'), join(folder, 'models/strange'), { recursive: true });
    const path = join(folder, 'models/strange/config.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"qwen2"', '"gpt_neox"'));
    await expect(load(onServer('strange'))).rejects.toThrow(/model_type is "gpt_neox"/);
    expect(server.requests.filter((each) => each.includes('safetensors'))).toEqual([]);
  });

  it('weights that do not fit their config', async () => {
    cpSync(join(folder, 'models/plain'), join(folder, 'models/misfit'), { recursive: true });
    const path = join(folder, 'models/misfit/config.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"num_hidden_layers": 2', '"num_hidden_layers": 3'));
    await expect(load(onServer('misfit'))).rejects.toThrow(/missing: model.layers.2/);
  });

  it.each([
    ['an added token', (json: Tokens) => (json.added_tokens.at(-1)!.id = 600)],
    ['a word', (json: Tokens) => (json.model.vocab.beyond = 600)],
  ])('a tokenizer with %s outside the embedding, before any weight is requested', async (what, change) => {
    const id = what.replaceAll(' ', '-');
    cpSync(join(folder, 'models/plain'), join(folder, `models/${id}`), { recursive: true });
    const path = join(folder, `models/${id}/tokenizer.json`);
    const json = JSON.parse(readFileSync(path, 'utf8'));
    change(json);
    writeFileSync(path, JSON.stringify(json));
    server.reset();
    await expect(load(onServer(id))).rejects.toThrow(
      /largest token id of tokenizer.json is 600, but the embedding has 600 rows, for ids up to 599/,
    );
    expect(server.requests.filter((each) => each.includes('model.safetensors '))).toEqual([]);
  });

  it('a folder without weights, and a truncated file on disk', async () => {
    await expect(FolderSource.open('empty', [])).rejects.toThrow(/"empty" contains no weights/);
    cpSync(join(folder, 'models/plain'), join(folder, 'models/short'), { recursive: true });
    const path = join(folder, 'models/short/model.safetensors');
    writeFileSync(path, readFileSync(path).subarray(0, 50_000));
    await expect(load(await onDisk('short'))).rejects.toThrow(/cut short/);
  });
});

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

  it('reads pieces that were kept before formats had a minimum', async () => {
    const cache = freshCache();
    const model = await prepareModel(onServer('plain'), { cache, precision: 'int4', signal });
    const { pieces } = await collect(model);
    const { note } = (await cache.find(model.key, 'int4'))!;
    // The journal of an earlier version: symmetric codes, and no `format`.
    const begun = await cache.begin<object>(note);
    const writer = await cache.append(begun);
    const old = pieces.map(symmetricPiece);
    for (const piece of old) {
      const { name, row, rows } = piece;
      await writer.append(encodePiece(piece), { file: 0, name, row, rows });
    }
    await writer.complete();
    await writer.close();
    const opened = (await openKept(cache, model.key, 'int4'))!;
    for (const part of ['up', 'down'])
      expect(opened.formats.get(`model.layers.0.mlp.${part}_proj.weight`)).toEqual({ bits: 4, minimum: false });
    expect((await collect(opened)).pieces).toEqual(old);
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

  it.each([
    ['int4', 4],
    ['int8', 8],
  ] as const)('keeps the values of blocks with a minimum in %s, q and k in their order', async (precision, bits) => {
    const config = parseConfig({ ...findModel('smollm2-135m').config, ...ggufFields });
    const file = smallGguf(config, valuesOf, (_, shape, values) =>
      shape.length > 1
        ? { type: ggml.Q4_1, bytes: blocksWithMinimum(values) }
        : { type: ggml.F32, bytes: f32Bytes(values) },
    );
    mkdirSync(join(folder, 'models/gguf-minimum'), { recursive: true });
    writeFileSync(join(folder, 'models/gguf-minimum/model.gguf'), file);
    const source = await onDisk('gguf-minimum');
    const model = await prepareModel(source, { cache: null, precision, signal });
    expect(model.formats.get('model.layers.0.self_attn.q_proj.weight')).toEqual({ bits, minimum: true });
    expect(sorted((await collect(model)).tensors)).toEqual(sorted((await load(source)).tensors));
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
