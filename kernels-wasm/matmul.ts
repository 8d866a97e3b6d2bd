/**
 * The three products of a linear layer, with f32 weights or packed ones: forward (NT), to its input (NN), to its weight (TN). They
 * differ in how a panel of B is made; the rest is gemm.ts. Names and sizes as in shaders/matmul_*.wgsl.
 */
import { addTo } from './math';
import { binding, ceilDiv, constant, least, param, scratch } from './call';
import { COLUMNS, DEPTH, ROWS, multiplyPanels, multiplyRows, packAcross, packAlong, packFour } from './gemm';
import { packQuantAcross, packQuantAlong } from './quant';

/** Where what lies in a thread's scratch: an edge tile, the panels of B, those of A. */
const PANELS: usize = 256;
const LEFT: usize = PANELS + <usize>COLUMNS * DEPTH * 4;
/** Bytes after both: for rows that are unpacked. */
export const MATMUL_SCRATCH: usize = LEFT + <usize>ROWS * DEPTH * 4;

/**
 * Rows and columns of a chunk of an (M, N) product. Rows enough to pay for packing B. Where there are many of them half the columns:
 * A is read again for every panel anyway, and with twice the chunks no thread waits long for another's last one. Multiples of 32:
 * a group of packed weights is not cut.
 */
// @ts-ignore: decorator
@inline
function chunkRows(M: u32, weights: u32): u32 { return M <= 256 ? M : weights > 65536 ? 256 : 128; }
// @ts-ignore: decorator
@inline
function chunkColumns(M: u32, N: u32): u32 { return M <= 256 ? (N >= 256 ? 64 : 32) : least(COLUMNS, (N / 2 + 31) & ~31); }

function chunksOfRows(M: u32, N: u32, weights: u32): i32 {
  if (M == 0 || N == 0) return 0;
  return ceilDiv(M, chunkRows(M, weights)) * ceilDiv(N, chunkColumns(M, N));
}

export function matmulNTChunks(call: usize): i32 { return chunksOfRows(param(call, 0), param(call, 1), param(call, 1) * param(call, 2)); }
export function matmulNNChunks(call: usize): i32 { return chunksOfRows(param(call, 0), param(call, 2), param(call, 1) * param(call, 2)); }

/** out (M, N) = inp (M, K) weight^T (N, K) + bias + residual. `bits` 32: bindings inp, weight, bias, residual, out; else codes and scales stand for the weight. */
export function matmulNT(call: usize, chunk: u32, bits: u32): void {
  const M = param(call, 0), N = param(call, 1), K = param(call, 2);
  const height = chunkRows(M, N * K), width = chunkColumns(M, N);
  const across = ceilDiv(N, width);
  const m = chunk / across * height, n = chunk % across * width;
  const rows = least(height, M - m), columns = least(width, N - n);
  const more: usize = bits == 32 ? 0 : 1;
  const inp = binding(call, 0), weight = binding(call, 1), scales = binding(call, 2);
  const out = binding(call, 4 + more) + ((m * N + n) << 2);
  const panels = scratch + PANELS;
  for (let k: u32 = 0; k < K; k += DEPTH) {
    const depth = least(DEPTH, K - k);
    for (let j: u32 = 0; j < columns; j += 8) {
      const to = panels + j * (depth << 2);
      const count = least(8, columns - j);
      if (bits == 32) packAcross(weight + (((n + j) * K + k) << 2), K << 2, count, depth, to);
      else packQuantAcross(weight, scales, bits, n + j, count, K, k, depth, to, scratch + MATMUL_SCRATCH);
    }
    multiplyRows(inp + ((m * K + k) << 2), K << 2, rows, panels, columns, depth, out, N << 2, scratch, k == 0);
  }
  const base: usize = bits == 32 ? 0 : 1;
  if (constant(call, base)) {
    const bias = binding(call, 2 + more) + (n << 2);
    for (let i: u32 = 0; i < rows; i++) addTo(out + ((i * N) << 2), bias, columns);
  }
  if (constant(call, base + 1)) {
    const residual = binding(call, 3 + more) + ((m * N + n) << 2);
    for (let i: u32 = 0; i < rows; i++) addTo(out + ((i * N) << 2), residual + ((i * N) << 2), columns);
  }
}

/** dinp (M, K) (+)= dout (M, N) weight (N, K). Bindings dout, weight (or codes, scales), dinp. */
export function matmulNN(call: usize, chunk: u32, bits: u32): void {
  const M = param(call, 0), N = param(call, 1), K = param(call, 2);
  const height = chunkRows(M, N * K), width = chunkColumns(M, K);
  const across = ceilDiv(K, width);
  const m = chunk / across * height, k = chunk % across * width;
  const rows = least(height, M - m), columns = least(width, K - k);
  const more: usize = bits == 32 ? 0 : 1;
  const dout = binding(call, 0), weight = binding(call, 1), scales = binding(call, 2);
  const dinp = binding(call, 2 + more) + ((m * K + k) << 2);
  const panels = scratch + PANELS;
  const keep = constant(call, more) != 0;
  for (let n: u32 = 0; n < N; n += DEPTH) {
    const depth = least(DEPTH, N - n);
    if (bits == 32)
      for (let j: u32 = 0; j < columns; j += 8)
        packAlong(weight + ((n * K + k + j) << 2), K << 2, least(8, columns - j), depth, panels + j * (depth << 2));
    else packQuantAlong(weight, scales, bits, n, depth, K, k, columns, panels, scratch + MATMUL_SCRATCH);
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

export function matmulTNChunks(call: usize): i32 {
  const T = param(call, 0), N = param(call, 1), K = param(call, 2);
  return ceilDiv(T, param(call, 3)) * ceilDiv(N, gradientRows(N, K)) * ceilDiv(K, gradientColumns(N, K));
}

/** partials (chunks, N, K) (+)= dout^T (T, N) inp (T, K), the tokens in chunks. */
export function matmulTN(call: usize, chunk: u32): void {
  const T = param(call, 0), N = param(call, 1), K = param(call, 2), each = param(call, 3);
  const height = gradientRows(N, K), width = gradientColumns(N, K);
  const down = ceilDiv(N, height), across = ceilDiv(K, width);
  const s = chunk / (down * across);
  const rest = chunk % (down * across);
  const n = rest / across * height, k = rest % across * width;
  const rows = least(height, N - n), columns = least(width, K - k);
  const dout = binding(call, 0), inp = binding(call, 1);
  const out = binding(call, 2) + ((s * N * K + n * K + k) << 2);
  const panels = scratch + PANELS, left = scratch + LEFT;
  const keep = constant(call, 0) != 0;
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
