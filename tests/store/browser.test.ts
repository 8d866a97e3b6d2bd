/** The store of a page where the browser opens, denies, or never answers. */
import { expect, it } from 'vitest';
import { BrowserStore } from '../../src/store/browser.ts';
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
