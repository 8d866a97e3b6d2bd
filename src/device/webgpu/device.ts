/**
 * The GPU device: opens an adapter, requests more than the default limits if it grants them, and watches for loss and
 * errors.
 */
import { type Device, type DeviceBuffer, type DeviceInfo, DeviceLostError } from '../device.ts';
import { GpuError, GpuUnavailableError, gpuBuffer } from './errors.ts';
import { WebGpuKernels } from './kernel.ts';
import { profileBytes } from './profile.ts';
import { WebGpuRecorder } from './submission.ts';

export { GpuError, GpuUnavailableError } from './errors.ts';

/** Minimum limits of the engine. These are WebGPU's defaults, so a conforming adapter has them. */
const needed = {
  maxStorageBuffersPerShaderStage: 8,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupStorageSize: 16384,
  maxStorageBufferBindingSize: 128 * 1024 * 1024,
} as const;

/** Usage of the engine's buffers: STORAGE | COPY_SRC | COPY_DST. */
const storage = 0x80 | 0x4 | 0x8;

/** Limits of which the engine requests all that the adapter grants. */
const raised = ['maxStorageBufferBindingSize', 'maxBufferSize'] as const;

const shownLimits = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupsPerDimension',
] as const;

const softwareNames = /swiftshader|llvmpipe|lavapipe|software|basic render/i;

function describe(adapter: GPUAdapter): DeviceInfo {
  const info = adapter.info;
  const all = `${info.vendor} ${info.architecture} ${info.device} ${info.description}`;
  return {
    vendor: info.vendor,
    architecture: info.architecture,
    description: info.description || info.device || info.vendor || 'unnamed adapter',
    isFallback: Boolean((info as { isFallbackAdapter?: boolean }).isFallbackAdapter) || softwareNames.test(all),
    subgroupMinSize: (info as { subgroupMinSize?: number }).subgroupMinSize ?? 0,
  };
}

/** An open device. Opening throws GpuUnavailableError if there is no device or it is too small. */
export class Gpu implements Device {
  readonly compiles = true;
  readonly sharesMemory = false;
  readonly partialSums = true;
  readonly survivesSleep = false;
  readonly kernels = new WebGpuKernels(this);
  /** Rejects when the device is lost, and never resolves, so that any wait can race with it. */
  readonly lost: Promise<never>;
  /** First error that the device reported, or its loss; null if there is none. */
  failure: Error | null = null;
  buffersCreated = 0;
  bytesAllocated = 0;
  private sealed: string | null = null;
  private readonly live = new Set<DeviceBuffer>();

  private constructor(
    readonly device: GPUDevice,
    readonly info: DeviceInfo,
    readonly features: ReadonlySet<string>,
    private readonly mostBindingBytes = Number.POSITIVE_INFINITY,
  ) {
    this.lost = device.lost.then((reason) => {
      const error = new DeviceLostError(`The GPU device was lost (${reason.reason}): ${reason.message}`);
      this.failure ??= error;
      throw error;
    });
    this.lost.catch(() => {});
    device.addEventListener('uncapturederror', (event) => {
      this.failure ??= new GpuError((event as GPUUncapturedErrorEvent).error.message);
    });
  }

  /** `mostBindingBytes`: limit for bindings, to behave like an adapter that grants no more. */
  static async open(gpu: GPU | undefined, options: { mostBindingBytes?: number } = {}): Promise<Gpu> {
    if (!gpu) {
      throw new GpuUnavailableError(
        'This browser has no WebGPU. Chrome or Edge 113+, Safari 26+ and Firefox 141+ (Windows, Apple silicon) have it.',
      );
    }
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (!adapter) {
      throw new GpuUnavailableError(
        'WebGPU is available but found no adapter: the graphics driver is missing, blocked or too old. Choose the processor, update the driver or try another browser; chrome://gpu shows the reason.',
      );
    }
    checkLimits(adapter);
    const wanted = ['shader-f16', 'subgroups', 'subgroup-size-control', 'timestamp-query'];
    const requiredFeatures = wanted.filter((name) => adapter.features.has(name)) as GPUFeatureName[];
    const requiredLimits: Record<string, number> = {};
    for (const name of raised) requiredLimits[name] = adapter.limits[name];
    const device = await adapter.requestDevice({ requiredFeatures, requiredLimits });
    return new Gpu(
      device,
      describe(adapter),
      new Set(device.features as unknown as Iterable<string>),
      options.mostBindingBytes,
    );
  }

  get limits(): Readonly<Record<string, number>> {
    const granted = this.device.limits;
    return Object.fromEntries(shownLimits.map((name) => [name, granted[name]]));
  }

  get timingBytes(): number {
    return this.features.has('timestamp-query') ? profileBytes : 0;
  }

  /** Maximum bytes of one binding. Larger data must be divided. */
  get bindingBytes(): number {
    return Math.min(this.device.limits.maxStorageBufferBindingSize, this.mostBindingBytes);
  }

  get bufferBytes(): number {
    return Math.min(this.device.limits.maxBufferSize, this.bindingBytes);
  }

  /** Throws the error that the device has reported, if any. */
  check(): void {
    if (this.failure) throw this.failure;
  }

  /**
   * From now on, creating a buffer throws an error that names `phase`: training and decoding steps must create none.
   */
  seal(phase: string): void {
    this.sealed = phase;
  }

  unseal(): void {
    this.sealed = null;
  }

  /** Creates every buffer of the engine. Counts them, checks their size, and throws during a sealed phase. */
  createBuffer(label: string, bytes: number, usage: GPUBufferUsageFlags = storage): GPUBuffer {
    if (this.sealed) throw new GpuError(`Buffer ${label} (${bytes} bytes) was created during ${this.sealed}.`);
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    const bound = this.bufferBytes;
    if (size > bound) {
      throw new GpuUnavailableError(`${label} needs ${size} bytes in one buffer; this adapter allows ${bound}.`);
    }
    const buffer = this.device.createBuffer({ label, size, usage });
    this.buffersCreated++;
    this.bytesAllocated += size;
    this.live.add(buffer);
    return buffer;
  }

  destroyBuffer(buffer: DeviceBuffer): void {
    if (!this.live.delete(buffer)) return;
    this.bytesAllocated -= buffer.size;
    gpuBuffer(buffer).destroy();
  }

  createRecorder(stagingBytes: number, flopsPerSubmission: number): WebGpuRecorder {
    return new WebGpuRecorder(this, stagingBytes, flopsPerSubmission);
  }

  /** Buffers created and not yet destroyed. Growth over a create/destroy cycle is a leak. */
  get liveBuffers(): number {
    return this.live.size;
  }

  /** Runs an allocation in an out-of-memory error scope. An error names `what`. */
  async allocating<T>(what: string, allocate: () => T): Promise<T> {
    this.device.pushErrorScope('out-of-memory');
    let result: T;
    try {
      result = allocate();
    } finally {
      const error = await this.device.popErrorScope();
      if (error)
        this.failure ??= new GpuUnavailableError(`Out of GPU memory while allocating ${what}: ${error.message}`);
    }
    this.check();
    return result;
  }

  destroy(): void {
    for (const buffer of this.live) gpuBuffer(buffer).destroy();
    this.live.clear();
    this.device.destroy();
  }
}

function checkLimits(adapter: GPUAdapter): void {
  for (const [name, least] of Object.entries(needed)) {
    const granted = adapter.limits[name as keyof typeof needed];
    if (granted < least) {
      throw new GpuUnavailableError(`This adapter is too small: ${name} is ${granted}, and ${least} is needed.`);
    }
  }
}
