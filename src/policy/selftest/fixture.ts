/** Helpers of the kernel twins: small deterministic inputs, odd sizes, folded grids. */
import type { Constants } from '../../device/device.ts';
import type { KernelCase } from '../../device/selftest.ts';
import { normals } from '../weights/init.ts';
import { dequantizeRows, type PackedFormat, type QuantBits, quantizeRows } from '../weights/quantize.ts';

/**
 * Fixed input of a kernel with its result in double precision, for the constants of a compiled kernel. `size`
 * multiplies the rows (tokens), for tests. Null if the kernel cannot be tested with these constants.
 */
export type Twin = (constants: Constants, size: number, extra: string) => KernelCase | null;

export const value = (constants: Constants, name: string) => Number(constants[name] ?? 0);

/** Values of magnitude about 1, different for each array name. */
export const floats = (count: number, name: string) => normals(count, 20, name, 1);

/** Initial value of output buffers, to detect values that a kernel should have written or left alone. */
export const untouched = 0.5;
export const unwritten = (count: number) => new Float32Array(count).fill(untouched);

/**
 * Two-dimensional grid with at least `count` workgroups and some spare ones, so that every test covers folding and
 * bounds checks.
 */
export const folded = (count: number): [number, number] => [3, Math.ceil((count + 1) / 3)];
export const foldedThreads = (threads: number) => folded(Math.ceil(threads / 64));

/** Rows and columns of a workgroup of a kernel in register blocks. */
export const blockOf = (constants: Constants) => [
  4 * value(constants, 'DOWN') * value(constants, 'ROW_FOURS'),
  4 * value(constants, 'ACROSS') * value(constants, 'COLUMN_FOURS'),
];

/** Array (rows, columns) with the values of `rule`. */
export function table(rows: number, columns: number, rule: (row: number, column: number) => number): Float64Array {
  const out = new Float64Array(rows * columns);
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) out[r * columns + c] = rule(r, c);
  return out;
}

export function sum(count: number, term: (i: number) => number): number {
  let total = 0;
  for (let i = 0; i < count; i++) total += term(i);
  return total;
}

/** Case with one call whose last buffer is the result. */
export function oneResult(
  bindings: KernelCase['bindings'],
  call: KernelCase['calls'][number],
  values: ArrayLike<number>,
  tolerance: number,
): KernelCase {
  return { bindings, calls: [call], expected: [{ binding: bindings.length - 1, values, tolerance }] };
}

/**
 * Adapter of a frozen product (M, N) whose kernel adds it (shaders/low_rank1.wgsl): three parts with columns between
 * them, and a rank of two turns. `added`: what it adds to an output. Nothing with LOW_RANK 0. N is at least 32.
 */
export function lowRankTerm(c: Constants, M: number, N: number) {
  if (!value(c, 'LOW_RANK')) return { bindings: [], params: {}, added: () => 0 };
  const rank = 8 * value(c, 'RANK_FOURS');
  const [each, scale, width] = [4 * Math.floor(N / 16), 0.75, 3 * rank];
  const rows = 3 * each;
  const mid = floats(M * width, 'mid');
  const B = floats(rows * rank, 'B');
  const added = (m: number, n: number) => {
    const part = Math.floor(n / (each + 4));
    if (part > 2 || n % (each + 4) >= each) return 0;
    return scale * sum(rank, (j) => mid[m * width + part * rank + j] * B[(n - 4 * part) * rank + j]);
  };
  const params = {
    ...{ rows, rank, width, scale, end0: each, end1: 2 * each },
    ...{ shift0: 0, shift1: 4, shift2: 8 },
  };
  return { bindings: [mid, B], params, added };
}

/** Format of packed values, of the constants BITS and MINIMUM. */
const packedFormat = (constants: Constants): PackedFormat => ({
  bits: value(constants, 'BITS') as QuantBits,
  minimum: value(constants, 'MINIMUM') === 1,
});

/** Packed (rows, length) weights in that format, and their values. */
export function packedWeights(constants: Constants, rows: number, length: number) {
  const packed = quantizeRows(packedFormat(constants), floats(rows * length, 'packed'), length);
  return { codes: packed.codes, scales: packed.scales, values: dequantizeRows(packed) };
}

/**
 * Token table as a kernel reads it in one binding: f32, or packed if the constant BITS is 4 or 8 (codes, a gap, and the
 * scales from the 32-bit word `scalesAt` on). `values` are the exact values.
 */
export function vocabularyTable(constants: Constants, rows: number, length: number) {
  const values = floats(rows * length, 'table');
  if (constants.BITS === 32) return { words: values, values, scalesAt: 0 };
  const packed = quantizeRows(packedFormat(constants), values, length);
  const scalesAt = Math.ceil(packed.codes.length / 64) * 64;
  const words = new Uint32Array(scalesAt + packed.scales.length);
  words.set(packed.codes);
  words.set(packed.scales, scalesAt);
  return { words, values: dequantizeRows(packed), scalesAt };
}

interface Softmax {
  m: number;
  s: number;
  u: number;
}

/** Maximum m of the values, sum of exp(x - m), and sum of exp(x - m) (x - m). */
export function softmaxOf(values: readonly number[]): Softmax {
  const m = Math.max(...values);
  const s = values.reduce((total, x) => total + Math.exp(x - m), 0);
  return { m, s, u: values.reduce((total, x) => total + Math.exp(x - m) * (x - m), 0) };
}
