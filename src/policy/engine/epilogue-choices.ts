/**
 * Measures what may follow a packed product of training in the product itself or in kernels of its own: SwiGLU's
 * activation, and in the backward an adapter's gradient of the same input with SwiGLU's gradient. On int4 codes with
 * minima, in the forms that were chosen for the products.
 */
import type { FormChooser } from './form-chooser.ts';
import { type KernelChoices, kernelForms } from './kernel-choices.ts';
import { withPackedBuffers } from './measured-buffers.ts';
import { deepest, manyRows as M, widest } from './measured-sizes.ts';
import { Operations } from './operations.ts';
import { QuantizedOperations } from './quantized-operations.ts';

const rank = 16;
/** Gate and up, and down, of a small model. */
const hidden = 512;

/** Measured after the products, whose chosen forms it uses. */
export async function measureEpilogues(chooser: FormChooser): Promise<void> {
  const { device, choices } = chooser;
  const further = { dmid: M * rank, A: rank * deepest, gates: 2 * M * deepest };
  await withPackedBuffers(device, further, async ({ recorder, inp, weight, out, further: { dmid, A, gates } }) => {
    const candidates = (
      choice: 'swiglu_many' | 'input_gradient_many',
      record: (quantized: QuantizedOperations, ops: Operations) => void,
    ) =>
      kernelForms[choice].map((form) => {
        const formChoices: KernelChoices = { ...choices, [choice]: form };
        const quantized = new QuantizedOperations(device.kernels, recorder, formChoices);
        const ops = new Operations(device.kernels, recorder, formChoices);
        return { name: form, record: () => record(quantized, ops) };
      });
    const activation = candidates('swiglu_many', (quantized, ops) => {
      const isFused = quantized.activates(M, widest, hidden);
      quantized.matmulNT(inp, weight, gates, M, widest, hidden, isFused ? { activated: out } : {});
      if (!isFused) ops.swiglu(gates, out, M, widest / 2);
    });
    await chooser.choose('swiglu_many', recorder, activation);
    const gradients = candidates('input_gradient_many', (quantized, ops) => {
      if (quantized.fusesGradients(M, hidden, deepest)) {
        const lowRank = { dmid, A, width: rank };
        quantized.matmulNN(inp, weight, gates, M, hidden, deepest, { gated: true, lowRank });
        return;
      }
      quantized.matmulNN(inp, weight, out, M, hidden, deepest);
      ops.matmulNN(dmid, A, out, M, rank, deepest, true);
      ops.swigluBackward(out, gates, M, deepest);
    });
    await chooser.choose('input_gradient_many', recorder, gradients);
  });
}
