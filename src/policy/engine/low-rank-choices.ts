/**
 * Measures a low-rank adapter's second product beside its frozen product, on int4 codes with minima: in a kernel of its
 * own, or added by the frozen product in the form that was chosen for it.
 */
import { whole } from '../../device/device.ts';
import { type AdaptedOperand, projections } from '../weights/adapter.ts';
import { packedRow, withMinimum } from '../weights/quantize.ts';
import { addUp, placed } from './adapted.ts';
import type { FormChooser } from './form-chooser.ts';
import { kernelForms } from './kernel-choices.ts';
import { deepest, layerWeights, manyRows, type Weight, widest } from './measured-sizes.ts';
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
  const row = packedRow(withMinimum(4), deepest);
  const words = {
    inp: manyRows * deepest,
    codes: widest * row.codeWords,
    scales: widest * row.scaleWords,
    mid: manyRows * lora.rank,
    B: widest * lora.rank,
    out: manyRows * widest,
  };
  const buffers = Object.entries(words).map(([name, count]) => device.createBuffer(`Autotune.${name}`, count * 4));
  const [inp, codes, scales, mid, B, out] = buffers.map(whole);
  const recorder = device.createRecorder(256, 5e9);
  const kernels = device.kernels;
  try {
    for (const { choice, M } of measurements) {
      const candidates = kernelForms[choice].map((form) => {
        const formChoices = { ...choices, [choice]: form };
        const ops = new Operations(kernels, recorder, formChoices);
        const quantized = new QuantizedOperations(kernels, recorder, formChoices);
        const product = (weight: Weight) => {
          const { N, K } = weight;
          const x = adaptedWeight(weight);
          const lowRank = quantized.addsLowRank(M, N, K) ? { mid, B, scalars: x.scalars } : undefined;
          quantized.matmulNT(inp, { ...withMinimum(4), codes, scales }, out, M, N, K, { lowRank });
          if (!lowRank) addUp(ops, x, { mid, B, out }, M);
        };
        return { name: form, record: () => layerWeights.forEach(product) };
      });
      await chooser.choose(choice, recorder, candidates);
    }
  } finally {
    recorder.destroy();
    for (const buffer of buffers) device.destroyBuffer(buffer);
  }
}
