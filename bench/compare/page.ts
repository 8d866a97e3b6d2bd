// Page of the comparison: starts the worker, in which threads may block, for calls from bench/compare.ts.
import { type Remote, wrap } from 'comlink';
import type { CompareWorker } from './worker.ts';

declare global {
  interface Window {
    compare: Remote<CompareWorker>;
  }
}

window.compare = wrap<CompareWorker>(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }));
