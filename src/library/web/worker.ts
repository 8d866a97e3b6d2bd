/** Starts the library's worker in a page, and turns its failure into a named error. */
import * as Comlink from 'comlink';
import { isFrameRequest } from '../../envs/transport/frame-port.ts';
import type { LibraryWorker } from '../../workers/library-worker.ts';
import { PlatformError } from '../options.ts';
import { frameKeeper } from '../world-frames.ts';

export interface StartedWorker {
  remote: Comlink.Remote<LibraryWorker>;
  /** Rejects if the worker fails; never resolves. */
  lost: Promise<never>;
  terminate(): void;
}

export function startLibraryWorker(): StartedWorker {
  const worker = new Worker(new URL('../../workers/library-worker.ts', import.meta.url), { type: 'module' });
  let fail: (error: Error) => void = () => {};
  const lost = new Promise<never>((_, reject) => {
    fail = reject;
  });
  lost.catch(() => {});
  worker.addEventListener('error', ({ message }) =>
    fail(new PlatformError(`Tabgym's worker stopped: ${message || 'its script could not be loaded'}.`)),
  );
  const frames = frameKeeper(fail);
  worker.addEventListener('message', ({ data, ports }) => {
    if (isFrameRequest(data)) frames.receive(data, ports);
  });
  return {
    remote: Comlink.wrap<LibraryWorker>(worker),
    lost,
    terminate() {
      frames.closeAll();
      worker.terminate();
    },
  };
}
