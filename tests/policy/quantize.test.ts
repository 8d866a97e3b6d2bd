// The quantised layouts: rounding rules on small hand-made groups, exactness of stored values, conversions both ways,
// errors.
import { describe, expect, it } from 'vitest';
import { fromHalf, toHalf } from '../../src/policy/weights/half.ts';
import { normals } from '../../src/policy/weights/init.ts';
import { dequantizeRows, packedBytes, quantizeRows } from '../../src/policy/weights/quantize.ts';
import {
  dequantizeNBits,
  fromGguf,
  fromNBits,
  quantizeNBits,
  toGguf,
  toNBits,
} from '../../src/policy/weights/quantize-formats.ts';

const largestOf = (values: Float32Array) => values.reduce((a, x) => Math.max(a, Math.abs(x)), 0);

describe('f16', () => {
  it('reads and writes every finite number back', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      if (((bits >> 10) & 31) === 31) continue;
      expect(toHalf(fromHalf(bits))).toBe(bits);
    }
  });

  it('rounds to the nearest, ties to even, subnormals too', () => {
    const ulp = 2 ** -10;
    expect(fromHalf(toHalf(1 + ulp / 2))).toBe(1);
    expect(fromHalf(toHalf(1 + (3 * ulp) / 2))).toBe(1 + 2 * ulp);
    expect(fromHalf(toHalf(1 + ulp * 0.51))).toBe(1 + ulp);
    expect(fromHalf(toHalf(2.5 * 2 ** -24))).toBe(2 * 2 ** -24);
    expect(fromHalf(toHalf(-3.4 * 2 ** -24))).toBe(-3 * 2 ** -24);
    expect(fromHalf(toHalf(2 ** -14 - 2 ** -26))).toBe(2 ** -14);
    expect(fromHalf(toHalf(65519))).toBe(65504);
    expect(fromHalf(toHalf(65520))).toBe(Number.POSITIVE_INFINITY);
    expect(fromHalf(toHalf(Number.NaN))).toBeNaN();
  });
});

describe.each([4, 8] as const)('%i bits', (bits) => {
  const step = (group: Float32Array) => largestOf(group) / (bits === 4 ? 8 : 127);

  it.each([
    [3, 32],
    [5, 72],
    [2, 31],
    [4, 200],
    [1, 896],
  ])('(%i, %i): every value within half a step, the last code of int4 within one', (rows, length) => {
    const values = normals(rows * length, 3, `w${length}`, 0.02);
    const packed = quantizeRows(bits, values, length);
    expect(packed.codes.byteLength + packed.scales.byteLength).toBe(packedBytes(packed.row, rows));
    const back = dequantizeRows(packed);
    for (let r = 0; r < rows; r++)
      for (let k = 0; k < length; k++) {
        const start = r * length + k - (k % 32);
        const group = values.subarray(start, Math.min(start + 32, (r + 1) * length));
        const i = r * length + k;
        // The f16 scale has a relative error of 2^-11, which the code multiplies.
        const slack = largestOf(group) * 2 ** -10.9;
        const bound = step(group) * (bits === 4 && Math.abs(values[i]) > 7 * step(group) ? 1 : 0.5) + slack;
        expect(Math.abs(back[i] - values[i])).toBeLessThanOrEqual(bound);
      }
  });

  it('quantises dequantised values to the same values', () => {
    const once = dequantizeRows(quantizeRows(bits, normals(4 * 64, 1, 'again', 1), 64));
    const twice = quantizeRows(bits, once, 64);
    dequantizeRows(twice).forEach((x, i) =>
      expect(Math.abs(x - once[i])).toBeLessThanOrEqual(2 ** -10 * largestOf(once)),
    );
  });

  it('is the same in slices of rows as whole', () => {
    const values = normals(7 * 40, 2, 'slices', 1);
    const all = quantizeRows(bits, values, 40);
    const parts = [values.subarray(0, 120), values.subarray(120)].map((part) => quantizeRows(bits, part, 40));
    expect(parts.flatMap(({ codes }) => [...codes])).toEqual([...all.codes]);
    expect(parts.flatMap(({ scales }) => [...scales])).toEqual([...all.scales]);
  });

  it('converts to GGUF and back without a change, and refuses rows that GGUF cannot represent', () => {
    const packed = quantizeRows(bits, normals(3 * 96, 4, 'gguf', 1), 96);
    const bytes = toGguf(packed);
    expect(bytes.length).toBe(3 * 3 * (bits === 4 ? 18 : 34));
    expect(fromGguf(bits, bytes, 96)).toEqual(packed);
    expect(() => toGguf(quantizeRows(bits, new Float32Array(40), 40))).toThrow(/40 values.*multiple of 32/);
    expect(() => fromGguf(bits, bytes.subarray(1), 96)).toThrow(/bytes/);
  });

  it('stores zeros exactly and refuses infinities', () => {
    expect(dequantizeRows(quantizeRows(bits, new Float32Array(40), 40)).every((x) => x === 0)).toBe(true);
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, 3e38]) {
      const values = new Float32Array(128).fill(1);
      values[100] = bad;
      expect(() => quantizeRows(bits, values, 64, { name: 'up_proj', firstRow: 10 })).toThrow(/up_proj, row 11/);
    }
    expect(() => quantizeRows(bits, new Float32Array(65), 64)).toThrow(
      /65 values are not a whole number of rows of 64/,
    );
  });
});

describe('rounding', () => {
  const codes = (values: number[], bits: 4 | 8) => {
    const group = new Float32Array(32);
    group.set(values);
    return [...dequantizeRows(quantizeRows(bits, group, 32))].slice(0, values.length);
  };

  it('int4: the value of largest magnitude becomes -8, its opposite 7; a half rounds up', () => {
    expect(codes([-8, 8, 7, 1.5, -1.5, 0.5, -0.5], 4)).toEqual([-8, 7, 7, 2, -1, 1, 0]);
    // If the value of largest magnitude is positive, the scale is negative, and halves round the other way.
    expect(codes([8, -8, 1.5, -1.5], 4)).toEqual([8, -7, 1, -2]);
  });

  it('int8: a half rounds away from zero', () => {
    expect(codes([127, -127, 1.5, -1.5, 0.5, -0.5, 0.4], 8)).toEqual([127, -127, 2, -2, 1, -1, 0]);
  });
});

describe('MatMulNBits', () => {
  it('represents ours exactly', () => {
    const packed = quantizeRows(4, normals(3 * 64, 4, 'nbits', 1), 64);
    expect([...dequantizeNBits(toNBits(packed), 64)]).toEqual([...dequantizeRows(packed)]);
    expect(fromNBits(toNBits(packed), 64)).toEqual(packed);
    expect(() => toNBits(quantizeRows(8, new Float32Array(32), 32))).toThrow(/Only 4-bit rows convert/);
  });

  it('rounds ties to even, and its scales to f16 when imported', () => {
    const group = new Float32Array(32);
    group.set([-8, 8, 0.5, 1.5, -0.5, -2.5]);
    const nbits = quantizeNBits(group, 32);
    expect([...dequantizeNBits(nbits, 32)].slice(0, 6).map((x) => x + 0)).toEqual([-8, 7, 0, 2, 0, -2]);
    const values = normals(5 * 50, 6, 'fine', 0.1);
    const fine = quantizeNBits(values, 50);
    const coarse = dequantizeRows(fromNBits(fine, 50));
    const exact = dequantizeNBits(fine, 50);
    exact.forEach((x, i) => expect(Math.abs(x - coarse[i])).toBeLessThanOrEqual(Math.abs(x) * 2 ** -11 + 1e-12));
  });
});
