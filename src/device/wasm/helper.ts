/** Worker of a helper thread in a page. helpers.ts has the same program as text for Node. */
import { failedWord, type HelperStart } from './helpers.ts';
import type { KernelExports } from './module.ts';

self.onmessage = ({ data: { module, memory, control, number, scratch, scratchBytes } }: MessageEvent<HelperStart>) => {
  const imports = { env: { memory }, threads: { now: () => 0 } };
  const kernels = new WebAssembly.Instance(module, imports).exports as unknown as KernelExports;
  kernels.setScratch(scratch, scratchBytes);
  kernels.setControl(control);
  kernels.setNumber(number);
  self.postMessage({ ready: true });
  try {
    kernels.serve();
  } catch (error) {
    const words = new Int32Array(memory.buffer, control, 16);
    Atomics.store(words, failedWord, 1);
    Atomics.notify(words, failedWord);
    self.postMessage({ failed: String(error) });
  }
};
