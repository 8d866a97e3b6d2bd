/**
 * Conversion between packed rows (quantize.ts) and the layouts of other programs:
 * - GGUF's Q4_0: 18 bytes for a group of 32, an f16 scale, then byte j = code[j] | code[j + 16] << 4, each code plus 8;
 * - GGUF's Q8_0: 34 bytes for a group, an f16 scale, then 32 signed bytes;
 * - `int4_g32`, onnxruntime's MatMulNBits with blocks of 32 and no zero points: bytes (N, G, 16) with byte i = code[2i]
 * | code[2i + 1] << 4, and f32 scales (N, G).
 * Conversion to and from the GGUF layouts is exact. Conversion to MatMulNBits is exact; conversion from it rounds the
 * f32 scales to f16.
 *
 * Sources: ggml-quants.c (github.com/ggml-org/ggml, MIT), MatMulNBits in onnxruntime's ContribOperators.md (MIT).
 */
import { toHalf } from './half.ts';
import { emptyRows, groupLength, type PackedRows, type QuantBits, QuantizeError, scaleAt } from './quantize.ts';

/** Size of one group in GGUF, in bytes. */
const ggufGroup = { 4: 18, 8: 34 } as const;

function checkGguf(length: number): void {
  if (length % groupLength !== 0)
    throw new QuantizeError(`Rows of ${length} values: Q4_0 and Q8_0 need a multiple of ${groupLength}.`);
}

const bytesOf = (words: Uint32Array) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

/** Converts to bytes (rows, G * 18 or G * 34) of Q4_0 (bits 4) or Q8_0 (bits 8). */
export function toGguf(packed: PackedRows): Uint8Array {
  const { bits, length, groups, codeWords, scaleWords } = packed.row;
  checkGguf(length);
  const [codes, scales] = [bytesOf(packed.codes), bytesOf(packed.scales)];
  const size = ggufGroup[bits];
  const out = new Uint8Array(packed.rows * groups * size);
  for (let r = 0; r < packed.rows; r++) {
    for (let g = 0; g < groups; g++) {
      const at = (r * groups + g) * size;
      const from = (r * codeWords + g * bits) * 4;
      out.set(scales.subarray(r * scaleWords * 4 + g * 2, r * scaleWords * 4 + g * 2 + 2), at);
      if (bits === 8) out.set(codes.subarray(from, from + groupLength), at + 2);
      else halvesFromPairs(codes, from, out, at + 2);
    }
  }
  return out;
}

/** Packed rows from Q4_0 or Q8_0 bytes of rows of `length` values. */
export function fromGguf(bits: QuantBits, bytes: Uint8Array, length: number): PackedRows {
  checkGguf(length);
  const size = ggufGroup[bits];
  const groups = length / groupLength;
  const rows = bytes.length / (groups * size);
  if (!Number.isInteger(rows))
    throw new QuantizeError(
      `${bytes.length} bytes are not a whole number of rows of ${groups} groups of ${size} bytes.`,
    );
  const packed = emptyRows(bits, rows, length);
  const { codeWords, scaleWords } = packed.row;
  const [codes, scales] = [bytesOf(packed.codes), bytesOf(packed.scales)];
  for (let r = 0; r < rows; r++) {
    for (let g = 0; g < groups; g++) {
      const at = (r * groups + g) * size;
      const to = (r * codeWords + g * bits) * 4;
      scales.set(bytes.subarray(at, at + 2), r * scaleWords * 4 + g * 2);
      if (bits === 8) codes.set(bytes.subarray(at + 2, at + 2 + groupLength), to);
      else pairsFromHalves(bytes, at + 2, codes, to);
    }
  }
  return packed;
}

/** Reorders the nibbles of a group from pairs (2i, 2i + 1), as in packed rows, to halves (j, j + 16), as in Q4_0. */
function halvesFromPairs(pairs: Uint8Array, from: number, halves: Uint8Array, to: number) {
  const code = (k: number) => (pairs[from + (k >> 1)] >> (4 * (k & 1))) & 15;
  for (let j = 0; j < 16; j++) halves[to + j] = code(j) | (code(j + 16) << 4);
}

