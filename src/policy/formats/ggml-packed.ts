/**
 * Blocks of ggml as packed rows (weights/quantize.ts), with their own codes. Values are exact for the types with one
 * scale in a block. Q4_K, Q5_K and IQ4_XS store products of two numbers as the scale of 32 values; these are rounded to
 * f16, a relative error of at most 2^-11. Q6_K and the types below 4 bits have a scale for each 16 values, which packed
 * rows cannot hold.
 *
 * Layouts: ggml-blocks.ts.
 */
import { fromHalf, toHalf } from '../weights/half.ts';
import {
  emptyRows,
  groupLength,
  type PackedFormat,
  type PackedRows,
  QuantizeError,
  symmetric,
  withMinimum,
} from '../weights/quantize.ts';
import { minimumOfK, nonLinear, scaleOfK } from './ggml-blocks.ts';

/** Reads group `group` of the block at byte `at`: its 32 codes; returns the 16 bits of its scale, and of its minimum. */
type ReadGroup = (bytes: Uint8Array, at: number, group: number, codes: Int8Array) => [number, number];

export interface PackedBlocks {
  format: PackedFormat;
  /** Groups of 32 values, and bytes, of a block. */
  groups: number;
  bytes: number;
  read: ReadGroup;
}

const word = (bytes: Uint8Array, at: number) => bytes[at] | (bytes[at + 1] << 8);
const half = (bytes: Uint8Array, at: number) => fromHalf(word(bytes, at));
const { fround } = Math;

/** Lower nibbles of 16 bytes, then their upper ones, plus `added`. */
function nibbles(bytes: Uint8Array, at: number, codes: Int8Array, added: number): void {
  for (let j = 0; j < 16; j++) {
    codes[j] = (bytes[at + j] & 15) + added;
    codes[j + 16] = (bytes[at + j] >> 4) + added;
  }
}

/** Adds 16 to the codes whose bit is set in the four bytes at `at`. */
function fifthBits(bytes: Uint8Array, at: number, codes: Int8Array): void {
  for (let j = 0; j < groupLength; j++) codes[j] += ((bytes[at + (j >> 3)] >> (j & 7)) & 1) << 4;
}

const readQ40: ReadGroup = (bytes, at, _, codes) => {
  nibbles(bytes, at + 2, codes, -8);
  return [word(bytes, at), 0];
};

const readQ41: ReadGroup = (bytes, at, _, codes) => {
  nibbles(bytes, at + 4, codes, 0);
  return [word(bytes, at), word(bytes, at + 2)];
};

const readQ50: ReadGroup = (bytes, at, _, codes) => {
  nibbles(bytes, at + 6, codes, -16);
  fifthBits(bytes, at + 2, codes);
  return [word(bytes, at), 0];
};

const readQ51: ReadGroup = (bytes, at, _, codes) => {
  nibbles(bytes, at + 8, codes, 0);
  fifthBits(bytes, at + 4, codes);
  return [word(bytes, at), word(bytes, at + 2)];
};

const readQ80: ReadGroup = (bytes, at, _, codes) => {
  for (let j = 0; j < groupLength; j++) codes[j] = (bytes[at + 2 + j] << 24) >> 24;
  return [word(bytes, at), 0];
};

const readIQ4NL: ReadGroup = (bytes, at, _, codes) => {
  nibbles(bytes, at + 2, codes, 0);
  for (let j = 0; j < groupLength; j++) codes[j] = nonLinear[codes[j]];
  return [word(bytes, at), 0];
};

const readIQ4XS: ReadGroup = (bytes, at, group, codes) => {
  const low = (bytes[at + 4 + (group >> 1)] >> (4 * (group & 1))) & 15;
  const high = (word(bytes, at + 2) >> (2 * group)) & 3;
  nibbles(bytes, at + 8 + group * 16, codes, 0);
  for (let j = 0; j < groupLength; j++) codes[j] = nonLinear[codes[j]];
  return [toHalf(fround(half(bytes, at) * ((low | (high << 4)) - 32))), 0];
};

