// The list of kernel forms that tools/isa gives to a compiler, and the calls that it counts. Needs no driver.
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type KernelChoice, kernelForms } from '../../src/policy/engine/kernel-choices.ts';
import { allChoices, engineForms } from '../../tools/isa/forms.ts';
import type { Form } from '../../tools/isa/recording-device.ts';
import { gpuChoices, recordSteps, type Step } from '../../tools/isa/steps.ts';
import { packedVariants, variants } from '../policy/kernel-variants.ts';

const kernelsOfShaders = readdirSync('shaders')
  .filter((file) => /@compute/.test(readFileSync(`shaders/${file}`, 'utf8')))
  .map((file) => file.replace('.wgsl', ''));

describe('the forms of kernels', () => {
  let forms: Form[];
  beforeAll(async () => {
    forms = await engineForms();
  }, 120_000);

  it('contain every shader', () => {
    const named = new Set(forms.map(({ name }) => name));
    expect(kernelsOfShaders.filter((name) => !named.has(name))).toEqual([]);
  });

  it('have the constants with which the tests of the kernels compile them', () => {
    // A test may give a kernel a constant that it does not read.
    const matches = (form: Form, name: string, given: object) =>
      form.name === name && Object.keys(form.constants).every((key) => key in given);
    const tested = [...variants, ...packedVariants];
    const missing = tested.filter(([name, given]) => !forms.some((form) => matches(form, name, given)));
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  it('come from settings in which each choice has each of its forms', () => {
    for (const [name, all] of Object.entries(kernelForms))
      expect(new Set(allChoices().map((choices) => choices[name as KernelChoice]))).toEqual(new Set(all));
  });
});

describe('the calls of a step', () => {
  const total = ({ calls }: Step) => calls.reduce((sum, { flops }) => sum + flops, 0);

  it('use only kernels that were requested before the first one, in each form', async () => {
    // `RecordingDevice` throws for a kernel that a model did not compile in advance.
    for (const choices of allChoices()) await recordSteps(1, choices);
  });

  it('grow with the layers by the operations of one layer', async () => {
    const [one, two, three] = [await recordSteps(1), await recordSteps(2), await recordSteps(3)];
    one.forEach((step, i) => {
      expect(total(two[i]) - total(step)).toBeCloseTo(total(three[i]) - total(two[i]), -3);
      expect(three[i].calls.length - two[i].calls.length).toBe(two[i].calls.length - step.calls.length);
    });
    // A token's products: two operations a weight of a layer, here without the adapter's.
    const [C, kv, I, rank] = [896, 128, 4864, 16];
    const weights = C * (2 * C + 2 * kv) + 3 * C * I;
    const adapter = rank * (2 * (C + C) + 2 * (C + kv) + 3 * (C + I));
    const products = two[1].calls.filter(({ form }) => /matmul|lora/.test(form.name));
    const less = one[1].calls.filter(({ form }) => /matmul|lora/.test(form.name));
    const sum = (calls: typeof products) => calls.reduce((all, { flops }) => all + flops, 0);
    expect(sum(products) - sum(less)).toBe(2 * (weights + adapter));
  });

  it('are those of the forms that a GPU chooses', async () => {
    const [update] = await recordSteps(1, gpuChoices);
    const names = new Set(update.calls.map(({ form }) => form.name));
    expect([...names]).toContain('attention_backward_key_tiled');
    expect([...names]).not.toContain('attention_backward_key');
  });
});
