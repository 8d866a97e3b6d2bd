/**
 * Twins of the kernels outside attention and head: matmuls, norms, SwiGLU, rows by index, sums and the optimiser. Plain
 * loops in double precision, after the formulas in the shaders' headers.
 *
 * Tolerances are relative to the largest value: 2^-24 per rounding, times the number of roundings in one value.
 */
import {
  blockOf,
  floats,
  folded,
  foldedThreads,
  lowRankTerm,
  oneResult,
  sum,
  type Twin,
  table,
  untouched,
  unwritten,
  value,
  vocabularyTable,
} from './fixture.ts';

const ceil = (a: number, b: number) => Math.ceil(a / b);
/** Error of a sum of some tens of products. */
const sums = 2e-6;
/** Error of one exp or square root, for which WGSL allows some units in the last place. */
const transcendental = 1e-5;

/** out = inp weight^T + bias + residual, for any grid. */
function linear(sizes: [number, number, number], workgroups: number, flags: { bias: number; residual: number }) {
  const [M, N, K] = sizes;
  const inp = floats(M * K, 'inp');
  const weight = floats(N * K, 'weight');
  const bias = floats(N, 'bias');
  const residual = floats(M * N, 'residual');
  const expected = table(M, N, (m, n) => {
    const product = sum(K, (k) => inp[m * K + k] * weight[n * K + k]);
    return product + flags.bias * bias[n] + flags.residual * residual[m * N + n];
  });
  const call = { grid: folded(workgroups), params: { M, N, K } };
  return oneResult([inp, weight, bias, residual, unwritten(M * N)], call, expected, sums);
}

const matmul_nt: Twin = (c, size) => {
  const [rows, lanes] = [value(c, 'ROWS'), value(c, 'LANES')];
  const M = (rows + 5) * size;
  const N = 4 * (lanes + 3);
  const flags = { bias: value(c, 'HAS_BIAS'), residual: value(c, 'HAS_RESIDUAL') };
  return linear([M, N, 12], ceil(M, rows) * ceil(N / 4, lanes), flags);
};

/** The size gives some lanes two vectors of k and some one. The rows past M fill half a workgroup. */
const matmul_nt_lanes: Twin = (c, size) => {
  const [rows, lanes, groups] = [value(c, 'ROWS'), value(c, 'LANES'), value(c, 'GROUPS')];
  const [M, N] = [(rows + Math.ceil(rows / 2)) * size, 4 * (groups + 1)];
  const flags = { bias: value(c, 'HAS_BIAS'), residual: value(c, 'HAS_RESIDUAL') };
  return linear([M, N, 4 * (lanes + 3)], ceil(M, rows) * ceil(N / 4, groups), flags);
};

const matmul_nt_scalar: Twin = (c, size) => {
  const flags = { bias: value(c, 'HAS_BIAS'), residual: value(c, 'HAS_RESIDUAL') };
  return linear([5 * size, 23, 9], ceil(5 * size * 23, 64), flags);
};

/** Outputs of one workgroup of a tiled kernel, in each direction. The fixtures have one full and one partial tile. */
const tile = 64;

const matmul_nt_tiled: Twin = (c, size) => {
  const [M, N] = [(tile + 5) * size, tile + 12];
  const flags = { bias: value(c, 'HAS_BIAS'), residual: value(c, 'HAS_RESIDUAL') };
  return linear([M, N, 20], ceil(M, tile) * ceil(N, tile), flags);
};

/** The odd sizes also of its sums: one full step and one of four terms. */
const matmul_nt_blocks: Twin = (c, size) => {
  const [down, across] = blockOf(c);
  const [M, N] = [(down + 5) * size, across + 12];
  const flags = { bias: value(c, 'HAS_BIAS'), residual: value(c, 'HAS_RESIDUAL') };
  const { bindings, calls, expected } = linear([M, N, value(c, 'STEP') + 4], ceil(M, down) * ceil(N, across), flags);
  const term = lowRankTerm(c, M, N);
  const values = table(M, N, (m, n) => expected[0].values[m * N + n] + term.added(m, n));
  return {
    bindings: [...bindings, ...term.bindings],
    calls: [{ ...calls[0], params: { ...calls[0].params, ...term.params } }],
    expected: [{ ...expected[0], values }],
  };
};

