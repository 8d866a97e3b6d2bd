/**
 * Matrix products from packed panels: C (rows, columns) = A B. The order of a sum over the depth is fixed, so the bits
 * of an output depend neither on the outputs beside it nor on the division into chunks.
 *
 * B is packed in panels of eight columns: eight adjacent floats for each step of the depth. A is read from its rows in
 * place, or from panels of four rows. A tile of 4 x 8 outputs stays in eight registers, with two more for B and one for
 * an element of A; x86 has sixteen.
 */
import { madd } from './math';

/** Depth of a block. A panel of B then takes 8 KiB and stays in the L1 cache. */
export const DEPTH: u32 = 256;
/** Largest number of columns in a block of B. */
export const COLUMNS: u32 = 256;
/** Largest number of rows in a packed block of A. */
export const ROWS: u32 = 128;

/**
 * Steps of the depth that are summed in registers before they are added to C. A sum of partial sums is more accurate
 * than one long sum (pairwise summation, Higham 1993), and costs one load and one addition per 64 steps.
 */
const RUN: u32 = 64;

/*
 * The loops below can exit after every step of the depth. The extra branch is always predicted, and it keeps the
 * instructions of a step together: in a single long block V8 (TurboFan, Node 20) moves the loads of all steps to the
 * front and has to spill both them and the sums. With the exits a 512³ product runs at 38 GFLOP/s on one core, without
 * them at 24.
 */

/** Adds a 4 x 8 tile to C, or writes it if `fresh`. A: four rows in place. The depth must be at least 1. */
export function tileRows(a0: usize, a1: usize, a2: usize, a3: usize, b: usize, depth: u32, c0: usize, c1: usize, c2: usize, c3: usize, fresh: bool): void {
  while (depth > RUN) {
    runRows(a0, a1, a2, a3, b, RUN, c0, c1, c2, c3, fresh);
    a0 += RUN << 2; a1 += RUN << 2; a2 += RUN << 2; a3 += RUN << 2;
    b += RUN << 5;
    depth -= RUN;
    fresh = false;
  }
  runRows(a0, a1, a2, a3, b, depth, c0, c1, c2, c3, fresh);
}

function runRows(a0: usize, a1: usize, a2: usize, a3: usize, b: usize, depth: u32, c0: usize, c1: usize, c2: usize, c3: usize, fresh: bool): void {
  let s00: v128, s01: v128, s10: v128, s11: v128, s20: v128, s21: v128, s30: v128, s31: v128;
  s00 = s01 = s10 = s11 = s20 = s21 = s30 = s31 = f32x4.splat(0);
  let x: v128, y: v128, v: v128;
  for (;;) {
    x = v128.load(b); y = v128.load(b, 16);
    v = v128.load32_splat(a0); s00 = madd(v, x, s00); s01 = madd(v, y, s01);
    v = v128.load32_splat(a1); s10 = madd(v, x, s10); s11 = madd(v, y, s11);
    v = v128.load32_splat(a2); s20 = madd(v, x, s20); s21 = madd(v, y, s21);
    v = v128.load32_splat(a3); s30 = madd(v, x, s30); s31 = madd(v, y, s31);
    if (--depth == 0) break;
    x = v128.load(b, 32); y = v128.load(b, 48);
    v = v128.load32_splat(a0, 4); s00 = madd(v, x, s00); s01 = madd(v, y, s01);
    v = v128.load32_splat(a1, 4); s10 = madd(v, x, s10); s11 = madd(v, y, s11);
    v = v128.load32_splat(a2, 4); s20 = madd(v, x, s20); s21 = madd(v, y, s21);
    v = v128.load32_splat(a3, 4); s30 = madd(v, x, s30); s31 = madd(v, y, s31);
    if (--depth == 0) break;
    x = v128.load(b, 64); y = v128.load(b, 80);
    v = v128.load32_splat(a0, 8); s00 = madd(v, x, s00); s01 = madd(v, y, s01);
    v = v128.load32_splat(a1, 8); s10 = madd(v, x, s10); s11 = madd(v, y, s11);
    v = v128.load32_splat(a2, 8); s20 = madd(v, x, s20); s21 = madd(v, y, s21);
    v = v128.load32_splat(a3, 8); s30 = madd(v, x, s30); s31 = madd(v, y, s31);
    if (--depth == 0) break;
    x = v128.load(b, 96); y = v128.load(b, 112);
    v = v128.load32_splat(a0, 12); s00 = madd(v, x, s00); s01 = madd(v, y, s01);
    v = v128.load32_splat(a1, 12); s10 = madd(v, x, s10); s11 = madd(v, y, s11);
    v = v128.load32_splat(a2, 12); s20 = madd(v, x, s20); s21 = madd(v, y, s21);
    v = v128.load32_splat(a3, 12); s30 = madd(v, x, s30); s31 = madd(v, y, s31);
    a0 += 16; a1 += 16; a2 += 16; a3 += 16; b += 128;
    if (--depth == 0) break;
  }
  if (!fresh) {
    s00 = f32x4.add(v128.load(c0), s00); s01 = f32x4.add(v128.load(c0, 16), s01);
    s10 = f32x4.add(v128.load(c1), s10); s11 = f32x4.add(v128.load(c1, 16), s11);
    s20 = f32x4.add(v128.load(c2), s20); s21 = f32x4.add(v128.load(c2, 16), s21);
    s30 = f32x4.add(v128.load(c3), s30); s31 = f32x4.add(v128.load(c3, 16), s31);
  }
  v128.store(c0, s00); v128.store(c0, s01, 16);
  v128.store(c1, s10); v128.store(c1, s11, 16);
  v128.store(c2, s20); v128.store(c2, s21, 16);
  v128.store(c3, s30); v128.store(c3, s31, 16);
}

