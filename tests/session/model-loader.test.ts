// Models loaded from a folder, a server and a hub that redirects, and those that are refused.
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatIn } from '../../src/models/format.ts';
import type { Precision } from '../../src/policy/weights/linear.ts';
import { dequantizeRows, quantizeRows } from '../../src/policy/weights/quantize.ts';
import { FolderSource } from '../../src/store/weights-folder.ts';
import { HttpSource } from '../../src/store/weights-http.ts';
import { load, openSmallModels, signal, sorted } from './small-models.ts';

const { folder, server, content, freshCache, onServer, onDisk, whole } = await openSmallModels([
  'plain',
  'split',
  'half',
  'brain',
  'tall',
]);

interface Tokens {
  added_tokens: { id: number }[];
  model: { vocab: { [token: string]: number } };
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
