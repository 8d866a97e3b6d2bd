/** Trials of products: with the base's weights, packed or f32, and with an adapter's. */

import { fewRows, type KernelChoice, narrowColumns, narrowInputs, quantFewRows } from './kernel-choices.ts';
import { Operations } from './operations.ts';
import { QuantizedOperations } from './quantized-operations.ts';
import type { Product, RunSizes } from './run-sizes.ts';
import { type Measuring, sizesText, type Trial } from './trial.ts';

type Kind = 'NT' | 'NN' | 'TN';

/** Records a product with weights in f32. */
function dense(
  { kernels, recorder, choices, buffers }: Measuring,
  { kind, M }: Row,
  { N, K }: Product,
  [weight, out]: ['weight', 'out'] | ['A', 'mid'],
): void {
  const ops = new Operations(kernels, recorder, choices);
  const [inp, w, y] = [buffers.slice('inp'), buffers.slice(weight), buffers.slice(out)];
  if (kind === 'NT') ops.matmulNT(inp, w, y, M, N, K);
  else if (kind === 'NN') ops.matmulNN(y, w, inp, M, N, K);
  else ops.matmulTN(y, inp, w, buffers.slice('partials'), M, N, K);
}

function packed({ kernels, recorder, choices, buffers }: Measuring, { kind, M }: Row, product: Product): void {
  const ops = new QuantizedOperations(kernels, recorder, choices);
  const [inp, weight, out] = [buffers.slice('inp'), buffers.packed(product), buffers.slice('out')];
  if (kind === 'NT') ops.matmulNT(inp, weight, out, M, product.N, product.K);
  else ops.matmulNN(out, weight, inp, M, product.N, product.K);
}

interface Row {
  choice: KernelChoice;
  kind: Kind;
  M: number;
}

/** Choices of the products with the base's weights. */
function baseRows({ isPacked, lora, manyRows: M, decodeRows }: RunSizes): Row[] {
  // A pass of few rows never takes the form for many.
  const forward = (choice: KernelChoice): Row[] => (M > fewRows ? [{ choice, kind: 'NT', M }] : []);
  const few = (choice: KernelChoice, most: number): Row => ({ choice, kind: 'NT', M: Math.min(decodeRows, most) });
  if (isPacked)
    return [
      ...forward('quant_nt_many'),
      { choice: 'quant_nn_many', kind: 'NN', M },
      few('quant_nt_few', quantFewRows),
      ...(decodeRows > quantFewRows ? [few('quant_nt_some', fewRows)] : []),
    ];
  return [
    ...forward('matmul_nt_many'),
    { choice: 'matmul_nn_many', kind: 'NN', M },
    ...(lora ? [] : [{ choice: 'matmul_tn_many', kind: 'TN', M } satisfies Row]),
    few('matmul_nt_few', fewRows),
  ];
}

/**
 * Choices of the products with an adapter's first matrix A (width, K). The one of narrow products is also that of many
 * rows and of the adapter's two backward sums (low-rank-forms.ts), which are not measured.
 */
const adapterRows = ({ isPacked, manyRows: M, decodeRows }: RunSizes): Row[] => [
  { choice: 'matmul_nt_narrow', kind: 'NT', M: Math.min(decodeRows, fewRows) },
  { choice: 'matmul_tn_many', kind: 'TN', M },
  ...(isPacked ? [{ choice: 'matmul_nn_many', kind: 'NN', M } satisfies Row] : []),
];

const isNarrow = ({ N, K }: Product) => N <= narrowColumns && K >= narrowInputs;

export function productTrials(sizes: RunSizes): Trial[] {
  const { isPacked, products, adapted, lora } = sizes;
  const trial = (
    { choice, kind, M }: Row,
    list: readonly Product[],
    record: (measuring: Measuring, each: Product) => void,
  ): Trial[] =>
    list.length === 0
      ? []
      : [
          {
            choice,
            sizes: `${kind}: ${sizesText(M, list)}`,
            record: (measuring) => {
              for (const each of list) record(measuring, each);
            },
          },
        ];
  const base = baseRows(sizes).flatMap((row) =>
    trial(row, products, (measuring, each) =>
      isPacked ? packed(measuring, row, each) : dense(measuring, row, each, ['weight', 'out']),
    ),
  );
  const firsts = adapted
    .map(({ operand, product: { name, K } }) => ({ name, N: operand.parts.length * lora!.rank, K, format: null }))
    .filter(({ N }) => N % 4 === 0);
  const first = (lora ? adapterRows(sizes) : []).flatMap((row) => {
    const list = row.choice === 'matmul_nt_narrow' ? firsts.filter(isNarrow) : firsts;
    return trial(row, list, (measuring, each) => dense(measuring, row, each, ['A', 'mid']));
  });
  return [...base, ...first];
}