/** `tileRows` with A from a panel: four adjacent floats for each step of the depth. */
export function tilePanel(a: usize, b: usize, depth: u32, c0: usize, c1: usize, c2: usize, c3: usize, fresh: bool): void {
  while (depth > RUN) {
    runPanel(a, b, RUN, c0, c1, c2, c3, fresh);
    a += RUN << 4;
    b += RUN << 5;
    depth -= RUN;
    fresh = false;
  }
  runPanel(a, b, depth, c0, c1, c2, c3, fresh);
}

function runPanel(a: usize, b: usize, depth: u32, c0: usize, c1: usize, c2: usize, c3: usize, fresh: bool): void {
  let s00: v128, s01: v128, s10: v128, s11: v128, s20: v128, s21: v128, s30: v128, s31: v128;
  s00 = s01 = s10 = s11 = s20 = s21 = s30 = s31 = f32x4.splat(0);
  let x: v128, y: v128, v: v128;
  for (;;) {
    x = v128.load(b); y = v128.load(b, 16);
    v = v128.load32_splat(a); s00 = madd(v, x, s00); s01 = madd(v, y, s01);
    v = v128.load32_splat(a, 4); s10 = madd(v, x, s10); s11 = madd(v, y, s11);
    v = v128.load32_splat(a, 8); s20 = madd(v, x, s20); s21 = madd(v, y, s21);
    v = v128.load32_splat(a, 12); s30 = madd(v, x, s30); s31 = madd(v, y, s31);
    if (--depth == 0) break;
    x = v128.load(b, 32); y = v128.load(b, 48);
    v = v128.load32_splat(a, 16); s00 = madd(v, x, s00); s01 = madd(v, y, s01);
    v = v128.load32_splat(a, 20); s10 = madd(v, x, s10); s11 = madd(v, y, s11);
    v = v128.load32_splat(a, 24); s20 = madd(v, x, s20); s21 = madd(v, y, s21);
    v = v128.load32_splat(a, 28); s30 = madd(v, x, s30); s31 = madd(v, y, s31);
    if (--depth == 0) break;
    x = v128.load(b, 64); y = v128.load(b, 80);
    v = v128.load32_splat(a, 32); s00 = madd(v, x, s00); s01 = madd(v, y, s01);
    v = v128.load32_splat(a, 36); s10 = madd(v, x, s10); s11 = madd(v, y, s11);
    v = v128.load32_splat(a, 40); s20 = madd(v, x, s20); s21 = madd(v, y, s21);
    v = v128.load32_splat(a, 44); s30 = madd(v, x, s30); s31 = madd(v, y, s31);
    if (--depth == 0) break;
    x = v128.load(b, 96); y = v128.load(b, 112);
    v = v128.load32_splat(a, 48); s00 = madd(v, x, s00); s01 = madd(v, y, s01);
    v = v128.load32_splat(a, 52); s10 = madd(v, x, s10); s11 = madd(v, y, s11);
    v = v128.load32_splat(a, 56); s20 = madd(v, x, s20); s21 = madd(v, y, s21);
    v = v128.load32_splat(a, 60); s30 = madd(v, x, s30); s31 = madd(v, y, s31);
    a += 64; b += 128;
    if (--depth == 0) break;
  }
  if (!fresh) {
    s00 = f32x4.add(v128.load(c0), s00); s01 = f32x4.add(v128.load(c0, 16), s01);
    s10 = f32x4.add(v128.load(c1), s10); s11 = f32x4.add(v128.load(c1, 16), s11);
    s20 = f32x4.add(v128.load(c2), s20); s21 = f32x4.add(v128.load(c2, 16), s21);
    s30 = f32x4.add(v128.load(c3), s30); s31 = f32x4.add(v128.load(c3, 16), s31);
  }
  v128.store(c0, s00); v128.store(c0, s01, 16);
  v128.store(c1, s10); v128.store(c1, s11, 16);
  v128.store(c2, s20); v128.store(c2, s21, 16);
  v128.store(c3, s30); v128.store(c3, s31, 16);
}

