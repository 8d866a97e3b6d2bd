// Formats of packed rows: the search for a scale and a minimum, conversion between formats, and ggml's blocks as packed
// rows compared with their decoded values.
import { describe, expect, it } from 'vitest';
import { blockTypes } from '../../src/policy/formats/ggml-blocks.ts';
import { packedBlocks, rowsOfBlocks } from '../../src/policy/formats/ggml-packed.ts';
import { convertRows, holds } from '../../src/policy/weights/convert-rows.ts';
import { fromHalf, toHalf } from '../../src/policy/weights/half.ts';
import { normals } from '../../src/policy/weights/init.ts';
import {
  checkScales,
  dequantizeRows,
  packedBytes,
  packedRow,
  quantizeRows,
  symmetric,
  withMinimum,
} from '../../src/policy/weights/quantize.ts';

const squares = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + (x - b[i]) ** 2, 0);

describe.each([4, 8] as const)('%i bits with a minimum', (bits) => {
  const levels = bits === 4 ? 15 : 255;

  it.each([
    [3, 32],
    [5, 72],
    [2, 31],
    [1, 896],
  ])('(%i, %i): every value within a step, most within half a step', (rows, length) => {
    const values = normals(rows * length, 3, `w${length}`, 0.02).map((x) => x + 0.01);
    const packed = quantizeRows(withMinimum(bits), values, length);
    expect(packed.codes.byteLength + packed.scales.byteLength).toBe(packedBytes(packed.row, rows));
    const back = dequantizeRows(packed);
    let far = 0;
    for (let i = 0; i < values.length; i++) {
      const row = Math.floor(i / length) * length;
      const start = row + Math.floor((i - row) / 32) * 32;
      const group = values.slice(start, Math.min(start + 32, row + length));
      const step = (Math.max(...group) - Math.min(...group)) / levels;
      // Scales and minima in f16 have a relative error of up to 2^-11, and so has a value of up to 128 steps.
      const slack = Math.max(...group.map(Math.abs)) * 2 ** -10;
      const error = Math.abs(back[i] - values[i]);
      expect(error).toBeLessThanOrEqual(1.2 * step + slack);
      if (error > step / 2 + slack) far++;
    }
    expect(far).toBeLessThan(0.15 * values.length);
  });

  it('recovers values that lie on a grid of f16 numbers', () => {
    const codes = Array.from({ length: 64 }, (_, k) => Math.round(((k % 32) * levels) / 31));
    const grid = Float32Array.from(codes, (code, k) => code * (k < 32 ? 0.0625 : 0.25) - (k < 32 ? 0.5 : 3));
    expect(dequantizeRows(quantizeRows(withMinimum(bits), grid, 64))).toEqual(grid);
  });

  it('stores equal values, and refuses those beyond f16', () => {
    expect([...dequantizeRows(quantizeRows(withMinimum(bits), new Float32Array(40).fill(-1.5), 40))]).toEqual(
      Array(40).fill(-1.5),
    );
    for (const bad of [Number.NaN, Number.NEGATIVE_INFINITY, 1e5]) {
      const values = normals(128, 1, 'bad', 1);
      values[100] = bad;
      expect(() => quantizeRows(withMinimum(bits), values, 64, { name: 'up_proj', firstRow: 10 })).toThrow(
        /up_proj, row 11, values 32 to 63/,
      );
    }
  });
});

it('four bits with a minimum have at most 0.7 times the squared error of four symmetric bits', () => {
  const values = normals(64 * 256, 7, 'error', 0.05);
  const error = (format: 4 | ReturnType<typeof withMinimum>) =>
    squares(values, dequantizeRows(quantizeRows(format, values, 256)));
  expect(error(withMinimum(4))).toBeLessThan(0.7 * error(4));
});

it('refuses a minimum that is not finite', () => {
  const packed = quantizeRows(withMinimum(4), normals(64, 1, 'damaged', 1), 64);
  packed.scales[1] = 0x7e00_0000;
  expect(() => checkScales(packed, { name: 'down_proj' })).toThrow(/down_proj, row 0: the scale of values 32 to 63/);
});

