/** What the adapter is and whether it is enough, as the page shows it. */
import type { Device } from '../../device/device.ts';
import { GpuUnavailableError } from '../../device/webgpu/device.ts';
import { selfTest } from '../../policy/selftest/selftest.ts';
import type { DeviceChoice, GpuReport } from '../protocol.ts';

/** What a device is opened for: a training may measure first which one is the fastest. */
export interface DeviceUse {
  toTrain?: boolean;
}

/** Who opens the device: WebGPU of the browser or of Dawn on Node, or WebAssembly. */
export interface GpuMachine {
  open(use?: DeviceUse): Promise<Device>;
  /** Why it is this device, where there was a choice. */
  readonly choice?: DeviceChoice | null;
  /** Whether opening it to train may give another one. */
  readonly isProvisional?: boolean;
}

export function unsupported(error: Error): GpuReport {
  const adapter = { vendor: '', architecture: '', description: '', isFallback: false };
  return { supported: false, problem: error.message, adapter, features: [], limits: {}, selftest: [] };
}

/** What a run's numbers were computed on, in words. */
export function adapterName({ info: { vendor, architecture, description } }: Device): string {
  return [...new Set([vendor, architecture, description])].filter(Boolean).join(', ');
}

export async function reportOf(gpu: Device): Promise<GpuReport> {
  return {
    supported: true,
    problem: '',
    adapter: { ...gpu.info },
    features: [...gpu.features].sort(),
    limits: gpu.limits,
    selftest: await selfTest(gpu),
  };
}

/** Refuses to train on kernels that compute something else than they should: some drivers miscompile some. */
export function requireHonest({ selftest, adapter }: GpuReport): void {
  const wrong = selftest.filter(({ ok }) => !ok);
  if (!wrong.length) return;
  throw new GpuUnavailableError(
    `On this adapter (${adapter.description}) ${wrong.length} of ${selftest.length} kernels give wrong numbers: ` +
      `${wrong.map(({ kernel, detail }) => `${kernel} (${detail})`).join('; ')}. Update the graphics driver or try another browser.`,
  );
}
