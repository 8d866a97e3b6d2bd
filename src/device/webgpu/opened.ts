/** An open WebGPU device as the other modules see it: the interface of a device, and the WebGPU objects behind it. */
import type { Device, KernelCache } from '../device.ts';

export interface OpenedGpu extends Device {
  readonly device: GPUDevice;
  readonly kernels: KernelCache & { /** Bind groups that hold this buffer go. */ forget(buffer: GPUBuffer): void };
  createBuffer(label: string, bytes: number, usage?: GPUBufferUsageFlags): GPUBuffer;
}
