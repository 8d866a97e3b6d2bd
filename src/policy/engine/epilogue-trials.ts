/**
 * Trials of what may follow a packed product of training in the product itself or in kernels of its own: SwiGLU's
 * activation, and in the backward an adapter's gradient of the same input with SwiGLU's gradient. In the forms that were
 * chosen for the products.
 */
import type { KernelChoices } from './kernel-choices.ts';
import { Operations } from './operations.ts';
import { QuantizedOperations } from './quantized-operations.ts';
import type { RunSizes } from './run-sizes.ts';
import { type Measuring, sizesText, type Trial } from './trial.ts';

function activation({ kernels, recorder, choices, buffers }: Measuring, { gateUp, manyRows: M }: RunSizes): void {
  const quantized = new QuantizedOperations(kernels, recorder, choices);
  const { N, K } = gateUp;
  const [inp, gates, activated] = [buffers.slice('inp'), buffers.slice('gates'), buffers.slice('out')];
  const isFused = quantized.activates(M, N, K);
  quantized.matmulNT(inp, buffers.packed(gateUp), gates, M, N, K, isFused ? { activated } : {});
  if (!isFused) new Operations(kernels, recorder, choices).swiglu(gates, activated, M, N / 2);
}

function gradients({ kernels, recorder, choices, buffers }: Measuring, sizes: RunSizes): void {
  const { down, manyRows: M, adapted, lora } = sizes;
  const quantized = new QuantizedOperations(kernels, recorder, choices);
  const { N, K } = down;
  const [dout, gates, out] = [buffers.slice('inp'), buffers.slice('gates'), buffers.slice('out')];
  const [dmid, A] = [buffers.slice('mid'), buffers.slice('A')];
  const width = adapted.length > 0 ? lora!.rank : 0;
  if (quantized.fusesGradients(M, N, K)) {
    const lowRank = width > 0 ? { dmid, A, width } : undefined;
    quantized.matmulNN(dout, buffers.packed(down), gates, M, N, K, { gated: true, lowRank });
    return;
  }
  const ops = new Operations(kernels, recorder, choices);
  quantized.matmulNN(dout, buffers.packed(down), out, M, N, K);
  if (width > 0) ops.matmulNN(dmid, A, out, M, width, K, true);
  ops.swigluBackward(out, gates, M, K);
}

export function epilogueTrials(sizes: RunSizes, { quant_nt_many, quant_nn_many }: KernelChoices): Trial[] {
  const { isPacked, gateUp, down, manyRows: M } = sizes;
  if (!isPacked) return [];
  return [
    {
      choice: 'swiglu_many',
      sizes: `${sizesText(M, [gateUp])}, ${quant_nt_many}`,
      record: (measuring) => activation(measuring, sizes),
    },
    {
      choice: 'input_gradient_many',
      sizes: `${sizesText(M, [down])}, ${quant_nn_many}`,
      record: (measuring) => gradients(measuring, sizes),
    },
  ];
}
