/** The kept corpora of this place: in a page, shared among its workers and tabs; on Node, the folder's. Opened once. */
import { type CorpusCalls, CorpusService } from './service.ts';
import { CorpusStore } from './store.ts';

/** A terminated worker's files are freed within this. */
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
