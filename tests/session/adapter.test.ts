// A missing adapter, or one with limits below the minimum, is refused with a message that gives the limit or a setting
// that would fit.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Gpu, GpuUnavailableError } from '../../src/device/webgpu/device.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { openWorld } from '../../src/worlds/registry.ts';

const MB = 2 ** 20;
const document = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
const defaults = {
  maxStorageBuffersPerShaderStage: 8,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupStorageSize: 16384,
  maxStorageBufferBindingSize: 128 * MB,
  maxBufferSize: 256 * MB,
};

/** A navigator.gpu whose adapter grants these limits and must never be asked for a device. */
function browserWith(limits: Partial<typeof defaults>): GPU {
  const requestDevice = () => Promise.reject(new Error('a device was asked for'));
  const adapter = { limits: { ...defaults, ...limits }, features: new Set(), info: {}, requestDevice };
  return { requestAdapter: async () => adapter } as unknown as GPU;
}

const opening = async (gpu: GPU | undefined): Promise<Error> =>
  Gpu.open(gpu).then(
    () => new Error('opened'),
    (e) => e,
  );

describe('opening an adapter', () => {
  it.each(
    Object.entries({
      maxStorageBuffersPerShaderStage: 4,
      maxComputeInvocationsPerWorkgroup: 128,
      maxComputeWorkgroupStorageSize: 8192,
      maxStorageBufferBindingSize: 64 * MB,
    }),
  )('%s below the default is refused with both numbers', async (name, granted) => {
    const error = await opening(browserWith({ [name]: granted }));
    expect(error).toBeInstanceOf(GpuUnavailableError);
    const least = defaults[name as keyof typeof defaults];
    expect(error.message).toBe(`This adapter is too small: ${name} is ${granted}, and ${least} is needed.`);
  });

  it('is followed by a device request with the default limits', async () => {
    expect((await opening(browserWith({}))).message).toBe('a device was asked for');
  });

  it('lists the browsers with WebGPU, and what to do where there is no adapter', async () => {
    expect((await opening(undefined)).message).toMatch(/no WebGPU\..*Chrome.*Safari.*Firefox/);
    const none = { requestAdapter: async () => null } as unknown as GPU;
    expect((await opening(none)).message).toMatch(/found no adapter.*driver/);
  });
});

describe('a run too large for an adapter', () => {
  const sizes = ['maxBufferSize', 'maxStorageBufferBindingSize'] as const;
  const gpuWith = (limits: Partial<typeof defaults>) =>
    ({ bufferBytes: Math.min(...sizes.map((name) => ({ ...defaults, ...limits })[name])) }) as unknown as Gpu;
  const plan = (change: object, gpu: Gpu) =>
    new Assembly({ machine: { open: async () => gpu }, openWorld }).plan(parseExperiment({ ...document, ...change }));

  it('names the buffer, its part and a change that would make it fit', async () => {
    expect(await plan({}, gpuWith({}))).toMatchObject({ fits: true, advice: '' });
    const report = await plan({}, gpuWith({ maxBufferSize: MB / 4 }));
    expect(report.fits).toBe(false);
    expect(report.advice).toMatch(/needs [\d.]+ MB in one buffer and this adapter allows 0\.3 MB: choose /);
  });

  it('adds up the parts to the total', async () => {
    const policy = { ...document.policy, layers: 16, hidden: 1024, heads: 16, kvHeads: 16, headDim: 64 };
    const large = { ...policy, intermediate: 4096 };
    const report = await plan(
      { policy: large },
      gpuWith({ maxBufferSize: 2 ** 40, maxStorageBufferBindingSize: 2 ** 40 }),
    );
    expect(report.fits).toBe(false);
    expect(report.advice).toMatch(/It needs [\d.]+ MB, more than the 2147\.5 MB .* choose fewer layers/);
    expect(report.parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(report.total);
  });
});
