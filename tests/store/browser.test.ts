/** The store of a page where the browser opens, denies, or never answers. */
import 'fake-indexeddb/auto';
import { openDB } from 'idb';
import { expect, it } from 'vitest';
import { BrowserStore } from '../../src/store/browser.ts';
import { IndexedDbStore } from '../../src/store/indexeddb.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { RunStore } from '../../src/store/run-store.ts';

class Lasting extends MemoryStore {
  constructor(readonly probe: () => Promise<void>) {
    super();
  }
}

const run = { name: 'a run', experiment: { seed: 1 }, origin: { kind: 'new' } } as const;

it.each([
  ['opens', () => Promise.resolve(), true],
  ['denies', () => Promise.reject(new DOMException('denied', 'UnknownError')), false],
  ['never answers', () => new Promise<void>(() => {}), false],
])('a browser that %s storage', async (_, probe, lasts) => {
  const lasting = new Lasting(probe);
  const memory = new MemoryStore();
  const store = new RunStore(new BrowserStore(lasting, memory, 10));
  expect(await store.isLasting()).toBe(lasts);
  const { id } = await store.create(run);
  expect((await store.list()).map((each) => each.id)).toEqual([id]);
  expect([await lasting.manifests(), await memory.manifests()].map((each) => each.length)).toEqual(
    lasts ? [1, 0] : [0, 1],
  );
});

it.each([
  [
    'by a newer version',
    new DOMException('requested 1, existing 2', 'VersionError'),
    'by a newer version of this page',
  ],
  [
    'damaged',
    new DOMException('Internal error opening backing store', 'UnknownError'),
    'Internal error opening backing',
  ],
])('a store that is %s is named', async (_, error, words) => {
  const store = new RunStore(new BrowserStore(new Lasting(() => Promise.reject(error)), new MemoryStore()));
  expect(await store.fault()).toContain(words);
  expect(await store.isLasting()).toBe(false);
});

it.each([
  new DOMException('denied', 'SecurityError'),
  new DOMException('The user denied permission to access the database.', 'UnknownError'),
])('storage that is denied is no fault of what is stored', async (error) => {
  const denied = new Lasting(() => Promise.reject(error));
  expect(await new RunStore(new BrowserStore(denied, new MemoryStore())).fault()).toBeNull();
});

it('a database of a newer version, or without one of its parts, is left as it is and named', async () => {
  const made = async (version: number, stores: string[]) => {
    const name = `tabgym-${version}-${stores.length}`;
    const db = await openDB(name, version, {
      upgrade: (opened) => {
        for (const store of stores) opened.createObjectStore(store).put('x', 'key');
      },
    });
    db.close();
    const store = new BrowserStore(new IndexedDbStore(name), new MemoryStore());
    const fault = await store.fault();
    const again = await openDB(name);
    expect([again.version, ...again.objectStoreNames]).toEqual([version, ...[...stores].sort()]);
    again.close();
    return fault;
  };
  expect(await made(2, ['manifests', 'records', 'blobs'])).toContain('by a newer version');
  expect(await made(1, ['manifests', 'records'])).toContain('lacks its part "blobs"');
  expect(await made(1, ['manifests', 'records', 'blobs'])).toBeNull();
});
