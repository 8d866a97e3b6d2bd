/**
 * Inner loops of attention over the cache rows listed in scratch: dot products of a vector with every row, and the
 * weighted sum of the rows. Rows are floats or bytes. The `OfTwo` forms take two vectors at once and read each row
 * once.
 */
import { scratch } from './call';
import { across } from './math';

/** Largest number of keys of a token, and of queries of a key. */
export const MOST_KEYS: u32 = 65536;
export const LOWEST: f32 = -1e30;

/**
 * Parts of the scratch memory: the byte offsets of the listed rows, then four arrays of floats. Each has room for three
 * more elements, because loops go in steps of four.
 */
// @ts-ignore: decorator
@inline
export function offsets(): usize { return scratch; }
// @ts-ignore: decorator
@inline
export function weights(): usize { return scratch + <usize>(MOST_KEYS + 4) * 4; }
// @ts-ignore: decorator
@inline
export function slopes(): usize { return scratch + <usize>(MOST_KEYS + 4) * 8; }
// @ts-ignore: decorator
@inline
export function weights1(): usize { return scratch + <usize>(MOST_KEYS + 4) * 12; }
// @ts-ignore: decorator
@inline
export function slopes1(): usize { return scratch + <usize>(MOST_KEYS + 4) * 16; }
export const ATTENTION_SCRATCH: usize = <usize>(MOST_KEYS + 4) * 20;

/** Address of a token's fields (shaders/token.wgsl). */
// @ts-ignore: decorator
@inline
export function tokenAt(tokens: usize, t: u32): usize { return tokens + (t << 5); }

// @ts-ignore: decorator
@inline
function physical(row: u32, pages: usize, pageBits: u32): u32 {
  if (pageBits == 0) return row;
  return (load<u32>(pages + ((row >> pageBits) << 2)) << pageBits) | (row & ((1 << pageBits) - 1));
}

/** Appends the rows [from, to) to a list of `count` rows. Returns the new length. */
export function listRows(from: u32, to: u32, count: u32, pages: usize, pageBits: u32, rowBytes: u32): u32 {
  if (to <= from) return count;
  if (count + to - from > MOST_KEYS) unreachable();
  let at = offsets() + (count << 2);
  for (let row = from; row < to; row++) {
    store<u32>(at, physical(row, pages, pageBits) * rowBytes);
    at += 4;
  }
  return count + to - from;
}

/** Pads the list to a multiple of four with copies of its last row. */
export function padList(count: u32): void {
  const last = load<u32>(offsets() + ((count - 1) << 2));
  for (let i = count; (i & 3) != 0; i++) store<u32>(offsets() + (i << 2), last);
}

