/**
 * The processor as a device: the kernels of kernels-wasm/ over one linear memory, run by this thread and its helpers, in
 * slices between which this thread handles its messages. The numbers depend neither on the number of threads nor on the
 * slices.
 */
import {
  callBytes,
  type Device,
  type DeviceBuffer,
  DeviceError,
  type DeviceInfo,
  DeviceLostError,
  DeviceUnavailableError,
} from '../device.ts';
import { MOST_MS_WITHOUT_TURN } from '../event-loop.ts';
import { type Helper, startHelper } from './helpers.ts';
import { WasmKernels } from './kernels.ts';
import { LinearMemory, type WasmBuffer } from './memory.ts';
import { type KernelExports, loadKernels } from './module.ts';
import { type ListPlace, WasmRecorder } from './recorder.ts';

export interface WasmOptions {
  /** Default: the number of cores up to two, else one fewer; 1 if memory cannot be shared. */
  threads?: number;
  /** If true, threads share memory. Default: true where that is possible (a page must be cross-origin isolated). */
  shared?: boolean;
  /** Use fused multiply-adds if the engine has them: faster, but rounds differently. */
  relaxed?: boolean;
  /** Limit for bindings, to behave like a device that grants no more. */
  mostBindingBytes?: number;
  /** Maximum bytes of the memory. */
  mostBytes?: number;
  /** Milliseconds after which running work gives the event loop its turn. Default: 50. */
  mostMsWithoutTurn?: number;
}

const pageBytes = 65536;
const mostPages = 65536;
const mostThreads = 16;
const quitWord = 3;
const helpedWord = 9;
const mostHelpersWord = 10;
const controlBytes = 256;
/** Return values of a list (kernels-wasm/threads.ts). */
const helperFailed = 1;
const stopped = 2;

/** All cores up to two; with more cores one is left to the page. */
function defaultThreads(): number {
  const cores = globalThis.navigator?.hardwareConcurrency ?? 2;
  return Math.min(mostThreads, cores <= 2 ? cores : cores - 1);
}

