/** Measures the forms of matmuls on packed weights, once per adapter, on an int4 layer of a small language model. */

import { fastest } from '../../device/autotune.ts';
import { type Device, whole } from '../../device/device.ts';
import { packedRow, withMinimum } from '../weights/quantize.ts';
import { defaultChoices, type KernelChoice, type KernelChoices, kernelForms } from './kernel-choices.ts';
import { QuantizedOperations } from './quantized-operations.ts';

type QuantChoice = Extract<KernelChoice, `quant_${string}`>;

/** N by K weights. */
const [N, K] = [2048, 896];
/** Number of rows measured for each choice. */
const measurements: { choice: QuantChoice; kind: 'NT' | 'NN'; M: number }[] = [
  { choice: 'quant_nt_few', kind: 'NT', M: 8 },
  { choice: 'quant_nt_some', kind: 'NT', M: 32 },
  { choice: 'quant_nt_many', kind: 'NT', M: 512 },
  { choice: 'quant_nn_many', kind: 'NN', M: 512 },
];

/** True if the adapter supports a form. */
function runs(form: string, features: ReadonlySet<string>): boolean {
  return (
    (!form.includes('half') || features.has('shader-f16')) && (!form.includes('subgroups') || features.has('subgroups'))
  );
}

export async function measureQuantized(device: Device): Promise<Pick<KernelChoices, QuantChoice>> {
  const choices: KernelChoices = { ...defaultChoices };
  const row = packedRow(withMinimum(4), K);
  const sizes = { inp: 512 * K * 4, codes: N * row.codeWords * 4, scales: N * row.scaleWords * 4, out: 512 * N * 4 };
  const buffers = Object.entries(sizes).map(([name, bytes]) => device.createBuffer(`Autotune.${name}`, bytes));
  const [inp, codes, scales, out] = buffers.map(whole);
  const recorder = device.createRecorder(256, 5e9);
  const kernels = device.kernels;
  try {
    for (const { choice, kind, M } of measurements) {
      const candidates = kernelForms[choice]
        .filter((form) => runs(form, device.features))
        .map((form) => {
          const ops = new QuantizedOperations(kernels, recorder, { ...choices, [choice]: form });
          const weight = { ...withMinimum(4), codes, scales };
          const record = {
            NT: () => ops.matmulNT(inp, weight, out, M, N, K),
            NN: () => ops.matmulNN(out, weight, inp, M, N, K),
          }[kind];
          return { name: form, record };
        });
      Object.assign(choices, { [choice]: await fastest(kernels, recorder, candidates) });
    }
  } finally {
    recorder.destroy();
    for (const buffer of buffers) device.destroyBuffer(buffer);
  }
  return choices;
}
