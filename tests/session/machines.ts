/** GPUs for the sessions of the tests. */
import { afterAll } from 'vitest';
import { Gpu } from '../../src/device/webgpu/device.ts';
import { nodeGpu } from '../../src/library/node/gpu.ts';
import type { GpuMachine } from '../../src/session/device/gpu-report.ts';

/** A machine without WebGPU. */
export const noGpu: GpuMachine = { open: () => Gpu.open(undefined) };

/**
 * A machine on Dawn whose devices are destroyed after the tests of the file. `mostBindingBytes` simulates an adapter
 * that grants no larger bindings.
 */
export function useDawn(options: { mostBindingBytes?: number } = {}): GpuMachine & { opened: readonly Gpu[] } {
  const opened: Gpu[] = [];
  afterAll(() => {
    for (const gpu of opened) gpu.destroy();
  });
  return {
    opened,
    open: async () => {
      const gpu = await Gpu.open(await nodeGpu(), options);
      opened.push(gpu);
      return gpu;
    },
  };
}
