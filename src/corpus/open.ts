/**
 * Opens the kept corpora of this place once: in a page, shared by its workers and tabs; on Node, those of the corpora
 * folder.
 */
import { type CorpusCalls, CorpusService } from './service.ts';
import { CorpusStore } from './store.ts';

/** Upper bound of the time in which a browser frees the files of a terminated worker. */
const freedWithinMs = 5000;

let opened: Promise<CorpusCalls> | null = null;

async function openHere(): Promise<CorpusCalls> {
  if (import.meta.env.SSR) {
    const { FolderDisk } = await import('./store-folder.ts');
    return new CorpusService(new CorpusStore(new FolderDisk()));
  }
  const { SharedCorpora } = await import('./owner.ts');
  return new SharedCorpora({
    locks: navigator.locks,
    channel: new BroadcastChannel('tabgym-corpora'),
    async openService() {
      const { PoolDisk } = await import('./store-pool.ts');
      return new CorpusService(new CorpusStore(await PoolDisk.open(freedWithinMs)));
    },
  });
}

export function openCorpora(): Promise<CorpusCalls> {
  opened ??= openHere();
  return opened;
}
