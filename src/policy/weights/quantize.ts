/**
 * Frozen weights in 4 or 8 bits: conversion of values to codes and scales, and their layout. Rows are packed slice by
 * slice, so that a model is quantised while it streams in and is never completely in memory.
 *
 * Symmetric, in groups of 32 consecutive values of a row with one scale each: value = code * scale. Codes and scales
 * equal those of ggml's Q4_0 and Q8_0 (quantize_row_q4_0_ref, quantize_row_q8_0_ref; github.com/ggml-org/ggml, MIT), so
 * a model quantised here and the same model imported from such a GGUF file have the same bits. The scale is an f16
 * number and a code a small integer. Their product is exact in f32, so dequantised weights are exact as well.
 *
 * Layout of a table of N rows of K values, G = ceil(K / 32) groups a row, all in 32-bit little-endian words:
 * - codes (N, G * bits): int4 has 8 a word, the lowest bits first, code + 8 in a nibble (the bytes of onnxruntime's
 * MatMulNBits, block 32, implicit zero point 8); int8 has 4 a word, two's complement;
 * - scales (N, ceil(G / 2)): two f16 a word, the lower half first.
 * A row whose length is not a multiple of 32 is padded with codes of value zero. This file depends on bytes only, never
 * on a GPU.
 */

export type QuantBits = 4 | 8;

/** Consecutive values of a row that share a scale. */
export const groupLength = 32;

/**
 * Thrown for weights that cannot be quantised, or bytes that are not quantised weights. Names the place and the cause.
 */
export class QuantizeError extends Error {
  override name = 'QuantizeError';
}

/** Sizes of one packed row. */
export interface PackedRow {
  bits: QuantBits;
  /** Number of values. */
  length: number;
  groups: number;
  codeWords: number;
  scaleWords: number;
}

export function packedRow(bits: QuantBits, length: number): PackedRow {
  const groups = Math.ceil(length / groupLength);
  return { bits, length, groups, codeWords: groups * bits, scaleWords: Math.ceil(groups / 2) };
}

/** Size of `rows` packed rows in bytes: codes and scales. */
export const packedBytes = ({ codeWords, scaleWords }: PackedRow, rows: number) => (codeWords + scaleWords) * 4 * rows;

/** Some rows of a table, packed. */
export interface PackedRows {
  row: PackedRow;
  rows: number;
  /** (rows, codeWords) */
  codes: Uint32Array<ArrayBuffer>;
  /** (rows, scaleWords) */
  scales: Uint32Array<ArrayBuffer>;
}

export function emptyRows(bits: QuantBits, rows: number, length: number): PackedRows {
  const row = packedRow(bits, length);
  const codes = new Uint32Array(rows * row.codeWords);
  return { row, rows, codes, scales: new Uint32Array(rows * row.scaleWords) };
}

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** Nearest f16 of an f32, ties to even, as its 16 bits. Too large a value becomes infinite. */
export function toHalf(value: number): number {
  float[0] = value;
  const sign = (word[0] >>> 16) & 0x8000;
  const magnitude = word[0] & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Adding 1/2 in f32 rounds to a multiple of 2^-24, the spacing of f16's subnormals.
    float[0] = magnitude === 0 ? 0.5 : Math.abs(value) + 0.5;
    return sign | (word[0] - 0x3f000000);
  }
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - 0x38000000) >>> 13);
}

/** Value of an f16 given as 16 bits. */
export function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const largestHalf = 65504;
const fround = Math.fround;

/** Value of largest magnitude in [start, end), the first of equals; NaN if any value is not finite. */
function extreme(values: Float32Array, start: number, end: number): number {
  let largest = 0;
  let value = 0;
  let poison = 0;
  for (let i = start; i < end; i++) {
    const x = values[i];
    poison += x * 0;
    const magnitude = Math.abs(x);
    if (magnitude > largest) {
      largest = magnitude;
      value = x;
    }
  }
  return value + poison;
}

/** Scale and its inverse in f32, as ggml computes them. */
function scaleOf(bits: QuantBits, value: number): { scale: number; inverse: number } {
  const scale = bits === 4 ? fround(value / -8) : fround(Math.abs(value) / 127);
  return { scale, inverse: scale === 0 ? 0 : fround(1 / scale) };
}

/**
 * Rounds half up after the shift to 0..15, as in ggml. The value of largest magnitude becomes -8; the same value with
 * the opposite sign is clamped to 7.
 */