/** dinp = dout weight (+ dinp). */
function linearToInput(sizes: [number, number, number], workgroups: number, accumulate: number) {
  const [M, N, K] = sizes;
  const dout = floats(M * N, 'dout');
  const weight = floats(N * K, 'weight');
  const dinp = floats(M * K, 'dinp');
  const expected = table(M, K, (m, k) => {
    const product = sum(N, (n) => dout[m * N + n] * weight[n * K + k]);
    return product + accumulate * dinp[m * K + k];
  });
  return oneResult([dout, weight, dinp], { grid: folded(workgroups), params: { M, N, K } }, expected, sums);
}

const matmul_nn: Twin = (c, size) => {
  const [rows, lanes] = [value(c, 'ROWS'), value(c, 'LANES')];
  const M = (rows + 5) * size;
  const K = 4 * (lanes + 3);
  return linearToInput([M, 12, K], ceil(M, rows) * ceil(K / 4, lanes), value(c, 'ACCUMULATE'));
};

const matmul_nn_scalar: Twin = (c, size) =>
  linearToInput([5 * size, 9, 23], ceil(5 * size * 23, 64), value(c, 'ACCUMULATE'));

const matmul_nn_tiled: Twin = (c, size) => {
  const [M, K] = [(tile + 5) * size, tile + 12];
  return linearToInput([M, 20, K], ceil(M, tile) * ceil(K, tile), value(c, 'ACCUMULATE'));
};

const matmul_nn_blocks: Twin = (c, size) => {
  const [down, across] = blockOf(c);
  const [M, K] = [(down + 5) * size, across + 12];
  return linearToInput([M, value(c, 'STEP') + 4, K], ceil(M, down) * ceil(K, across), value(c, 'ACCUMULATE'));
};

/**
 * Partial sums of dweight = dout^T inp over chunks of tokens, added to the previous values if the kernel accumulates.
 */
function linearToWeight(
  c: Parameters<Twin>[0],
  [T, N, K]: [number, number, number],
  workgroups: (chunks: number) => number,
  chunk = 4,
) {
  const chunks = ceil(T, chunk);
  const dout = floats(T * N, 'dout');
  const inp = floats(T * K, 'inp');
  const expected = table(chunks * N, K, (row, k) => {
    const [s, n] = [Math.floor(row / N), row % N];
    const tokens = Math.min(chunk, T - s * chunk);
    const previous = value(c, 'ACCUMULATE') * untouched;
    return previous + sum(tokens, (i) => dout[(s * chunk + i) * N + n] * inp[(s * chunk + i) * K + k]);
  });
  const call = { grid: folded(workgroups(chunks)), params: { T, N, K, chunk } };
  return oneResult([dout, inp, unwritten(chunks * N * K)], call, expected, sums);
}

const matmul_tn: Twin = (c, size) => {
  const lanes = value(c, 'LANES');
  const fours = value(c, 'FOURS');
  const [N, K] = [4 * (fours + 1), 4 * (lanes + 3)];
  return linearToWeight(c, [11 * size, N, K], (chunks) => chunks * ceil(N / 4, fours) * ceil(K / 4, lanes));
};

const matmul_tn_scalar: Twin = (c, size) =>
  linearToWeight(c, [11 * size, 5, 23], (chunks) => ceil(chunks * 5 * 23, 64));

/** Chunks of 20 tokens: one full step of 16 and a partial one. */
const matmul_tn_tiled: Twin = (c, size) => {
  const [N, K] = [tile + 12, tile + 4];
  return linearToWeight(c, [25 * size, N, K], (chunks) => chunks * ceil(N, tile) * ceil(K, tile), 20);
};

