// Each choice comes from its own measurement: none of the later measurements puts a default in place of an earlier one.
import { expect, it } from 'vitest';
import type { fastest } from '../../src/device/autotune.ts';
import { defaultChoices, type FormTimes, kernelForms } from '../../src/policy/engine/kernel-choices.ts';
import { measureChoices } from '../../src/policy/engine/measure-choices.ts';
import { RecordingDevice } from '../../tools/isa/recording-device.ts';

/** Finds that the last form is the fastest. */
const last: typeof fastest = async (_kernels, _recorder, candidates) => ({
  name: candidates.at(-1)!.name,
  times: candidates.map(({ name }, i) => ({ form: name, ms: i })),
});

it('keeps the form that each measurement found', async () => {
  const device = new RecordingDevice();
  const times: FormTimes = new Map();
  const lasts = Object.entries(kernelForms).map(([choice, forms]) => [choice, forms.at(-1)]);
  const choices = await measureChoices(device, times, last);
  expect(choices).toEqual({
    ...Object.fromEntries(lasts),
    // Of attention, forms with f16 are not measured; a GPU has no choice of activations.
    ...{ attention_few: 'tiled-subgroups', attention_many: 'tiled-subgroups' },
    packed_activations: defaultChoices.packed_activations,
  });
  const { packed_activations: _, ...measured } = choices;
  expect(Object.fromEntries([...times].map(([choice, forms]) => [choice, forms.at(-1)!.form]))).toEqual(measured);
});
