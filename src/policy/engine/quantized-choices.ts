/** Measures the forms of matmuls on packed weights, once per adapter, on int4 codes with minima. */

import { whole } from '../../device/device.ts';
import { packedRow, withMinimum } from '../weights/quantize.ts';
import type { FormChooser } from './form-chooser.ts';
import { formRuns, type KernelChoice, kernelForms } from './kernel-choices.ts';
import { deepest, layerWeights, manyRows, type Weight, widest } from './measured-sizes.ts';
import { QuantizedOperations } from './quantized-operations.ts';

type QuantChoice = Extract<KernelChoice, `quant_${string}`>;

/** Number of rows measured for each choice. */
const measurements: { choice: QuantChoice; kind: 'NT' | 'NN'; M: number }[] = [
  { choice: 'quant_nt_few', kind: 'NT', M: 8 },
  { choice: 'quant_nt_some', kind: 'NT', M: 32 },
  { choice: 'quant_nt_many', kind: 'NT', M: manyRows },
  { choice: 'quant_nn_many', kind: 'NN', M: manyRows },
];

export async function measureQuantized(chooser: FormChooser): Promise<void> {
  const { device, choices } = chooser;
  const row = packedRow(withMinimum(4), deepest);
  const words = {
    inp: manyRows * deepest,
    codes: widest * row.codeWords,
    scales: widest * row.scaleWords,
    out: manyRows * widest,
  };
  const buffers = Object.entries(words).map(([name, count]) => device.createBuffer(`Autotune.${name}`, count * 4));
  const [inp, codes, scales, out] = buffers.map(whole);
  const recorder = device.createRecorder(256, 5e9);
  const kernels = device.kernels;
  try {
    for (const { choice, kind, M } of measurements) {
      const candidates = kernelForms[choice]
        .filter((form) => formRuns(form, device.features))
        .map((form) => {
          const ops = new QuantizedOperations(kernels, recorder, { ...choices, [choice]: form });
          const weight = { ...withMinimum(4), codes, scales };
          const product = {
            NT: ({ N, K }: Weight) => ops.matmulNT(inp, weight, out, M, N, K),
            NN: ({ N, K }: Weight) => ops.matmulNN(out, weight, inp, M, N, K),
          }[kind];
          return { name: form, record: () => layerWeights.forEach(product) };
        });
      await chooser.choose(choice, recorder, candidates);
    }
  } finally {
    recorder.destroy();
    for (const buffer of buffers) device.destroyBuffer(buffer);
  }
}