/** Transposes four rows of four floats and stores them `step` bytes apart. */
// @ts-ignore: decorator
@inline
function transpose(r0: v128, r1: v128, r2: v128, r3: v128, to: usize, step: usize): void {
  const a = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
  const b = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
  const c = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
  const d = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<i64>(a, b, 0, 2));
  v128.store(to + step, v128.shuffle<i64>(a, b, 1, 3));
  v128.store(to + 2 * step, v128.shuffle<i64>(c, d, 0, 2));
  v128.store(to + 3 * step, v128.shuffle<i64>(c, d, 1, 3));
}

/**
 * Packs a panel of B from eight rows of a matrix; the depth runs along the rows. Only `count` rows exist, the others
 * become zero. `stride` is in bytes.
 */
export function packAcross(from: usize, stride: usize, count: u32, depth: u32, to: usize): void {
  let row = from;
  let k: u32 = 0;
  if (count == 8) {
    const s2 = stride * 2, s3 = stride * 3, s4 = stride * 4, s5 = stride * 5, s6 = stride * 6, s7 = stride * 7;
    for (; k + 4 <= depth; k += 4) {
      transpose(v128.load(row), v128.load(row + stride), v128.load(row + s2), v128.load(row + s3), to, 32);
      transpose(v128.load(row + s4), v128.load(row + s5), v128.load(row + s6), v128.load(row + s7), to + 16, 32);
      row += 16;
      to += 128;
    }
  }
  for (; k < depth; k++) {
    for (let j: u32 = 0; j < 8; j++) store<f32>(to + (j << 2), j < count ? load<f32>(row + <usize>j * stride) : 0);
    row += 4;
    to += 32;
  }
}

/** Packs a panel of B from eight columns of a matrix; the depth runs down the columns. */
export function packAlong(from: usize, stride: usize, count: u32, depth: u32, to: usize): void {
  if (count == 8) {
    for (let k: u32 = 0; k < depth; k++) {
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
      from += stride;
      to += 32;
    }
    return;
  }
  for (let k: u32 = 0; k < depth; k++) {
    for (let j: u32 = 0; j < 8; j++) store<f32>(to + (j << 2), j < count ? load<f32>(from + (j << 2)) : 0);
    from += stride;
    to += 32;
  }
}

