// The place of a model that a command names; a name that matches none is refused without a request to a hub.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { NodeBaseModels } from '../../src/library/node/base-models.ts';
import { ggufNames, modelAt } from '../../src/library/node/model-place.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-place-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllGlobals());

for (const name of [
  'm.gguf',
  'M.GGUF',
  's-00001-of-00002.gguf',
  's-00002-of-00002.gguf',
  't-00001-of-00002.gguf',
  'notes.txt',
])
  writeFileSync(join(folder, name), '');
mkdirSync(join(folder, 'empty'));

const hub = (id: string, more: object = {}) => ({ kind: 'hub', base: null, id, revision: null, gguf: null, ...more });

it.each([
  [folder, { kind: 'folder', folder }],
  [join(folder, 'm.gguf'), { kind: 'gguf', folder, file: 'm.gguf' }],
  [join(folder, 'M.GGUF'), { kind: 'gguf', folder, file: 'M.GGUF' }],
  ['qwen2.5-0.5b', hub('Qwen/Qwen2.5-0.5B-Instruct')],
  ['qwen/qwen2.5-0.5b-instruct', hub('Qwen/Qwen2.5-0.5B-Instruct')],
  ['https://huggingface.co/a/b', hub('a/b')],
  ['https://huggingface.co/a/b/', hub('a/b')],
  ['https://huggingface.co/a/b@main', hub('a/b')],
  ['https://huggingface.co/a/b/tree/v1', hub('a/b', { revision: 'v1' })],
  ['https://huggingface.co/a/b@v1#m.gguf', hub('a/b', { revision: 'v1', gguf: 'm.gguf' })],
  ['https://huggingface.co/a/b/tree/main?library=transformers', hub('a/b')],
  ['https://huggingface.co/a/b/blob/main/m.Q4_1.gguf', hub('a/b', { gguf: 'm.Q4_1.gguf' })],
  ['https://huggingface.co/a/b/resolve/v1/m.gguf?download=true', hub('a/b', { revision: 'v1', gguf: 'm.gguf' })],
  [
    'https://huggingface.co/a/b/resolve/refs%2Fpr%2F1/q/m.gguf',
    hub('a/b', { revision: 'refs/pr/1', gguf: 'q/m.gguf' }),
  ],
  ['http://127.0.0.1:81/sub/a/b@main', hub('a/b', { base: 'http://127.0.0.1:81/sub' })],
])('%s', (model, place) => {
  expect(modelAt(model)).toEqual(place);
});

it('takes all parts of a split file', () => {
  expect(ggufNames({ folder, file: 'm.gguf' })).toEqual(['m.gguf']);
  expect(ggufNames({ folder, file: 's-00002-of-00002.gguf' }).sort()).toEqual([
    's-00001-of-00002.gguf',
    's-00002-of-00002.gguf',
  ]);
});

describe('nothing is asked for', () => {
  it.each([
    ['nowhere/no-such-model', /There is no folder nowhere\/no-such-model.*https:\/\/huggingface\.co\/nowhere\/no-such/],
    ['./none', /There is no folder \.\/none.*Give the path/],
    ['/x/y/none', /There is no folder/],
    ['none', /There is no folder none/],
    ['none.gguf', /There is no file none\.gguf/],
    ['a/none.gguf', /There is no file a\/none\.gguf/],
    [
      'https://huggingface.co/a/b/blob/main/model.safetensors',
      /is the address of one file.*https:\/\/huggingface\.co\/a\/b/,
    ],
    ['folder/mine@0123456789abcdef', /There is no folder/],
    [join(folder, 'empty'), /contains no weights/],
    [join(folder, 'notes.txt'), /is a file\. A model is a folder or a \.gguf file/],
  ])('%s', async (model, message) => {
    const fetch = vi.fn();
    vi.stubGlobal('fetch', fetch);
    await expect(new NodeBaseModels().open(model, 'f32')).rejects.toThrow(message);
    expect(fetch).not.toHaveBeenCalled();
  });
});
