/**
 * Records calls into the memory that the threads share, and runs them: `submit` returns when they are done. So an
 * upload is a copy, and a read-back does not wait.
 */
import { recordLayout } from '../../../kernels-wasm/kernels.mjs';
import {
  type BufferSlice,
  callBytes,
  type Device,
  type DeviceBuffer,
  DeviceError,
  type Dispatch,
  type KernelTime,
  maxCalls,
  type Recorder,
  recorderBytes,
} from '../device.ts';
import { writeScalars } from '../scalars.ts';
import type { WasmKernel } from './kernels.ts';
import type { LinearMemory, WasmBuffer } from './memory.ts';
import { type Operation, operations } from './operations.ts';

/** Length of a call record (kernels-wasm/call.ts) in 32-bit words. */
const callWords = callBytes / 4;
/** Maximum time that messages to this worker wait. */
const mostMsWithoutPause = 25;

/** Operations of `copy` and `clear`. */
const [copy, clear] = ['copy', 'clear'].map((name) => operations.get(name)!);

const addressOf = ({ buffer, offset }: BufferSlice) => (buffer as WasmBuffer).address + offset;

/** Resolves after the pending messages of this thread. */
const pause = () =>
  new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** The device as its recorders see it. */
export interface Executor extends Device {
  readonly memory: LinearMemory;
  createBuffer(label: string, bytes: number): WasmBuffer;
  execute(list: number, count: number): void;
}

export class WasmRecorder implements Recorder {
  dispatches = 0;
  submissions = 0;
  readbacks = 0;
  flops = 0;
  dry = false;
  readonly perKernel = new Map<string, number>();
  private readonly calls: WasmBuffer;
  u32s: Uint32Array = new Uint32Array(0);
  f32s: Float32Array = new Float32Array(0);
  private pending = 0;
  private pendingFlops = 0;
  private lastPause = performance.now();
  /** While set, each call is submitted on its own and timed. */
  private timing: Map<string, KernelTime> | null = null;

  constructor(
    readonly device: Executor,
    readonly stagingBytes: number,
    readonly flopsPerSubmission: number,
  ) {
    this.calls = device.createBuffer('Recorder.calls', recorderBytes);
  }

  run(call: Dispatch): void {
    const [x, y = 1, z = 1] = call.grid;
    if (this.dry || x === 0 || y === 0 || z === 0) return;
    const kernel = call.kernel.get() as WasmKernel;
    const { operation, words, name } = kernel;
    const { bindings } = operation;
    if (call.bindings.length !== bindings.length)
      throw new DeviceError(
        `${name} takes ${bindings.length} buffers (${bindings.join(', ')}), got ${call.bindings.length}.`,
      );
    const base = this.write(name, operation, call.bindings.map(addressOf), call.params ?? {});
    this.u32s.set(words, base + recordLayout.constants.at);
    this.dispatches++;
    this.flops += call.flops ?? 0;
    this.pendingFlops += call.flops ?? 0;
    this.perKernel.set(name, (this.perKernel.get(name) ?? 0) + 1);
    if (this.timing) this.timed(name, this.timing);
    else if (this.pendingFlops >= this.flopsPerSubmission) this.submit();
  }

  /** Writes one record; returns the index of its first word. */
  private write(
    name: string,
    { number, scalars }: Operation,
    addresses: readonly number[],
    params: Dispatch['params'] & {},
  ): number {
    if (this.pending === maxCalls) this.submit();
    const { buffer } = this.device.memory;
    if (this.u32s.buffer !== buffer || this.u32s.length === 0) {
      this.u32s = new Uint32Array(buffer, this.calls.address, recorderBytes / 4);
      this.f32s = new Float32Array(buffer, this.calls.address, recorderBytes / 4);
    }
    const base = this.pending * callWords;
    const { u32s } = this;
    u32s[base] = number;
    for (let i = 0; i < addresses.length; i++) u32s[base + recordLayout.bindings.at + i] = addresses[i];
    writeScalars(name, scalars, params, this, base + recordLayout.scalars.at);
    // Counted last: a call that `writeScalars` refuses must not be run.
    this.pending++;
    return base;
  }

  private timed(name: string, times: Map<string, KernelTime>): void {
    const start = performance.now();
    this.submit();
    const { ms, timed } = times.get(name) ?? { ms: 0, timed: 0 };
    times.set(name, { ms: ms + performance.now() - start, timed: timed + 1 });
  }

  copy(source: BufferSlice, target: DeviceBuffer, targetOffset: number, bytes: number): void {
    if (this.dry) return;
    this.write('copy', copy, [addressOf(source), (target as WasmBuffer).address + targetOffset], { bytes });
  }

  clear(buffer: DeviceBuffer, offset = 0, bytes = buffer.size - offset): void {
    if (this.dry) return;
    this.write('clear', clear, [(buffer as WasmBuffer).address + offset], { bytes });
  }

  upload(buffer: DeviceBuffer, offset: number, data: ArrayBufferView<ArrayBuffer>): void {
    if (this.dry || data.byteLength === 0) return;
    if (offset + data.byteLength > buffer.size)
      throw new DeviceError(`${data.byteLength} bytes at ${offset} do not fit ${buffer.label} (${buffer.size}).`);
    this.submit();
    this.bytes({ buffer, offset, size: data.byteLength }).set(
      new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    );
  }

  private bytes(part: BufferSlice): Uint8Array {
    return new Uint8Array(this.device.memory.buffer, addressOf(part), part.size);
  }

  /** The floats of a slice after all recorded work; the host shares this memory. */
  shared(part: BufferSlice): Float32Array {
    this.submit();
    return new Float32Array(this.device.memory.buffer, addressOf(part), part.size / 4);
  }

  submit(): void {
    if (this.pending === 0) return;
    const count = this.pending;
    this.pending = 0;
    this.pendingFlops = 0;
    this.submissions++;
    this.device.execute(this.calls.address, count);
  }

  async read(slices: readonly BufferSlice[]): Promise<ArrayBuffer[]> {
    const total = slices.reduce((sum, { size }) => sum + size, 0);
    if (total > this.stagingBytes)
      throw new RangeError(`A read-back of ${total} bytes exceeds staging (${this.stagingBytes}).`);
    this.submit();
    this.readbacks++;
    // The slice of a typed array is never shared.
    const copies = slices.map((part) => this.bytes(part).slice().buffer as ArrayBuffer);
    await this.yieldToMessages();
    this.device.check();
    return copies;
  }

  async yieldToMessages(): Promise<void> {
    if (performance.now() - this.lastPause < mostMsWithoutPause) return;
    await pause();
    this.lastPause = performance.now();
  }

  async finish(): Promise<void> {
    this.submit();
    await this.yieldToMessages();
    this.device.check();
  }

  async times(): Promise<ReadonlyMap<string, KernelTime>> {
    this.timing ??= new Map();
    return this.timing;
  }

  destroy(): void {
    this.device.destroyBuffer(this.calls);
  }
}
