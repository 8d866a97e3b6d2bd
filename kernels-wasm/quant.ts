/**
 * Packed weights (src/policy/weights/quantize.ts): codes (N, G * bits) and scales in 32-bit words, with
 * G = ceil(K / 32) groups per row. Symmetric codes have scales (N, ceil(G / 2)); with a minimum they are (N, G), a scale
 * and a minimum each. Matrix products unpack them one block at a time into panels, in both
 * directions. Embeddings and the masked head unpack single rows.
 */
import { QuantEmbed } from '../build/kernels/calls';
import { ceilDiv, least, scratch } from './call';
import { packAcross } from './gemm';

/** Value of an f16 given its bits. */
export function half(bits: u32): f32 {
  const sign = (bits & 0x8000) << 16;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent == 0) {
    const value = <f32>fraction * <f32>5.9604644775390625e-8;
    return sign ? -value : value;
  }
  return reinterpret<f32>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

// @ts-ignore: decorator
@inline
function scaleAt(scales: usize, row: u32, g: u32, G: u32): f32 {
  const word = load<u32>(scales + ((row * ((G + 1) >> 1) + (g >> 1)) << 2));
  return half(g & 1 ? word >> 16 : word & 0xffff);
}

/** Unpacks a word of eight four-bit codes, less `zero`. */
// @ts-ignore: decorator
@inline
function unpack4(word: u32, zero: v128, scale: v128, minimum: v128, to: usize): void {
  const low = i32x4.splat(word);
  const a = i32x4.replace_lane(i32x4.replace_lane(i32x4.replace_lane(low, 1, word >> 4), 2, word >> 8), 3, word >> 12);
  const b = i32x4.shr_u(a, 16);
  const mask = i32x4.splat(15);
  v128.store(to, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(i32x4.sub(v128.and(a, mask), zero)), scale), minimum));
  v128.store(to, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(i32x4.sub(v128.and(b, mask), zero)), scale), minimum), 16);
}

/**
 * Unpacks the values [k, k + count) of a row. k must be a multiple of 32; whole groups of 32 are written. Values after
 * K are unspecified.
 */
export function unpackRow(codes: usize, scales: usize, bits: u32, withMinimum: bool, row: u32, K: u32, k: u32, count: u32, to: usize): void {
  const G = ceilDiv(K, 32);
  const last = ceilDiv(k + count, 32);
  // Adding -0 changes no value, not even a zero's sign.
  let minimum = f32x4.splat(-0.0);
  const zero = i32x4.splat(withMinimum ? 0 : 8);
  for (let g = k >> 5; g < last; g++) {
    let scale: v128;
    if (withMinimum) {
      const word = load<u32>(scales + ((row * G + g) << 2));
      scale = f32x4.splat(half(word & 0xffff));
      minimum = f32x4.splat(half(word >> 16));
    } else scale = f32x4.splat(scaleAt(scales, row, g, G));
    let from = codes + ((row * G + g) * (bits << 2));
    if (bits == 4) {
      unpack4(load<u32>(from), zero, scale, minimum, to);
      unpack4(load<u32>(from, 4), zero, scale, minimum, to + 32);
      unpack4(load<u32>(from, 8), zero, scale, minimum, to + 64);
      unpack4(load<u32>(from, 12), zero, scale, minimum, to + 96);
      to += 128;
    } else {
      for (let i: u32 = 0; i < 8; i++) {
        const words = i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(v128.load32_zero(from)));
        v128.store(to, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(words), scale), minimum));
        from += 4;
        to += 16;
      }
    }
  }
}

/** Packs a panel of B whose columns are the packed rows [row, row + count), for the inputs [k, k + depth). */
export function packQuantAcross(codes: usize, scales: usize, bits: u32, withMinimum: bool, row: u32, count: u32, K: u32, k: u32, depth: u32, to: usize, space: usize): void {
  const each = (depth + 31) & ~31;
  for (let j: u32 = 0; j < count; j++) unpackRow(codes, scales, bits, withMinimum, row + j, K, k, depth, space + ((j * each) << 2));
  packAcross(space, each << 2, count, depth, to);
}

/**
 * Packs panels of B whose depth runs over the packed rows [row, row + depth), for the columns [k, k + columns). k must
 * be a multiple of 32.
 */
export function packQuantAlong(codes: usize, scales: usize, bits: u32, withMinimum: bool, row: u32, depth: u32, K: u32, k: u32, columns: u32, panels: usize, space: usize): void {
  const panel = <usize>depth << 5;
  for (let n: u32 = 0; n < depth; n++) {
    unpackRow(codes, scales, bits, withMinimum, row + n, K, k, columns, space);
    // The last panel of a block is written whole: products with columns after K are not stored.
    let to = panels + (n << 5);
    for (let j: u32 = 0; j < columns; j += 8) {
      v128.store(to, v128.load(space + (j << 2)));
      v128.store(to, v128.load(space + (j << 2), 16), 16);
      to += panel;
    }
  }
}

/**
 * Address of row `row` of a vocabulary table as floats: in place, or unpacked to `space`. `scalesAt` counts 32-bit
 * words.
 */
export function tableRow(table: usize, bits: u32, withMinimum: bool, row: u32, C: u32, scalesAt: u32, space: usize): usize {
  if (bits == 32) return table + ((row * C) << 2);
  unpackRow(table, table + (scalesAt << 2), bits, withMinimum, row, C, 0, C, space);
  return space;
}

const EMBED_ROWS: u32 = 64;
export function embedChunks(T: u32): i32 { return ceilDiv(T, EMBED_ROWS); }
/** out (T, C) of the tokens whose rows lie in [first, first + rows). */
export function quantEmbed(call: usize, chunk: u32): void {
  const T = QuantEmbed.T(call), C = QuantEmbed.C(call), first = QuantEmbed.first(call), rows = QuantEmbed.rows(call);
  const ids = QuantEmbed.idsAt(call), codes = QuantEmbed.codesAt(call), scales = QuantEmbed.scalesAt(call), out = QuantEmbed.outAt(call);
  const end = least((chunk + 1) * EMBED_ROWS, T);
  for (let t = chunk * EMBED_ROWS; t < end; t++) {
    const row = load<u32>(ids + (t << 2)) - first;
    if (row >= rows) continue;
    unpackRow(codes, scales, QuantEmbed.BITS(call), QuantEmbed.MINIMUM(call) != 0, row, C, 0, C, scratch);
    memory.copy(out + ((t * C) << 2), scratch, C << 2);
  }
}
