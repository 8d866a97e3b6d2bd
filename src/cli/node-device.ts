/** The device on which a command computes: `--device auto|wasm|webgpu`, and its number of threads. */
import { Option } from 'commander';
import { type Device, DeviceUnavailableError } from '../device/device.ts';
import { WasmDevice } from '../device/wasm/device.ts';
import { Gpu } from '../device/webgpu/device.ts';
import { nodeGpu } from './node-gpu.ts';
import { wholeFrom } from './number-argument.ts';

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

const count = wholeFrom(1);

/** Options of a command that opens a device. */
export const deviceOptions = (usual: DeviceName) => [
  new Option('--device <name>', 'device to compute on; auto: a GPU, else the processor')
    .choices(deviceNames)
    .default(usual),
  new Option('--threads <n>', 'threads of the WebAssembly device (default: by the number of cores)').argParser(count),
];

export const describeDevice = ({ info, limits }: Device): string => {
  const threads = limits.threads ? `, ${limits.threads} ${limits.threads === 1 ? 'thread' : 'threads'}` : '';
  return `${info.description}${info.isFallback ? ' (software)' : ''}${threads}`;
};
