/**
 * The forward product of packed weights in integers: each row of activations becomes 16-bit codes with one scale for 32
 * values, and a group's sum of code times code is exact in 32 bits (127 * 32767 * 32 < 2^31). Only the scales are
 * floats:
 *
 *   out[m, n] = sum over the groups g of (sum over g of a[m, k] w[n, k]) (ws[n, g] as[m, g]) + minimum[n, g] t[m, g]
 *
 * with t = as times the sum of the codes a. Groups are added in order, 32 at a time: the first terms, then the second.
 * So the bits depend neither on the engine nor on the build (plain or relaxed) nor on the number of rows. A code is
 * within half a step of its value, and a step is 1/32767 of the largest value in the group.
 */
import { IntegerActivations, IntegerMatmulNt } from '../build/kernels/calls';
import { ceilDiv, least, scratch } from './call';
import { moveTile } from './gemm';
import { addTo, largestOf } from './math';
import { chunkColumns, chunkRows, productChunks } from './matmul';
import { addMinima, integerRow, integerTile, minimumBlock, packCodes, scaleBlock, unpackCodes } from './integer-panel';

/** Rows of a chunk of `integerActivations`. */
const ROWS: u32 = 8;
export function activationChunks(M: u32): i32 { return ceilDiv(M, ROWS); }

/** Adding and subtracting 1.5 * 2^23 rounds to the nearest integer, ties to even. The integer is in the low bits. */
const ROUND: f32 = 12582912;

/**
 * Writes 32 codes of 16 bits, their scale, and the scale times their sum. A group with a value that is not finite has
 * the scale NaN.
 */
function quantizeGroup(from: usize, to: usize, scales: usize): void {
  let most = f32x4.splat(0), poison = f32x4.splat(0);
  for (let i: usize = 0; i < 128; i += 16) {
    const x = v128.load(from + i);
    most = f32x4.max(most, f32x4.abs(x));
    poison = f32x4.add(poison, f32x4.sub(x, x));
  }
  const largest = largestOf(most);
  if (!(f32x4.extract_lane(poison, 0) + f32x4.extract_lane(poison, 1) + f32x4.extract_lane(poison, 2) + f32x4.extract_lane(poison, 3) == 0)) {
    memory.fill(to, 0, 64);
    store<f32>(scales, NaN);
    store<f32>(scales, NaN, 4);
    return;
  }
  // Smaller magnitudes have no finite inverse scale.
  if (largest < <f32>1e-30) {
    memory.fill(to, 0, 64);
    store<u64>(scales, 0);
    return;
  }
  const inverse = f32x4.splat(<f32>32767 / largest), round = f32x4.splat(ROUND);
  let sum = i32x4.splat(0);
  for (let i: usize = 0; i < 64; i += 16) {
    const low = i32x4.sub(f32x4.add(f32x4.mul(v128.load(from + 2 * i), inverse), round), round);
    const high = i32x4.sub(f32x4.add(f32x4.mul(v128.load(from + 2 * i, 16), inverse), round), round);
    v128.store(to + i, i16x8.narrow_i32x4_s(low, high));
    sum = i32x4.add(sum, i32x4.add(low, high));
  }
  const scale: f32 = largest / <f32>32767;
  const codes = i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3);
  store<f32>(scales, scale);
  store<f32>(scales, scale * <f32>codes, 4);
}

/** codes (M, ceil(K / 32) * 32) of 16 bits and scales (M, ceil(K / 32), 2) of the rows of inp (M, K). */
export function integerActivations(call: usize, chunk: u32): void {
  const M = IntegerActivations.M(call), K = IntegerActivations.K(call);
  const G = ceilDiv(K, 32);
  const end = least((chunk + 1) * ROWS, M);
  for (let m = chunk * ROWS; m < end; m++) {
    const row = IntegerActivations.inpAt(call) + ((m * K) << 2);
    const codes = IntegerActivations.codesAt(call) + ((m * G) << 6), scales = IntegerActivations.scalesAt(call) + ((m * G) << 3);
    for (let g: u32 = 0; g < G; g++) {
      let from = row + (g << 7);
      if (g * 32 + 32 > K) {
        memory.fill(scratch, 0, 128);
        memory.copy(scratch, from, (K - g * 32) << 2);
        from = scratch;
      }
      quantizeGroup(from, codes + (g << 6), scales + (g << 3));
    }
  }
}

/** Depth of a block in groups: a panel of eight columns then takes 8 KiB. */
const GROUPS: u32 = 32;
/** Largest number of rows that are computed one by one, without panels. */
const FEW: u32 = 3;

