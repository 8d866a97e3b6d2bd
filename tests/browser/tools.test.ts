/** Worlds of tools and SQL in Chromium: the same episodes as on Node, to the byte. */
import { expect, it } from 'vitest';
import { expectedEpisodes } from '../envs/tools/sameness.ts';

it('plays the same episodes as on Node', async () => {
  const worker = new Worker(new URL('./tools-worker.ts', import.meta.url), { type: 'module' });
  const hashes = await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data.value));
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(['episodes']);
  });
  worker.terminate();
  expect(hashes).toEqual(expectedEpisodes);
});
