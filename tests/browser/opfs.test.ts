/** The weights cache on a browser's own file system, in Chromium. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let worker: Worker;

function call(name: string, ...args: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data.value));
    worker.postMessage([name, ...args]);
  });
}

beforeAll(() => {
  worker = new Worker(new URL('./opfs-worker.ts', import.meta.url), { type: 'module' });
});
afterAll(() => worker.terminate());
beforeEach(async () => expect(await call('clear')).toEqual([]));

describe('weights in OPFS', () => {
  it('are committed piece by piece and resumed', async () => {
    await call('begin', 3);
    expect(await call('goOn', 2)).toBe(5);
    expect(await call('readAll')).toEqual({
      complete: true,
      texts: { a: 'b' },
      list: [
        [0, 1000, 0],
        [1, 1001, 1],
        [2, 1002, 2],
        [100, 3, 0],
        [101, 3, 1],
      ],
    });
    const [kept] = (await call('list')) as { bytes: number; complete: boolean; label: string }[];
    expect(kept).toMatchObject({ complete: true, label: 'Model' });
    expect(kept.bytes).toBeGreaterThan(3009);
  });

  it('lose only the piece whose line is torn', async () => {
    await call('begin', 4);
    await call('tear');
    expect(await call('readAll')).toMatchObject({
      complete: false,
      list: [[0], [1], [2]].map(([i]) => [i, 1000 + i, i]),
    });
    expect(await call('goOn', 1)).toBe(4);
    expect(await call('readAll')).toMatchObject({ complete: true });
  });

  it('have one writer', async () => {
    await call('begin', 1);
    expect(await call('twoWriters')).toMatch(/Another tab is loading this model/);
  });

  it('report the available space', async () => {
    expect((await call('space')) as { quota: number }).toMatchObject({ quota: expect.any(Number) });
  });
});
