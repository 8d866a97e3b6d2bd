// The measurement of the forms of kernels on the device of the tests. What compiles too slowly for one opening, as on software,
// is measured in a later one.
import { expect, it } from 'vitest';
import { expectedChoices, type FormTimes } from '../../src/policy/engine/kernel-choices.ts';
import { measuredChoices, measuredForms } from '../../src/policy/engine/measure-choices.ts';
import { runSizes } from '../../src/policy/engine/run-sizes.ts';
import { useGpu } from '../device/open.ts';
import { packed, tinyCapacity, tinySizes } from './run-sizes.ts';
import { smallConfig } from './small-model.ts';

const open = useGpu();

it('decoding attention is timed, and no buffer is left', { tags: 'slow', timeout: 900_000 }, async () => {
  const gpu = await open();
  const before = gpu.liveBuffers;
  // Four divides no size of its products, so these have no forms.
  const sizes = tinySizes(4, { hidden_size: 18 });
  const times: FormTimes = new Map();
  let choices = expectedChoices(gpu);
  const few = () => measuredForms(sizes, choices, times).find(({ choice }) => choice === 'attention_few')!;
  // What compiles too slowly for one opening is measured in a later one.
  for (let opening = 0; opening < 30 && !few().times; opening++) choices = await measuredChoices(gpu, sizes, times);
  expect(gpu.liveBuffers).toBe(before);
  expect(gpu.failure).toBeNull();
  expect(few().times!.map(({ form }) => form)).toEqual(expect.arrayContaining([few().form, 'thread', 'tiled']));
  for (const { ms } of few().times!) expect(ms).toBeGreaterThan(0);
});

it('every form of every choice runs at the sizes of packed weights with an adapter', {
  tags: 'slow',
  timeout: 900_000,
}, async () => {
  const gpu = await open();
  const sizes = runSizes(smallConfig({ vocab_size: 40, hidden_size: 512 }), tinyCapacity(20), packed, 2 ** 27);
  const times: FormTimes = new Map();
  let choices = expectedChoices(gpu);
  const left = () => measuredForms(sizes, choices, times).filter((each) => each.times === null);
  while (left().length > 0)
    choices = await measuredChoices(gpu, sizes, times, (recorder) => ({
      async measure(candidates) {
        for (const { record } of candidates) record();
        await recorder.finish();
        return candidates.map(({ name }) => ({ form: name, ms: 1 }));
      },
    }));
  expect(times.size).toBe(13);
  expect(choices).toEqual(expectedChoices(gpu));
  expect(gpu.failure).toBeNull();
});
