/**
 * Records calls and uploads in order, and runs them when the caller waits for them (`read`, `finish`,
 * `yieldToMessages`): in slices, between which this thread handles its messages. `submit` and `shared` run all recorded
 * work at once. A read-back does not wait, because the host shares the memory.
 */
import { recordLayout } from '../../../kernels-wasm/kernels.mjs';
import {
  type BufferSlice,
  type Device,
  type DeviceBuffer,
  DeviceError,
  type Dispatch,
  type KernelTime,
  type Recorder,
  recorderBytes,
} from '../device.ts';
import { eventLoopTurn } from '../event-loop.ts';
import { writeScalars } from '../scalars.ts';
import type { WasmKernel } from './kernels.ts';
import type { LinearMemory, WasmBuffer } from './memory.ts';
import { type Operation, operations } from './operations.ts';
import { WorkQueue } from './work-queue.ts';

/** Operations of `copy` and `clear`. */
const [copy, clear] = ['copy', 'clear'].map((name) => operations.get(name)!);

const addressOf = ({ buffer, offset }: BufferSlice) => (buffer as WasmBuffer).address + offset;

/** Place in a list of calls: the first chunk that is not computed yet. */
export interface ListPlace {
  call: number;
  chunk: number;
}

const listStart: ListPlace = { call: 0, chunk: 0 };

/** The device as its recorders see it. */
export interface Executor extends Device {
  readonly memory: LinearMemory;
  /** Time after which running work gives the event loop its turn. */
  readonly mostMsWithoutTurn: number;
  createBuffer(label: string, bytes: number): WasmBuffer;
  execute(list: number, count: number, from: ListPlace, until: number): ListPlace | null;
}

export class WasmRecorder implements Recorder {
  dispatches = 0;
  submissions = 0;
  readbacks = 0;
  flops = 0;
  dry = false;
  readonly perKernel = new Map<string, number>();
  gate: Recorder['gate'] = null;
  /** The calls that run now. */
  private readonly calls: WasmBuffer;
  private readonly queue = new WorkQueue();
  /** Place in the first list of the queue; null: the list is not in the device's memory yet. */
  private place: ListPlace | null = null;
  private lastTurn = performance.now();
  /** While set, each call runs on its own and is timed. */
  private timing: Map<string, KernelTime> | null = null;

  constructor(
    readonly device: Executor,
    readonly stagingBytes: number,
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
    this.write(name, operation, call.bindings.map(addressOf), call.params ?? {}, words);
    this.dispatches++;
    this.flops += call.flops ?? 0;
    this.perKernel.set(name, (this.perKernel.get(name) ?? 0) + 1);
  }

  private write(
    name: string,
    { number, scalars }: Operation,
    addresses: readonly number[],
    params: Dispatch['params'] & {},
    constants?: Uint32Array,
  ): void {
    const { base, block } = this.queue.nextCall();
    const { u32s } = block;
    u32s[base] = number;
    for (let i = 0; i < addresses.length; i++) u32s[base + recordLayout.bindings.at + i] = addresses[i];
    writeScalars(name, scalars, params, block, base + recordLayout.scalars.at);
    if (constants) u32s.set(constants, base + recordLayout.constants.at);
    // Added last: a call that `writeScalars` refuses must not run.
    this.queue.addCall(this.timing ? name : null);
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
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const address = (buffer as WasmBuffer).address + offset;
    // Recorded calls must see the bytes from before the upload, and the caller may change its array meanwhile.
    if (this.queue.isEmpty) this.store(address, bytes);
    else this.queue.addUpload(address, bytes.slice());
  }

  private store(address: number, bytes: Uint8Array): void {
    new Uint8Array(this.device.memory.buffer, address, bytes.length).set(bytes);
  }

  private bytes(part: BufferSlice): Uint8Array {
    return new Uint8Array(this.device.memory.buffer, addressOf(part), part.size);
  }

  /** The floats of a slice after all recorded work; the host shares this memory. */
  shared(part: BufferSlice): Float32Array {
    this.submit();
    return new Float32Array(this.device.memory.buffer, addressOf(part), part.size / 4);
  }

  /** Runs all recorded work without a turn of the event loop. */
  submit(): void {
    while (!this.queue.isEmpty) this.runSlice(Number.POSITIVE_INFINITY);
  }

  /** Runs recorded work until it is done or `until` has passed. */
  private runSlice(until: number): void {
    while (!this.queue.isEmpty) {
      const first = this.queue.takeFirst();
      if ('bytes' in first) this.store(first.address, first.bytes);
      else if (!this.runCalls(first, until)) return;
      this.queue.dropFirst();
      this.place = null;
    }
  }

  /** Runs one list, from `place` on. Returns true if it is done. */
  private runCalls({ words, count, name }: { words: Uint32Array; count: number; name: string | null }, until: number) {
    if (!this.place) {
      new Uint32Array(this.device.memory.buffer, this.calls.address, words.length).set(words);
      this.place = listStart;
      this.submissions++;
    }
    const start = performance.now();
    const rest = this.executed(count, until);
    if (name && this.timing) this.addTime(name, performance.now() - start, rest === null);
    this.place = rest;
    return rest === null;
  }

  private executed(count: number, until: number): ListPlace | null {
    try {
      return this.device.execute(this.calls.address, count, this.place!, until);
    } catch (error) {
      this.drop();
      throw error;
    }
  }

  private addTime(name: string, ms: number, isDone: boolean): void {
    const time = this.timing!.get(name) ?? { ms: 0, timed: 0 };
    this.timing!.set(name, { ms: time.ms + ms, timed: time.timed + (isDone ? 1 : 0) });
  }

  /** Discards recorded work that has not run. */
  private drop(): void {
    this.queue.clear();
    this.place = null;
  }

  /** Runs all recorded work, with a turn of the event loop after each slice. */
  private async drain(): Promise<void> {
    for (;;) {
      this.runSlice(this.lastTurn + this.device.mostMsWithoutTurn);
      await this.turnWhenDue();
      if (this.queue.isEmpty) return;
    }
  }

  private async turnWhenDue(): Promise<void> {
    if (performance.now() - this.lastTurn < this.device.mostMsWithoutTurn) return;
    await eventLoopTurn();
    try {
      await this.gate?.();
    } catch (error) {
      this.drop();
      throw error;
    }
    this.lastTurn = performance.now();
  }

  async read(slices: readonly BufferSlice[]): Promise<ArrayBuffer[]> {
    const total = slices.reduce((sum, { size }) => sum + size, 0);
    if (total > this.stagingBytes)
      throw new RangeError(`A read-back of ${total} bytes exceeds staging (${this.stagingBytes}).`);
    await this.drain();
    this.device.check();
    this.readbacks++;
    // The slice of a typed array is never shared.
    return slices.map((part) => this.bytes(part).slice().buffer as ArrayBuffer);
  }

  yieldToMessages(): Promise<void> {
    return this.drain();
  }

  async finish(): Promise<void> {
    await this.drain();
    this.device.check();
  }

  async times(): Promise<ReadonlyMap<string, KernelTime>> {
    this.timing ??= new Map();
    return this.timing;
  }

  destroy(): void {
    this.drop();
    this.device.destroyBuffer(this.calls);
  }
}