const nibble = (x: number, inverse: number) => Math.min(15, Math.trunc(fround(fround(x * inverse) + 8.5)));

/** Rounds half away from zero. */
function int8(x: number, inverse: number): number {
  const q = fround(x * inverse);
  return q < 0 ? -Math.floor(0.5 - q) : Math.floor(q + 0.5);
}

function packGroup4(values: Float32Array, start: number, end: number, inverse: number, out: Uint32Array, at: number) {
  for (let w = 0; w < 4; w++) {
    let packed = 0;
    for (let i = 0; i < 8; i++) {
      const k = start + w * 8 + i;
      packed |= (k < end ? nibble(values[k], inverse) : 8) << (4 * i);
    }
    out[at + w] = packed;
  }
}

function packGroup8(values: Float32Array, start: number, end: number, inverse: number, out: Uint32Array, at: number) {
  for (let w = 0; w < 8; w++) {
    let packed = 0;
    for (let i = 0; i < 4; i++) {
      const k = start + w * 4 + i;
      if (k < end) packed |= (int8(values[k], inverse) & 0xff) << (8 * i);
    }
    out[at + w] = packed;
  }
}

/**
 * Packs (rows, length) values. Throws QuantizeError, with `name` and the row counted from `firstRow`, if a value is not
 * finite or too large for an f16 scale.
 */
export function quantizeRows(
  bits: QuantBits,
  values: Float32Array,
  length: number,
  { name = 'these weights', firstRow = 0 } = {},
): PackedRows {
  const rows = values.length / length;
  if (!Number.isInteger(rows))
    throw new QuantizeError(`${name}: ${values.length} values are not a whole number of rows of ${length}.`);
  const out = emptyRows(bits, rows, length);
  const { groups, codeWords, scaleWords } = out.row;
  const pack = bits === 4 ? packGroup4 : packGroup8;
  for (let r = 0; r < rows; r++) {
    for (let g = 0; g < groups; g++) {
      const start = r * length + g * groupLength;
      const end = Math.min(start + groupLength, (r + 1) * length);
      const { scale, inverse } = scaleOf(bits, extreme(values, start, end));
      if (!(Math.abs(scale) <= largestHalf))
        throw new QuantizeError(
          `${name}, row ${firstRow + r}, values ${g * groupLength} to ${g * groupLength + end - start - 1}: the largest is ` +
            'not finite or too large to quantise. The file may be damaged.',
        );
      out.scales[r * scaleWords + (g >> 1)] |= toHalf(scale) << (16 * (g & 1));
      pack(values, start, end, inverse, out.codes, r * codeWords + g * bits);
    }
  }
  return out;
}

/** Code `k` of packed row `r`. */
function codeAt({ row, codes }: PackedRows, r: number, k: number): number {
  if (row.bits === 4) return ((codes[r * row.codeWords + (k >> 3)] >>> (4 * (k & 7))) & 15) - 8;
  return ((codes[r * row.codeWords + (k >> 2)] >>> (8 * (k & 3))) << 24) >> 24;
}

/** Scale of group `g` of packed row `r`. */
export function scaleAt({ row, scales }: PackedRows, r: number, g: number): number {
  return fromHalf((scales[r * row.scaleWords + (g >> 1)] >>> (16 * (g & 1))) & 0xffff);
}

/** Throws QuantizeError if a scale read from a file is not finite. */
export function checkScales(packed: PackedRows, { name = 'these weights', firstRow = 0 } = {}): void {
  for (let r = 0; r < packed.rows; r++)
    for (let g = 0; g < packed.row.groups; g++)
      if (!Number.isFinite(scaleAt(packed, r, g)))
        throw new QuantizeError(
          `${name}, row ${firstRow + r}: the scale of values ${g * groupLength} to ${g * groupLength + groupLength - 1} is ` +
            'not finite. The file may be damaged.',
        );
}

/** Exact (rows, length) values of packed rows. */
export function dequantizeRows(packed: PackedRows): Float32Array {
  const { length, groups } = packed.row;
  const out = new Float32Array(packed.rows * length);
  for (let r = 0; r < packed.rows; r++) {
    for (let g = 0; g < groups; g++) {
      const scale = scaleAt(packed, r, g);
      const end = Math.min(length, (g + 1) * groupLength);
      for (let k = g * groupLength; k < end; k++) out[r * length + k] = codeAt(packed, r, k) * scale;
    }
  }
  return out;
}
