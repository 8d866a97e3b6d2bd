// Opens devices for the tests, the same way in Node and in Chromium: one for each file, checked for errors and leaks
// after each test.
import { afterAll, afterEach, beforeEach } from 'vitest';
import type { Device } from '../../src/device/device.ts';
import { WasmDevice, type WasmOptions } from '../../src/device/wasm/device.ts';
import { Gpu } from '../../src/device/webgpu/device.ts';

const inNode = typeof process !== 'undefined' && Boolean(process.versions?.node);

const wantsGpu = (inNode ? process.env.TABGYM_DEVICE : import.meta.env.TABGYM_DEVICE) === 'webgpu';

async function entry(): Promise<GPU | undefined> {
  if (!inNode) return navigator.gpu;
  const { nodeGpu } = await import('../../src/library/node/gpu.ts');
  return nodeGpu();
}

/** Opens a separate GPU; the test closes it. */
const openGpu = async (...options: [{ mostBindingBytes?: number }]) => Gpu.open(await entry(), ...options);

/** The same GPU with another vendor's name, so that it gets the tiles and subgroups of that vendor's GPUs. */
async function openAs(vendor: string): Promise<Gpu> {
  const gpu = await entry();
  const requestAdapter = async (options?: GPURequestAdapterOptions) => {
    const adapter = await gpu!.requestAdapter(options);
    const { architecture, device, description, subgroupMinSize } = adapter!.info;
    const info = { vendor, architecture, device, description, subgroupMinSize };
    return new Proxy(adapter!, {
      get: (target, key) => {
        if (key === 'info') return info;
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  return Gpu.open(gpu && ({ requestAdapter } as GPU));
}

/**
 * Opens a separate device; the test closes it. The default is WebAssembly, which runs everywhere and compiles no
 * shaders; with TABGYM_DEVICE=webgpu it is a GPU. The engine's tests pass on either; the kernels are tested on both.
 */
export const openDevice = async (options: { mostBindingBytes?: number } = {}): Promise<Device> =>
  wantsGpu ? openGpu(options) : WasmDevice.open(options);

/**
 * Opens one device for the whole file. Fails if a test leaves an error or a buffer behind, or if the file leaves a
 * buffer.
 */
function useOne<T extends Device>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | null = null;
  let before = 0;
  beforeEach(async () => {
    before = (await opened)?.liveBuffers ?? 0;
  });
  afterEach(async () => {
    const device = await opened;
    device?.check();
    if (device && device.liveBuffers > before)
      throw new Error(`${device.liveBuffers - before} buffers were not destroyed.`);
  });
  afterAll(async () => {
    const device = await opened;
    const left = device?.liveBuffers ?? 0;
    device?.destroy();
    opened = null;
    if (left > 0) throw new Error(`${left} buffers were not destroyed by this file.`);
  });
  return () => {
    opened ??= open();
    return opened;
  };
}

export const useGpu = () => useOne(() => openGpu({}));
export const useGpuAs = (vendor: string) => useOne(() => openAs(vendor));
export const useDevice = (options: { mostBindingBytes?: number } = {}) => useOne(() => openDevice(options));
export const useWasm = (options: WasmOptions = {}) => useOne(() => WasmDevice.open(options));
