/**
 * Twins of the kernels on packed weights: products with the dequantised values in double precision. Sizes end in the
 * middle of a group and of a block of four values.
 */

import {
  blockOf,
  floats,
  folded,
  foldedThreads,
  lowRankTerm,
  oneResult,
  packedWeights,
  sum,
  type Twin,
  table,
  untouched,
  unwritten,
  value,
} from './fixture.ts';
import { scoredRows, slope, temperature } from './twins-head.ts';

const ceil = (a: number, b: number) => Math.ceil(a / b);
/** Error of a sum of some hundreds of products with exact weights. */
const sums = 4e-6;

/** Error of an exp on top of a sum. */
const gated = 2e-5;
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** out = inp weight^T + bias + residual + an adapter's second product, for any grid; with GATED, its activation, too. */
function linear(c: Parameters<Twin>[0], [M, N, K]: [number, number, number], workgroups: number) {
  const inp = floats(M * K, 'inp');
  const { codes, scales, values } = packedWeights(c, N, K);
  const bias = floats(N, 'bias');
  const residual = floats(M * N, 'residual');
  const term = lowRankTerm(c, M, N);
  const expected = table(M, N, (m, n) => {
    const product = sum(K, (k) => inp[m * K + k] * values[n * K + k]);
    const extra = value(c, 'HAS_BIAS') * bias[n] + value(c, 'HAS_RESIDUAL') * residual[m * N + n];
    return product + extra + term.added(m, n);
  });
  const I = N / 2;
  const activated = value(c, 'GATED')
    ? table(M, I, (m, i) => {
        const gate = expected[m * N + i];
        return gate * sigmoid(gate) * expected[m * N + I + i];
      })
    : null;
  const bindings = [inp, codes, scales, bias, activated ? unwritten(M * I) : residual, unwritten(M * N)];
  const call = { grid: folded(workgroups), params: { M, N, K, ...term.params } };
  return {
    bindings: [...bindings, ...term.bindings],
    calls: [call],
    expected: [
      { binding: 5, values: expected, tolerance: sums },
      ...(activated ? [{ binding: 4, values: activated, tolerance: gated }] : []),
    ],
  };
}

/** out = gradient of the logits inp weight^T of rows of which every other has its token among the N. */
function scoredLogits(c: Parameters<Twin>[0], [M, N, K]: [number, number, number], workgroups: number) {
  const [first, offset] = [46, 2];
  const inp = floats(M * K, 'inp');
  const { codes, scales, values } = packedWeights(c, N, K);
  const targets = Uint32Array.from({ length: M }, (_, m) => (m % 2 ? 5 : first + ((7 * m) % N)));
  const logits = table(M, N, (m, n) => sum(K, (k) => inp[m * K + k] * values[n * K + k]) / temperature);
  const rows = Array.from({ length: M }, (_, m) => [...logits.subarray(m * N, (m + 1) * N)]);
  const { lse, results, entropy, seeds } = scoredRows(rows, offset);
  const expected = table(M, N, (m, n) =>
    slope(logits[m * N + n], lse[m], entropy(m), targets[m] === first + n, seeds[2 * m], seeds[2 * m + 1]),
  );
  const params = { M, N, K, first, resultOffset: offset, inverseTemperature: 1 / temperature };
  return {
    bindings: [inp, codes, scales, targets, lse, unwritten(M * N), results, seeds],
    calls: [{ grid: folded(workgroups), params }],
    expected: [{ binding: 5, values: expected, tolerance: gated }],
  };
}

const quant_matmul_nt: Twin = (c, size) => {
  const [rows, lanes] = [value(c, 'ROWS'), value(c, 'LANES')];
  const [M, N] = [(rows + 3) * size, 4 * (lanes + 3)];
  return linear(c, [M, N, 68], ceil(M, rows) * ceil(N / 4, lanes));
};

/** The size gives some lanes two steps of eight values and some one; the last step has four values. */
const quant_matmul_nt_lanes: Twin = (c, size) => {
  const [rows, columns, lanes] = [value(c, 'ROWS'), value(c, 'COLUMNS'), value(c, 'LANES')];
  const across = (64 / lanes) * columns;
  const [M, N] = [(rows + 3) * size, Math.max(across, 32 * value(c, 'LOW_RANK')) + 3 + 3 * value(c, 'GATED')];
  return linear(c, [M, N, 8 * (lanes + 3) + 4], ceil(M, rows) * ceil(N, across));
};

const quant_matmul_nt_tiled: Twin = (c, size) => {
  const [down, across] = [value(c, 'TILE_M'), value(c, 'TILE_N')];
  const [M, N] = [(down + 5) * size, across + 7];
  return linear(c, [M, N, 52], ceil(M, down) * ceil(N, across));
};