const matmul_tn_blocks: Twin = (c, size) => {
  const [down, across] = blockOf(c);
  const [N, K] = [down + 12, across + 4];
  const workgroups = (chunks: number) => chunks * ceil(N, down) * ceil(K, across);
  return linearToWeight(c, [(value(c, 'STEP') + 9) * size, N, K], workgroups, value(c, 'STEP') + 4);
};

const reduce_partials: Twin = (_, size) => {
  const [count, chunks] = [70 * size, 3];
  const partials = floats(chunks * count, 'partials');
  const out = floats(count, 'out');
  const expected = table(1, count, (__, i) => out[i] + sum(chunks, (s) => partials[s * count + i]));
  return oneResult([partials, out], { grid: foldedThreads(count), params: { size: count, chunks } }, expected, sums);
};

const embed_forward: Twin = (_, size) => {
  const [T, C, V, first, rows] = [5 * size, 23, 7, 2, 4];
  const ids = Uint32Array.from({ length: T }, (__, t) => (t * 5 + 3) % V);
  const weight = floats(rows * C, 'table');
  const held = (id: number) => id >= first && id < first + rows;
  const expected = table(T, C, (t, c) => (held(ids[t]) ? weight[(ids[t] - first) * C + c] : untouched));
  const call = { grid: foldedThreads(T * C), params: { T, C, first, rows } };
  return oneResult([ids, weight, unwritten(T * C)], call, expected, 0);
};

const gather_rows: Twin = (_, size) => {
  const [N, C, rows, pairOffset] = [5 * size, 23, 9, 4];
  const inp = floats(rows * C, 'inp');
  const source = (n: number) => (n * 7 + 2) % rows;
  const target = (n: number) => N - n;
  const pairs = new Uint32Array(pairOffset + 2 * N);
  for (let n = 0; n < N; n++) pairs.set([source(n), target(n)], pairOffset + 2 * n);
  const out = unwritten((N + 1) * C);
  const expected = table(N + 1, C, (row, c) => (row === 0 ? out[c] : inp[source(N - row) * C + c]));
  return oneResult([pairs, inp, out], { grid: foldedThreads(N * C), params: { N, C, pairOffset } }, expected, 0);
};

const scatter_rows: Twin = (c, size) => {
  const [C, offset, scaled] = [13 * size, 3, value(c, 'SCALED')];
  const [targets, starts, sources, scales] = [
    [4, 1, 6],
    [0, 2, 2, 5],
    [3, 0, 1, 1, 4],
    [2, 4, 0, 3, 1],
  ];
  const [U, E] = [targets.length, sources.length];
  const lists = Uint32Array.from([9, 9, 9, ...targets, ...starts, ...sources, ...scales]);
  const { words, values: inp, scalesAt } = vocabularyTable(c, 5, C);
  const scale = floats(E, 'scale');
  const out = floats(7 * C, 'out');
  const expected = Float64Array.from(out);
  for (let u = 0; u < U; u++)
    for (let e = starts[u]; e < starts[u + 1]; e++)
      for (let i = 0; i < C; i++)
        expected[targets[u] * C + i] += (scaled ? scale[scales[e]] : 1) * inp[sources[e] * C + i];
  const call = { grid: foldedThreads(U * C), params: { U, C, listOffset: offset, E, scalesAt } };
  return oneResult([lists, words, scale, out], call, expected, sums);
};

/** Row length for LANES threads a row, such that some lanes process two values and some one. */
const rowLength = (lanes: number) => (lanes > 1 ? 2 * lanes + 9 : 23);
const rms = (inp: ArrayLike<number>, t: number, C: number, eps: number) =>
  1 / Math.sqrt(sum(C, (c) => inp[t * C + c] ** 2) / C + eps);

