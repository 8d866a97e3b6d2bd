/**
 * The interface of a device: buffers, kernels by name, and a recorder that runs kernel calls in order. `webgpu/` and
 * `wasm/` implement it; code that computes with a device is the same for both. A kernel call is data: name, constants,
 * bindings, grid, scalars (shaders/NAME.wgsl defines the computation).
 *
 * Nothing in `device/` depends on transformers, policies or rewards, and this file does not depend on WebGPU either.
 */

/** The device does not exist here or is too small. The message names what is missing and what to do. */
export class DeviceUnavailableError extends Error {
  override name = 'DeviceUnavailableError';
}

/** The device is gone (driver reset, sleep, a trap, a dead worker). A session restores its last step on a new one. */
export class DeviceLostError extends Error {
  override name = 'DeviceLostError';
}

/** An error that the device reported, or a request that it refused: always a bug in this program. */
export class DeviceError extends Error {
  override name = 'DeviceError';
}

/** Memory of the device, initially zero. */
export interface DeviceBuffer {
  readonly label: string;
  /** Bytes, a multiple of 16. */
  readonly size: number;
}

/** Part of a buffer. Offset and size are in bytes; offsets are multiples of 256. */
export interface BufferSlice {
  buffer: DeviceBuffer;
  offset: number;
  size: number;
}

export const whole = (buffer: DeviceBuffer): BufferSlice => ({ buffer, offset: 0, size: buffer.size });

export function slice(buffer: DeviceBuffer, offset: number, size: number): BufferSlice {
  return { buffer, offset, size: Math.max(16, Math.ceil(size / 16) * 16) };
}

/** Constants of a kernel. A string names a type. */
export type Constants = { readonly [name: string]: number | string };

/** A kernel that is ready to run. */
export interface Kernel {
  readonly name: string;
  readonly constants: Constants;
  /** Source inserted after the constants, for example an objective. */
  readonly extra: string;
  /** Its source, or '' if it has none. */
  readonly code: string;
  readonly bindingCount: number;
  /** True if it writes to binding i, counted from 0. */
  writes(i: number): boolean;
}

export interface KernelHandle {
  readonly name: string;
  /** True if the kernel has been compiled. */
  readonly isReady: boolean;
  get(): Kernel;
}

export type CompileProgress = (done: number, total: number, name: string) => void;

/** The kernels of a device, one for each (name, constants, extra). */
export interface KernelCache {
  /** Starts to compile a kernel. The handle's `get` returns it once `settle` has resolved. */
  request(name: string, constants?: Constants, extra?: string): KernelHandle;
  /**
   * Waits for every requested kernel. Throws the first error, for example of a kernel that does not exist. `mostMs`: waits
   * no longer; a kernel that is not compiled by then is waited for again only after another request for it.
   */
  settle(onProgress?: CompileProgress, mostMs?: number): Promise<void>;
  all(): Kernel[];
}

/** One kernel call as data. */
export interface Dispatch {
  kernel: KernelHandle;
  bindings: readonly BufferSlice[];
  /** Workgroups in x, y and z. `grid1d` folds a count over 65,535 into x and y. */
  grid: readonly [number, number?, number?];
  /** Scalars by name. The kernel declares their order and types (`struct Params` of its shader). */
  params?: { readonly [name: string]: number };
  /** Floating-point operations, two per multiply-add. Decides when a submission is long enough. */
  flops?: number;
}

const maxWorkgroups = 65535;

/** A one-dimensional grid of `count` workgroups, folded into two dimensions over 65,535. */
export function grid1d(count: number): [number, number] {
  if (count <= maxWorkgroups) return [count, 1];
  const y = Math.ceil(count / maxWorkgroups);
  return [Math.ceil(count / y), y];
}

/** Maximum number of calls in a submission, and the bytes that each of them takes on the device for its scalars. */
export const maxCalls = 2048;
export const callBytes = 256;
/** Bytes that a recorder needs on the device in addition to its staging buffer. */
export const recorderBytes = maxCalls * callBytes;

export interface KernelTime {
  /** Total milliseconds of the timed calls. */
  ms: number;
  timed: number;
}

