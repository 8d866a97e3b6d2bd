/**
 * Measures a low-rank adapter's second product beside its frozen product, on int4 codes with minima: in a kernel of its
 * own, or added by the frozen product in the form that was chosen for it.
 */
import { type AdaptedOperand, projections } from '../weights/adapter.ts';
import { addUp, placed } from './adapted.ts';
import type { FormChooser } from './form-chooser.ts';
import { kernelForms } from './kernel-choices.ts';
import { withPackedBuffers } from './measured-buffers.ts';
import { layerWeights, manyRows, type Weight, widest } from './measured-sizes.ts';
import { Operations } from './operations.ts';
import { QuantizedOperations } from './quantized-operations.ts';

/** Number of rows measured for each choice. */
const measurements = [
  { choice: 'lora_up_few', M: 8 },
  { choice: 'lora_up_many', M: manyRows },
] as const;
const lora = { rank: 16, alpha: 16, targets: projections };

function adaptedWeight({ N, K }: Weight) {
  const operand: AdaptedOperand = { name: '', inputs: K, outputs: N, parts: [{ A: '', B: '', rows: N, column: 0 }] };
  return placed(operand, lora);
}

/** Measured after the products themselves, whose chosen forms it uses. */
export async function measureLowRank(chooser: FormChooser): Promise<void> {
  const { device, choices } = chooser;
  const further = { mid: manyRows * lora.rank, B: widest * lora.rank };
  await withPackedBuffers(device, further, async ({ recorder, inp, weight, out, further: { mid, B } }) => {
    for (const { choice, M } of measurements) {
      const candidates = kernelForms[choice].map((form) => {
        const formChoices = { ...choices, [choice]: form };
        const ops = new Operations(device.kernels, recorder, formChoices);
        const quantized = new QuantizedOperations(device.kernels, recorder, formChoices);
        const product = (size: Weight) => {
          const { N, K } = size;
          const x = adaptedWeight(size);
          const lowRank = quantized.addsLowRank(M, N, K) ? { mid, B, scalars: x.scalars } : undefined;
          quantized.matmulNT(inp, weight, out, M, N, K, { lowRank });
          if (!lowRank) addUp(ops, x, { mid, B, out }, M);
        };
        return { name: form, record: () => layerWeights.forEach(product) };
      });
      await chooser.choose(choice, recorder, candidates);
    }
  });
}
