/**
 * Twins of the kernels whose activations are integers (kernels-wasm/integer.ts): the codes exactly, and the product of
 * the codes in double precision.
 */
import { groupLength } from '../weights/quantize.ts';
import { floats, packedWeights, sum, type Twin, table, unwritten, value } from './fixture.ts';

const fround = Math.fround;
const ceil = (a: number, b: number) => Math.ceil(a / b);
/** Error of a sum of some groups of exact sums. */
const sums = 4e-6;

/** Rows as codes (M, G * 32) of 16 bits, with a scale and the scale times the sum of the codes for each group. */
function integerRows(values: Float32Array, M: number, K: number) {
  const G = ceil(K, groupLength);
  const codes = new Int16Array(M * G * groupLength);
  const scales = new Float32Array(2 * M * G);
  for (let m = 0; m < M; m++)
    for (let g = 0; g < G; g++) {
      const group = values.subarray(m * K + g * groupLength, m * K + Math.min(K, (g + 1) * groupLength));
      const largest = group.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      const at = (m * G + g) * groupLength;
      const inverse = fround(32767 / largest);
      // Adding 1.5 * 2^23 rounds to an integer, ties to even.
      codes.set(
        group.map((x) => fround(fround(x * inverse) + 12582912) - 12582912),
        at,
      );
      const total = codes.subarray(at, at + groupLength).reduce((a, b) => a + b, 0);
      const scale = fround(largest / 32767);
      scales.set([scale, fround(scale * total)], 2 * (m * G + g));
    }
  return { G, codes, scales };
}

const wordsOf = ({ buffer }: Int16Array<ArrayBuffer>) => new Uint32Array(buffer);

/** The first group of each row ends with a value between two codes. */
const integer_activations: Twin = (_, size) => {
  const [M, K] = [11 * size, 76];
  const inp = floats(M * K, 'inp');
  const { codes, scales } = integerRows(inp, M, K);
  const words = wordsOf(codes);
  return {
    bindings: [inp, new Uint32Array(words.length), unwritten(scales.length)],
    calls: [{ grid: [1], params: { M, K } }],
    expected: [
      { binding: 1, values: words, tolerance: 0 },
      { binding: 2, values: scales, tolerance: 0 },
    ],
  };
};

/** The depth fills more than a block. The second call computes the first two rows again, without a panel. */
const integer_matmul_nt: Twin = (c, size) => {
  const [M, N, K] = [7 * size, 21, 1100];
  const inp = floats(M * K, 'inp');
  const activations = integerRows(inp, M, K);
  const { G } = activations;
  const { codes, scales, values } = packedWeights(c, N, K);
  const [bias, residual] = [floats(N, 'bias'), floats(M * N, 'residual')];
  const activation = (m: number, k: number) =>
    activations.codes[m * G * groupLength + k] * activations.scales[2 * (m * G + Math.floor(k / groupLength))];
  const expected = table(M, N, (m, n) => {
    const product = sum(K, (k) => activation(m, k) * values[n * K + k]);
    return product + value(c, 'HAS_BIAS') * bias[n] + value(c, 'HAS_RESIDUAL') * residual[m * N + n];
  });
  return {
    bindings: [wordsOf(activations.codes), activations.scales, codes, scales, bias, residual, unwritten(M * N)],
    calls: [M, 2].map((rows) => ({ grid: [1], params: { M: rows, N, K } })),
    expected: [{ binding: 6, values: expected, tolerance: sums }],
  };
};

export const integerTwins: { readonly [kernel: string]: Twin } = { integer_activations, integer_matmul_nt };
