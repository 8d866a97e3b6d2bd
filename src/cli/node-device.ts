/** The device on which a command computes: `--device auto|wasm|webgpu`, and its number of threads. */
import { Option } from 'commander';
import type { Device } from '../device/device.ts';
import { type DeviceName, type DeviceOptions, deviceNames, openDevice } from '../library/node/device.ts';
import type { TrainerDevice } from '../library/trainer.ts';
import { CommandError } from './command-error.ts';
import { wholeFrom } from './number-argument.ts';

export { type DeviceName, type DeviceOptions, deviceNames, openDevice };

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

/** Prints the adapter. Throws CommandError if there is no device. */
export function requireDevice(device: TrainerDevice, print: (line: string) => void): void {
  const { supported, problem, description, isSoftware } = device;
  if (!supported) throw new CommandError(problem);
  print(`adapter: ${description}${isSoftware ? ' (software)' : ''}`);
}
