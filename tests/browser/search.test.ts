/**
 * Search in Chromium: the same universes and the same ranking as on Node, and corpora in the page's own file system.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expected } from '../envs/search/sameness.ts';

const workers: Worker[] = [];

function call(worker: number, name: string, ...args: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    workers[worker].onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data.value));
    workers[worker].postMessage([name, ...args]);
  });
}

const open = () => new Worker(new URL('./search-worker.ts', import.meta.url), { type: 'module' });
beforeAll(() => {
  workers.push(open(), open());
});
afterAll(() => {
  for (const worker of workers) worker.terminate();
});

const line = (k: number) =>
  JSON.stringify({ id: `d${k}`, contents: `"Title ${k}"\nDocument ${k}${' more'.repeat(60)}.` });
const file = new Blob([Array.from({ length: 12_000 }, (_, k) => line(k)).join('\n')]);
const files = [{ path: 'big.jsonl', file }];

describe('Search in a browser', () => {
  it('makes the same universe and returns the same results', async () => {
    expect(await call(0, 'text')).toBe(expected.text);
    expect(await call(0, 'found')).toBe(expected.found);
  });
  it('keeps a corpus: cancelled, resumed, searched by another worker, outlives its owner, deleted', async () => {
    await call(0, 'remove', 'big');
    await expect(call(0, 'ingest', 'big', files, 1)).rejects.toThrow(/abort/i);
    expect(await call(1, 'list')).toMatchObject([{ name: 'big', complete: false }]);
    expect(await call(1, 'ingest', 'big', files, 0)).toMatchObject({ documents: 12_000, refused: 0 });
    // Every document contains "Title", so it carries no weight in the ranking: only the number is looked up.
    expect(await call(0, 'retrieve', 'big', 'Title 11999')).toMatchObject([{ id: 'd11999' }]);
    await expect(call(1, 'second')).rejects.toThrow(/Close other tabs that may have them open/);
    workers[0].terminate();
    workers[0] = open();
    expect(await call(1, 'retrieve', 'big', 'Title 7')).toMatchObject([{ id: 'd7' }]);
    expect(await call(0, 'list')).toMatchObject([{ name: 'big', complete: true, documents: 12_000 }]);
    await call(0, 'remove', 'big');
    expect(await call(1, 'list')).toEqual([]);
  });
});
