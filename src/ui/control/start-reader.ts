/** Starts a worker that reads trajectories, with its interface. */
import { msg, str } from '@lit/localize';
import * as Comlink from 'comlink';
import type { ReaderApi } from '../../trajectories/files/reader.ts';

/** `onCrash`: receives a sentence once the worker has ended by itself; nothing answers then. */
export function startReader(name: string, onCrash: (problem: string) => void) {
  const worker = new Worker(new URL('../../workers/reader-worker.ts', import.meta.url), { type: 'module', name });
  worker.addEventListener('error', ({ message }) => {
    worker.terminate();
    onCrash(msg(str`Reading stopped: ${message || 'memory may have run out'}. Open the file again.`));
  });
  return { worker, reader: Comlink.wrap<ReaderApi>(worker) };
}
