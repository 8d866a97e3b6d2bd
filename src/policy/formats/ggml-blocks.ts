/**
 * Block types of ggml: conversion of their bytes to f32. Each operation is rounded to f32 in the order of ggml's
 * `dequantize_row_*`, so values equal those of the Python package `gguf` bit for bit.
 *
 * Layouts: ggml-common.h and ggml-quants.c (github.com/ggml-org/ggml, MIT). K types have super-blocks of 256 values
 * with one f16 scale (and one f16 minimum), and small integer scales for each 16 or 32 of them.
 */
import { fromHalf } from '../weights/half.ts';
import { type PackedFormat, symmetric } from '../weights/quantize.ts';
import { tensorView, toFloat32 } from './safetensors.ts';

export interface BlockType {
  name: string;
  /** Packed format for values of more than 4 bits whose blocks are no packed rows (ggml-packed.ts). */
  suggested?: PackedFormat;
  /** Number of values and bytes in one block. */
  values: number;
  bytes: number;
  /** Values of whole blocks. */
  decode(bytes: Uint8Array): Float32Array;
}

/** Decodes the block at byte `at` into `out` from index `to` on. */
type DecodeBlock = (bytes: Uint8Array, at: number, out: Float32Array, to: number) => void;

const { fround } = Math;

let halves: Float32Array | null = null;
/** Value of every f16, by its 16 bits. */
function halfTable(): Float32Array {
  halves ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => fromHalf(bits));
  return halves;
}

const halfAt = (bytes: Uint8Array, at: number) => halfTable()[bytes[at] | (bytes[at + 1] << 8)];
const signed = (byte: number) => (byte << 24) >> 24;

function byBlocks(name: string, values: number, bytes: number, block: DecodeBlock): BlockType {
  const decode = (data: Uint8Array) => {
    const count = data.length / bytes;
    const out = new Float32Array(count * values);
    for (let i = 0; i < count; i++) block(data, i * bytes, out, i * values);
    return out;
  };
  return { name, values, bytes, decode };
}

function floatType(dtype: 'F32' | 'F16' | 'BF16', bytes: number): BlockType {
  const decode = (data: Uint8Array) =>
    toFloat32({ dtype, shape: [data.length / bytes], data: tensorView(data, dtype) });
  return { name: dtype, values: 1, bytes, decode };
}

/** An f16 scale, then 16 bytes: byte j holds value j in its lower and value j + 16 in its upper nibble, each plus 8. */
function decodeQ40(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at);
  for (let j = 0; j < 16; j++) {
    const byte = bytes[at + 2 + j];
    out[to + j] = ((byte & 15) - 8) * d;
    out[to + j + 16] = ((byte >> 4) - 8) * d;
  }
}

/** As Q4_0, with an f16 minimum after the scale: value = scale * code + minimum. */
function decodeQ41(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at);
  const m = halfAt(bytes, at + 2);
  for (let j = 0; j < 16; j++) {
    const byte = bytes[at + 4 + j];
    out[to + j] = (byte & 15) * d + m;
    out[to + j + 16] = (byte >> 4) * d + m;
  }
}

/** As Q4_0, with a fifth bit of each value in four bytes after the scale; codes plus 16. */
function decodeQ50(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at);
  for (let j = 0; j < 16; j++) {
    const byte = bytes[at + 6 + j];
    const low = (bytes[at + 2 + (j >> 3)] >> (j & 7)) & 1;
    const high = (bytes[at + 4 + (j >> 3)] >> (j & 7)) & 1;
    out[to + j] = (((byte & 15) | (low << 4)) - 16) * d;
    out[to + j + 16] = (((byte >> 4) | (high << 4)) - 16) * d;
  }
}

function decodeQ51(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at);
  const m = halfAt(bytes, at + 2);
  for (let j = 0; j < 16; j++) {
    const byte = bytes[at + 8 + j];
    const low = (bytes[at + 4 + (j >> 3)] >> (j & 7)) & 1;
    const high = (bytes[at + 6 + (j >> 3)] >> (j & 7)) & 1;
    out[to + j] = ((byte & 15) | (low << 4)) * d + m;
    out[to + j + 16] = ((byte >> 4) | (high << 4)) * d + m;
  }
}

