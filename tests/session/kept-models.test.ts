// Pieces that a cache keeps: after an interrupted download, of a whole model, and on a full disk.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodePiece } from '../../src/models/format.ts';
import { openKept, prepareModel } from '../../src/models/loader.ts';
import type { WeightPiece } from '../../src/policy/weights/linear.ts';
import { dequantizeRows, quantizeRows } from '../../src/policy/weights/quantize.ts';
import { WeightsCache } from '../../src/store/weights-cache.ts';
import { HttpSource } from '../../src/store/weights-http.ts';
import { ModelServer } from './model-server.ts';
import { SmallDisk } from './small-disk.ts';
import { collect, each, load, openSmallModels, signal, sorted } from './small-models.ts';

const { folder, make, server, freshCache, newestCache, onServer, whole } = await openSmallModels(['plain', 'split']);

/** A piece with its matrix packed again in symmetric codes, tables in 8 bits and all others in 4. */
function symmetricPiece(piece: WeightPiece): WeightPiece {
  if (piece.kind === 'f32') return piece;
  const bits = piece.name.includes('embed_tokens') || piece.name.includes('lm_head') ? 8 : 4;
  return { ...piece, packed: quantizeRows(bits, dequantizeRows(piece.packed), piece.packed.row.length) };
}

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
    const at = newestCache();
    const data = join(at, readdirSync(at)[0], 'data.bin');
    const bytes = readFileSync(data);
    bytes[bytes.length >> 1] ^= 1;
    writeFileSync(data, bytes);
    await expect(load(onServer('plain'), { cache, precision: 'int8' })).rejects.toThrow(/damaged. Delete it/);
  });

  it('loses only the last line of a torn journal', async () => {
    const cache = freshCache();
    await load(onServer('plain'), { cache, precision: 'int8' });
    const at = newestCache();
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
