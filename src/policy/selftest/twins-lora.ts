/**
 * Twins of the low-rank kernels in double precision. The operand has three parts, two of them adapted, with rank 3, so
 * that no size is a multiple of what a thread or a workgroup computes. The tolerance is that of a sum of some tens of
 * products.
 */
import { floats, foldedThreads, oneResult, sum, type Twin, table, unwritten, value } from './fixture.ts';

const tolerance = 2e-6;
const [rank, width, stride, scale] = [3, 6, 40, 0.75];
/** Adapted parts: number of rows of B, and first output column. */
const parts = [
  { rows: 17, column: 0 },
  { rows: 9, column: 28 },
];
const N = 26;
const partOf = (n: number) => (n < 17 ? 0 : 1);
const columnOf = (n: number) => (n < 17 ? n : n - 17 + parts[1].column);

const params = (T: number, chunk: number) => ({
  ...{ T, N, rank, width, stride, end0: 17, end1: N },
  ...{ shift0: 0, shift1: 28 - 17, shift2: 0, scale, chunk },
});
const threads = (T: number, columns: number, rows: number) => foldedThreads(Math.ceil(T / rows) * columns);

const lora_up: Twin = (c, size) => {
  const T = 11 * size;
  const mid = floats(T * width, 'mid');
  const B = floats(N * rank, 'B');
  const out = floats(T * stride, 'out');
  const rowOf = new Map(Array.from({ length: N }, (_, n) => [columnOf(n), n]));
  const expected = table(T, stride, (t, column) => {
    const n = rowOf.get(column);
    if (n === undefined) return out[t * stride + column];
    const product = sum(rank, (j) => mid[t * width + partOf(n) * rank + j] * B[n * rank + j]);
    return out[t * stride + column] + scale * product;
  });
  return oneResult([mid, B, out], { grid: threads(T, N, value(c, 'ROWS')), params: params(T, 0) }, expected, tolerance);
};

const lora_up_backward: Twin = (c, size) => {
  const T = 11 * size;
  const dout = floats(T * stride, 'dout');
  const B = floats(N * rank, 'B');
  const expected = table(
    T,
    width,
    (t, q) =>
      scale *
      sum(N, (n) =>
        partOf(n) === Math.floor(q / rank) ? dout[t * stride + columnOf(n)] * B[n * rank + (q % rank)] : 0,
      ),
  );
  const call = { grid: threads(T, width, value(c, 'ROWS')), params: params(T, 0) };
  return oneResult([dout, B, unwritten(T * width)], call, expected, tolerance);
};

const lora_up_backward_weight: Twin = (_, size) => {
  const [T, chunk] = [11 * size, 4];
  const chunks = Math.ceil(T / chunk);
  const dout = floats(T * stride, 'dout');
  const mid = floats(T * width, 'mid');
  const expected = table(chunks * N, rank, (row, j) => {
    const [s, n] = [Math.floor(row / N), row % N];
    const tokens = Math.min(chunk, T - s * chunk);
    const at = (i: number) => s * chunk + i;
    const product = (i: number) => dout[at(i) * stride + columnOf(n)] * mid[at(i) * width + partOf(n) * rank + j];
    return scale * sum(tokens, product);
  });
  const call = { grid: foldedThreads(chunks * N * rank), params: params(T, chunk) };
  return oneResult([dout, mid, unwritten(chunks * N * rank)], call, expected, tolerance);
};

export const loraTwins: { readonly [kernel: string]: Twin } = { lora_up, lora_up_backward, lora_up_backward_weight };
