// The measurement of a run's choices: at the run's sizes, only those that its kernels depend on, each once.
import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../src/device/autotune.ts';
import {
  expectedChoices,
  type FormTimes,
  type kernelForms,
  parseChoices,
  softwareChoices,
} from '../../src/policy/engine/kernel-choices.ts';
import { measureChoices, measuredForms } from '../../src/policy/engine/measure-choices.ts';
import { RecordingDevice } from '../../tools/isa/recording-device.ts';
import { useGpu } from '../device/open.ts';
import { adaptedSizes, tinySizes } from './run-sizes.ts';

/** Finds that the last form is the fastest, for as many choices as there is time. */
function lastIsFastest(choices = Number.POSITIVE_INFINITY) {
  const measured: (readonly Candidate[])[] = [];
  const timer = {
    async measure(candidates: readonly Candidate[]) {
      if (measured.length >= choices) return null;
      measured.push(candidates);
      return candidates.map(({ name }, i) => ({ form: name, ms: 100 - 10 * i }));
    },
  };
  return { makeTimer: () => timer, measured };
}

const measuredOf = (times: FormTimes) => [...times.keys()].map((key) => key.split(' ')[0]);

describe('what is measured', () => {
  it('are the choices of a policy in f32', async () => {
    const times: FormTimes = new Map();
    await measureChoices(new RecordingDevice(), tinySizes(), times, lastIsFastest().makeTimer);
    expect(measuredOf(times)).toEqual([
      ...['matmul_nt_many', 'matmul_nn_many', 'matmul_tn_many', 'matmul_nt_few'],
      ...['attention_many', 'attention_few'],
    ]);
  });

  it('are those of packed weights with an adapter, the products first', async () => {
    const times: FormTimes = new Map();
    await measureChoices(new RecordingDevice(), adaptedSizes(), times, lastIsFastest().makeTimer);
    expect(measuredOf(times)).toEqual([
      ...['quant_nt_many', 'quant_nn_many', 'quant_nt_few', 'quant_nt_some'],
      ...['matmul_nt_narrow', 'matmul_tn_many', 'matmul_nn_many', 'attention_many', 'attention_few'],
      ...['swiglu_many', 'input_gradient_many', 'lora_up_many', 'lora_up_few'],
    ]);
  });

  it('is the widest and the narrowest product of the run, and the rows that it decodes', () => {
    const sizes = adaptedSizes(24);
    const device = new RecordingDevice();
    const of = (choice: string) =>
      measuredForms(sizes, expectedChoices(device), new Map()).find((each) => each.choice === choice)?.sizes;
    expect(of('quant_nt_many')).toBe('NT: M 1024, N × K 9728 × 896 int4 + min | 896 × 896 int4 + min');
    expect(of('quant_nt_some')).toBe('NT: M 24, N × K 9728 × 896 int4 + min | 896 × 896 int4 + min');
    expect(of('quant_nt_few')).toBe('NT: M 16, N × K 9728 × 896 int4 + min | 896 × 896 int4 + min');
    expect(of('matmul_nt_narrow')).toBe('NT: M 24, N × K 32 × 896 | 16 × 896');
    expect(of('attention_few')).toBe('H 14, KV 2, D 64, T 512 + 24 × 43');
    expect(of('input_gradient_many')).toBe('M 1024, N × K 896 × 4864 int8, blocks');
  });

  it('does the work of those sizes', async () => {
    const device = new RecordingDevice();
    const { makeTimer, measured } = lastIsFastest();
    await measureChoices(device, adaptedSizes(), new Map(), makeTimer);
    device.calls = [];
    measured[0][0].record();
    expect(device.calls.map(({ form, params }) => [form.name, params])).toEqual([
      ['quant_matmul_nt_blocks', { M: 1024, N: 9728, K: 896 }],
      ['quant_matmul_nt_blocks', { M: 1024, N: 896, K: 896 }],
    ]);
  });
});

describe('the choices', () => {
  it('are those of the measurement, none in place of another', async () => {
    const device = new RecordingDevice();
    const { makeTimer, measured } = lastIsFastest();
    const times: FormTimes = new Map();
    const choices = await measureChoices(device, adaptedSizes(), times, makeTimer);
    const lasts = measured.map((candidates) => candidates.at(-1)!.name);
    expect(measuredOf(times).map((name) => choices[name as keyof typeof kernelForms])).toEqual(lasts);
    const unmeasured = { matmul_nt_few: 'blocks', matmul_nt_many: 'blocks', packed_activations: 'f32' };
    expect(choices).toMatchObject(unmeasured);
  });

  it('are not measured again, and what the time did not reach is measured in the next opening', async () => {
    const device = new RecordingDevice();
    const times: FormTimes = new Map();
    const first = await measureChoices(device, tinySizes(), times, lastIsFastest(2).makeTimer);
    expect(measuredOf(times)).toEqual(['matmul_nt_many', 'matmul_nn_many']);
    expect(first).toMatchObject({ matmul_nt_many: 'tiled', matmul_tn_many: 'blocks' });
    const next = lastIsFastest();
    const second = await measureChoices(device, tinySizes(), times, next.makeTimer);
    expect(next.measured).toHaveLength(4);
    expect(second).toMatchObject({ matmul_nt_many: 'tiled', matmul_tn_many: 'tiled' });
    const { buffersCreated } = device;
    const third = lastIsFastest();
    expect(await measureChoices(device, tinySizes(), times, third.makeTimer)).toEqual(second);
    expect(third.measured).toHaveLength(0);
    expect(device.buffersCreated).toBe(buffersCreated);
  });

  it('are measured for each size', async () => {
    const times: FormTimes = new Map();
    await measureChoices(new RecordingDevice(), tinySizes(), times, lastIsFastest().makeTimer);
    const other = lastIsFastest();
    await measureChoices(new RecordingDevice(), tinySizes(8), times, other.makeTimer);
    // Products of a decoding step, and both parts of attention.
    expect(other.measured).toHaveLength(3);
  });

  it('are the expected ones where a kernel is still compiling', async () => {
    const device = new RecordingDevice();
    device.kernels.settle = async () => {};
    const { makeTimer, measured } = lastIsFastest();
    const times: FormTimes = new Map();
    expect(await measureChoices(device, tinySizes(), times, makeTimer)).toEqual(expectedChoices(device));
    expect(measured).toHaveLength(0);
    expect(times.size).toBe(0);
  });
});

describe('on the device of the tests', () => {
  const open = useGpu();

  it('nothing is measured on a software adapter', async () => {
    const gpu = await open();
    const times: FormTimes = new Map();
    const choices = await measureChoices(gpu, tinySizes(), times);
    if (gpu.info.isFallback) expect([choices, times.size]).toEqual([softwareChoices(gpu.info), 0]);
    expect(parseChoices({ ...choices })).toEqual(choices);
  });
});
