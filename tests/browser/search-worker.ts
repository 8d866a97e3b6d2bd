/** Search in a page's worker: results that must be the same everywhere, and stored corpora. */

import { openCorpora } from '../../src/corpus/open.ts';
import type { CorpusFile } from '../../src/corpus/service.ts';
import { PoolDisk } from '../../src/corpus/store-pool.ts';
import { foundIn, sha256, textOf } from '../envs/search/sameness.ts';

const calls: { [name: string]: (...args: never[]) => Promise<unknown> } = {
  text: () => sha256(textOf(1)),
  found: async () => sha256(await foundIn(1)),
  list: async () => (await openCorpora()).list(),
  remove: async (name: string) => (await openCorpora()).remove(name),
  retrieve: async (name: string, query: string) => (await (await openCorpora()).retrieve(name, [query], 2))[0],
  async ingest(name: string, files: CorpusFile[], cancelAfter: number) {
    const cancel = new AbortController();
    let reports = 0;
    const report = () => {
      if (++reports === cancelAfter) cancel.abort();
    };
    return (await openCorpora()).ingest(name, files, report, cancel.signal);
  },
  /** A second pool must be refused with a message. */
  second: async () => (await PoolDisk.open()) && 'opened',
};

self.addEventListener('message', async ({ data: [name, ...args] }) => {
  try {
    postMessage({ value: await calls[name](...(args as never[])) });
  } catch (error) {
    postMessage({ error: (error as Error).message });
  }
});
