/**
 * Blocks of packed weights for integer products: unpacked to bytes, packed into panels of eight columns, and multiplied
 * by 16-bit activations. A block has eight columns (rows of the packed weight) of some groups of 32.
 */
import { half } from './quant';

/** Address of the first column of the last unpacked block, and bytes from a column to the next. */
export let columnsAt: usize = 0;
export let columnStride: usize = 0;

/**
 * Finds the bytes of the groups [g, g + groups) of the packed rows [row, row + count). Unpacks four bits, less `zero`, to
 * `space`.
 */
export function unpackCodes(codes: usize, bits: u32, zero: i32, row: u32, count: u32, G: u32, g: u32, groups: u32, space: usize): void {
  if (bits == 8) {
    columnsAt = codes + ((row * G + g) << 5);
    columnStride = G << 5;
    return;
  }
  columnsAt = space;
  columnStride = groups << 5;
  const low = i8x16.splat(15), less = i8x16.splat(<i8>zero);
  for (let j: u32 = 0; j < count; j++) {
    let from = codes + (((row + j) * G + g) << 4);
    for (let i: u32 = 0; i < groups; i++) {
      const pairs = v128.load(from);
      const even = i8x16.sub(v128.and(pairs, low), less), odd = i8x16.sub(i8x16.shr_u(pairs, 4), less);
      v128.store(space, v128.shuffle<i8>(even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
      v128.store(space, v128.shuffle<i8>(even, odd, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), 16);
      from += 16;
      space += 32;
    }
  }
}

/** Four f16 (in the low halves of 32-bit lanes) as f32. */
// @ts-ignore: decorator
@inline
function halves(bits: v128): v128 {
  const magnitude = i32x4.shl(v128.and(bits, i32x4.splat(0x7fff)), 13);
  const sign = i32x4.shl(v128.and(bits, i32x4.splat(0x8000)), 16);
  // The exponent of f32 is 112 larger; the product is exact, also for subnormal halves.
  return v128.or(f32x4.mul(magnitude, f32x4.splat(5192296858534827628530496329220096.0)), sign);
}

/** Writes the scales of a block as to[g][8] floats; those of missing columns are 0. */
export function scaleBlock(scales: usize, row: u32, count: u32, G: u32, g: u32, groups: u32, to: usize): void {
  const stride: usize = ((G + 1) >> 1) << 2;
  for (let j: u32 = 0; j < 8; j++) {
    const from = scales + <usize>(row + j) * stride + (g << 1);
    let at = to + (j << 2);
    let i: u32 = 0;
    if (j < count)
      for (; i + 4 <= groups; i += 4) {
        scatter(at, halves(v128.load16x4_u(from + (i << 1))));
        at += 128;
      }
    for (; i < groups; i++) {
      store<f32>(at, j < count ? half(load<u16>(from + (i << 1))) : 0);
      at += 32;
    }
  }
}

/** Writes the four lanes of a vector 32 bytes apart. */
// @ts-ignore: decorator
@inline
function scatter(at: usize, four: v128): void {
  v128.store32_lane(at, four, 0);
  v128.store32_lane(at, four, 1, 32);
  v128.store32_lane(at, four, 2, 64);
  v128.store32_lane(at, four, 3, 96);
}

/** `scaleBlock` for rows with a scale and a minimum in each 32-bit word. */
export function minimumBlock(words: usize, row: u32, count: u32, G: u32, g: u32, groups: u32, to: usize, minima: usize): void {
  for (let j: u32 = 0; j < 8; j++) {
    const from = words + (((row + j) * G + g) << 2);
    let at: usize = j << 2;
    let i: u32 = 0;
    if (j < count)
      for (; i + 4 <= groups; i += 4) {
        const pairs = v128.load(from + (i << 2));
        scatter(to + at, halves(pairs));
        scatter(minima + at, halves(i32x4.shr_u(pairs, 16)));
        at += 128;
      }
    for (; i < groups; i++) {
      const pair = j < count ? load<u32>(from + (i << 2)) : 0;
      store<f32>(to + at, half(pair & 0xffff));
      store<f32>(minima + at, half(pair >> 16));
      at += 32;
    }
  }
}

/** Interleaves the 16-bit lanes of the low or high half of two vectors. */
// @ts-ignore: decorator
@inline
function low16(a: v128, b: v128): v128 { return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
// @ts-ignore: decorator
@inline
function high16(a: v128, b: v128): v128 { return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
// @ts-ignore: decorator
@inline
function low32(a: v128, b: v128): v128 { return v128.shuffle<i32>(a, b, 0, 4, 1, 5); }
// @ts-ignore: decorator
@inline
function high32(a: v128, b: v128): v128 { return v128.shuffle<i32>(a, b, 2, 6, 3, 7); }

/** Packs the current block: for each two inputs, the two bytes of each of the eight columns. */
export function packCodes(count: u32, groups: u32, to: usize): void {
  const stride = columnStride;
  // Missing columns repeat the first one; their outputs are not stored.
  let r0 = columnsAt;
  let r1 = count > 1 ? r0 + stride : r0, r2 = count > 2 ? r0 + 2 * stride : r0, r3 = count > 3 ? r0 + 3 * stride : r0;
  let r4 = count > 4 ? r0 + 4 * stride : r0, r5 = count > 5 ? r0 + 5 * stride : r0, r6 = count > 6 ? r0 + 6 * stride : r0, r7 = count > 7 ? r0 + 7 * stride : r0;
  for (let i: u32 = 0; i < 2 * groups; i++) {
    const x0 = v128.load(r0), x1 = v128.load(r1), x2 = v128.load(r2), x3 = v128.load(r3);
    const x4 = v128.load(r4), x5 = v128.load(r5), x6 = v128.load(r6), x7 = v128.load(r7);
    const a0 = low16(x0, x1), a1 = high16(x0, x1), b0 = low16(x2, x3), b1 = high16(x2, x3);
    const c0 = low16(x4, x5), c1 = high16(x4, x5), d0 = low16(x6, x7), d1 = high16(x6, x7);
    const e0 = low32(a0, b0), e1 = high32(a0, b0), e2 = low32(a1, b1), e3 = high32(a1, b1);
    const f0 = low32(c0, d0), f1 = high32(c0, d0), f2 = low32(c1, d1), f3 = high32(c1, d1);
    v128.store(to, v128.shuffle<i64>(e0, f0, 0, 2));
    v128.store(to, v128.shuffle<i64>(e0, f0, 1, 3), 16);
    v128.store(to, v128.shuffle<i64>(e1, f1, 0, 2), 32);
    v128.store(to, v128.shuffle<i64>(e1, f1, 1, 3), 48);
    v128.store(to, v128.shuffle<i64>(e2, f2, 0, 2), 64);
    v128.store(to, v128.shuffle<i64>(e2, f2, 1, 3), 80);
    v128.store(to, v128.shuffle<i64>(e3, f3, 0, 2), 96);
    v128.store(to, v128.shuffle<i64>(e3, f3, 1, 3), 112);
    r0 += 16; r1 += 16; r2 += 16; r3 += 16; r4 += 16; r5 += 16; r6 += 16; r7 += 16;
    to += 128;
  }
}

/** Adds sum * (ws * as) to four outputs. */
// @ts-ignore: decorator
@inline
function addScaled4(c: usize, sum: v128, ws: v128, as: v128): void {
  v128.store(c, f32x4.add(v128.load(c), f32x4.mul(f32x4.convert_i32x4_s(sum), f32x4.mul(ws, as))));
}

/**
 * Adds a 4 x 8 tile to C. `a`: codes of four rows; `s`: their scales; `b`: panel; `ws`: its scales. The loop can exit
 * after every step, which keeps V8 from moving all loads to the front (gemm.ts).
 */
export function integerTile(a0: usize, a1: usize, a2: usize, a3: usize, s0: usize, s1: usize, s2: usize, s3: usize, b: usize, ws: usize, groups: u32, c0: usize, c1: usize, c2: usize, c3: usize): void {
  for (let g: u32 = 0; g < groups; g++) {
    let p00: v128, p01: v128, p10: v128, p11: v128, p20: v128, p21: v128, p30: v128, p31: v128;
    p00 = p01 = p10 = p11 = p20 = p21 = p30 = p31 = i32x4.splat(0);
    let x: v128, y: v128, v: v128;
    let steps: u32 = 16;
    for (;;) {
      x = v128.load8x8_s(b); y = v128.load8x8_s(b, 8);
      v = v128.load32_splat(a0); p00 = i32x4.add(p00, i32x4.dot_i16x8_s(v, x)); p01 = i32x4.add(p01, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a1); p10 = i32x4.add(p10, i32x4.dot_i16x8_s(v, x)); p11 = i32x4.add(p11, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a2); p20 = i32x4.add(p20, i32x4.dot_i16x8_s(v, x)); p21 = i32x4.add(p21, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a3); p30 = i32x4.add(p30, i32x4.dot_i16x8_s(v, x)); p31 = i32x4.add(p31, i32x4.dot_i16x8_s(v, y));
      if (--steps == 0) break;
      x = v128.load8x8_s(b, 16); y = v128.load8x8_s(b, 24);
      v = v128.load32_splat(a0, 4); p00 = i32x4.add(p00, i32x4.dot_i16x8_s(v, x)); p01 = i32x4.add(p01, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a1, 4); p10 = i32x4.add(p10, i32x4.dot_i16x8_s(v, x)); p11 = i32x4.add(p11, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a2, 4); p20 = i32x4.add(p20, i32x4.dot_i16x8_s(v, x)); p21 = i32x4.add(p21, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a3, 4); p30 = i32x4.add(p30, i32x4.dot_i16x8_s(v, x)); p31 = i32x4.add(p31, i32x4.dot_i16x8_s(v, y));
      if (--steps == 0) break;
      x = v128.load8x8_s(b, 32); y = v128.load8x8_s(b, 40);
      v = v128.load32_splat(a0, 8); p00 = i32x4.add(p00, i32x4.dot_i16x8_s(v, x)); p01 = i32x4.add(p01, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a1, 8); p10 = i32x4.add(p10, i32x4.dot_i16x8_s(v, x)); p11 = i32x4.add(p11, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a2, 8); p20 = i32x4.add(p20, i32x4.dot_i16x8_s(v, x)); p21 = i32x4.add(p21, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a3, 8); p30 = i32x4.add(p30, i32x4.dot_i16x8_s(v, x)); p31 = i32x4.add(p31, i32x4.dot_i16x8_s(v, y));
      if (--steps == 0) break;
      x = v128.load8x8_s(b, 48); y = v128.load8x8_s(b, 56);
      v = v128.load32_splat(a0, 12); p00 = i32x4.add(p00, i32x4.dot_i16x8_s(v, x)); p01 = i32x4.add(p01, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a1, 12); p10 = i32x4.add(p10, i32x4.dot_i16x8_s(v, x)); p11 = i32x4.add(p11, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a2, 12); p20 = i32x4.add(p20, i32x4.dot_i16x8_s(v, x)); p21 = i32x4.add(p21, i32x4.dot_i16x8_s(v, y));
      v = v128.load32_splat(a3, 12); p30 = i32x4.add(p30, i32x4.dot_i16x8_s(v, x)); p31 = i32x4.add(p31, i32x4.dot_i16x8_s(v, y));
      a0 += 16; a1 += 16; a2 += 16; a3 += 16; b += 64;
      if (--steps == 0) break;
    }
    const w0 = v128.load(ws), w1 = v128.load(ws, 16);
    let s = v128.load32_splat(s0); addScaled4(c0, p00, w0, s); addScaled4(c0 + 16, p01, w1, s);
    s = v128.load32_splat(s1); addScaled4(c1, p10, w0, s); addScaled4(c1 + 16, p11, w1, s);
    s = v128.load32_splat(s2); addScaled4(c2, p20, w0, s); addScaled4(c2 + 16, p21, w1, s);
    s = v128.load32_splat(s3); addScaled4(c3, p30, w0, s); addScaled4(c3 + 16, p31, w1, s);
    ws += 32; s0 += 8; s1 += 8; s2 += 8; s3 += 8;
  }
}

/** Adds the minima of up to eight columns times the sums of a row's groups to C. `s`: the row's scales and sums. */
export function addMinima(s: usize, minima: usize, groups: u32, count: u32, c: usize): void {
  if (count == 8) {
    let low = v128.load(c), high = v128.load(c, 16);
    for (let g: u32 = 0; g < groups; g++) {
      const sum = v128.load32_splat(s + (g << 3), 4);
      low = f32x4.add(low, f32x4.mul(v128.load(minima), sum));
      high = f32x4.add(high, f32x4.mul(v128.load(minima, 16), sum));
      minima += 32;
    }
    v128.store(c, low);
    v128.store(c, high, 16);
    return;
  }
  for (let j: u32 = 0; j < count; j++) {
    let total = load<f32>(c + (j << 2));
    for (let g: u32 = 0; g < groups; g++) total += load<f32>(minima + (g << 5) + (j << 2)) * load<f32>(s + (g << 3), 4);
    store<f32>(c + (j << 2), total);
  }
}

/** Sum of 32 products of bytes and codes, in four lanes. */
// @ts-ignore: decorator
@inline
function group(w: usize, a0: v128, a1: v128, a2: v128, a3: v128): v128 {
  return i32x4.add(
    i32x4.add(i32x4.dot_i16x8_s(v128.load8x8_s(w), a0), i32x4.dot_i16x8_s(v128.load8x8_s(w, 8), a1)),
    i32x4.add(i32x4.dot_i16x8_s(v128.load8x8_s(w, 16), a2), i32x4.dot_i16x8_s(v128.load8x8_s(w, 24), a3)),
  );
}

/** Sums of the lanes of four vectors. */
// @ts-ignore: decorator
@inline
function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(low32(a, b), high32(a, b)), cd = i32x4.add(low32(c, d), high32(c, d));
  return i32x4.add(v128.shuffle<i64>(ab, cd, 0, 2), v128.shuffle<i64>(ab, cd, 1, 3));
}

/** Adds one row times the current block of eight columns to C, without a panel. */
export function integerRow(a: usize, s: usize, ws: usize, groups: u32, c: usize): void {
  const stride = columnStride;
  let from = columnsAt;
  for (let half: usize = 0; half < 32; half += 16) {
    let sum = v128.load(c + half);
    let w0 = from, w1 = from + stride, w2 = from + 2 * stride, w3 = from + 3 * stride;
    let codes = a;
    for (let g: u32 = 0; g < groups; g++) {
      const a0 = v128.load(codes), a1 = v128.load(codes, 16), a2 = v128.load(codes, 32), a3 = v128.load(codes, 48);
      const total = sums(group(w0, a0, a1, a2, a3), group(w1, a0, a1, a2, a3), group(w2, a0, a1, a2, a3), group(w3, a0, a1, a2, a3));
      const scale = f32x4.mul(v128.load(ws + (g << 5) + half), v128.load32_splat(s + (g << 3)));
      sum = f32x4.add(sum, f32x4.mul(f32x4.convert_i32x4_s(total), scale));
      codes += 64; w0 += 32; w1 += 32; w2 += 32; w3 += 32;
    }
    v128.store(c + half, sum);
    from += 4 * stride;
  }
}