/** out[j] = scale * (a · row j) for every listed row of `base`. gemm.ts explains the exits inside the loop. */
export function products(a: usize, base: usize, count: u32, D: u32, scale: f32, out: usize): void {
  const bytes = D << 2;
  const scale4 = f32x4.splat(scale);
  let list = offsets();
  for (let j: u32 = 0; j < count; j += 4) {
    let r0 = base + load<u32>(list), r1 = base + load<u32>(list, 4), r2 = base + load<u32>(list, 8), r3 = base + load<u32>(list, 12);
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    let x: v128, at = a;
    let fours = D >> 2;
    if (fours != 0)
      for (;;) {
        x = v128.load(at);
        s0 = f32x4.add(s0, f32x4.mul(x, v128.load(r0)));
        s1 = f32x4.add(s1, f32x4.mul(x, v128.load(r1)));
        s2 = f32x4.add(s2, f32x4.mul(x, v128.load(r2)));
        s3 = f32x4.add(s3, f32x4.mul(x, v128.load(r3)));
        if (--fours == 0) break;
        x = v128.load(at, 16);
        s0 = f32x4.add(s0, f32x4.mul(x, v128.load(r0, 16)));
        s1 = f32x4.add(s1, f32x4.mul(x, v128.load(r1, 16)));
        s2 = f32x4.add(s2, f32x4.mul(x, v128.load(r2, 16)));
        s3 = f32x4.add(s3, f32x4.mul(x, v128.load(r3, 16)));
        if (--fours == 0) break;
        x = v128.load(at, 32);
        s0 = f32x4.add(s0, f32x4.mul(x, v128.load(r0, 32)));
        s1 = f32x4.add(s1, f32x4.mul(x, v128.load(r1, 32)));
        s2 = f32x4.add(s2, f32x4.mul(x, v128.load(r2, 32)));
        s3 = f32x4.add(s3, f32x4.mul(x, v128.load(r3, 32)));
        if (--fours == 0) break;
        x = v128.load(at, 48);
        s0 = f32x4.add(s0, f32x4.mul(x, v128.load(r0, 48)));
        s1 = f32x4.add(s1, f32x4.mul(x, v128.load(r1, 48)));
        s2 = f32x4.add(s2, f32x4.mul(x, v128.load(r2, 48)));
        s3 = f32x4.add(s3, f32x4.mul(x, v128.load(r3, 48)));
        at += 64; r0 += 64; r1 += 64; r2 += 64; r3 += 64;
        if (--fours == 0) break;
      }
    let sum = sums4(s0, s1, s2, s3);
    for (let d: u32 = (D & ~3) << 2; d < bytes; d += 4) {
      const from = base + d;
      const column = f32x4.replace_lane(f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(load<f32>(from + load<u32>(list))), 1, load<f32>(from + load<u32>(list, 4))), 2, load<f32>(from + load<u32>(list, 8))), 3, load<f32>(from + load<u32>(list, 12)));
      sum = f32x4.add(sum, f32x4.mul(f32x4.splat(load<f32>(a + d)), column));
    }
    v128.store(out + (j << 2), f32x4.mul(sum, scale4));
    list += 16;
  }
}

/** `products` for two vectors; each row is read once. D must be a multiple of four. */
export function productsOfTwo(a: usize, b: usize, base: usize, count: u32, D: u32, scale: f32, outA: usize, outB: usize): void {
  const scale4 = f32x4.splat(scale);
  let list = offsets();
  for (let j: u32 = 0; j < count; j += 4) {
    let r0 = base + load<u32>(list), r1 = base + load<u32>(list, 4), r2 = base + load<u32>(list, 8), r3 = base + load<u32>(list, 12);
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    let x: v128, y: v128, v: v128;
    let p = a, q = b;
    let fours = D >> 2;
    for (;;) {
      x = v128.load(p); y = v128.load(q);
      v = v128.load(r0); s0 = f32x4.add(s0, f32x4.mul(x, v)); t0 = f32x4.add(t0, f32x4.mul(y, v));
      v = v128.load(r1); s1 = f32x4.add(s1, f32x4.mul(x, v)); t1 = f32x4.add(t1, f32x4.mul(y, v));
      v = v128.load(r2); s2 = f32x4.add(s2, f32x4.mul(x, v)); t2 = f32x4.add(t2, f32x4.mul(y, v));
      v = v128.load(r3); s3 = f32x4.add(s3, f32x4.mul(x, v)); t3 = f32x4.add(t3, f32x4.mul(y, v));
      if (--fours == 0) break;
      x = v128.load(p, 16); y = v128.load(q, 16);
      v = v128.load(r0, 16); s0 = f32x4.add(s0, f32x4.mul(x, v)); t0 = f32x4.add(t0, f32x4.mul(y, v));
      v = v128.load(r1, 16); s1 = f32x4.add(s1, f32x4.mul(x, v)); t1 = f32x4.add(t1, f32x4.mul(y, v));
      v = v128.load(r2, 16); s2 = f32x4.add(s2, f32x4.mul(x, v)); t2 = f32x4.add(t2, f32x4.mul(y, v));
      v = v128.load(r3, 16); s3 = f32x4.add(s3, f32x4.mul(x, v)); t3 = f32x4.add(t3, f32x4.mul(y, v));
      if (--fours == 0) break;
      x = v128.load(p, 32); y = v128.load(q, 32);
      v = v128.load(r0, 32); s0 = f32x4.add(s0, f32x4.mul(x, v)); t0 = f32x4.add(t0, f32x4.mul(y, v));
      v = v128.load(r1, 32); s1 = f32x4.add(s1, f32x4.mul(x, v)); t1 = f32x4.add(t1, f32x4.mul(y, v));
      v = v128.load(r2, 32); s2 = f32x4.add(s2, f32x4.mul(x, v)); t2 = f32x4.add(t2, f32x4.mul(y, v));
      v = v128.load(r3, 32); s3 = f32x4.add(s3, f32x4.mul(x, v)); t3 = f32x4.add(t3, f32x4.mul(y, v));
      if (--fours == 0) break;
      x = v128.load(p, 48); y = v128.load(q, 48);
      v = v128.load(r0, 48); s0 = f32x4.add(s0, f32x4.mul(x, v)); t0 = f32x4.add(t0, f32x4.mul(y, v));
      v = v128.load(r1, 48); s1 = f32x4.add(s1, f32x4.mul(x, v)); t1 = f32x4.add(t1, f32x4.mul(y, v));
      v = v128.load(r2, 48); s2 = f32x4.add(s2, f32x4.mul(x, v)); t2 = f32x4.add(t2, f32x4.mul(y, v));
      v = v128.load(r3, 48); s3 = f32x4.add(s3, f32x4.mul(x, v)); t3 = f32x4.add(t3, f32x4.mul(y, v));
      p += 64; q += 64; r0 += 64; r1 += 64; r2 += 64; r3 += 64;
      if (--fours == 0) break;
    }
    v128.store(outA + (j << 2), f32x4.mul(sums4(s0, s1, s2, s3), scale4));
    v128.store(outB + (j << 2), f32x4.mul(sums4(t0, t1, t2, t3), scale4));
    list += 16;
  }
}

