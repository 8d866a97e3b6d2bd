/** An open WebGPU device as the other modules see it: the interface of a device, and the WebGPU objects behind it. */
import type { Device, KernelCache } from '../device.ts';

export interface OpenedGpu extends Device {
  readonly device: GPUDevice;
  readonly kernels: KernelCache & {
    /** Drops the bind groups that use this buffer. */ forget(buffer: GPUBuffer): void;
  };
  createBuffer(label: string, bytes: number, usage?: GPUBufferUsageFlags): GPUBuffer;
}