const rmsnorm_forward: Twin = (c, size) => {
  const lanes = value(c, 'LANES');
  const [T, C] = [5 * size, rowLength(lanes)];
  const inp = floats(T * C, 'inp');
  const gain = floats(C, 'gain');
  const rstd = table(T, 1, (t) => rms(inp, t, C, value(c, 'EPS_F')));
  const out = table(T, C, (t, i) => inp[t * C + i] * rstd[t] * gain[i]);
  return {
    bindings: [inp, gain, unwritten(T * C), unwritten(T)],
    calls: [{ grid: foldedThreads(T * lanes), params: { T, C } }],
    expected: [
      { binding: 2, values: out, tolerance: transcendental },
      { binding: 3, values: rstd, tolerance: transcendental },
    ],
  };
};

const rmsnorm_backward: Twin = (c, size) => {
  const lanes = value(c, 'LANES');
  const [T, C] = [5 * size, rowLength(lanes)];
  const [inp, dout, dresidual] = ['inp', 'dout', 'dresidual'].map((name) => floats(T * C, name));
  const gain = floats(C, 'gain');
  const rstd = Float32Array.from({ length: T }, (_, t) => rms(inp, t, C, 0));
  const mean = table(T, 1, (t) => sum(C, (i) => dout[t * C + i] * gain[i] * inp[t * C + i] * rstd[t]) / C);
  const expected = table(T, C, (t, i) => {
    const at = t * C + i;
    const own = rstd[t] * (dout[at] * gain[i] - inp[at] * rstd[t] * mean[t]);
    return own + value(c, 'HAS_RESIDUAL') * dresidual[at];
  });
  const call = { grid: foldedThreads(T * lanes), params: { T, C } };
  return oneResult([inp, gain, rstd, dout, dresidual, unwritten(T * C)], call, expected, sums);
};

/** Sums of columns of a (T, C) array in chunks of 3 rows. */
function columnSums(T: number, C: number, at: (t: number, c: number) => number) {
  const chunk = 3;
  const chunks = ceil(T, chunk);
  const values = table(chunks, C, (s, c) => sum(Math.min(chunk, T - s * chunk), (i) => at(s * chunk + i, c)));
  const call = { grid: folded(chunks * ceil(C, 64)), params: { T, C, chunk } };
  return { out: unwritten(chunks * C), call, values };
}

const rmsnorm_backward_weight: Twin = (_, size) => {
  const [T, C] = [7 * size, 70];
  const inp = floats(T * C, 'inp');
  const rstd = floats(T, 'rstd');
  const dout = floats(T * C, 'dout');
  const { out, call, values } = columnSums(T, C, (t, c) => dout[t * C + c] * inp[t * C + c] * rstd[t]);
  return oneResult([inp, rstd, dout, out], call, values, sums);
};

const column_sum: Twin = (_, size) => {
  const [T, C] = [7 * size, 70];
  const inp = floats(T * C, 'inp');
  const { out, call, values } = columnSums(T, C, (t, c) => inp[t * C + c]);
  return oneResult([inp, out], call, values, sums);
};

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

const swiglu_forward: Twin = (c, size) => {
  const WIDTH = value(c, 'WIDTH');
  const [T, I] = [3 * size, 23 * WIDTH];
  const inp = floats(T * 2 * I, 'inp');
  const expected = table(T, I, (t, i) => {
    const gate = inp[t * 2 * I + i];
    return gate * sigmoid(gate) * inp[t * 2 * I + I + i];
  });
  const call = { grid: foldedThreads((T * I) / WIDTH), params: { T, I } };
  return oneResult([inp, unwritten(T * I)], call, expected, transcendental);
};