/** Lane i of the result is the sum of the lanes of vector i. */
// @ts-ignore: decorator
@inline
function sums4(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<i64>(ab, cd, 0, 2), v128.shuffle<i64>(ab, cd, 1, 3));
}

/** out (D) = scale * sum over the listed rows of weight[j] * (row j). */
export function weightedSum(base: usize, weight: usize, count: u32, D: u32, scale: f32, out: usize): void {
  const scale4 = f32x4.splat(scale);
  const last = offsets() + (count << 2);
  let d: u32 = 0;
  for (; d + 16 <= D; d += 16) {
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    let w = weight;
    for (let list = offsets(); list < last; list += 4) {
      const row = base + load<u32>(list) + (d << 2);
      const x = v128.load32_splat(w);
      s0 = f32x4.add(s0, f32x4.mul(x, v128.load(row)));
      s1 = f32x4.add(s1, f32x4.mul(x, v128.load(row, 16)));
      s2 = f32x4.add(s2, f32x4.mul(x, v128.load(row, 32)));
      s3 = f32x4.add(s3, f32x4.mul(x, v128.load(row, 48)));
      w += 4;
    }
    const to = out + (d << 2);
    v128.store(to, f32x4.mul(s0, scale4));
    v128.store(to, f32x4.mul(s1, scale4), 16);
    v128.store(to, f32x4.mul(s2, scale4), 32);
    v128.store(to, f32x4.mul(s3, scale4), 48);
  }
  for (; d + 4 <= D; d += 4) {
    let s0 = f32x4.splat(0);
    let w = weight;
    for (let list = offsets(); list < last; list += 4) {
      s0 = f32x4.add(s0, f32x4.mul(v128.load32_splat(w), v128.load(base + load<u32>(list) + (d << 2))));
      w += 4;
    }
    v128.store(out + (d << 2), f32x4.mul(s0, scale4));
  }
  for (; d < D; d++) {
    let s: f32 = 0;
    let w = weight;
    for (let list = offsets(); list < last; list += 4) {
      s += load<f32>(w) * load<f32>(base + load<u32>(list) + (d << 2));
      w += 4;
    }
    store<f32>(out + (d << 2), s * scale);
  }
}