function pairsFromHalves(halves: Uint8Array, from: number, pairs: Uint8Array, to: number) {
  const code = (k: number) => (halves[from + (k & 15)] >> (k < 16 ? 0 : 4)) & 15;
  for (let i = 0; i < 16; i++) pairs[to + i] = code(2 * i) | (code(2 * i + 1) << 4);
}

/** MatMulNBits operand: rows of G groups. */
export interface NBits {
  /** (rows, G, 16) */
  bytes: Uint8Array;
  /** (rows, G) */
  scales: Float32Array;
}

export function toNBits(packed: PackedRows): NBits {
  if (packed.row.bits !== 4) throw new QuantizeError('Only 4-bit rows convert to MatMulNBits here; these have 8 bits.');
  const { groups } = packed.row;
  const scales = Float32Array.from({ length: packed.rows * groups }, (_, i) =>
    scaleAt(packed, Math.floor(i / groups), i % groups),
  );
  return { bytes: bytesOf(packed.codes).slice(), scales };
}

/** Converts from MatMulNBits. Codes are exact; scales are rounded to f16. */
export function fromNBits({ bytes, scales }: NBits, length: number): PackedRows {
  const groups = Math.ceil(length / groupLength);
  const rows = scales.length / groups;
  if (!Number.isInteger(rows) || bytes.length !== scales.length * 16)
    throw new QuantizeError(
      `${bytes.length} bytes and ${scales.length} scales are not a whole number of rows of ${length} values.`,
    );
  const packed = emptyRows(4, rows, length);
  bytesOf(packed.codes).set(bytes);
  const { scaleWords } = packed.row;
  for (let i = 0; i < scales.length; i++) {
    const [r, g] = [Math.floor(i / groups), i % groups];
    packed.scales[r * scaleWords + (g >> 1)] |= toHalf(scales[i]) << (16 * (g & 1));
  }
  return packed;
}

const fround = Math.fround;

/** Rounds to the nearest integer, ties to even. */
function nearestEven(x: number): number {
  const rounded = Math.round(x);
  return rounded - x === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

/**
 * Quantises (rows, length) values with f32 scales, like MatMulNBits' own quantiser: scale = (value of largest
 * magnitude) / -8.
 */
export function quantizeNBits(values: Float32Array, length: number): NBits {
  const groups = Math.ceil(length / groupLength);
  const rows = values.length / length;
  if (!Number.isInteger(rows))
    throw new QuantizeError(`${values.length} values are not a whole number of rows of ${length}.`);
  const out = { bytes: new Uint8Array(rows * groups * 16), scales: new Float32Array(rows * groups) };
  for (let i = 0; i < rows * groups; i++) {
    const [r, g] = [Math.floor(i / groups), i % groups];
    const start = r * length + g * groupLength;
    const group = values.subarray(start, Math.min(start + groupLength, (r + 1) * length));
    const largest = group.reduce((a, x) => (Math.abs(x) > Math.abs(a) ? x : a), 0);
    const scale = fround(largest / -8);
    out.scales[i] = scale;
    for (let k = 0; k < groupLength; k++) {
      const q = k < group.length && scale !== 0 ? nearestEven(fround(group[k] / scale)) : 0;
      out.bytes[i * 16 + (k >> 1)] |= Math.min(15, Math.max(0, q + 8)) << (4 * (k & 1));
    }
  }
  return out;
}

/** Values of MatMulNBits' layout, each product rounded to f32. */
export function dequantizeNBits({ bytes, scales }: NBits, length: number): Float32Array {
  const groups = Math.ceil(length / groupLength);
  const rows = scales.length / groups;
  const out = new Float32Array(rows * length);
  for (let i = 0; i < out.length; i++) {
    const [r, k] = [Math.floor(i / length), i % length];
    const group = r * groups + Math.floor(k / groupLength);
    const inside = k % groupLength;
    const q = (bytes[group * 16 + (inside >> 1)] >> (4 * (inside & 1))) & 15;
    out[i] = (q - 8) * scales[group];
  }
  return out;
}
