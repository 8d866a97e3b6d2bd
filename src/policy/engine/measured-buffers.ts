/** Buffers for measuring products on packed weights: int4 codes with minima, at the largest measured sizes. */
import { type BufferSlice, type Device, type Recorder, whole } from '../../device/device.ts';
import { packedRow, withMinimum } from '../weights/quantize.ts';
import { deepest, manyRows, widest } from './measured-sizes.ts';
import type { QuantSlice } from './quantized-operations.ts';

interface Measured<Name extends string> {
  recorder: Recorder;
  inp: BufferSlice;
  weight: QuantSlice;
  out: BufferSlice;
  further: { readonly [each in Name]: BufferSlice };
}

/** Runs `use` with the buffers of a product and further ones, in words, and destroys them afterwards. */
export async function withPackedBuffers<Name extends string>(
  device: Device,
  further: { readonly [each in Name]: number },
  use: (measured: Measured<Name>) => Promise<void>,
): Promise<void> {
  const row = packedRow(withMinimum(4), deepest);
  const made = ([name, words]: [string, number]) => device.createBuffer(`Autotune.${name}`, words * 4);
  const sizes = { inp: manyRows * deepest, codes: widest * row.codeWords, scales: widest * row.scaleWords };
  const buffers = Object.entries({ ...sizes, ...further, out: manyRows * widest }).map(made);
  const slices = buffers.map(whole);
  const [inp, codes, scales] = slices;
  const recorder = device.createRecorder(256, 5e9);
  try {
    await use({
      recorder,
      inp,
      weight: { ...withMinimum(4), codes, scales },
      out: slices[slices.length - 1],
      further: Object.fromEntries(
        Object.keys(further).map((name, i) => [name, slices[3 + i]]),
      ) as Measured<Name>['further'],
    });
  } finally {
    recorder.destroy();
    for (const buffer of buffers) device.destroyBuffer(buffer);
  }
}