/** Records calls, copies and uploads. They take effect in the order in which they were recorded. */
export interface Recorder {
  readonly device: Device;
  /** Counts since the recorder was created. */
  readonly dispatches: number;
  readonly submissions: number;
  readonly readbacks: number;
  readonly flops: number;
  readonly perKernel: ReadonlyMap<string, number>;
  /** If true, nothing is recorded or sent: calls only request their kernels, so that all can be compiled beforehand. */
  dry: boolean;
  readonly stagingBytes: number;
  run(call: Dispatch): void;
  copy(source: BufferSlice, target: DeviceBuffer, targetOffset: number, bytes: number): void;
  clear(buffer: DeviceBuffer, offset?: number, bytes?: number): void;
  upload(buffer: DeviceBuffer, offset: number, data: ArrayBufferView<ArrayBuffer>): void;
  submit(): void;
  /** The floats of a slice after all recorded work, if device and host share their memory; else null. */
  shared(part: BufferSlice): Float32Array | null;
  /** Reads several slices back at once, in order. Together they must fit the staging buffer. */
  read(slices: readonly BufferSlice[]): Promise<ArrayBuffer[]>;
  /** Waits until all recorded work is done. */
  finish(): Promise<void>;
  /**
   * On a device that computes on this thread, runs the recorded work in slices between which the thread handles its
   * messages. On any device, waits while the gate is closed. Call it in long loops.
   */
  yieldToMessages(): Promise<void>;
  /**
   * Awaited in `read`, `finish` and `yieldToMessages` after this thread has handled its messages. Work stands still until
   * it resolves; if it rejects, the recorded work that has not run is discarded and the call rejects with its error.
   * null: nothing holds the work.
   */
  gate: (() => Promise<void> | void) | null;
  /**
   * Time by kernel of the calls timed so far; starts timing at the first request. Null if the device cannot measure it.
   */
  times(): Promise<ReadonlyMap<string, KernelTime> | null>;
  destroy(): void;
}

export interface DeviceInfo {
  vendor: string;
  architecture: string;
  description: string;
  /** True for software in place of a GPU. Submissions are then shorter, and forms of kernels are not measured. */
  isFallback: boolean;
  /** Minimum number of invocations in a subgroup; 0 if unknown. */
  subgroupMinSize: number;
}

export interface Device {
  readonly info: DeviceInfo;
  readonly features: ReadonlySet<string>;
  /**
   * True if kernels can be compiled from source (`extra`); otherwise the host does such work between two submissions.
   */
  readonly compiles: boolean;
  /** True if its memory is also the host's: a read-back needs no buffer, and `Recorder.shared` returns the contents. */
  readonly sharesMemory: boolean;
  /**
   * Releases one thread; results keep the same bits. Returns the number of threads left, or null if it has only one.
   */
  giveBackThread?(): number | null;
  /** True if buffers keep their contents while the computer sleeps. */
  readonly survivesSleep: boolean;
  /** True if sums over many rows are divided into partial sums, so that many workgroups share one output. */
  readonly partialSums: boolean;
  /** Rejects when the device is lost, and never resolves, so that any wait can race with it. */
  readonly lost: Promise<never>;
  /** First error that the device reported, or its loss; null if there is none. */
  failure: Error | null;
  /** Maximum bytes of one binding. Larger data must be divided. */
  readonly bindingBytes: number;
  /** Maximum bytes of one buffer. */
  readonly bufferBytes: number;
  /** Maximum bytes of all buffers together. Absent: not known. */
  readonly memoryBytes?: number;
  /** Bytes that a recorder allocates to time kernels; 0 if it needs none or cannot time. */
  readonly timingBytes: number;
  /** Granted limits by name, for a report. */
  readonly limits: Readonly<Record<string, number>>;
  readonly buffersCreated: number;
  readonly bytesAllocated: number;
  /** Buffers created and not yet destroyed. Growth over a create/destroy cycle is a leak. */
  readonly liveBuffers: number;
  readonly kernels: KernelCache;
  /** Throws the error that the device has reported, if any. */
  check(): void;
  /**
   * From now on, creating a buffer throws an error that names `phase`: training and decoding steps must create none.
   */
  seal(phase: string): void;
  unseal(): void;
  createBuffer(label: string, bytes: number): DeviceBuffer;
  destroyBuffer(buffer: DeviceBuffer): void;
  /** Runs an allocation. An error names `what`. */
  allocating<T>(what: string, allocate: () => T): Promise<T>;
  /** `flopsPerSubmission`: work after which a submission is sent, on a device that runs beside this thread. */
  createRecorder(stagingBytes: number, flopsPerSubmission: number): Recorder;
  destroy(): void;
}