/** Scratch memory: an incomplete tile of 4 x 8 at 0, the scales and minima of a panel, and its codes. */
const SCALES: usize = 128;
const MINIMA: usize = SCALES + <usize>GROUPS * 32;
const PANEL: usize = MINIMA + <usize>GROUPS * 32;
/** After the panel: the unpacked codes of eight rows. */
const ROWS_AT: usize = PANEL + <usize>GROUPS * 256;
export const INTEGER_SCRATCH: usize = ROWS_AT + <usize>GROUPS * 256;

export function integerChunks(M: u32, N: u32, weights: u32): i32 { return productChunks(M, N, weights); }

/** out (M, N) = activations (M, K) weight^T (N, K) + bias + residual. */
export function integerMatmulNt(call: usize, chunk: u32): void {
  const M = IntegerMatmulNt.M(call), N = IntegerMatmulNt.N(call), K = IntegerMatmulNt.K(call);
  const height = chunkRows(M, N * K), width = chunkColumns(M, N);
  const across = ceilDiv(N, width);
  const m = chunk / across * height, n = chunk % across * width;
  const rows = least(height, M - m), columns = least(width, N - n);
  const G = ceilDiv(K, 32);
  const out = IntegerMatmulNt.outAt(call) + ((m * N + n) << 2);
  const codes = IntegerMatmulNt.inpCodesAt(call) + ((m * G) << 6), scales = IntegerMatmulNt.inpScalesAt(call) + ((m * G) << 3);
  const withMinimum = IntegerMatmulNt.MINIMUM(call) != 0;
  for (let i: u32 = 0; i < rows; i++) memory.fill(out + ((i * N) << 2), 0, columns << 2);
  for (let j: u32 = 0; j < columns; j += 8) {
    const count = least(8, columns - j);
    for (let g: u32 = 0; g < G; g += GROUPS) {
      const groups = least(GROUPS, G - g);
      if (withMinimum) minimumBlock(IntegerMatmulNt.scalesAt(call), n + j, count, G, g, groups, scratch + SCALES, scratch + MINIMA);
      else scaleBlock(IntegerMatmulNt.scalesAt(call), n + j, count, G, g, groups, scratch + SCALES);
      unpackCodes(IntegerMatmulNt.codesAt(call), IntegerMatmulNt.BITS(call), withMinimum ? 0 : 8, n + j, count, G, g, groups, scratch + ROWS_AT);
      const to = out + (j << 2), s = scales + (g << 3);
      multiplyBlock(codes + (g << 6), s, rows, G, groups, count, to, N << 2);
      if (withMinimum) for (let i: u32 = 0; i < rows; i++) addMinima(s + <usize>i * (G << 3), scratch + MINIMA, groups, count, to + ((i * N) << 2));
    }
  }
  const bias = IntegerMatmulNt.HAS_BIAS(call) ? IntegerMatmulNt.biasAt(call) : 0;
  const residual = IntegerMatmulNt.HAS_RESIDUAL(call) ? IntegerMatmulNt.residualAt(call) : 0;
  if (bias) for (let i: u32 = 0; i < rows; i++) addTo(out + ((i * N) << 2), bias + (n << 2), columns);
  if (residual) for (let i: u32 = 0; i < rows; i++) addTo(out + ((i * N) << 2), residual + (((m + i) * N + n) << 2), columns);
}

/** Adds rows of activations times the current block of weights to C. `codes`, `scales`: the first row's. */
function multiplyBlock(codes: usize, scales: usize, rows: u32, G: u32, groups: u32, count: u32, c: usize, cStride: usize): void {
  const ws = scratch + SCALES, panel = scratch + PANEL;
  const stride: usize = G << 6, sStride: usize = G << 3;
  if (rows <= FEW && count == 8) {
    for (let i: u32 = 0; i < rows; i++) integerRow(codes + <usize>i * stride, scales + <usize>i * sStride, ws, groups, c + <usize>i * cStride);
    return;
  }
  packCodes(count, groups, panel);
  for (let i: u32 = 0; i < rows; i += 4) {
    const have = least(4, rows - i);
    // Missing rows repeat the last one; their outputs are not stored.
    const i1: usize = least(1, have - 1), i2: usize = least(2, have - 1), i3: usize = least(3, have - 1);
    const a = codes + <usize>i * stride, s = scales + <usize>i * sStride, to = c + <usize>i * cStride;
    const whole = have == 4 && count == 8;
    const tile = whole ? to : scratch, tStride: usize = whole ? cStride : 32;
    if (!whole) moveTile(tile, to, cStride, have, count, false);
    integerTile(a, a + i1 * stride, a + i2 * stride, a + i3 * stride, s, s + i1 * sStride, s + i2 * sStride, s + i3 * sStride, panel, ws, groups, tile, tile + tStride, tile + 2 * tStride, tile + 3 * tStride);
    if (!whole) moveTile(tile, to, cStride, have, count, true);
  }
}
