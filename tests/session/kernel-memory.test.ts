// Kernel choices of a run: those of its checkpoint come first, then those measured once for the adapter and stored
// where the browser allows it.
import 'fake-indexeddb/auto';
import { describe, expect, it } from 'vitest';
import type { Gpu } from '../../src/device/webgpu/device.ts';
import { defaultChoices, measurement } from '../../src/policy/engine/kernel-choices.ts';
import { chooseKernels, measuredForms } from '../../src/session/device/kernel-memory.ts';
import { BrowserAdapterMemory } from '../../src/store/adapter-memory.ts';

/** A software adapter, on which nothing is measured. Each description is a different device. */
const device = (description = 'one') =>
  ({ compiles: true, info: { vendor: 'v', architecture: 'a', description, isFallback: true } }) as unknown as Gpu;

describe('the kernels of a run', () => {
  it('are those of its checkpoint', async () => {
    const stored = { ...defaultChoices, matmul_nt_many: 'tiled' };
    const memory = new BrowserAdapterMemory(async () => true, 'checkpoint');
    expect(await chooseKernels(device(), stored, memory)).toEqual(stored);
    expect(await memory.read('v, a, one')).toBeNull();
  });

  it('are remembered for each adapter', async () => {
    const memory = new BrowserAdapterMemory(async () => true, 'by adapter');
    expect(await chooseKernels(device('one'), {}, memory)).toEqual(defaultChoices);
    expect(await memory.read('v, a, one')).toEqual({ ...defaultChoices, measurement });
    const tiled = { ...defaultChoices, matmul_tn_many: 'tiled' };
    await memory.write('v, a, two', { ...tiled, measurement });
    expect(await chooseKernels(device('two'), undefined, memory)).toEqual(tiled);
    expect(await chooseKernels(device('one'), undefined, memory)).toEqual(defaultChoices);
  });

  it('come with the times that were measured on the adapter before', async () => {
    const memory = new BrowserAdapterMemory(async () => true, 'with times');
    const times = new Map([
      [
        'matmul_nt_narrow',
        [
          { form: 'wide', ms: 3 },
          { form: 'lanes', ms: 1 },
        ],
      ],
    ]);
    const lanes = { ...defaultChoices, matmul_nt_narrow: 'lanes' } as const;
    await memory.write('v, a, timed', { ...lanes, measurement, times });
    const gpu = device('timed');
    expect(await chooseKernels(gpu, undefined, memory)).toEqual(lanes);
    const [[choice, forms]] = times;
    expect(measuredForms(gpu, lanes)).toEqual([{ choice, form: 'lanes', times: forms }]);
    expect(measuredForms(device('none'), lanes)).toEqual([]);
  });

  it('are measured again where an earlier version measured them', async () => {
    const memory = new BrowserAdapterMemory(async () => true, 'by version');
    await memory.write('v, a, five', { ...defaultChoices, matmul_tn_many: 'tiled', measurement: measurement - 1 });
    expect(await chooseKernels(device('five'), undefined, memory)).toEqual(defaultChoices);
    expect(await memory.read('v, a, five')).toEqual({ ...defaultChoices, measurement });
  });

  it('have integer activations on the processor, but not in a run that began without them', async () => {
    const processor = { ...device('processor'), compiles: false } as unknown as Gpu;
    expect(await chooseKernels(processor, undefined)).toEqual({ ...defaultChoices, packed_activations: 'int16' });
    const { packed_activations: _, ...older } = defaultChoices;
    expect((await chooseKernels(processor, older)).packed_activations).toBe('f32');
  });

  it('stay the same for a device, also without storage', async () => {
    const gpu = device('three');
    const first = chooseKernels(gpu, undefined);
    expect(chooseKernels(gpu, undefined)).toStrictEqual(first);
    const broken = { read: () => Promise.reject(new Error('no')), write: () => Promise.reject(new Error('no')) };
    expect(await chooseKernels(device('four'), undefined, broken)).toEqual(await first);
  });
});
