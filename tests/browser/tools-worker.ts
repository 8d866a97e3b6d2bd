/** Worlds of tools and SQL in a page's worker: episodes that must be the same everywhere. */
import { hashesOfEpisodes } from '../envs/tools/sameness.ts';

self.addEventListener('message', async () => {
  try {
    postMessage({ value: await hashesOfEpisodes() });
  } catch (error) {
    postMessage({ error: (error as Error).message });
  }
});
