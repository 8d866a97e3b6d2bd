/**
 * Recording and submission: collects dispatches in one compute pass and their scalars in one uniform buffer.
 * Submissions stay short, because watchdogs kill those that take seconds, and come often enough to keep the queue
 * filled.
 */
import {
  type BufferSlice,
  type DeviceBuffer,
  type Dispatch,
  type KernelTime,
  maxCalls as maxDispatches,
  type Recorder,
  recorderBytes,
  callBytes as stride,
} from '../device.ts';
import { writeScalars } from '../scalars.ts';
import { gpuBuffer } from './errors.ts';
import type { WebGpuKernel } from './kernel.ts';
import type { OpenedGpu } from './opened.ts';
import { Profile } from './profile.ts';

export class WebGpuRecorder implements Recorder {
  dispatches = 0;
  submissions = 0;
  readbacks = 0;
  flops = 0;
  /** If true, nothing is recorded or sent: calls only request their kernels, so that all can be compiled beforehand. */
  dry = false;
  /** Dispatches by kernel since the recorder was created. */
  readonly perKernel = new Map<string, number>();
  /** Time by kernel; null if the adapter cannot measure it. */
  readonly profile: Profile | null;
  gate: Recorder['gate'] = null;
  readonly uniforms: GPUBuffer;
  private readonly staging: GPUBuffer;
  private readonly words = new ArrayBuffer(recorderBytes);
  readonly u32s = new Uint32Array(this.words);
  readonly f32s = new Float32Array(this.words);
  private encoder: GPUCommandEncoder | null = null;
  private pass: GPUComputePassEncoder | null = null;
  private isTimed = false;
  private pending = 0;
  private pendingFlops = 0;

  /** `flopsPerSubmission`: work after which a submission is sent, about 50 ms on this adapter. */
  constructor(
    readonly device: OpenedGpu,
    stagingBytes: number,
    readonly flopsPerSubmission: number,
  ) {
    this.profile = Profile.create(device);
    this.uniforms = device.createBuffer(
      'Recorder.uniforms',
      this.words.byteLength,
      0x40 | 0x8 /* UNIFORM | COPY_DST */,
    );
    this.staging = device.createBuffer('Recorder.staging', stagingBytes, 0x1 | 0x8 /* MAP_READ | COPY_DST */);
  }

  get stagingBytes(): number {
    return this.staging.size;
  }