/** `weightedSum` with two sets of weights; each row is read once. D must be a multiple of 16. */
export function weightedSumOfTwo(base: usize, weightA: usize, weightB: usize, count: u32, D: u32, scaleA: f32, scaleB: f32, outA: usize, outB: usize): void {
  const last = offsets() + (count << 2);
  for (let d: u32 = 0; d < D; d += 16) {
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    let wa = weightA, wb = weightB;
    const from = base + (d << 2);
    for (let list = offsets(); list < last; list += 4) {
      const row = from + load<u32>(list);
      const x = v128.load32_splat(wa), y = v128.load32_splat(wb);
      const v0 = v128.load(row), v1 = v128.load(row, 16), v2 = v128.load(row, 32), v3 = v128.load(row, 48);
      s0 = f32x4.add(s0, f32x4.mul(x, v0)); t0 = f32x4.add(t0, f32x4.mul(y, v0));
      s1 = f32x4.add(s1, f32x4.mul(x, v1)); t1 = f32x4.add(t1, f32x4.mul(y, v1));
      s2 = f32x4.add(s2, f32x4.mul(x, v2)); t2 = f32x4.add(t2, f32x4.mul(y, v2));
      s3 = f32x4.add(s3, f32x4.mul(x, v3)); t3 = f32x4.add(t3, f32x4.mul(y, v3));
      wa += 4;
      wb += 4;
    }
    const a = outA + (d << 2), b = outB + (d << 2);
    const scaleA4 = f32x4.splat(scaleA), scaleB4 = f32x4.splat(scaleB);
    v128.store(a, f32x4.mul(s0, scaleA4)); v128.store(a, f32x4.mul(s1, scaleA4), 16);
    v128.store(a, f32x4.mul(s2, scaleA4), 32); v128.store(a, f32x4.mul(s3, scaleA4), 48);
    v128.store(b, f32x4.mul(t0, scaleB4)); v128.store(b, f32x4.mul(t1, scaleB4), 16);
    v128.store(b, f32x4.mul(t2, scaleB4), 32); v128.store(b, f32x4.mul(t3, scaleB4), 48);
  }
}

/** Four signed bytes as floats. */
// @ts-ignore: decorator
@inline
function bytes4(at: usize): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(v128.load32_zero(at))));
}

/** `products` for rows of bytes: D signed bytes, then an f32 scale. */
export function productsOfBytes(a: usize, base: usize, count: u32, D: u32, scale: f32, out: usize): void {
  for (let j: u32 = 0; j < count; j++) {
    const row = base + load<u32>(offsets() + (j << 2));
    let sum = f32x4.splat(0);
    for (let d: u32 = 0; d < D; d += 4) sum = f32x4.add(sum, f32x4.mul(v128.load(a + (d << 2)), bytes4(row + d)));
    store<f32>(out + (j << 2), across(sum) * load<f32>(row + D) * scale);
  }
  for (let j = count; (j & 3) != 0; j++) store<f32>(out + (j << 2), LOWEST);
}

export function weightedSumOfBytes(base: usize, weight: usize, count: u32, D: u32, scale: f32, out: usize): void {
  for (let j: u32 = 0; j < count; j++) {
    const row = base + load<u32>(offsets() + (j << 2));
    store<f32>(weight + (j << 2), load<f32>(weight + (j << 2)) * load<f32>(row + D));
  }
  for (let d: u32 = 0; d < D; d += 4) {
    let sum = f32x4.splat(0);
    for (let j: u32 = 0; j < count; j++)
      sum = f32x4.add(sum, f32x4.mul(v128.load32_splat(weight + (j << 2)), bytes4(base + load<u32>(offsets() + (j << 2)) + d)));
    v128.store(out + (d << 2), f32x4.mul(sum, f32x4.splat(scale)));
  }
}
