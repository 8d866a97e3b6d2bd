/**
 * A device without hardware or memory: it records which kernels a model requests and which calls it records, and reads
 * zeros. With it the engine itself lists its kernels and counts its work.
 */
import {
  type BufferSlice,
  type Constants,
  type Device,
  type DeviceBuffer,
  DeviceError,
  type DeviceInfo,
  type Dispatch,
  type Kernel,
  type KernelCache,
  type KernelHandle,
  type Recorder,
} from '../../src/device/device.ts';

/** A kernel as it is requested. */
export interface Form {
  name: string;
  constants: Constants;
  /** Source that is inserted after the constants. */
  extra: string;
}

/** A recorded call. */
export interface Call {
  form: Form;
  params: { readonly [name: string]: number };
  workgroups: number;
  flops: number;
}

const keyOf = ({ name, constants, extra }: Form) => `${name} ${JSON.stringify(constants)} ${extra}`;

class RecordingKernels implements KernelCache {
  readonly forms = new Map<string, Form>();
  private readonly ready = new Set<string>();

  request(name: string, constants: Constants = {}, extra = ''): KernelHandle {
    const form = { name, constants, extra };
    const key = keyOf(form);
    this.forms.set(key, form);
    const kernel: Kernel = { ...form, code: '', bindingCount: 0, writes: () => false };
    const { ready } = this;
    return {
      name,
      get isReady() {
        return ready.has(key);
      },
      get: () => {
        if (!ready.has(key)) throw new DeviceError(`Kernel ${key} was used before it was compiled.`);
        return kernel;
      },
    };
  }

  async settle(): Promise<void> {
    for (const key of this.forms.keys()) this.ready.add(key);
  }

  all(): Kernel[] {
    return [];
  }
}

class RecordingRecorder implements Recorder {
  readonly submissions = 0;
  readonly readbacks = 0;
  readonly perKernel = new Map<string, number>();
  dispatches = 0;
  flops = 0;
  dry = false;
  gate: Recorder['gate'] = null;

  constructor(
    readonly device: RecordingDevice,
    readonly stagingBytes: number,
  ) {}

  run({ kernel, params = {}, grid: [x, y = 1, z = 1], flops = 0 }: Dispatch): void {
    if (this.dry) return;
    this.dispatches++;
    this.flops += flops;
    this.device.calls.push({ form: kernel.get(), params, workgroups: x * y * z, flops });
  }

  async read(slices: readonly BufferSlice[]): Promise<ArrayBuffer[]> {
    return slices.map(({ size }) => new ArrayBuffer(size));
  }

  copy(): void {}
  clear(): void {}
  upload(): void {}
  submit(): void {}
  destroy(): void {}
  shared(): null {
    return null;
  }
  async finish(): Promise<void> {}
  async yieldToMessages(): Promise<void> {}
  async times(): Promise<null> {
    return null;
  }
}

/** Grants what a current GPU grants. */
export class RecordingDevice implements Device {
  readonly info: DeviceInfo;
  readonly features: ReadonlySet<string> = new Set(['shader-f16', 'subgroups']);
  readonly compiles = true;
  readonly sharesMemory = false;
  readonly survivesSleep = false;
  readonly partialSums = true;
  readonly lost = new Promise<never>(() => {});
  readonly failure = null;
  readonly bindingBytes = 2 ** 31 - 4;
  readonly bufferBytes = 2 ** 31 - 4;
  readonly timingBytes = 0;
  readonly limits = {};
  readonly buffersCreated = 0;
  readonly bytesAllocated = 0;
  readonly liveBuffers = 0;
  readonly kernels = new RecordingKernels();
  calls: Call[] = [];

  constructor(info: Partial<DeviceInfo> = {}) {
    const plain = { vendor: '', architecture: '', description: 'recording', isFallback: false, subgroupMinSize: 32 };
    this.info = { ...plain, ...info };
  }

  /** Everything requested so far. */
  get forms(): Form[] {
    return [...this.kernels.forms.values()];
  }

  createBuffer(label: string, bytes: number): DeviceBuffer {
    return { label, size: bytes };
  }
  createRecorder(stagingBytes: number): Recorder {
    return new RecordingRecorder(this, stagingBytes);
  }
  async allocating<T>(_what: string, allocate: () => T): Promise<T> {
    return allocate();
  }
  check(): void {}
  seal(): void {}
  unseal(): void {}
  destroyBuffer(): void {}
  destroy(): void {}
}
