/**
 * Frozen weights in 4 or 8 bits: conversion of values to codes and scales, and their layout. Rows are packed slice by
 * slice, so that a model is quantised while it streams in and is never completely in memory.
 *
 * Groups of 32 consecutive values of a row share a scale, and in the formats with a minimum an offset. Both are f16
 * numbers and a code is a small integer, so code * scale is exact in f32:
 * - symmetric: value = code * scale, code -8..7 or -128..127. Codes and scales equal those of ggml's Q4_0 and Q8_0
 * (quantize_row_q4_0_ref, quantize_row_q8_0_ref; github.com/ggml-org/ggml, MIT);
 * - with a minimum: value = code * scale + minimum, rounded once to f32, code 0..15 or -128..127. With 4 bits these are
 * the values of ggml's Q4_1, and Q4_0's with minimum = -8 * scale.
 * A model quantised here and the same model imported from a GGUF file of such blocks have the same bits.
 *
 * Layout of a table of N rows of K values, G = ceil(K / 32) groups a row, all in 32-bit little-endian words:
 * - codes (N, G * bits): 4-bit codes are 8 a word, the lowest bits first, plus 8 if symmetric (the bytes of
 * onnxruntime's MatMulNBits, block 32); 8-bit codes are 4 a word, two's complement;
 * - scales: symmetric (N, ceil(G / 2)), two f16 a word, the lower half first; with a minimum (N, G), the scale in the
 * lower and the minimum in the upper half.
 * A row whose length is not a multiple of 32 is padded with codes of zero. This file depends on bytes only, never on a
 * GPU.
 */

import { fromHalf, largestHalf, toHalf } from './half.ts';
import { packingKernel } from './packing-kernel.ts';
import { MinimumPacker } from './quantize-minimum.ts';

export type QuantBits = 4 | 8;

/** Format of packed values. */
export interface PackedFormat {
  bits: QuantBits;
  /** True: each group has a minimum beside its scale. */
  minimum: boolean;
}

export const symmetric = (bits: QuantBits): PackedFormat => ({ bits, minimum: false });
export const withMinimum = (bits: QuantBits): PackedFormat => ({ bits, minimum: true });

export const sameFormat = (a: PackedFormat, b: PackedFormat) => a.bits === b.bits && a.minimum === b.minimum;

/** Consecutive values of a row that share a scale. */
export const groupLength = 32;

/**
 * Thrown for weights that cannot be quantised, or bytes that are not quantised weights. Names the place and the cause.
 */
export class QuantizeError extends Error {
  override name = 'QuantizeError';
}

/** Sizes of one packed row. */
export interface PackedRow extends PackedFormat {
  /** Number of values. */
  length: number;
  groups: number;
  codeWords: number;
  scaleWords: number;
}