function decodeQ80(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at);
  for (let j = 0; j < 32; j++) out[to + j] = signed(bytes[at + 2 + j]) * d;
}

/** 16 bytes with a scale (lower) and a minimum (upper nibble) for 16 values each, 64 bytes of pairs, f16 d and dmin. */
function decodeQ2K(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at + 80);
  const dmin = halfAt(bytes, at + 82);
  for (let group = 0; group < 16; group++) {
    const scale = fround(d * (bytes[at + group] & 15));
    const min = fround(dmin * (bytes[at + group] >> 4));
    const from = at + 16 + (group >> 3) * 32 + (group & 1) * 16;
    const shift = 2 * ((group >> 1) & 3);
    const first = to + group * 16;
    for (let l = 0; l < 16; l++) out[first + l] = fround(scale * ((bytes[from + l] >> shift) & 3)) - min;
  }
}

/** Scale of group `i` of Q3_K: six bits in 12 bytes, the lower four in the first eight. */
function scaleOfQ3K(bytes: Uint8Array, at: number, i: number): number {
  const low = i < 8 ? bytes[at + i] & 15 : bytes[at + i - 8] >> 4;
  const high = (bytes[at + 8 + (i & 3)] >> (2 * (i >> 2))) & 3;
  return (low | (high << 4)) - 32;
}

/** 32 bytes with the third bit of each value (set: 0, clear: -4), 64 bytes of pairs, 12 of scales, and an f16 d. */
function decodeQ3K(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at + 108);
  for (let group = 0; group < 16; group++) {
    const scale = fround(d * scaleOfQ3K(bytes, at + 96, group));
    const column = (group & 1) * 16;
    const from = at + 32 + (group >> 3) * 32 + column;
    const shift = 2 * ((group >> 1) & 3);
    const first = to + group * 16;
    for (let l = 0; l < 16; l++) {
      const high = (bytes[at + column + l] >> (group >> 1)) & 1;
      out[first + l] = scale * (((bytes[from + l] >> shift) & 3) - (high ? 0 : 4));
    }
  }
}

/** Scale of group `j` of Q4_K and Q5_K, six bits in 12 bytes. */
export const scaleOfK = (bytes: Uint8Array, at: number, j: number) =>
  j < 4 ? bytes[at + j] & 63 : (bytes[at + j + 4] & 15) | ((bytes[at + j - 4] >> 6) << 4);

/** Minimum of group `j` of Q4_K and Q5_K. */
export const minimumOfK = (bytes: Uint8Array, at: number, j: number) =>
  j < 4 ? bytes[at + j + 4] & 63 : (bytes[at + j + 4] >> 4) | ((bytes[at + j] >> 6) << 4);

/** f16 d and dmin, 12 bytes of scales and minima for 32 values each, 128 bytes of nibbles. */
function decodeQ4K(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at);
  const dmin = halfAt(bytes, at + 2);
  for (let group = 0; group < 8; group++) {
    const scale = fround(d * scaleOfK(bytes, at + 4, group));
    const min = fround(dmin * minimumOfK(bytes, at + 4, group));
    const from = at + 16 + (group >> 1) * 32;
    const shift = 4 * (group & 1);
    const first = to + group * 32;
    for (let l = 0; l < 32; l++) out[first + l] = fround(scale * ((bytes[from + l] >> shift) & 15)) - min;
  }
}

/** As Q4_K, with 32 bytes of fifth bits before the nibbles. */
function decodeQ5K(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at);
  const dmin = halfAt(bytes, at + 2);
  for (let group = 0; group < 8; group++) {
    const scale = fround(d * scaleOfK(bytes, at + 4, group));
    const min = fround(dmin * minimumOfK(bytes, at + 4, group));
    const from = at + 48 + (group >> 1) * 32;
    const shift = 4 * (group & 1);
    const first = to + group * 32;
    for (let l = 0; l < 32; l++) {
      const code = ((bytes[from + l] >> shift) & 15) | (((bytes[at + 16 + l] >> group) & 1) << 4);
      out[first + l] = fround(scale * code) - min;
    }
  }
}

