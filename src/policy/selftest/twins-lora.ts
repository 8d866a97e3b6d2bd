/**
 * Twins of the low-rank kernels in double precision. The operand has three parts, two of them adapted, with rank 3, so
 * that no size is a multiple of what a thread or a workgroup computes. The forms in vectors of four have four times
 * these sizes. The tolerance is that of a sum of some tens of products.
 */
import { floats, folded, oneResult, sum, type Twin, table, unwritten, value } from './fixture.ts';

const tolerance = 2e-6;
const scale = 0.75;

/** Sizes of the operand, times `unit`: rows of B of the two adapted parts, and their output columns. */
function operand(unit: number) {
  const [rank, width, stride] = [3 * unit, 6 * unit, 40 * unit];
  const [first, second] = [17 * unit, 9 * unit];
  const N = first + second;
  const shift = 28 * unit - first;
  const partOf = (n: number) => (n < first ? 0 : 1);
  const columnOf = (n: number) => (n < first ? n : n + shift);
  const params = (T: number, chunk: number) => ({
    ...{ T, N, rank, width, stride, end0: first, end1: N },
    ...{ shift0: 0, shift1: shift, shift2: 0, scale, chunk },
  });
  return { rank, width, stride, N, partOf, columnOf, params };
}

const ceil = (a: number, b: number) => Math.ceil(a / b);

const up = (size: number, unit: number, workgroups: (T: number, N: number) => number) => {
  const { rank, width, stride, N, partOf, columnOf, params } = operand(unit);
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
  return oneResult([mid, B, out], { grid: folded(workgroups(T, N)), params: params(T, 0) }, expected, tolerance);
};

const lora_up: Twin = (c, size) => up(size, 1, (T, N) => ceil(ceil(T, value(c, 'ROWS')) * N, 64));
const lora_up_fours: Twin = (c, size) => up(size, 4, (T, N) => ceil((ceil(T, value(c, 'ROWS')) * N) / 4, 64));

const upBackward = (size: number, unit: number, workgroups: (T: number, width: number) => number) => {
  const { rank, width, stride, N, partOf, columnOf, params } = operand(unit);
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
  const call = { grid: folded(workgroups(T, width)), params: params(T, 0) };
  return oneResult([dout, B, unwritten(T * width)], call, expected, tolerance);
};

const lora_up_backward: Twin = (c, size) =>
  upBackward(size, 1, (T, width) => ceil(ceil(T, value(c, 'ROWS')) * width, 64));
const lora_up_backward_lanes: Twin = (c, size) =>
  upBackward(size, 4, (T, width) => ceil(T, value(c, 'ROWS')) * ceil(width / 4, value(c, 'GROUPS')));

const upWeight = (size: number, unit: number, workgroups: (chunks: number, N: number, rank: number) => number) => {
  const { rank, width, stride, N, partOf, columnOf, params } = operand(unit);
  // The lanes of one sum, eight, take several turns.
  const [T, chunk] = unit === 1 ? [11 * size, 4] : [27 * size, 12];
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
  const call = { grid: folded(workgroups(chunks, N, rank)), params: params(T, chunk) };
  return oneResult([dout, mid, unwritten(chunks * N * rank)], call, expected, tolerance);
};

const lora_up_backward_weight: Twin = (_, size) => upWeight(size, 1, (chunks, N, rank) => ceil(chunks * N * rank, 64));
const lora_up_backward_weight_lanes: Twin = (c, size) =>
  upWeight(size, 4, (chunks, N, rank) => chunks * ceil(N / 4, value(c, 'ACROSS')) * ceil(rank / 4, value(c, 'FOURS')));

/**
 * Two parts of as many blocks of 256 rows, the last of which is not full; both results before their partial sums are
 * added. Chunks of eight tokens, the last of them shorter and no multiple of four.
 */
const lora_up_backward_both: Twin = (c, size) => {
  const rank = 4 * value(c, 'FOURS');
  const [rows, gap, width] = [260, 12, 2 * rank];
  const [N, stride, blocks] = [2 * rows, 2 * rows + gap + 4, 2];
  const [T, chunk] = [9 + 6 * size, 8];
  const chunks = ceil(T, chunk);
  const [dout, B, mid] = [floats(T * stride, 'dout'), floats(N * rank, 'B'), floats(T * width, 'mid')];
  const columnOf = (n: number) => (n < rows ? n : n + gap);
  const sums = table(blocks * T, width, (row, q) => {
    const [block, t, part] = [Math.floor(row / T), row % T, Math.floor(q / rank)];
    const first = part * rows + 256 * block;
    const term = (n: number) => dout[t * stride + columnOf(n)] * B[n * rank + (q % rank)];
    return sum(block ? rows - 256 : 256, (i) => term(first + i));
  });
  const gradients = table(chunks * N, rank, (row, j) => {
    const [s, n] = [Math.floor(row / N), row % N];
    const at = (i: number) => s * chunk + i;
    const q = Math.floor(n / rows) * rank + j;
    return (
      scale * sum(Math.min(chunk, T - s * chunk), (i) => dout[at(i) * stride + columnOf(n)] * mid[at(i) * width + q])
    );
  });
  const params = {
    ...{ T, N, rank, width, stride, end0: rows, end1: N, shift0: 0, shift1: gap, shift2: 0, scale, chunk },
  };
  return {
    bindings: [dout, B, mid, unwritten(sums.length), unwritten(gradients.length)],
    calls: [{ grid: folded(2 * blocks * chunks), params }],
    expected: [
      { binding: 3, values: sums, tolerance },
      { binding: 4, values: gradients, tolerance },
    ],
  };
};

const lora_sum_blocks: Twin = (_, size) => {
  const [count, blocks] = [70 * size, 5];
  const sums = floats(blocks * count, 'sums');
  const expected = table(1, count, (__, i) => scale * sum(blocks, (s) => sums[s * count + i]));
  const call = { grid: folded(ceil(count, 64)), params: { size: count, blocks, scale } };
  return oneResult([sums, unwritten(count)], call, expected, tolerance);
};

const lora_norm_down: Twin = (c, size) => {
  const [rows, lanes, epsilon] = [value(c, 'ROWS'), value(c, 'LANES'), value(c, 'EPS_F')];
  // Some lanes have two vectors of a row, some one.
  const [M, N, K] = [(rows + 1) * size, 12, 4 * (lanes + 3)];
  const [inp, gain, A] = [floats(M * K, 'inp'), floats(K, 'gain'), floats(N * K, 'A')];
  const rstd = table(1, M, (_, m) => 1 / Math.sqrt(sum(K, (k) => inp[m * K + k] ** 2) / K + epsilon));
  const normed = table(M, K, (m, k) => inp[m * K + k] * rstd[m] * gain[k]);
  const mid = table(M, N, (m, n) => sum(K, (k) => normed[m * K + k] * A[n * K + k]));
  const call = { grid: folded((ceil(M, rows) * N) / 4), params: { M, N, K } };
  return {
    bindings: [inp, gain, A, unwritten(M * K), unwritten(M), unwritten(M * N)],
    calls: [call],
    expected: [normed, rstd, mid].map((values, i) => ({ binding: 3 + i, values, tolerance })),
  };
};

export const loraTwins: { readonly [kernel: string]: Twin } = {
  lora_up,
  lora_up_fours,
  lora_up_backward,
  lora_up_backward_lanes,
  lora_up_backward_weight,
  lora_up_backward_weight_lanes,
  lora_up_backward_both,
  lora_sum_blocks,
  lora_norm_down,
};