/** `format`: bits alone mean symmetric codes. */
export function packedRow(format: PackedFormat | QuantBits, length: number): PackedRow {
  const { bits, minimum } = typeof format === 'number' ? symmetric(format) : format;
  const groups = Math.ceil(length / groupLength);
  const scaleWords = minimum ? groups : Math.ceil(groups / 2);
  return { bits, minimum, length, groups, codeWords: groups * bits, scaleWords };
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

export function emptyRows(format: PackedFormat | QuantBits, rows: number, length: number): PackedRows {
  const row = packedRow(format, length);
  const codes = new Uint32Array(rows * row.codeWords);
  return { row, rows, codes, scales: new Uint32Array(rows * row.scaleWords) };
}

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

/** Packs the values [start, end) as group `g` of row `r`; false if their scale is no finite f16. */
function packSymmetric(out: PackedRows, r: number, g: number, values: Float32Array, start: number, end: number) {
  const { bits, codeWords, scaleWords } = out.row;
  const { scale, inverse } = scaleOf(bits, extreme(values, start, end));
  if (!(Math.abs(scale) <= largestHalf)) return false;
  out.scales[r * scaleWords + (g >> 1)] |= toHalf(scale) << (16 * (g & 1));
  const pack = bits === 4 ? packGroup4 : packGroup8;
  pack(values, start, end, inverse, out.codes, r * codeWords + g * bits);
  return true;
}

/**
 * Packs (rows, length) values. `format`: bits alone mean symmetric codes. Throws QuantizeError, with `name` and the row
 * counted from `firstRow`, if a value is not finite or too large for an f16 scale.
 */
export function quantizeRows(
  format: PackedFormat | QuantBits,
  values: Float32Array,
  length: number,
  { name = 'these weights', firstRow = 0 } = {},
): PackedRows {
  const rows = values.length / length;
  if (!Number.isInteger(rows))
    throw new QuantizeError(`${name}: ${values.length} values are not a whole number of rows of ${length}.`);
  const out = emptyRows(format, rows, length);
  const { bits, minimum, groups } = out.row;
  const kernel = minimum && bits === 4 ? packingKernel() : null;
  const refused = kernel ? kernel(out, values) : minimum ? packWithMinimum(out, values) : packAllSymmetric(out, values);
  if (refused !== null) {
    const first = (refused % groups) * groupLength;
    throw new QuantizeError(
      `${name}, row ${firstRow + Math.floor(refused / groups)}, values ${first} to ` +
        `${Math.min(first + groupLength, length) - 1}: the largest is not finite or too large to quantise. The file may be ` +
        'damaged.',
    );
  }
  return out;
}

/** Calls `pack` with the row, the group and the values' range of each group. Returns the first group it refuses. */
function firstRefused(
  { row, rows }: PackedRows,
  pack: (r: number, g: number, start: number, end: number) => boolean,
): number | null {
  for (let r = 0; r < rows; r++)
    for (let g = 0; g < row.groups; g++) {
      const start = r * row.length + g * groupLength;
      if (!pack(r, g, start, Math.min(start + groupLength, (r + 1) * row.length))) return r * row.groups + g;
    }
  return null;
}

const packAllSymmetric = (out: PackedRows, values: Float32Array) =>
  firstRefused(out, (r, g, start, end) => packSymmetric(out, r, g, values, start, end));

/** Packs all values with a minimum. Returns the number of the first group that cannot be packed, or null. */
export function packWithMinimum(out: PackedRows, values: Float32Array): number | null {
  const { bits, groups } = out.row;
  const packer = new MinimumPacker(bits);
  return firstRefused(out, (r, g, start, end) => {
    const at = r * groups + g;
    return packer.pack(values, start, end, out.codes, at * bits, out.scales, at);
  });
}

/** Code `k` of packed row `r`. */
export function codeAt({ row, codes }: PackedRows, r: number, k: number): number {
  if (row.bits === 8) return ((codes[r * row.codeWords + (k >> 2)] >>> (8 * (k & 3))) << 24) >> 24;
  return ((codes[r * row.codeWords + (k >> 3)] >>> (4 * (k & 7))) & 15) - (row.minimum ? 0 : 8);
}

/** Scale of group `g` of packed row `r`. */
export function scaleAt({ row, scales }: PackedRows, r: number, g: number): number {
  if (row.minimum) return fromHalf(scales[r * row.scaleWords + g] & 0xffff);
  return fromHalf((scales[r * row.scaleWords + (g >> 1)] >>> (16 * (g & 1))) & 0xffff);
}

/** Minimum of group `g` of packed row `r`; 0 if the format has none. */
export const minimumAt = ({ row, scales }: PackedRows, r: number, g: number): number =>
  row.minimum ? fromHalf(scales[r * row.scaleWords + g] >>> 16) : 0;

/** Throws QuantizeError if a scale or a minimum read from a file is not finite. */
export function checkScales(packed: PackedRows, { name = 'these weights', firstRow = 0 } = {}): void {
  for (let r = 0; r < packed.rows; r++)
    for (let g = 0; g < packed.row.groups; g++)
      if (!Number.isFinite(scaleAt(packed, r, g)) || !Number.isFinite(minimumAt(packed, r, g)))
        throw new QuantizeError(
          `${name}, row ${firstRow + r}: the scale of values ${g * groupLength} to ${g * groupLength + groupLength - 1} is ` +
            'not finite. The file may be damaged.',
        );
}

/** (rows, length) values of packed rows, as the kernels compute them. */
export function dequantizeRows(packed: PackedRows): Float32Array {
  const { length, groups } = packed.row;
  const out = new Float32Array(packed.rows * length);
  for (let r = 0; r < packed.rows; r++) {
    for (let g = 0; g < groups; g++) {
      const scale = scaleAt(packed, r, g);
      const minimum = minimumAt(packed, r, g);
      const end = Math.min(length, (g + 1) * groupLength);
      for (let k = g * groupLength; k < end; k++) {
        const product = codeAt(packed, r, k) * scale;
        out[r * length + k] = packed.row.minimum ? product + minimum : product;
      }
    }
  }
  return out;
}
