/**
 * Helper threads: workers that each have an instance of the kernels over the same memory. They poll for work
 * (kernels-wasm/threads.ts), so a submission needs no message. A worker sends one message when it is ready, and one if
 * it fails.
 */

export interface HelperStart {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  control: number;
  /** Number of the helper, from 1. */
  number: number;
  scratch: number;
  scratchBytes: number;
}

type HelperNews = { ready: true } | { failed: string };

export interface Helper {
  terminate(): void;
  /** Terminates the thread as a crash would. */
  kill(): void;
}

/** Index of the 32-bit control word that marks a failed helper. */
export const failedWord = 4;

/** Program of a helper in Node. As text it needs no file of its own in a build. */
const nodeProgram = `
const { parentPort, workerData } = require('node:worker_threads');
const { module, memory, control, number, scratch, scratchBytes } = workerData;
const { exports } = new WebAssembly.Instance(module, { env: { memory }, threads: { now: () => 0 } });
exports.setScratch(scratch, scratchBytes);
exports.setControl(control);
exports.setNumber(number);
parentPort.postMessage({ ready: true });
try {
  exports.serve();
} catch (error) {
  const words = new Int32Array(memory.buffer, control, 16);
  Atomics.store(words, ${failedWord}, 1);
  Atomics.notify(words, ${failedWord});
  parentPort.postMessage({ failed: String(error) });
}`;

/** Starts a helper; resolves when it is ready. Calls `lost` if it fails or exits. */
export async function startHelper(start: HelperStart, lost: (why: string) => void): Promise<Helper> {
  return import.meta.env.SSR ? startThread(start, lost) : startWorker(start, lost);
}

async function startThread(start: HelperStart, lost: (why: string) => void): Promise<Helper> {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(nodeProgram, { eval: true, workerData: start, execArgv: [] });
  let ending = false;
  await new Promise<void>((resolve, reject) => {
    worker.on('message', (news: HelperNews) => ('ready' in news ? resolve() : lost(news.failed)));
    worker.on('error', (error) => {
      reject(error);
      lost(String(error));
    });
    worker.on('exit', (code) => {
      // A released helper (`giveBackThread`) exits by itself with code 0; that is not a failure.
      if (!ending && code !== 0) lost(`the thread ended with code ${code}`);
    });
  });
  worker.unref();
  return {
    terminate() {
      ending = true;
      void worker.terminate();
    },
    kill: () => void worker.terminate(),
  };
}

async function startWorker(start: HelperStart, lost: (why: string) => void): Promise<Helper> {
  const worker = new Worker(new URL('./helper.ts', import.meta.url), { type: 'module', name: 'kernels' });
  await new Promise<void>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<HelperNews>) => ('ready' in data ? resolve() : lost(data.failed));
    worker.onerror = (event) => {
      const why = event.message || 'its script could not be loaded';
      reject(new Error(why));
      lost(why);
    };
    worker.postMessage(start);
  });
  const kill = () => {
    worker.terminate();
    lost('the thread ended');
  };
  return { terminate: () => worker.terminate(), kill };
}
