/** Measures the forms of matmuls on packed weights, once per adapter, on int4 codes with minima. */

import type { FormChooser } from './form-chooser.ts';
import { formRuns, type KernelChoice, kernelForms } from './kernel-choices.ts';
import { withPackedBuffers } from './measured-buffers.ts';
import { layerWeights, manyRows, type Weight } from './measured-sizes.ts';
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
  await withPackedBuffers(device, {}, async ({ recorder, inp, weight, out }) => {
    for (const { choice, kind, M } of measurements) {
      const candidates = kernelForms[choice]
        .filter((form) => formRuns(form, device.features))
        .map((form) => {
          const ops = new QuantizedOperations(device.kernels, recorder, { ...choices, [choice]: form });
          const product = {
            NT: ({ N, K }: Weight) => ops.matmulNT(inp, weight, out, M, N, K),
            NN: ({ N, K }: Weight) => ops.matmulNN(out, weight, inp, M, N, K),
          }[kind];
          return { name: form, record: () => layerWeights.forEach(product) };
        });
      await chooser.choose(choice, recorder, candidates);
    }
  });
}
