/** Errors of the GPU device, and the cast from the device's buffers to WebGPU's. */
import { type DeviceBuffer, DeviceError, DeviceUnavailableError } from '../device.ts';

/** The adapter or the browser cannot run this engine. The message names what is missing and what to do. */
export class GpuUnavailableError extends DeviceUnavailableError {
  override name = 'GpuUnavailableError';
}

/** A validation or internal error that the device reported asynchronously: always a bug in this program. */
export class GpuError extends DeviceError {
  override name = 'GpuError';
}

/** A buffer that the GPU device created. */
export const gpuBuffer = (buffer: DeviceBuffer) => buffer as GPUBuffer;
