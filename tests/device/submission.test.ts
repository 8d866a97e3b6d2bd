// Devices, buffers, submissions and timing, tested with a kernel that copies rows. Every layer above relies on these.

import { describe, expect, it } from 'vitest';
import { grid1d, whole } from '../../src/device/device.ts';
import { type Gpu, GpuError } from '../../src/device/webgpu/device.ts';
import { shaderSource } from '../../src/device/webgpu/kernel.ts';
import type { WebGpuRecorder } from '../../src/device/webgpu/submission.ts';
import { useGpu } from './open.ts';

const open = useGpu();
const STORAGE = 0x80 | 0x4 | 0x8; /* STORAGE | COPY_SRC | COPY_DST */

/** Runs `run` with buffers and a recorder, and destroys both afterwards. */
async function withBuffers(
  gpu: Gpu,
  bytes: number[],
  work: (recorder: WebGpuRecorder, buffers: GPUBuffer[]) => Promise<void>,
) {
  const buffers = bytes.map((size, i) => gpu.createBuffer(`test.${i}`, size, STORAGE));
  const recorder = gpu.createRecorder(Math.max(1 << 12, ...bytes), Number.POSITIVE_INFINITY);
  try {
    await work(recorder, buffers);
  } finally {
    recorder.destroy();
    for (const buffer of buffers) gpu.destroyBuffer(buffer);
  }
}

async function embedKernel(gpu: Gpu) {
  const cache = gpu.kernels;
  const kernel = cache.request('embed_forward');
  await cache.settle();
  return kernel;
}

describe('buffers', () => {
  it('are refused in a sealed phase, by its name, and allowed after it', async () => {
    const gpu = await open();
    gpu.seal('update');
    expect(() => gpu.createBuffer('late', 64, STORAGE)).toThrow(/late \(64 bytes\) was created during update/);
    gpu.unseal();
    gpu.destroyBuffer(gpu.createBuffer('early', 64, STORAGE));
  });

  it('are counted, and refused beyond the limit with a message', async () => {
    const gpu = await open();
    const before = [gpu.liveBuffers, gpu.bytesAllocated];
    const buffer = gpu.createBuffer('counted', 100, STORAGE);
    expect([gpu.liveBuffers, gpu.bytesAllocated]).toEqual([before[0] + 1, before[1] + 112]);
    gpu.destroyBuffer(buffer);
    expect([gpu.liveBuffers, gpu.bytesAllocated]).toEqual(before);
    expect(() => gpu.createBuffer('huge', 2 ** 50, STORAGE)).toThrow(/huge needs .* this adapter allows/);
  });
});

describe('errors', () => {
  it('from validation are reported at the next check', async () => {
    const gpu = await open();
    const usage = 0x1 | 0x80; // MAP_READ may be combined with COPY_DST only.
    gpu.device.createBuffer({ size: 16, usage }).destroy();
    await gpu.device.queue.onSubmittedWorkDone();
    expect(gpu.failure).toBeInstanceOf(GpuError);
    expect(() => gpu.check()).toThrow();
    gpu.failure = null;
  });

  it('from compilation give the line with its source, once, and are then cleared', async () => {
    const gpu = await open();
    const cache = gpu.kernels;
    cache.request('embed_forward', {}, 'fn broken() -> u32 { return 1.5; }');
    await expect(cache.settle()).rejects.toThrow(/embed_forward\.wgsl:\d+:\d+ error[\s\S]*return 1\.5/);
    await cache.settle();
    expect(() => cache.request('embed_forward', { UNUSED: 1 }).get()).toThrow(/before it was compiled/);
    await cache.settle();
  });

  it('in a call name the kernel', async () => {
    const gpu = await open();
    const kernel = await embedKernel(gpu);
    await withBuffers(gpu, [64], async (recorder, [buffer]) => {
      expect(() => recorder.run({ kernel, bindings: [whole(buffer)], grid: [1] })).toThrow(
        /embed_forward takes 3 buffers, got 1/,
      );
      const call = { kernel, bindings: [buffer, buffer, buffer].map(whole), grid: [1] as const };
      expect(() => recorder.run({ ...call, params: { T: 1, C: 1, first: 0 } })).toThrow(
        'Kernel embed_forward needs the scalar rows (u32).',
      );
    });
  });
});

describe('shader sources', () => {
  it('include each fragment once and report a missing one', () => {
    expect(shaderSource('embed_forward')).toContain('fn linear_workgroup');
    expect(() => shaderSource('nowhere')).toThrow(/shaders\/nowhere\.wgsl/);
  });
});

