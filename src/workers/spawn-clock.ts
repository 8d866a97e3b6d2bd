/** Starts the second clock of the freeze watch: a module worker in a page's worker, a thread in Node. */
import { FROZEN_AFTER_MS, type Gap, type OtherThread } from '../session/run/freeze-watch.ts';

/** clock-worker.ts for Node. As text it needs no file of its own in a build. */
const nodeProgram = `
const { parentPort } = require('node:worker_threads');
let last = Date.now();
setInterval(() => {
  const gap = { from: last, to: Date.now() };
  last = gap.to;
  if (gap.to - gap.from > ${FROZEN_AFTER_MS}) parentPort.postMessage(gap);
}, 2000);`;

async function startThread(listener: (gap: Gap) => void): Promise<() => void> {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(nodeProgram, { eval: true, execArgv: [] });
  worker.unref();
  worker.on('message', listener);
  // Without this clock, no freeze is detected; training is not affected.
  worker.on('error', () => {});
  return () => void worker.terminate();
}

function startWorker(listener: (gap: Gap) => void): () => void {
  const worker = new Worker(new URL('./clock-worker.ts', import.meta.url), { type: 'module', name: 'clock' });
  worker.onmessage = ({ data }: MessageEvent<Gap>) => listener(data);
  return () => worker.terminate();
}

export const otherThread: OtherThread = (listener) => {
  if (!import.meta.env.SSR) return startWorker(listener);
  const started = startThread(listener);
  return () => void started.then((stop) => stop());
};
