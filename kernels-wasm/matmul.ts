/**
 * The three products of a linear layer, with f32 or packed weights: the forward (NT), the gradient of its input (NN)
 * and of its weight (TN). They differ in how they pack B; gemm.ts does the rest. Names and sizes are those of
 * shaders/matmul_*.wgsl.
 */
import { MatmulNn, MatmulNt, MatmulTn, QuantMatmulNn, QuantMatmulNt } from '../build/kernels/calls';
import { addTo } from './math';
import { ceilDiv, least, scratch } from './call';
import { COLUMNS, DEPTH, ROWS, multiplyPanels, multiplyRows, packAcross, packAlong, packFour } from './gemm';
import { packQuantAcross, packQuantAlong } from './quant';

/** Scratch memory of a thread: an incomplete tile at 0, the panels of B at PANELS, those of A at LEFT. */
const PANELS: usize = 256;
const LEFT: usize = PANELS + <usize>COLUMNS * DEPTH * 4;
/** Bytes of the three; rows are unpacked behind them. */
export const MATMUL_SCRATCH: usize = LEFT + <usize>ROWS * DEPTH * 4;

/**
 * Rows and columns of a chunk of an (M, N) product. A chunk needs many rows to amortise packing B. If there are many
 * rows, a chunk takes only half the columns: A is read again for every panel anyway, and with twice as many chunks no
 * thread waits long for the last one. Columns are a multiple of 32, so that no group of packed weights is divided.
 */
// @ts-ignore: decorator
@inline
export function chunkRows(M: u32, weights: u32): u32 { return M <= 256 ? M : weights > 65536 ? 256 : 128; }
// @ts-ignore: decorator
@inline
export function chunkColumns(M: u32, N: u32): u32 { return M <= 256 ? (N >= 256 ? 64 : 32) : least(COLUMNS, (N / 2 + 31) & ~31); }

/** Number of chunks of a product with M rows, `columns` columns and a matrix of `weights` elements. */
export function productChunks(M: u32, columns: u32, weights: u32): i32 {
  if (M == 0 || columns == 0) return 0;
  return ceilDiv(M, chunkRows(M, weights)) * ceilDiv(columns, chunkColumns(M, columns));
}

/** out (M, N) = inp (M, K) weight^T (N, K) + bias + residual. */
export function matmulNt(call: usize, chunk: u32): void {
  const bias = MatmulNt.HAS_BIAS(call) ? MatmulNt.biasAt(call) : 0;
  const residual = MatmulNt.HAS_RESIDUAL(call) ? MatmulNt.residualAt(call) : 0;
  forward(MatmulNt.inpAt(call), MatmulNt.weightAt(call), 0, 32, false, bias, residual, MatmulNt.outAt(call), MatmulNt.M(call), MatmulNt.N(call), MatmulNt.K(call), chunk);
}

/** `matmulNt` with a packed weight: codes of BITS bits and scales, with minima if MINIMUM. */
export function quantMatmulNt(call: usize, chunk: u32): void {
  const bias = QuantMatmulNt.HAS_BIAS(call) ? QuantMatmulNt.biasAt(call) : 0;
  const residual = QuantMatmulNt.HAS_RESIDUAL(call) ? QuantMatmulNt.residualAt(call) : 0;
  forward(QuantMatmulNt.inpAt(call), QuantMatmulNt.codesAt(call), QuantMatmulNt.scalesAt(call), QuantMatmulNt.BITS(call), QuantMatmulNt.MINIMUM(call) != 0, bias, residual, QuantMatmulNt.outAt(call), QuantMatmulNt.M(call), QuantMatmulNt.N(call), QuantMatmulNt.K(call), chunk);
}

/**
 * One chunk of the forward. `bits` 32: f32 weights, and `scales` is unused. `bias`, `residual`: addresses, or 0 for
 * none.
 */
function forward(inp: usize, weight: usize, scales: usize, bits: u32, withMinimum: bool, bias: usize, residual: usize, out: usize, M: u32, N: u32, K: u32, chunk: u32): void {
  const height = chunkRows(M, N * K), width = chunkColumns(M, N);
  const across = ceilDiv(N, width);
  const m = chunk / across * height, n = chunk % across * width;
  const rows = least(height, M - m), columns = least(width, N - n);
  out += (m * N + n) << 2;
  const panels = scratch + PANELS;
  for (let k: u32 = 0; k < K; k += DEPTH) {
    const depth = least(DEPTH, K - k);
    for (let j: u32 = 0; j < columns; j += 8) {
      const to = panels + j * (depth << 2);
      const count = least(8, columns - j);
      if (bits == 32) packAcross(weight + (((n + j) * K + k) << 2), K << 2, count, depth, to);
      else packQuantAcross(weight, scales, bits, withMinimum, n + j, count, K, k, depth, to, scratch + MATMUL_SCRATCH);
    }
    multiplyRows(inp + ((m * K + k) << 2), K << 2, rows, panels, columns, depth, out, N << 2, scratch, k == 0);
  }
  if (bias) for (let i: u32 = 0; i < rows; i++) addTo(out + ((i * N) << 2), bias + (n << 2), columns);
  if (residual) for (let i: u32 = 0; i < rows; i++) addTo(out + ((i * N) << 2), residual + (((m + i) * N + n) << 2), columns);
}

