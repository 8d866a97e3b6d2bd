/**
 * Measures the best rates of this machine, with kernels that do nothing else: multiply-adds in registers, a copy
 * of a buffer, empty dispatches, a read-back of four bytes. The floors beside the results are computed from these.
 */
import type { Gpu } from '../src/device/webgpu/device.ts';

export interface MachineRates {
  /** Billions of f32 operations per second (a multiply-add is two). */
  gflops: number;
  /** Billions of bytes read and written per second. */
  gigabytesPerSecond: number;
  dispatchMs: number;
  readbackMs: number;
}

/**
 * Median milliseconds of `work`, which resolves when the device has finished. Runs one warm-up, then at least three
 * times and for about `seconds`; only once more if the warm-up took over five seconds.
 */
export async function timed(work: () => Promise<unknown>, seconds = 1, most = 50): Promise<number> {
  const clock = async () => {
    const before = performance.now();
    await work();
    return performance.now() - before;
  };
  if ((await clock()) > 5000) return clock();
  const times: number[] = [];
  for (const start = performance.now(); times.length < 3 || performance.now() - start < seconds * 1000; ) {
    times.push(await clock());
    if (times.length >= most) break;
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}

const ITERATIONS = 512;
/** Each iteration multiplies and adds 8 vectors of 4: 64 operations. */
const fmaShader = `
@group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = vec4f(0.999, 0.998, 0.997, f32(id.x) * 1e-9);
  var a = x; var b = x * 2.0; var c = x * 3.0; var d = x * 4.0;
  var e = x * 5.0; var f = x * 6.0; var g = x * 7.0; var h = x * 8.0;
  for (var i = 0u; i < ${ITERATIONS}u; i++) {
    a = fma(a, x, x); b = fma(b, x, x); c = fma(c, x, x); d = fma(d, x, x);
    e = fma(e, x, x); f = fma(f, x, x); g = fma(g, x, x); h = fma(h, x, x);
  }
  out[id.x] = a + b + c + d + e + f + g + h;
}`;
/** A GPU's copy engine can be several times slower than its memory: 830 GB/s of 3.8 TB/s on an H200. */
const copyShader = `
@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4f>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) count: vec3u) {
  for (var i = id.x; i < arrayLength(&source); i += count.x * 256u) { copied[i] = source[i]; }
}`;
const emptyShader = `
@group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
@compute @workgroup_size(1) fn main() { out[0].x += 1.0; }`;

const THREADS = 1 << 15;
/** Exceeds the caches of most GPUs. */
const COPY_BYTES = 256 << 20;
const SOFTWARE_COPY_BYTES = 32 << 20;
const COPY_GROUPS = 4096;

class Probe {
  private readonly buffers: GPUBuffer[];
  constructor(private readonly gpu: Gpu) {
    const usage = 0x80 | 0x4 | 0x8; // STORAGE | COPY_SRC | COPY_DST
    const size = gpu.info.isFallback ? SOFTWARE_COPY_BYTES : Math.min(COPY_BYTES, gpu.bufferBytes);
    this.buffers = [size, size].map((bytes, i) => gpu.createBuffer(`Probe.${i}`, bytes, usage));
  }

  private async submit(record: (encoder: GPUCommandEncoder) => void) {
    const encoder = this.gpu.device.createCommandEncoder();
    record(encoder);
    this.gpu.device.queue.submit([encoder.finish()]);
    await this.gpu.device.queue.onSubmittedWorkDone();
  }

  private dispatches(code: string, workgroups: number, times: number, bindings = 1): () => Promise<void> {
    const { device } = this.gpu;
    const module = device.createShaderModule({ code });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main' } });
    const entries = this.buffers.slice(0, bindings).map((buffer, binding) => ({ binding, resource: { buffer } }));
    const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    return () =>
      this.submit((encoder) => {
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        for (let i = 0; i < times; i++) pass.dispatchWorkgroups(workgroups);
        pass.end();
      });
  }

  /** Repeats until there is enough work that latency does not dominate on a fast adapter. */
  async gflops(): Promise<number> {
    let times = 1;
    for (;;) {
      const run = this.dispatches(fmaShader, THREADS / 64, times);
      const ms = await timed(run, 0.3, 8);
      if (ms > 30 || times >= 4096) return (times * THREADS * ITERATIONS * 64) / ms / 1e6;
      times *= 4;
    }
  }

  /** The faster of two copies: by a kernel, and by the adapter's copy engine. */
  async gigabytesPerSecond(): Promise<number> {
    const [source, target] = this.buffers;
    const times = 8;
    const byEngine = () =>
      this.submit((encoder) => {
        for (let i = 0; i < times; i++) encoder.copyBufferToBuffer(source, 0, target, 0, source.size);
      });
    const ms = await timed(byEngine, 0.3, 8);
    const kernelMs = await timed(this.dispatches(copyShader, COPY_GROUPS, times, 2), 0.3, 8);
    return (2 * times * source.size) / Math.min(ms, kernelMs) / 1e6;
  }

  async dispatchMs(): Promise<number> {
    const times = 1000;
    return (await timed(this.dispatches(emptyShader, 1, times))) / times;
  }

  async readbackMs(): Promise<number> {
    const staging = this.gpu.createBuffer('Probe.staging', 16, 0x1 | 0x8 /* MAP_READ | COPY_DST */);
    const ms = await timed(async () => {
      const encoder = this.gpu.device.createCommandEncoder();
      encoder.copyBufferToBuffer(this.buffers[0], 0, staging, 0, 16);
      this.gpu.device.queue.submit([encoder.finish()]);
      await staging.mapAsync(1);
      staging.unmap();
    });
    this.gpu.destroyBuffer(staging);
    return ms;
  }

  close() {
    for (const buffer of this.buffers) this.gpu.destroyBuffer(buffer);
  }
}

export async function measureMachine(gpu: Gpu): Promise<MachineRates> {
  const probe = new Probe(gpu);
  const rates = {
    gflops: await probe.gflops(),
    gigabytesPerSecond: await probe.gigabytesPerSecond(),
    dispatchMs: await probe.dispatchMs(),
    readbackMs: await probe.readbackMs(),
  };
  probe.close();
  return rates;
}