  run(call: Dispatch): void {
    const [x, y = 1, z = 1] = call.grid;
    if (this.dry || x === 0 || y === 0 || z === 0) return;
    const kernel = call.kernel.get() as WebGpuKernel;
    const pass = this.openPass(kernel.name);
    const group = kernel.bindGroup(this.uniforms, call.bindings);
    writeScalars(kernel.name, kernel.scalars, call.params ?? {}, this, (this.pending * stride) / 4);
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, group, [this.pending * stride]);
    pass.dispatchWorkgroups(x, y, z);
    this.count(kernel.name, call.flops ?? 0);
    if (this.pending >= maxDispatches || this.pendingFlops >= this.flopsPerSubmission) this.submit();
  }

  /** All dispatches share a pass, except timed ones, which have one each. */
  private openPass(kernel: string): GPUComputePassEncoder {
    this.encoder ??= this.device.device.createCommandEncoder();
    const timestampWrites = this.profile?.next(kernel);
    if (timestampWrites || this.isTimed) this.closePass();
    this.isTimed = Boolean(timestampWrites);
    this.pass ??= this.encoder.beginComputePass(timestampWrites ? { timestampWrites } : {});
    return this.pass;
  }

  private count(name: string, flops: number): void {
    this.pending++;
    this.dispatches++;
    this.flops += flops;
    this.pendingFlops += flops;
    this.perKernel.set(name, (this.perKernel.get(name) ?? 0) + 1);
  }

  /** Copies between buffers, in order with the dispatches. */
  copy(source: BufferSlice, target: DeviceBuffer, targetOffset: number, bytes: number): void {
    if (this.dry) return;
    this.closePass();
    this.encoder ??= this.device.device.createCommandEncoder();
    this.encoder.copyBufferToBuffer(gpuBuffer(source.buffer), source.offset, gpuBuffer(target), targetOffset, bytes);
  }

  clear(buffer: DeviceBuffer, offset = 0, bytes = buffer.size - offset): void {
    if (this.dry) return;
    this.closePass();
    this.encoder ??= this.device.device.createCommandEncoder();
    this.encoder.clearBuffer(gpuBuffer(buffer), offset, bytes);
  }

  /** Writes bytes to a buffer, after all work recorded so far and before all later work. */
  upload(buffer: DeviceBuffer, offset: number, data: ArrayBufferView<ArrayBuffer>): void {
    if (this.dry || data.byteLength === 0) return;
    this.submit();
    this.device.device.queue.writeBuffer(gpuBuffer(buffer), offset, data.buffer, data.byteOffset, data.byteLength);
  }

  private closePass(): void {
    this.pass?.end();
    this.pass = null;
  }

  submit(): void {
    if (!this.encoder) return;
    this.closePass();
    this.profile?.resolve(this.encoder);
    if (this.pending > 0) {
      this.device.device.queue.writeBuffer(this.uniforms, 0, this.words, 0, this.pending * stride);
    }
    this.device.device.queue.submit([this.encoder.finish()]);
    this.submissions++;
    this.encoder = null;
    this.pending = 0;
    this.pendingFlops = 0;
  }

  /** Reads several slices back at once, in order. Together they must fit the staging buffer. */
  async read(slices: readonly BufferSlice[]): Promise<ArrayBuffer[]> {
    const total = slices.reduce((sum, s) => sum + s.size, 0);
    if (total > this.staging.size)
      throw new RangeError(`A read-back of ${total} bytes exceeds staging (${this.staging.size}).`);
    let at = 0;
    for (const s of slices) {
      this.copy(s, this.staging, at, s.size);
      at += s.size;
    }
    this.submit();
    this.readbacks++;
    const mapped = this.staging.mapAsync(1 /* READ */, 0, total);
    this.nudge();
    await this.settled(mapped);
    const bytes = this.staging.getMappedRange(0, total).slice(0);
    this.staging.unmap();
    this.device.check();
    await this.gate?.();
    let from = 0;
    return slices.map((s) => {
      const part = bytes.slice(from, from + s.size);
      from += s.size;
      return part;
    });
  }

  /**
   * Firefox polls for completion every 100 ms unless another submission follows (https://bugzilla.mozilla.org/1870699).
   */
  private nudge(): void {
    this.device.device.queue.submit([]);
  }

  private async settled(mapped: Promise<undefined>): Promise<void> {
    try {
      // No race with `lost`: each read-back would add a reaction to that promise, and none would ever be removed.
      await mapped;
    } catch (error) {
      this.device.check();
      // mapAsync rejects before `lost` resolves when the device goes away: wait for `lost`.
      await Promise.race([this.device.lost, new Promise((resolve) => setTimeout(resolve, 100))]);
      throw error;
    }
  }

  /** Waits until all submitted work is done. */
  async finish(): Promise<void> {
    this.submit();
    const done = this.device.device.queue.onSubmittedWorkDone();
    this.nudge();
    await done;
    this.device.check();
    await this.gate?.();
  }

  async yieldToMessages(): Promise<void> {
    await this.gate?.();
  }

  shared(): null {
    return null;
  }

  async times(): Promise<ReadonlyMap<string, KernelTime> | null> {
    return (await this.profile?.times()) ?? null;
  }

  destroy(): void {
    this.device.kernels.forget(this.uniforms);
    this.device.destroyBuffer(this.uniforms);
    this.device.destroyBuffer(this.staging);
    this.profile?.destroy();
  }
}