/** Packs a panel of A from four columns of a matrix; the depth runs down the columns. */
export function packFour(from: usize, stride: usize, count: u32, depth: u32, to: usize): void {
  if (count == 4) {
    for (let k: u32 = 0; k < depth; k++) {
      v128.store(to, v128.load(from));
      from += stride;
      to += 16;
    }
    return;
  }
  for (let k: u32 = 0; k < depth; k++) {
    for (let j: u32 = 0; j < 4; j++) store<f32>(to + (j << 2), j < count ? load<f32>(from + (j << 2)) : 0);
    from += stride;
    to += 16;
  }
}

/** Copies the valid part of a tile (4 x 8 floats) to C, or from C to the tile if `out` is false. */
// @ts-ignore: decorator
@inline
export function moveTile(tile: usize, c: usize, stride: usize, rows: u32, columns: u32, out: bool): void {
  for (let i: u32 = 0; i < rows; i++)
    for (let j: u32 = 0; j < columns; j++) {
      const inside = tile + ((i * 8 + j) << 2);
      const outside = c + <usize>i * stride + (j << 2);
      if (out) store<f32>(outside, load<f32>(inside));
      else store<f32>(inside, load<f32>(outside));
    }
}

/**
 * Rows of C from rows of A in place and packed panels of B. Strides are in bytes. `tile`: 128 bytes of scratch for
 * incomplete tiles. `fresh`: C is written instead of added to. A panel of B stays in the L1 cache while all rows of A
 * use it.
 */
export function multiplyRows(a: usize, aStride: usize, rows: u32, b: usize, columns: u32, depth: u32, c: usize, cStride: usize, tile: usize, fresh: bool): void {
  const panel = <usize>depth << 5;
  for (let j: u32 = 0; j < columns; j += 8) {
    const wide = columns - j < 8 ? columns - j : 8;
    let from = a;
    let to = c + (j << 2);
    let i: u32 = 0;
    if (wide == 8)
      for (; i + 4 <= rows; i += 4) {
        tileRows(from, from + aStride, from + 2 * aStride, from + 3 * aStride, b, depth, to, to + cStride, to + 2 * cStride, to + 3 * cStride, fresh);
        from += 4 * aStride;
        to += 4 * cStride;
      }
    for (; i < rows; i += 4) {
      const have = rows - i < 4 ? rows - i : 4;
      // Missing rows repeat the last one; their outputs are computed but not stored.
      const a1 = have > 1 ? from + aStride : from;
      const a2 = have > 2 ? a1 + aStride : a1;
      const a3 = have > 3 ? a2 + aStride : a2;
      if (!fresh) moveTile(tile, to, cStride, have, wide, false);
      tileRows(from, a1, a2, a3, b, depth, tile, tile + 32, tile + 64, tile + 96, fresh);
      moveTile(tile, to, cStride, have, wide, true);
      from += 4 * aStride;
      to += 4 * cStride;
    }
    b += panel;
  }
}

/** `multiplyRows` with A in panels of four rows. */
export function multiplyPanels(a: usize, rows: u32, b: usize, columns: u32, depth: u32, c: usize, cStride: usize, tile: usize, fresh: bool): void {
  const panel = <usize>depth << 5;
  for (let j: u32 = 0; j < columns; j += 8) {
    const wide = columns - j < 8 ? columns - j : 8;
    let from = a;
    let to = c + (j << 2);
    for (let i: u32 = 0; i < rows; i += 4) {
      const have = rows - i < 4 ? rows - i : 4;
      if (have == 4 && wide == 8) tilePanel(from, b, depth, to, to + cStride, to + 2 * cStride, to + 3 * cStride, fresh);
      else {
        if (!fresh) moveTile(tile, to, cStride, have, wide, false);
        tilePanel(from, b, depth, tile, tile + 32, tile + 64, tile + 96, fresh);
        moveTile(tile, to, cStride, have, wide, true);
      }
      from += <usize>depth << 4;
      to += 4 * cStride;
    }
    b += panel;
  }
}
