/** What the adapter is and whether it is enough, as the page shows it. */
import { Gpu } from '../gpu/device.ts';
import type { GpuReport } from './protocol.ts';

/** Who gives `navigator.gpu`: the browser, or Dawn on Node. */
export interface GpuMachine {
  open(): Promise<Gpu>;
}

export const browserGpu: GpuMachine = {
  open: () => Gpu.open((globalThis.navigator as Navigator | undefined)?.gpu),
};

const limitNames = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupsPerDimension',
] as const;

export function unsupported(error: Error): GpuReport {
  const adapter = { vendor: '', architecture: '', description: '', isFallback: false };
  return { supported: false, problem: error.message, adapter, features: [], limits: {}, selftest: [] };
}

export async function reportOf(gpu: Gpu): Promise<GpuReport> {
  return {
    supported: true,
    problem: '',
    adapter: { ...gpu.info },
    features: [...gpu.features].sort(),
    limits: Object.fromEntries(limitNames.map((name) => [name, gpu.limits[name]])),
    selftest: [],
  };
}