/** True if threads can share memory, which a page allows only if it is cross-origin isolated. */
function canShare(): boolean {
  if (typeof SharedArrayBuffer === 'undefined') return false;
  return (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated !== false;
}

/** The main thread of a page must not block. */
const mayWait = () => typeof (globalThis as { document?: unknown }).document === 'undefined';

/** Memory, and the bytes that it may grow to. */
function createMemory(shared: boolean, mostBytes: number): { memory: WebAssembly.Memory; most: number } {
  // Tries smaller sizes if the largest cannot be reserved.
  for (let maximum = Math.min(mostPages, Math.ceil(mostBytes / pageBytes)); maximum >= 256; maximum >>= 1) {
    try {
      return { memory: new WebAssembly.Memory({ initial: 64, maximum, shared }), most: maximum * pageBytes };
    } catch {}
  }
  throw new DeviceUnavailableError(
    'WebAssembly could not reserve memory in this browser. Close other tabs and reload.',
  );
}

export class WasmDevice implements Device {
  readonly compiles = false;
  readonly sharesMemory = true;
  readonly partialSums = false;
  readonly survivesSleep = true;
  readonly timingBytes = 0;
  readonly kernels = new WasmKernels();
  bindingBytes = 2 ** 28;
  readonly bufferBytes = 2 ** 31;
  /** Maximum number of bytes of the memory: addresses of 32 bits reach 4 GiB. */
  memoryBytes = mostPages * pageBytes;
  readonly lost: Promise<never>;
  failure: Error | null = null;
  buffersCreated = 0;
  bytesAllocated = 0;
  private sealed: string | null = null;
  private reportLoss: (error: Error) => void = () => {};
  private readonly live = new Set<DeviceBuffer>();
  /** Milliseconds that this thread has spent in kernels. */
  busyMs = 0;
  private helpers: Helper[] = [];
  private destroyed = false;

  private constructor(
    readonly memory: LinearMemory,
    private readonly exports: KernelExports,
    private readonly control: number,
    private threadCount: number,
    readonly relaxed: boolean,
    private readonly waits: boolean,
    readonly mostMsWithoutTurn: number,
  ) {
    this.lost = new Promise<never>((_, reject) => {
      this.reportLoss = reject;
    });
    this.lost.catch(() => {});
  }

  static async open({
    threads,
    relaxed = false,
    mostBindingBytes,
    shared = canShare(),
    mostBytes = mostPages * pageBytes,
    mostMsWithoutTurn = MOST_MS_WITHOUT_TURN,
  }: WasmOptions = {}): Promise<WasmDevice> {
    const count = shared ? Math.max(1, threads ?? defaultThreads()) : 1;
    const kernels = await loadKernels({ relaxed, shared });
    const { memory, most } = createMemory(shared, mostBytes);
    const instance = await WebAssembly.instantiate(kernels.module, {
      env: { memory },
      threads: { now: () => performance.now() },
    });
    const exports = instance.exports as unknown as KernelExports;
    const linear = new LinearMemory(memory, exports.reservedBytes());
    const control = linear.take('control', controlBytes).address;
    const scratchBytes = exports.scratchNeeded();
    const scratch = Array.from({ length: count }, (_, i) => linear.take(`scratch.${i}`, scratchBytes).address);
    exports.setScratch(scratch[0], scratchBytes);
    exports.setControl(control);
    const device = new WasmDevice(linear, exports, control, count, kernels.relaxed, mayWait(), mostMsWithoutTurn);
    device.bindingBytes = mostBindingBytes ?? device.bindingBytes;
    device.memoryBytes = most - linear.taken;
    device.words[mostHelpersWord] = count - 1;
    const lost = (why: string) => device.lose(`a thread stopped: ${why}`);
    try {
      device.helpers = await Promise.all(
        scratch
          .slice(1)
          .map((at, i) =>
            startHelper({ module: kernels.module, memory, control, number: i + 1, scratch: at, scratchBytes }, lost),
          ),
      );
    } catch (error) {
      throw new DeviceUnavailableError(
        `The threads of the WebAssembly device could not be started: ${(error as Error).message}`,
      );
    }
    return device;
  }

  /** Number of threads: this one and its helpers. */
  get threads(): number {
    return this.threadCount;
  }

  private get words(): Int32Array {
    return new Int32Array(this.memory.buffer, this.control, controlBytes / 4);
  }

  giveBackThread(): number | null {
    if (this.threadCount === 1) return null;
    this.threadCount--;
    Atomics.store(this.words, mostHelpersWord, this.threadCount - 1);
    this.wake();
    return this.threadCount;
  }

  get info(): DeviceInfo {
    const architecture = this.relaxed ? 'relaxed SIMD' : 'SIMD';
    return {
      vendor: 'processor',
      architecture,
      description: 'WebAssembly',
      isFallback: false,
      subgroupMinSize: 0,
    };
  }

  get features(): ReadonlySet<string> {
    return new Set([this.relaxed ? 'relaxed-simd' : 'simd128', ...(this.threads > 1 ? ['threads'] : [])]);
  }

  get limits(): Readonly<Record<string, number>> {
    return { threads: this.threads, memoryBytes: mostPages * pageBytes, heldBytes: this.memory.buffer.byteLength };
  }

  check(): void {
    if (this.failure) throw this.failure;
  }

  seal(phase: string): void {
    this.sealed = phase;
  }

  unseal(): void {
    this.sealed = null;
  }

  createBuffer(label: string, bytes: number): WasmBuffer {
    if (this.sealed) throw new DeviceError(`Buffer ${label} (${bytes} bytes) was created during ${this.sealed}.`);
    this.check();
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    if (size > this.bufferBytes)
      throw new DeviceUnavailableError(
        `${label} needs ${size} bytes in one buffer; this device allows ${this.bufferBytes}.`,
      );
    const buffer = this.memory.take(label, size);
    this.buffersCreated++;
    this.bytesAllocated += size;
    this.live.add(buffer);
    return buffer;
  }

  destroyBuffer(buffer: DeviceBuffer): void {
    if (!this.live.delete(buffer)) return;
    this.bytesAllocated -= buffer.size;
    this.memory.give(buffer as WasmBuffer);
  }

  get liveBuffers(): number {
    return this.live.size;
  }

  async allocating<T>(what: string, allocate: () => T): Promise<T> {
    try {
      return allocate();
    } catch (error) {
      if (!(error instanceof DeviceUnavailableError)) throw error;
      this.failure ??= new DeviceUnavailableError(`Out of memory while allocating ${what}: ${error.message}`);
      throw this.failure;
    }
  }

  /** Recorded work runs in slices of time, however many operations it has. */
  createRecorder(stagingBytes: number, _flopsPerSubmission?: number): WasmRecorder {
    return new WasmRecorder(this, stagingBytes);
  }

  /**
   * Runs the first `count` calls of a list from `from` on, until all are done or `until` (performance.now) has passed.
   * Returns the place to continue from; null: all are done. Throws DeviceLostError if a kernel traps or a thread is
   * gone.
   */
  execute(list: number, count: number, { call, chunk }: ListPlace, until: number): ListPlace | null {
    this.check();
    const { exports } = this;
    const [first, left] = [list + call * callBytes, count - call];
    let status: number;
    const start = performance.now();
    try {
      status =
        this.threads === 1
          ? exports.runAlone(first, left, chunk, until)
          : exports.runTogether(first, left, chunk, until, this.waits ? 1 : 0);
    } catch (error) {
      throw this.lose(`a kernel stopped: ${(error as Error).message}`);
    }
    this.busyMs += performance.now() - start;
    if (status === helperFailed) throw this.lose('a thread stopped during a call');
    if (status !== stopped) return null;
    return { call: call + exports.firstCallLeft(), chunk: exports.firstChunkLeft() };
  }

  private lose(why: string): Error {
    const error = new DeviceLostError(`The WebAssembly device was lost: ${why}`);
    if (this.destroyed) return error;
    this.failure ??= error;
    this.reportLoss(this.failure);
    this.end();
    return this.failure;
  }

  /** Signals the helpers to exit, and terminates them. */
  private end(): void {
    if (this.helpers.length === 0) return;
    Atomics.store(this.words, quitWord, 1);
    this.wake();
    for (const helper of this.helpers) helper.terminate();
    this.helpers = [];
  }

  /** Wakes helpers that sleep between lists. */
  private wake(): void {
    const { words } = this;
    Atomics.add(words, 0, 1);
    Atomics.notify(words, 0);
  }

  /** Number of chunks that the other threads have computed. */
  get helpedChunks(): number {
    return this.words[helpedWord];
  }

  /** Terminates the other threads as a crash would. For tests. */
  killHelpers(): void {
    for (const helper of this.helpers) helper.kill();
  }

  destroy(): void {
    this.destroyed = true;
    this.end();
    this.live.clear();
  }
}