describe('conversion of rows', () => {
  const formats = [symmetric(4), withMinimum(4), symmetric(8), withMinimum(8)];
  const pairs = formats.flatMap((from) => formats.map((to) => [from, to] as const)).filter(([a, b]) => holds(b, a));

  it('is possible to more bits, and to a minimum', () => {
    expect(pairs.length).toBe(9);
    expect(holds(symmetric(8), withMinimum(4))).toBe(false);
    expect(holds(withMinimum(4), symmetric(8))).toBe(false);
  });

  it.each(pairs)('%o to %o keeps every value', (from, to) => {
    const packed = quantizeRows(from, normals(5 * 72, 2, 'convert', 0.3), 72);
    const converted = convertRows(packed, to);
    expect(converted.row).toEqual(packedRow(to, 72));
    // A zero may change its sign where a minimum is added.
    expect(dequantizeRows(converted).map((x) => x + 0)).toEqual(dequantizeRows(packed).map((x) => x + 0));
  });
});

/** Random blocks of a type, with finite f16 numbers of about 0.01 at `halves`. */
function randomBlocks(count: number, bytes: number, halves: readonly number[]): Uint8Array {
  const noise = normals(count * bytes, 11, 'blocks', 1);
  const out = Uint8Array.from(noise, (x) => Math.floor(Math.abs(x) * 997) & 255);
  for (let b = 0; b < count; b++)
    for (const at of halves) {
      const half = toHalf(0.01 * noise[b * bytes + at]);
      out[b * bytes + at] = half & 255;
      out[b * bytes + at + 1] = half >> 8;
    }
  return out;
}

/** Type, its number, the places of its f16 numbers, and the largest error of a value relative to its group. */
const types: [string, number, number[], number][] = [
  ['Q4_0', 2, [0], 0],
  ['Q4_1', 3, [0, 2], 0],
  ['Q5_0', 6, [0], 0],
  ['Q5_1', 7, [0, 2], 0],
  ['Q8_0', 8, [0], 0],
  ['Q4_K', 12, [0, 2], 2 ** -10],
  ['Q5_K', 13, [0, 2], 2 ** -10],
  ['IQ4_NL', 20, [0], 0],
  ['IQ4_XS', 23, [0], 2 ** -10],
];

describe("ggml's blocks as packed rows", () => {
  it('covers every type that is used as it is', () => {
    expect(types.map(([name]) => name).sort()).toEqual(Object.keys(packedBlocks).sort());
  });

  it.each(types)('%s', (name, type, halves, tolerance) => {
    const { values, bytes, decode } = blockTypes[type];
    const blocks = randomBlocks(3 * (512 / values), bytes, halves);
    const expected = decode(blocks);
    const got = dequantizeRows(rowsOfBlocks(packedBlocks[name]!, blocks, 512));
    if (tolerance === 0) expect(got).toEqual(expected);
    for (let g = 0; g < expected.length; g += 32) {
      const group = expected.subarray(g, g + 32);
      const largest = group.reduce((a, x) => Math.max(a, Math.abs(x)), 0);
      const spread = Math.max(...group) - Math.min(...group) + largest;
      for (let k = 0; k < 32; k++) expect(Math.abs(got[g + k] - group[k])).toBeLessThanOrEqual(tolerance * spread);
    }
  });

  it('of an incomplete row are refused', () => {
    expect(() => rowsOfBlocks(packedBlocks.Q4_1!, new Uint8Array(30), 64)).toThrow(/30 bytes are not a whole number/);
  });

  it('keep scales and minima bit for bit', () => {
    const blocks = randomBlocks(2, 20, [0, 2]);
    const { scales } = rowsOfBlocks(packedBlocks.Q4_1!, blocks, 64);
    expect([...scales]).toEqual([0, 20].map((at) => new DataView(blocks.buffer).getUint32(at, true)));
    expect(fromHalf(scales[0] & 0xffff)).toBe(fromHalf(blocks[0] | (blocks[1] << 8)));
  });
});
