/** Report on the adapter and on whether it meets the requirements, for the page. */
import type { Device } from '../../device/device.ts';
import { GpuUnavailableError } from '../../device/webgpu/device.ts';
import { selfTest } from '../../policy/selftest/selftest.ts';
import type { DeviceChoice, GpuReport } from '../protocol.ts';

/** Purpose of opening a device: training may first measure which one is the fastest. */
export interface DeviceUse {
  toTrain?: boolean;
}

/** Opens the device: WebGPU in the browser, WebGPU by Dawn on Node, or WebAssembly. */
export interface GpuMachine {
  open(use?: DeviceUse): Promise<Device>;
  /** Reason for the choice of device, if there was one. */
  readonly choice?: DeviceChoice | null;
  /** True if opening it to train may return another device. */
  readonly isProvisional?: boolean;
}

export function unsupported(error: Error): GpuReport {
  const adapter = { vendor: '', architecture: '', description: '', isFallback: false };
  return { supported: false, problem: error.message, adapter, features: [], limits: {}, selftest: [] };
}

/** Name of the device that a run's numbers were computed on. */
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

/** Throws if a kernel failed its self-test: some drivers miscompile some kernels. */
export function requireHonest({ selftest, adapter }: GpuReport): void {
  const wrong = selftest.filter(({ ok }) => !ok);
  if (!wrong.length) return;
  throw new GpuUnavailableError(
    `On this adapter (${adapter.description}) ${wrong.length} of ${selftest.length} kernels give wrong numbers: ` +
      `${wrong.map(({ kernel, detail }) => `${kernel} (${detail})`).join('; ')}. Update the graphics driver or try another browser.`,
  );
}