describe('submissions', () => {
  it('fold a grid over 65,535 workgroups', async () => {
    const gpu = await open();
    const rows = 65_536 * 64 + 5;
    expect(grid1d(Math.ceil(rows / 64))).toEqual([32_769, 2]);
    const kernel = await embedKernel(gpu);
    await withBuffers(gpu, [rows * 4, 16, rows * 4, 4096], async (recorder, [ids, table, out, last]) => {
      recorder.upload(table, 0, Float32Array.of(1, 2, 3, 4));
      recorder.upload(ids, (rows - 5) * 4, Uint32Array.of(3, 1, 2, 3, 1));
      const call = { kernel, bindings: [ids, table, out].map(whole), params: { T: rows, C: 1, first: 0, rows: 4 } };
      recorder.run({ ...call, grid: grid1d(Math.ceil(rows / 64)) });
      recorder.copy(whole(out), last, 0, 16);
      recorder.copy({ buffer: out, offset: (rows - 5) * 4, size: 20 }, last, 16, 20);
      const [bytes] = await recorder.read([{ buffer: last, offset: 0, size: 48 }]);
      expect([...new Float32Array(bytes)].slice(0, 9)).toEqual([1, 1, 1, 1, 4, 2, 3, 4, 2]);
    });
  });

  it('keep the order of uploads, dispatches and copies, and count them', async () => {
    const gpu = await open();
    const kernel = await embedKernel(gpu);
    await withBuffers(gpu, [16, 16, 16, 32], async (recorder, [ids, table, out, both]) => {
      const call = {
        kernel,
        bindings: [ids, table, out].map(whole),
        params: { T: 4, C: 1, first: 0, rows: 4 },
        grid: [1] as const,
      };
      recorder.upload(table, 0, Float32Array.of(5, 6, 7, 8));
      for (const [i, order] of [Uint32Array.of(3, 2, 1, 0), Uint32Array.of(1, 1, 0, 2)].entries()) {
        recorder.upload(ids, 0, order);
        recorder.run(call);
        recorder.copy(whole(out), both, i * 16, 16);
      }
      recorder.clear(out);
      const [pair, cleared] = await recorder.read([whole(both), whole(out)]);
      expect([...new Float32Array(pair)]).toEqual([8, 7, 6, 5, 6, 6, 5, 7]);
      expect([...new Float32Array(cleared)]).toEqual([0, 0, 0, 0]);
      expect([recorder.dispatches, recorder.readbacks, recorder.perKernel.get('embed_forward')]).toEqual([2, 1, 2]);
    });
  });

  it('continue past one block of uniforms', async () => {
    const gpu = await open();
    const kernel = await embedKernel(gpu);
    await withBuffers(gpu, [16, 16, 16], async (recorder, [ids, table, out]) => {
      recorder.upload(table, 0, Float32Array.of(5, 6, 7, 8));
      recorder.upload(ids, 0, Uint32Array.of(0, 1, 2, 3));
      for (let i = 0; i <= 2100; i++)
        recorder.run({
          kernel,
          bindings: [ids, table, out].map(whole),
          grid: [1],
          params: { T: i === 2100 ? 3 : 1, C: 1, first: 0, rows: 4 },
        });
      const [bytes] = await recorder.read([whole(out)]);
      expect([...new Float32Array(bytes)]).toEqual([5, 6, 7, 0]);
      expect(recorder.submissions).toBe(2);
    });
  });
});

describe('profile', () => {
  it('times dispatches while it is armed, and changes no result', async () => {
    const gpu = await open();
    const kernel = await embedKernel(gpu);
    await withBuffers(gpu, [16, 16, 16], async (recorder, [ids, table, out]) => {
      if (!recorder.profile) return expect(gpu.features.has('timestamp-query')).toBe(false);
      const { profile } = recorder;
      const run = () =>
        recorder.run({
          kernel,
          bindings: [ids, table, out].map(whole),
          grid: [1],
          params: { T: 4, C: 1, first: 0, rows: 4 },
        });
      recorder.upload(table, 0, Float32Array.of(5, 6, 7, 8));
      run();
      gpu.seal('a step');
      profile.armed = true;
      for (let i = 0; i < 3; i++) run();
      recorder.submit();
      profile.armed = false;
      run();
      const [bytes] = await recorder.read([whole(out)]);
      const times = await profile.times();
      gpu.unseal();
      expect([...new Float32Array(bytes)]).toEqual([5, 5, 5, 5]);
      expect([...times.keys()]).toEqual(['embed_forward']);
      const { ms, timed } = times.get('embed_forward')!;
      expect(timed).toBe(3);
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThan(10_000);
    });
  });

  it('stops when its room is used up, and continues after its notes were collected', async () => {
    const gpu = await open();
    const kernel = await embedKernel(gpu);
    await withBuffers(gpu, [16, 16, 16], async (recorder, [ids, table, out]) => {
      const { profile } = recorder;
      if (!profile) return expect(gpu.features.has('timestamp-query')).toBe(false);
      profile.armed = true;
      const run = () =>
        recorder.run({
          kernel,
          bindings: [ids, table, out].map(whole),
          grid: [1],
          params: { T: 4, C: 1, first: 0, rows: 4 },
        });
      // Each submission takes 256 bytes of 2^18.
      for (let i = 0; i < 1030; i++) {
        run();
        recorder.submit();
      }
      expect((await profile.times()).get('embed_forward')!.timed).toBe(1024);
      run();
      recorder.submit();
      expect((await profile.times()).get('embed_forward')!.timed).toBe(1025);
    });
  });
});
