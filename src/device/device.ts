/**
 * What a device is: buffers, kernels by name, and a recorder that carries out kernel calls in order. `webgpu/` and `wasm/`
 * implement it; who computes with one does not know which. A kernel call is data: name, constants, bindings, grid, scalars
 * (shaders/NAME.wgsl is the definition of what it computes).
 *
 * `device/` has never heard of a transformer, a policy or a reward, and this file not of WebGPU either.
 */

/** There is no such device here, or it is too small. The message says what is missing and what to do. */
export class DeviceUnavailableError extends Error {
  override name = 'DeviceUnavailableError';
}

/** The device is gone (driver reset, sleep, a trap, a dead worker). A session restores its last committed step on a new one. */
export class DeviceLostError extends Error {
  override name = 'DeviceLostError';
}

/** What the device reported or refused: a bug here, never the user's. */
export class DeviceError extends Error {
  override name = 'DeviceError';
}

/** Memory of the device; contents are zero at first. */
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

/** Constants a kernel is asked for with; a string names a type. */
export type Constants = { readonly [name: string]: number | string };

/** A kernel that is ready to run. */
export interface Kernel {
  readonly name: string;
  readonly constants: Constants;
  /** Source that was put after the constants (an objective, say). */
  readonly extra: string;
  /** Its source, where it has one that can be shown. */
  readonly code: string;
  readonly bindingCount: number;
  /** Whether it writes to binding i, counted from 0. */
  writes(i: number): boolean;
}

export interface KernelHandle {
  readonly name: string;
  get(): Kernel;
}

export type CompileProgress = (done: number, total: number, name: string) => void;

/** The kernels of a device, each (name, constants, extra) once. */
export interface KernelCache {
  /** Starts compiling; the handle's `get` gives it once `settle` has resolved. */
  request(name: string, constants?: Constants, extra?: string): KernelHandle;
  /** Waits for every requested kernel; throws the first that there cannot be. */
  settle(onProgress?: CompileProgress): Promise<void>;
  all(): Kernel[];
}

export interface FloatParam {
  f32: number;
}
export const f32 = (value: number): FloatParam => ({ f32: value });

/** One kernel call as data. */
export interface Dispatch {
  kernel: KernelHandle;
  bindings: readonly BufferSlice[];
  /** Workgroups; a count over 65,535 in x is folded into y by `grid1d`. */
  grid: readonly [number, number?, number?];
  /** Up to 16 words: integers as u32, `f32(x)` values as floats. */
  params?: readonly (number | FloatParam)[];
  /** Multiply-adds counted twice; decides when a submission is long enough. */
  flops?: number;
}

const maxWorkgroups = 65535;

/** A one-dimensional grid of `count` workgroups, folded into two dimensions over 65,535. */
export function grid1d(count: number): [number, number] {
  if (count <= maxWorkgroups) return [count, 1];
  const y = Math.ceil(count / maxWorkgroups);
  return [Math.ceil(count / y), y];
}

/** Most calls of a submission, and the device's bytes for the scalars of one. */
export const maxCalls = 2048;
export const callBytes = 256;
/** What a recorder needs on the device beside its staging buffer. */
export const recorderBytes = maxCalls * callBytes;

export interface KernelTime {
  /** Milliseconds of the calls that were timed. */
  ms: number;
  timed: number;
}

/** Records calls, copies and uploads, which take effect in that order. */
export interface Recorder {
  readonly device: Device;
  /** Counted since creation. */
  readonly dispatches: number;
  readonly submissions: number;
  readonly readbacks: number;
  readonly flops: number;
  readonly perKernel: ReadonlyMap<string, number>;
  /** While set nothing is recorded or sent: calls only ask for their kernels, so that all can be compiled beforehand. */
  dry: boolean;
  readonly stagingBytes: number;
  run(call: Dispatch): void;
  copy(source: BufferSlice, target: DeviceBuffer, targetOffset: number, bytes: number): void;
  clear(buffer: DeviceBuffer, offset?: number, bytes?: number): void;
  upload(buffer: DeviceBuffer, offset: number, data: ArrayBufferView<ArrayBuffer>): void;
  submit(): void;
  /** The floats of a slice, all recorded work done, where device and host share their memory; else null. */
  shared(part: BufferSlice): Float32Array | null;
  /** One read-back of several slices, in order. Sizes must fit the staging buffer together. */
  read(slices: readonly BufferSlice[]): Promise<ArrayBuffer[]>;
  /** Waits until all submitted work is done. */
  finish(): Promise<void>;
  /** Lets messages in, now and then, where recorded work is carried out on this very thread; else nothing. For long loops. */
  letIn(): Promise<void>;
  /** Time by kernel of the calls timed so far, and times the next ones; null where the device cannot tell. */
  times(): Promise<ReadonlyMap<string, KernelTime> | null>;
  destroy(): void;
}

export interface DeviceInfo {
  vendor: string;
  architecture: string;
  description: string;
  /** Software in place of a GPU: submissions are kept shorter, and forms of kernels are not measured. */
  isFallback: boolean;
  /** Fewest invocations of a subgroup; 0: unknown. */
  subgroupMinSize: number;
}

export interface Device {
  readonly info: DeviceInfo;
  readonly features: ReadonlySet<string>;
  /** Whether kernels can be made of source (`extra`); else the host does such work between two submissions. */
  readonly compiles: boolean;
  /** Whether its memory is the host's too: a read-back needs no buffer, and `Recorder.shared` gives what lies in it. */
  readonly sharesMemory: boolean;
  /** Computes with a thread less from here on, with the same bits: how many it has then; null: there is none to spare. */
  giveBackThread?(): number | null;
  /** Whether sums over many rows are cut into partial sums, so that many workgroups share one output. */
  readonly partialSums: boolean;
  /** Rejects (never resolves) when the device is lost, so that any wait can race with it. */
  readonly lost: Promise<never>;
  /** Set once the device is lost or has reported an error. */
  failure: Error | null;
  /** Most bytes of one binding: what is larger is cut. */
  readonly bindingBytes: number;
  /** Most bytes of one buffer. */
  readonly bufferBytes: number;
  /** What a recorder allocates to time kernels; 0: it takes nothing, or cannot. */
  readonly timingBytes: number;
  /** What it grants, by name, for a report. */
  readonly limits: Readonly<Record<string, number>>;
  readonly buffersCreated: number;
  readonly bytesAllocated: number;
  /** Buffers created and not yet destroyed: a leak where this grows over a create/destroy cycle. */
  readonly liveBuffers: number;
  readonly kernels: KernelCache;
  /** Throws what the device has reported since the last check. */
  check(): void;
  /** From now on creating a buffer is an error that names `phase`: no buffer is created in a training or decoding step. */
  seal(phase: string): void;
  unseal(): void;
  createBuffer(label: string, bytes: number): DeviceBuffer;
  destroyBuffer(buffer: DeviceBuffer): void;
  /** Runs an allocation; a failure names what was being allocated. */
  allocating<T>(what: string, allocate: () => T): Promise<T>;
  /** `flopsPerSubmission`: a submission is sent once it holds this much work. */
  createRecorder(stagingBytes: number, flopsPerSubmission: number): Recorder;
  destroy(): void;
}