/** 128 bytes of lower nibbles, 64 of upper pairs, 16 scales of 16 values, and one f16 scale for the block. */
function decodeQ6K(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at + 208);
  for (let group = 0; group < 16; group++) {
    const half = group >> 3;
    const quarter = (group >> 1) & 3;
    const column = (group & 1) * 16;
    const scale = fround(d * signed(bytes[at + 192 + group]));
    const low = at + half * 64 + (quarter & 1) * 32 + column;
    const high = at + 128 + half * 32 + column;
    const shift = quarter < 2 ? 0 : 4;
    const first = to + group * 16;
    for (let l = 0; l < 16; l++) {
      const code = ((bytes[low + l] >> shift) & 15) | (((bytes[high + l] >> (2 * quarter)) & 3) << 4);
      out[first + l] = scale * (code - 32);
    }
  }
}

/** Values of the codes of IQ4_NL and IQ4_XS (kvalues_iq4nl). */
export const nonLinear = Int8Array.of(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);

function decodeIQ4NL(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at);
  for (let j = 0; j < 16; j++) {
    const byte = bytes[at + 2 + j];
    out[to + j] = nonLinear[byte & 15] * d;
    out[to + j + 16] = nonLinear[byte >> 4] * d;
  }
}

/** f16 d, six bits of scale for 32 values each (two in a 16-bit word, four in four bytes), 128 bytes of nibbles. */
function decodeIQ4XS(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(bytes, at);
  const high = bytes[at + 2] | (bytes[at + 3] << 8);
  for (let group = 0; group < 8; group++) {
    const low = (bytes[at + 4 + (group >> 1)] >> (4 * (group & 1))) & 15;
    const scale = fround(d * ((low | (((high >> (2 * group)) & 3) << 4)) - 32));
    const first = to + group * 32;
    for (let j = 0; j < 16; j++) {
      const byte = bytes[at + 8 + group * 16 + j];
      out[first + j] = nonLinear[byte & 15] * scale;
      out[first + j + 16] = nonLinear[byte >> 4] * scale;
    }
  }
}

/** Block types that are read, by ggml's type number. */
export const blockTypes: { readonly [type: number]: BlockType } = {
  0: floatType('F32', 4),
  1: floatType('F16', 2),
  2: byBlocks('Q4_0', 32, 18, decodeQ40),
  3: byBlocks('Q4_1', 32, 20, decodeQ41),
  6: byBlocks('Q5_0', 32, 22, decodeQ50),
  7: byBlocks('Q5_1', 32, 24, decodeQ51),
  8: byBlocks('Q8_0', 32, 34, decodeQ80),
  10: byBlocks('Q2_K', 256, 84, decodeQ2K),
  11: byBlocks('Q3_K', 256, 110, decodeQ3K),
  12: byBlocks('Q4_K', 256, 144, decodeQ4K),
  13: byBlocks('Q5_K', 256, 176, decodeQ5K),
  14: { ...byBlocks('Q6_K', 256, 210, decodeQ6K), suggested: symmetric(8) },
  20: byBlocks('IQ4_NL', 32, 18, decodeIQ4NL),
  23: byBlocks('IQ4_XS', 256, 136, decodeIQ4XS),
  30: floatType('BF16', 2),
};

/** Names of ggml's other types, for refusals. */
const otherTypes: { readonly [type: number]: string } = {
  ...{ 4: 'Q4_2', 5: 'Q4_3', 9: 'Q8_1', 15: 'Q8_K', 16: 'IQ2_XXS', 17: 'IQ2_XS', 18: 'IQ3_XXS', 19: 'IQ1_S' },
  ...{ 21: 'IQ3_S', 22: 'IQ2_S', 24: 'I8', 25: 'I16', 26: 'I32', 27: 'I64', 28: 'F64', 29: 'IQ1_M' },
  ...{ 31: 'Q4_0_4_4', 32: 'Q4_0_4_8', 33: 'Q4_0_8_8', 34: 'TQ1_0', 35: 'TQ2_0', 36: 'IQ4_NL_4_4' },
  ...{ 37: 'IQ4_NL_4_8', 38: 'IQ4_NL_8_8', 39: 'MXFP4', 40: 'NVFP4' },
};

/** ggml's name of a type. */
export const typeName = (type: number): string => blockTypes[type]?.name ?? otherTypes[type] ?? `type ${type}`;

/** Decodes the blocks of a ggml type that is read. */
export const decodeBlocks = (type: number, bytes: Uint8Array): Float32Array => blockTypes[type].decode(bytes);
