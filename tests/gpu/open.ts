// A GPU for the tests, the same way in Node (Dawn) and in Chromium: opened once, checked for errors and leaks after each test.
import { afterAll, afterEach } from 'vitest';
import { Gpu } from '../../src/gpu/device.ts';

const inNode = typeof process !== 'undefined' && Boolean(process.versions?.node);

async function entry(): Promise<GPU | undefined> {
  if (!inNode) return navigator.gpu;
  const { nodeGpu } = await import('../../src/cli/node-gpu.ts');
  return nodeGpu();
}

let opened: Promise<Gpu> | null = null;

/** One device for the file; every test leaves no error and no buffer behind. */
export function useGpu(): () => Promise<Gpu> {
  let before = 0;
  afterEach(async () => {
    const gpu = await opened;
    gpu?.check();
    if (gpu && gpu.liveBuffers > before) throw new Error(`${gpu.liveBuffers - before} GPU buffers were not destroyed.`);
  });
  afterAll(async () => {
    (await opened)?.destroy();
    opened = null;
  });
  return async () => {
    opened ??= entry().then((gpu) => Gpu.open(gpu));
    const gpu = await opened;
    before = Math.min(before, gpu.liveBuffers);
    return gpu;
  };
}