/** Scale and minimum of a group of Q4_K or Q5_K. */
const scalesOfK = (bytes: Uint8Array, at: number, group: number): [number, number] => [
  toHalf(fround(half(bytes, at) * scaleOfK(bytes, at + 4, group))),
  toHalf(-fround(half(bytes, at + 2) * minimumOfK(bytes, at + 4, group))),
];

const readQ4K: ReadGroup = (bytes, at, group, codes) => {
  const from = at + 16 + (group >> 1) * 32;
  for (let j = 0; j < groupLength; j++) codes[j] = (bytes[from + j] >> (4 * (group & 1))) & 15;
  return scalesOfK(bytes, at, group);
};

const readQ5K: ReadGroup = (bytes, at, group, codes) => {
  const from = at + 48 + (group >> 1) * 32;
  for (let j = 0; j < groupLength; j++)
    codes[j] = ((bytes[from + j] >> (4 * (group & 1))) & 15) | (((bytes[at + 16 + j] >> group) & 1) << 4);
  return scalesOfK(bytes, at, group);
};

/** Block types that are packed rows, by ggml's name. */
export const packedBlocks: { readonly [name: string]: PackedBlocks | undefined } = {
  Q4_0: { format: symmetric(4), groups: 1, bytes: 18, read: readQ40 },
  Q4_1: { format: withMinimum(4), groups: 1, bytes: 20, read: readQ41 },
  Q5_0: { format: symmetric(8), groups: 1, bytes: 22, read: readQ50 },
  Q5_1: { format: withMinimum(8), groups: 1, bytes: 24, read: readQ51 },
  Q8_0: { format: symmetric(8), groups: 1, bytes: 34, read: readQ80 },
  Q4_K: { format: withMinimum(4), groups: 8, bytes: 144, read: readQ4K },
  Q5_K: { format: withMinimum(8), groups: 8, bytes: 176, read: readQ5K },
  IQ4_NL: { format: symmetric(8), groups: 1, bytes: 18, read: readIQ4NL },
  IQ4_XS: { format: symmetric(8), groups: 8, bytes: 136, read: readIQ4XS },
};

/** Writes 32 codes to packed words, from word `to` on. */
function writeCodes({ bits, minimum }: PackedFormat, codes: Int8Array, out: Uint32Array, to: number): void {
  const each = 32 / bits;
  const added = bits === 4 && !minimum ? 8 : 0;
  for (let w = 0; w < bits; w++) {
    let packed = 0;
    for (let i = 0; i < each; i++) packed |= ((codes[w * each + i] + added) & (2 ** bits - 1)) << (bits * i);
    out[to + w] = packed;
  }
}

/** Packed rows from the blocks of whole rows of `length` values. */
export function rowsOfBlocks(blocks: PackedBlocks, bytes: Uint8Array, length: number): PackedRows {
  const blocksInRow = length / (blocks.groups * groupLength);
  const rows = bytes.length / (blocksInRow * blocks.bytes);
  if (!Number.isInteger(blocksInRow) || !Number.isInteger(rows))
    throw new QuantizeError(
      `${bytes.length} bytes are not a whole number of rows of ${length} values in blocks of ${blocks.bytes} bytes.`,
    );
  const out = emptyRows(blocks.format, rows, length);
  const { groups, minimum, bits, codeWords, scaleWords } = out.row;
  const codes = new Int8Array(groupLength);
  for (let r = 0; r < rows; r++)
    for (let g = 0; g < groups; g++) {
      const block = r * blocksInRow + Math.floor(g / blocks.groups);
      const [scale, least] = blocks.read(bytes, block * blocks.bytes, g % blocks.groups, codes);
      writeCodes(blocks.format, codes, out.codes, r * codeWords + g * bits);
      if (minimum) out.scales[r * scaleWords + g] = scale | (least << 16);
      else out.scales[r * scaleWords + (g >> 1)] |= scale << (16 * (g & 1));
    }
  return out;
}
