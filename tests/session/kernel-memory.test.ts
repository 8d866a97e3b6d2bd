// Kernel choices of a run: those of its checkpoint come first, then those measured once for the adapter and stored
// where the browser allows it.
import 'fake-indexeddb/auto';
import { describe, expect, it } from 'vitest';
import type { Gpu } from '../../src/device/webgpu/device.ts';
import {
  defaultChoices,
  expectedChoices,
  type FormTimes,
  measurement,
} from '../../src/policy/engine/kernel-choices.ts';
import { measureChoices } from '../../src/policy/engine/measure-choices.ts';
import { chooseKernels, measuredForms } from '../../src/session/device/kernel-memory.ts';
import { BrowserAdapterMemory } from '../../src/store/adapter-memory.ts';
import { RecordingDevice } from '../../tools/isa/recording-device.ts';
import { tinySizes } from '../policy/run-sizes.ts';

const sizes = tinySizes();

/** A device that only records. Each description is a different adapter. */
function device(description = 'one', info: { isFallback?: boolean } = {}): Gpu {
  const recording = new RecordingDevice();
  return Object.assign(recording, { info: { ...recording.info, ...info, description } }) as unknown as Gpu;
}

/** Measures in no time: of each choice the last form is the fastest. Counts the choices. */
function counted() {
  const counts = { measured: 0 };
  const timer = {
    async measure(candidates: readonly { name: string }[]) {
      counts.measured++;
      return candidates.map(({ name }, i) => ({ form: name, ms: 100 - 10 * i }));
    },
  };
  const measure: typeof measureChoices = (gpu, of, times) => measureChoices(gpu, of, times, () => timer);
  return { counts, measure };
}

const lasting = (name: string) => new BrowserAdapterMemory(async () => true, name);

describe('the kernels of a run', () => {
  it('are those of its checkpoint, and the times that were measured here come with them', async () => {
    const memory = lasting('checkpoint');
    const { counts, measure } = counted();
    const stored = { ...defaultChoices, matmul_nt_many: 'rows4' } as const;
    expect(await chooseKernels(device(), sizes, stored, memory, measure)).toEqual(stored);
    expect(await memory.read('one')).toBeNull();
    expect(counts.measured).toBe(0);
    await chooseKernels(device(), sizes, {}, memory, measure);
    const again = device();
    await chooseKernels(again, sizes, stored, memory, measure);
    const [form] = measuredForms(again, sizes, stored);
    expect(form).toMatchObject({ choice: 'matmul_nt_many', form: 'rows4' });
    expect(form.times?.map((time) => time.form)).toEqual(['blocks', 'rows8', 'rows4', 'tiled']);
  });

  it('are measured once for each adapter, and a second opening measures nothing', async () => {
    const memory = lasting('by adapter');
    const { counts, measure } = counted();
    const choices = await chooseKernels(device(), sizes, undefined, memory, measure);
    expect(choices).toMatchObject({ matmul_nt_many: 'tiled', matmul_tn_many: 'tiled' });
    const { measured } = counts;
    expect(measured).toBeGreaterThan(4);
    const again = device();
    expect(await chooseKernels(again, sizes, undefined, memory, measure)).toEqual(choices);
    expect(counts.measured).toBe(measured);
    expect((again as unknown as RecordingDevice).forms).toEqual([]);
    await chooseKernels(device('two'), sizes, undefined, memory, measure);
    expect(counts.measured).toBe(2 * measured);
  });

  it('are measured at sizes that are new, beside those known', async () => {
    const memory = lasting('by size');
    const { counts, measure } = counted();
    await chooseKernels(device(), sizes, undefined, memory, measure);
    const { measured } = counts;
    await chooseKernels(device(), tinySizes(8), undefined, memory, measure);
    expect(counts.measured - measured).toBeGreaterThan(0);
    expect(counts.measured - measured).toBeLessThan(measured);
    const stored = (await memory.read('one')) as { times: FormTimes };
    expect(stored.times.size).toBe(counts.measured);
  });

  it('are measured again where an earlier version measured them', async () => {
    const memory = lasting('by version');
    await memory.write('one', { ...defaultChoices, measurement: measurement - 1, times: new Map() });
    const { counts, measure } = counted();
    await chooseKernels(device(), sizes, undefined, memory, measure);
    expect(counts.measured).toBeGreaterThan(0);
    expect(await memory.read('one')).toMatchObject({ measurement });
  });

  it('are measured by one run at a time', async () => {
    const { counts, measure } = counted();
    const gpu = device();
    const [first, second] = await Promise.all(
      [1, 2].map(() => chooseKernels(gpu, sizes, undefined, undefined, measure)),
    );
    expect(second).toEqual(first);
    expect(counts.measured).toBe(measuredForms(gpu, sizes, first).length);
  });

  it('are shown with what was not measured yet', async () => {
    const gpu = device();
    const choices = expectedChoices(gpu);
    expect(measuredForms(gpu, sizes, choices).map(({ times }) => times)).toEqual(new Array(6).fill(null));
    expect(measuredForms(device('software', { isFallback: true }), sizes, choices)).toEqual([]);
  });

  it('have integer activations on the processor, but not in a run that began without them', async () => {
    const processor = Object.assign(device('processor'), { compiles: false });
    expect(await chooseKernels(processor, sizes, undefined)).toEqual({
      ...defaultChoices,
      packed_activations: 'int16',
    });
    const { packed_activations: _, ...older } = defaultChoices;
    expect((await chooseKernels(processor, sizes, older)).packed_activations).toBe('f32');
  });

  it('stay the same for a device, also without storage', async () => {
    const gpu = device();
    const { counts, measure } = counted();
    const broken = { read: () => Promise.reject(new Error('no')), write: () => Promise.reject(new Error('no')) };
    const first = await chooseKernels(gpu, sizes, undefined, broken, measure);
    const { measured } = counts;
    expect(await chooseKernels(gpu, sizes, undefined, broken, measure)).toEqual(first);
    expect(counts.measured).toBe(measured);
  });
});
