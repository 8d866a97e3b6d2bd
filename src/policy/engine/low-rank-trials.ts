/**
 * Trials of a low-rank adapter's second product beside its frozen product: in a kernel of its own, or added by the frozen
 * product in the form that was chosen for it.
 */
import { addUp, placed } from './adapted.ts';
import { fewRows, type KernelChoices, quantFewRows } from './kernel-choices.ts';
import { Operations } from './operations.ts';
import { QuantizedOperations } from './quantized-operations.ts';
import type { Product, RunSizes } from './run-sizes.ts';
import { type Measuring, sizesText, type Trial } from './trial.ts';

type Adapted = ReturnType<typeof placed>;

/** Form of the frozen product of M rows. */
function baseForm({ isPacked }: RunSizes, choices: KernelChoices, M: number): string {
  const { quant_nt_few, quant_nt_some, quant_nt_many, matmul_nt_few, matmul_nt_many } = choices;
  if (M > fewRows) return isPacked ? quant_nt_many : matmul_nt_many;
  if (!isPacked) return matmul_nt_few;
  return M <= quantFewRows ? quant_nt_few : quant_nt_some;
}

function record({ kernels, recorder, choices, buffers }: Measuring, x: Adapted, product: Product, M: number): void {
  const ops = new Operations(kernels, recorder, choices);
  const quantized = new QuantizedOperations(kernels, recorder, choices);
  const [inp, out, mid, B] = (['inp', 'out', 'mid', 'B'] as const).map((name) => buffers.slice(name));
  const { N, K, format } = product;
  const isFused = (format ? quantized : ops).addsLowRank(M, N, K);
  const extra = isFused ? { lowRank: { mid, B, scalars: x.scalars } } : {};
  if (format) quantized.matmulNT(inp, buffers.packed(product), out, M, N, K, extra);
  else ops.matmulNT(inp, buffers.slice('weight'), out, M, N, K, extra);
  if (!isFused) addUp(ops, x, { mid, B, out }, M);
}

export function lowRankTrials(sizes: RunSizes, choices: KernelChoices): Trial[] {
  const { adapted, lora, manyRows, decodeRows } = sizes;
  const list = adapted
    .map(({ operand, product }) => ({ x: placed(operand, lora!), product }))
    .filter(({ x }) => x.isAligned);
  if (list.length === 0) return [];
  const rows = [
    ['lora_up_many', manyRows],
    ['lora_up_few', Math.min(decodeRows, fewRows)],
  ] as const;
  return rows
    .filter(([choice, M]) => choice === 'lora_up_few' || M > fewRows)
    .map(([choice, M]) => ({
      choice,
      sizes: `${sizesText(
        M,
        list.map(({ product }) => product),
      )}, rank ${lora!.rank}, ${baseForm(sizes, choices, M)}`,
      record: (measuring) => {
        for (const { x, product } of list) record(measuring, x, product, M);
      },
    }));
}
