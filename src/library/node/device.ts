/** Devices on Node: the GPU through Dawn, or the processor. */
import { type Device, DeviceUnavailableError } from '../../device/device.ts';
import { WasmDevice } from '../../device/wasm/device.ts';
import { Gpu } from '../../device/webgpu/device.ts';
import { nodeGpu } from './gpu.ts';

const openers = {
  auto: (options: DeviceOptions): Promise<Device> => openBest(options),
  webgpu: async ({ mostBindingBytes }: DeviceOptions): Promise<Device> =>
    Gpu.open(await nodeGpu(), { mostBindingBytes }),
  wasm: ({ threads, mostBindingBytes }: DeviceOptions): Promise<Device> =>
    WasmDevice.open({ threads, mostBindingBytes }),
} as const;

/** Opens a GPU if there is one. Prefers the processor to a software adapter, which is many times slower. */
async function openBest(options: DeviceOptions): Promise<Device> {
  // An adapter named by the user is always used.
  if (process.env.TABGYM_ADAPTER) return openers.webgpu(options);
  try {
    const gpu = await openers.webgpu(options);
    if (!gpu.info.isFallback) return gpu;
    gpu.destroy();
  } catch (error) {
    if (!(error instanceof DeviceUnavailableError)) throw error;
  }
  return openers.wasm(options);
}

export type DeviceName = keyof typeof openers;
export const deviceNames = Object.keys(openers) as DeviceName[];

export interface DeviceOptions {
  /** Default: auto. */
  device?: DeviceName;
  /** Threads of the WebAssembly device. Default: the number of cores, less one if there are more than two. */
  threads?: number;
  /** Limits bindings to this size, as on a device that allows no more. */
  mostBindingBytes?: number;
}

export const openDevice = (options: DeviceOptions): Promise<Device> => openers[options.device ?? 'auto'](options);