/** dinp (M, K) (+)= dout (M, N) weight (N, K). */
export function matmulNn(call: usize, chunk: u32): void {
  backward(MatmulNn.doutAt(call), MatmulNn.weightAt(call), 0, 32, false, MatmulNn.dinpAt(call), MatmulNn.M(call), MatmulNn.N(call), MatmulNn.K(call), MatmulNn.ACCUMULATE(call) != 0, chunk);
}

/** `matmulNn` with a packed weight. */
export function quantMatmulNn(call: usize, chunk: u32): void {
  backward(QuantMatmulNn.doutAt(call), QuantMatmulNn.codesAt(call), QuantMatmulNn.scalesAt(call), QuantMatmulNn.BITS(call), QuantMatmulNn.MINIMUM(call) != 0, QuantMatmulNn.dinpAt(call), QuantMatmulNn.M(call), QuantMatmulNn.N(call), QuantMatmulNn.K(call), QuantMatmulNn.ACCUMULATE(call) != 0, chunk);
}

/** One chunk of the input's gradient. If `keep`, it is added to dinp. */
function backward(dout: usize, weight: usize, scales: usize, bits: u32, withMinimum: bool, dinp: usize, M: u32, N: u32, K: u32, keep: bool, chunk: u32): void {
  const height = chunkRows(M, N * K), width = chunkColumns(M, K);
  const across = ceilDiv(K, width);
  const m = chunk / across * height, k = chunk % across * width;
  const rows = least(height, M - m), columns = least(width, K - k);
  dinp += (m * K + k) << 2;
  const panels = scratch + PANELS;
  for (let n: u32 = 0; n < N; n += DEPTH) {
    const depth = least(DEPTH, N - n);
    if (bits == 32)
      for (let j: u32 = 0; j < columns; j += 8)
        packAlong(weight + ((n * K + k + j) << 2), K << 2, least(8, columns - j), depth, panels + j * (depth << 2));
    else packQuantAlong(weight, scales, bits, withMinimum, n, depth, K, k, columns, panels, scratch + MATMUL_SCRATCH);
    multiplyRows(dout + ((m * N + n) << 2), N << 2, rows, panels, columns, depth, dinp, K << 2, scratch, n == 0 && !keep);
  }
}

/** Rows and columns of a chunk of a weight's gradient (N, K). */
// @ts-ignore: decorator
@inline
function gradientRows(N: u32, K: u32): u32 { return N * K <= 16384 ? 32 : N * K <= 65536 ? 64 : least(ROWS, (N + 3) & ~3); }
// @ts-ignore: decorator
@inline
function gradientColumns(N: u32, K: u32): u32 { return N * K <= 16384 ? 64 : least(128, (K + 7) & ~7); }

export function gradientChunks(T: u32, N: u32, K: u32, chunk: u32): i32 {
  return ceilDiv(T, chunk) * ceilDiv(N, gradientRows(N, K)) * ceilDiv(K, gradientColumns(N, K));
}

/** partials (chunks, N, K) (+)= dout^T (T, N) inp (T, K), one partial sum for every `chunk` tokens. */
export function matmulTn(call: usize, chunk: u32): void {
  const T = MatmulTn.T(call), N = MatmulTn.N(call), K = MatmulTn.K(call), each = MatmulTn.chunk(call);
  const height = gradientRows(N, K), width = gradientColumns(N, K);
  const down = ceilDiv(N, height), across = ceilDiv(K, width);
  const s = chunk / (down * across);
  const rest = chunk % (down * across);
  const n = rest / across * height, k = rest % across * width;
  const rows = least(height, N - n), columns = least(width, K - k);
  const dout = MatmulTn.doutAt(call), inp = MatmulTn.inpAt(call);
  const out = MatmulTn.partialsAt(call) + ((s * N * K + n * K + k) << 2);
  const panels = scratch + PANELS, left = scratch + LEFT;
  const keep = MatmulTn.ACCUMULATE(call) != 0;
  const begin = s * each, end = least(begin + each, T);
  for (let t = begin; t < end; t += DEPTH) {
    const depth = least(DEPTH, end - t);
    for (let j: u32 = 0; j < columns; j += 8)
      packAlong(inp + ((t * K + k + j) << 2), K << 2, least(8, columns - j), depth, panels + j * (depth << 2));
    for (let i: u32 = 0; i < rows; i += 4)
      packFour(dout + ((t * N + n + i) << 2), N << 2, least(4, rows - i), depth, left + i * (depth << 2));
    multiplyPanels(left, rows, panels, columns, depth, out, K << 2, scratch, t == begin && !keep);
  }
}