const swiglu_backward: Twin = (c, size) => {
  const WIDTH = value(c, 'WIDTH');
  const [T, I] = [3 * size, 23 * WIDTH];
  const dout = floats(T * I, 'dout');
  const inp = floats(T * 2 * I, 'inp');
  const expected = table(T, 2 * I, (t, column) => {
    const i = column % I;
    const gate = inp[t * 2 * I + i];
    const up = inp[t * 2 * I + I + i];
    const s = sigmoid(gate);
    const d = dout[t * I + i];
    return column < I ? d * up * s * (1 + gate * (1 - s)) : d * gate * s;
  });
  const call = { grid: foldedThreads((T * I) / WIDTH), params: { T, I } };
  return oneResult([dout, inp], call, expected, transcendental);
};

const square_sum: Twin = (_, size) => {
  const [chunk, count, offset] = [4096, 4096 * size + 77, 2];
  const inp = floats(count, 'inp');
  const chunks = ceil(count, chunk);
  const expected = table(1, offset + chunks, (__, i) => {
    const begin = (i - offset) * chunk;
    return i < offset ? 0.5 : sum(Math.min(chunk, count - begin), (k) => inp[begin + k] ** 2);
  });
  const call = { grid: folded(chunks), params: { size: count, offset } };
  return oneResult([inp, unwritten(offset + chunks)], call, expected, sums);
};

const clip_coefficient: Twin = (_, size) => {
  const count = 70 * size;
  const partials = floats(count, 'partials').map(Math.abs);
  const norm = Math.sqrt(sum(count, (i) => partials[i]));
  const call = { grid: [1] as const, params: { count, maxNorm: 2 } };
  return oneResult([partials, unwritten(2)], call, [norm, Math.min(1, 2 / (norm + 1e-6))], transcendental);
};

const adamw: Twin = (_, size) => {
  const count = 70 * size;
  const [learningRate, beta1, beta2, epsilon, decay, correction1, correction2Sqrt] = [
    0.02, 0.9, 0.99, 1e-4, 0.1, 0.19, 0.14,
  ];
  const norm = Float32Array.of(3, 0.3);
  const [grad, weight, m] = ['grad', 'weight', 'm'].map((name) => floats(count, name));
  const v = floats(count, 'v').map(Math.abs);
  const g = (i: number) => grad[i] * norm[1];
  const m1 = table(1, count, (__, i) => beta1 * m[i] + (1 - beta1) * g(i));
  const v1 = table(1, count, (__, i) => beta2 * v[i] + (1 - beta2) * g(i) ** 2);
  const stepped = table(1, count, (__, i) => {
    const direction = m1[i] / correction1 / (Math.sqrt(v1[i]) / correction2Sqrt + epsilon);
    return weight[i] * (1 - learningRate * decay) - learningRate * direction;
  });
  const scalars = {
    ...{ learningRate, beta1, beta2, epsilon, weightDecay: decay },
    ...{ biasCorrection1: correction1, biasCorrection2Sqrt: correction2Sqrt },
  };
  const results = [new Float64Array(count), stepped, m1, v1];
  return {
    bindings: [norm, grad, weight, m, v],
    calls: [{ grid: foldedThreads(count), params: { size: count, ...scalars } }],
    // A weight near zero is divided by the root of a small moment, which adds roundings to those of a sum.
    expected: results.map((values, i) => ({ binding: i + 1, values, tolerance: transcendental })),
  };
};

export const denseTwins: { readonly [kernel: string]: Twin } = {
  matmul_nt,
  matmul_nt_lanes,
  matmul_nt_scalar,
  matmul_nt_tiled,
  matmul_nt_blocks,
  matmul_nn,
  matmul_nn_scalar,
  matmul_nn_tiled,
  matmul_nn_blocks,
  matmul_tn,
  matmul_tn_scalar,
  matmul_tn_tiled,
  matmul_tn_blocks,
  reduce_partials,
  embed_forward,
  gather_rows,
  scatter_rows,
  rmsnorm_forward,
  rmsnorm_backward,
  rmsnorm_backward_weight,
  column_sum,
  swiglu_forward,
  swiglu_backward,
  square_sum,
  clip_coefficient,
  adamw,
};
