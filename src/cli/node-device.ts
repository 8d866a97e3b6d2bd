/** Which device a command computes on: `--device auto|wasm|webgpu`, and with how many threads. */
import { InvalidArgumentError, Option } from 'commander';
import { type Device, DeviceUnavailableError } from '../device/device.ts';
import { WasmDevice } from '../device/wasm/device.ts';
import { Gpu } from '../device/webgpu/device.ts';
import { nodeGpu } from './node-gpu.ts';

const openers = {
  auto: (options: DeviceOptions): Promise<Device> => openBest(options),
  webgpu: async ({ mostBindingBytes }: DeviceOptions): Promise<Device> =>
    Gpu.open(await nodeGpu(), { mostBindingBytes }),
  wasm: ({ threads, mostBindingBytes }: DeviceOptions): Promise<Device> =>
    WasmDevice.open({ threads, mostBindingBytes }),
} as const;

/** A GPU where there is one; in place of a software adapter the processor itself, which is many times faster. */
async function openBest(options: DeviceOptions): Promise<Device> {
  // Who names an adapter wants it.
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
  /** Of the WebAssembly device. Default: as many as cores up to two, above that one fewer. */
  threads?: number;
  /** Bindings no larger than this, as on a device that grants no more. */
  mostBindingBytes?: number;
}

export const openDevice = (options: DeviceOptions): Promise<Device> => openers[options.device ?? 'auto'](options);

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

/** The options of a command that opens a device. */
export const deviceOptions = (usual: DeviceName) => [
  new Option('--device <name>', 'what computes; auto: a GPU, else the processor').choices(deviceNames).default(usual),
  new Option('--threads <n>', 'of the WebAssembly device (default: by the number of cores)').argParser(count),
];

export const deviceWords = ({ info, limits }: Device): string => {
  const threads = limits.threads ? `, ${limits.threads} ${limits.threads === 1 ? 'thread' : 'threads'}` : '';
  return `${info.description}${info.isFallback ? ' (software)' : ''}${threads}`;
};