const quant_matmul_nt_blocks: Twin = (c, size) => {
  const [down, across] = blockOf(c);
  // With GATED half of the outputs are no multiple of a tile's half.
  const [M, N] = [(down + 5) * size, across + 12 + 12 * value(c, 'GATED')];
  const K = 48 + 4 * value(c, 'REST');
  const product = value(c, 'SCORED') ? scoredLogits : linear;
  return product(c, [M, N, K], ceil(M, down) * ceil(N, across));
};

const quant_matmul_nt_few: Twin = (c, size) => {
  const [M, N] = [37 * size, 44 + 12 * value(c, 'GATED')];
  return linear(c, [M, N, 128 + 20 * value(c, 'REST')], ceil(M, 32) * ceil(N, 32));
};

const quant_matmul_nt_scalar: Twin = (c, size) => linear(c, [5 * size, 23, 45], ceil(5 * size * 23, 64));

/**
 * dinp = dout weight (+ dinp) (+ dmid A, an adapter's gradient). With GATED that is the gradient of SwiGLU's activation,
 * and dinp (M, 2 K) has gates and ups, which become their gradient.
 */
function linearToInput(c: Parameters<Twin>[0], [M, N, K]: [number, number, number], workgroups: number) {
  const dout = floats(M * N, 'dout');
  const { codes, scales, values } = packedWeights(c, N, K);
  const columns = value(c, 'GATED') ? 2 * K : K;
  const dinp = floats(M * columns, 'dinp');
  const width = 12 * value(c, 'LOW_RANK');
  const [dmid, A] = [floats(M * width, 'dmid'), floats(width * K, 'A')];
  const product = table(M, K, (m, k) => {
    const adapter = sum(width, (r) => dmid[m * width + r] * A[r * K + k]);
    return sum(N, (n) => dout[m * N + n] * values[n * K + k]) + adapter;
  });
  const expected = table(M, columns, (m, column) => {
    const d = product[m * K + (column % K)];
    if (!value(c, 'GATED')) return d + value(c, 'ACCUMULATE') * dinp[m * K + column];
    const [gate, up] = [0, K].map((first) => dinp[m * columns + first + (column % K)]);
    const s = sigmoid(gate);
    return column < K ? d * up * s * (1 + gate * (1 - s)) : d * gate * s;
  });
  const call = { grid: folded(workgroups), params: { M, N, K, ...(width ? { width } : {}) } };
  const tolerance = value(c, 'GATED') ? gated : sums;
  return {
    bindings: [dout, codes, scales, dinp, ...(width ? [dmid, A] : [])],
    calls: [call],
    expected: [{ binding: 3, values: expected, tolerance }],
  };
}

const quant_matmul_nn: Twin = (c, size) => {
  const [rows, lanes] = [value(c, 'ROWS'), value(c, 'LANES')];
  const [M, K] = [(rows + 3) * size, 8 * (lanes + 2) + 4];
  return linearToInput(c, [M, 20, K], ceil(M, rows) * ceil(ceil(K, 8), lanes));
};

const quant_matmul_nn_tiled: Twin = (c, size) => {
  const [M, K] = [69 * size, 84];
  return linearToInput(c, [M, 20, K], ceil(M, 64) * ceil(K, 32));
};

const quant_matmul_nn_blocks: Twin = (c, size) => {
  const [down, across] = blockOf(c);
  const [M, K] = [(down + 5) * size, across + 20];
  return linearToInput(c, [M, value(c, 'REST') ? 20 : 32, K], ceil(M, down) * ceil(K, across));
};

const quant_matmul_nn_scalar: Twin = (c, size) => linearToInput(c, [5 * size, 9, 45], ceil(5 * size * 45, 64));

const quant_embed: Twin = (c, size) => {
  const [T, C, V, first, rows] = [5 * size, 45, 7, 2, 4];
  const ids = Uint32Array.from({ length: T }, (_, t) => (t * 5 + 3) % V);
  const { codes, scales, values } = packedWeights(c, rows, C);
  const held = (id: number) => id >= first && id < first + rows;
  const expected = table(T, C, (t, k) => (held(ids[t]) ? values[(ids[t] - first) * C + k] : untouched));
  const call = { grid: foldedThreads(T * C), params: { T, C, first, rows } };
  return oneResult([ids, codes, scales, unwritten(T * C)], call, expected, 0);
};

export const quantTwins: { readonly [kernel: string]: Twin } = {
  quant_matmul_nt,
  quant_matmul_nt_lanes,
  quant_matmul_nt_tiled,
  quant_matmul_nt_blocks,
  quant_matmul_nt_few,
  quant_matmul_nt_scalar,
  quant_matmul_nn,
  quant_matmul_nn_tiled,
  quant_matmul_nn_blocks,
  quant_matmul_nn_scalar,
  quant_embed,
};
