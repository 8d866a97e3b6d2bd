/**
 * Time by kernel, from timestamp queries. Once armed, each dispatch runs in a compute pass of its own that records its
 * start and end, until the buffer for timestamps is full. Nothing waits for the timestamps and no buffer is created
 * later, so a profile can be armed in the middle of a run. Chrome rounds timestamps to 0.1 ms unless it is started with
 * --enable-webgpu-developer-features; sums over many dispatches still show the proportions.
 */
import type { KernelTime } from '../device.ts';
import type { OpenedGpu } from './opened.ts';

/** Dispatches timed in one submission. Each takes two queries, and a query set holds at most 4096. */
const dispatchesPerSet = 2048;
const bytesEach = 16;
/** Alignment of resolved query results in a buffer. */
const alignment = 256;
const roomBytes = 1 << 18;
/** GPU bytes of a profile's buffers. */
export const profileBytes = 2 * roomBytes;

export class Profile {
  /** While true, dispatches are timed until the buffer is full. */
  armed = false;
  private readonly byKernel = new Map<string, KernelTime>();
  private readonly queries: GPUQuerySet;
  private readonly resolved: GPUBuffer;
  private readonly staging: GPUBuffer;
  /** Kernels timed in the open encoder, and those already submitted with the offset of their timestamps. */
  private open: string[] = [];
  private submitted: { at: number; names: string[] }[] = [];
  private used = 0;
  private collecting: Promise<void> | null = null;

  private constructor(private readonly gpu: OpenedGpu) {
    this.queries = gpu.device.createQuerySet({ label: 'Profile', type: 'timestamp', count: 2 * dispatchesPerSet });
    this.resolved = gpu.createBuffer('Profile.resolved', roomBytes, 0x200 | 0x4 /* QUERY_RESOLVE | COPY_SRC */);
    this.staging = gpu.createBuffer('Profile.staging', roomBytes, 0x1 | 0x8 /* MAP_READ | COPY_DST */);
  }

  /** Returns null if the adapter has no timestamps. */
  static create(gpu: OpenedGpu): Profile | null {
    return gpu.features.has('timestamp-query') ? new Profile(gpu) : null;
  }

  /** Timestamp writes for the pass of one dispatch, or null if it is not timed. */
  next(kernel: string): GPUComputePassTimestampWrites | null {
    const index = this.open.length;
    const bytes = Math.ceil(((index + 1) * bytesEach) / alignment) * alignment;
    if (!this.armed || index >= dispatchesPerSet || this.used + bytes > roomBytes) return null;
    this.open.push(kernel);
    return { querySet: this.queries, beginningOfPassWriteIndex: 2 * index, endOfPassWriteIndex: 2 * index + 1 };
  }

  /** Resolves the timestamps of an encoder at its end. */
  resolve(encoder: GPUCommandEncoder): void {
    const names = this.open;
    if (names.length === 0) return;
    encoder.resolveQuerySet(this.queries, 0, 2 * names.length, this.resolved, this.used);
    this.submitted.push({ at: this.used, names });
    this.used += Math.ceil((names.length * bytesEach) / alignment) * alignment;
    this.open = [];
  }

  /** Time by kernel of everything submitted so far. Empties the buffer for timestamps and continues timing. */
  async times(): Promise<ReadonlyMap<string, KernelTime>> {
    this.collecting ??= this.readTimestamps().finally(() => {
      this.collecting = null;
    });
    await this.collecting;
    this.armed = true;
    return this.byKernel;
  }

  private async readTimestamps(): Promise<void> {
    const { submitted, used } = this;
    if (used === 0) return;
    const encoder = this.gpu.device.createCommandEncoder();
    encoder.copyBufferToBuffer(this.resolved, 0, this.staging, 0, used);
    this.gpu.device.queue.submit([encoder.finish()]);
    // Later resolves come after this copy in the queue, so their space can be reused now.
    this.submitted = [];
    this.used = 0;
    await this.staging.mapAsync(1 /* READ */, 0, used);
    const stamps = new BigUint64Array(this.staging.getMappedRange(0, used).slice(0));
    this.staging.unmap();
    for (const { at, names } of submitted) this.add(names, stamps.subarray(at / 8));
  }

  private add(names: readonly string[], stamps: BigUint64Array): void {
    names.forEach((name, i) => {
      const time = this.byKernel.get(name) ?? { ms: 0, timed: 0 };
      // Clocks may step back between passes.
      const nanoseconds = Number(stamps[2 * i + 1] - stamps[2 * i]);
      this.byKernel.set(name, { ms: time.ms + Math.max(0, nanoseconds) / 1e6, timed: time.timed + 1 });
    });
  }

  destroy(): void {
    this.queries.destroy();
    this.gpu.destroyBuffer(this.resolved);
    this.gpu.destroyBuffer(this.staging);
  }
}
