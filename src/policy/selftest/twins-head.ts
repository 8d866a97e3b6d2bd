/** Twins of the head's kernels: tiled and masked softmax with their gradients, and the objective kernel. */
import { givenWeights } from '../engine/objective.ts';
import {
  floats,
  foldedThreads,
  oneResult,
  softmaxOf,
  sum,
  type Twin,
  table,
  untouched,
  unwritten,
  value,
  vocabularyTable,
} from './fixture.ts';

/** Error of exp and log of sums, for values near 10. */
const tolerance = 1e-5;

export const temperature = 0.8;

/** Two tiles of the same logits: a vocabulary of 2 W, whose second tile is merged into the first. */
const head_lse_update: Twin = (c, size) => {
  const lanes = value(c, 'LANES');
  const [N, W] = [5 * size, lanes > 1 ? 2 * lanes + 9 : 23];
  const logits = floats(N * W, 'logits');
  const targets = Uint32Array.from({ length: N }, (_, n) => (n * 11 + 3) % (2 * W));
  const expected = table(N, 4, (n, k) => {
    const row = Array.from({ length: 2 * W }, (_, v) => logits[n * W + (v % W)] / temperature);
    const { m, s, u } = softmaxOf(row);
    return [m, s, u, row[targets[n]]][k];
  });
  const call = (first: number) => ({
    grid: foldedThreads(N * lanes),
    params: { N, W, first, inverseTemperature: 1 / temperature },
  });
  const state = unwritten(N * 4);
  return {
    bindings: [logits, targets, state],
    calls: [call(0), call(W)],
    expected: [{ binding: 2, values: expected, tolerance }],
  };
};

/** results (N, 8) with the given columns, after `offset` unchanged rows. */
function resultRows(N: number, offset: number, columns: (n: number) => number[]) {
  return table(offset + N, 8, (row, k) => (row < offset ? untouched : (columns(row - offset)[k] ?? untouched)));
}

const head_finish: Twin = (_, size) => {
  const [N, offset] = [5 * size, 2];
  const rows = Array.from({ length: N }, (__, n) => [...floats(9, `row ${n}`)]);
  const softmaxes = rows.map(softmaxOf);
  const state = Float32Array.from(softmaxes.flatMap(({ m, s, u }, n) => [m, s, u, rows[n][4]]));
  const lse = softmaxes.map(({ m, s }) => m + Math.log(s));
  const results = resultRows(N, offset, (n) => {
    const { s, u } = softmaxes[n];
    return [rows[n][4] - lse[n], Math.log(s) - u / s];
  });
  return {
    bindings: [state, unwritten(results.length), unwritten(N)],
    calls: [{ grid: foldedThreads(N), params: { N, resultOffset: offset } }],
    expected: [
      { binding: 1, values: results, tolerance },
      { binding: 2, values: lse, tolerance },
    ],
  };
};

/** d(weight logprob + entropyWeight entropy) / dlogit of a scaled logit x. */
export function slope(
  x: number,
  lse: number,
  entropy: number,
  isTarget: boolean,
  weight: number,
  entropyWeight: number,
) {
  const p = Math.exp(x - lse);
  return (weight * ((isTarget ? 1 : 0) - p) - entropyWeight * p * (x - lse + entropy)) / temperature;
}

/** Inputs of both dlogits kernels for N rows from `offset` on: log-sum-exp, entropy in `results`, seeds. */
export function scoredRows(rows: readonly number[][], offset: number) {
  const softmaxes = rows.map(softmaxOf);
  const lse = Float32Array.from(softmaxes, ({ m, s }) => m + Math.log(s));
  const results = unwritten((offset + rows.length) * 8);
  for (const [n, { s, u }] of softmaxes.entries()) results.set([-1, Math.log(s) - u / s], (offset + n) * 8);
  const entropy = (n: number) => results[(offset + n) * 8 + 1];
  return { lse, results, entropy, seeds: floats(rows.length * 2, 'seeds') };
}

const head_dlogits: Twin = (_, size) => {
  const [N, W, first, offset] = [3 * size, 23, 46, 2];
  const logits = floats(N * W, 'logits');
  const targets = Uint32Array.from({ length: N }, (__, n) => (n % 2 ? 5 : first + n));
  const scaled = (n: number) => Array.from(logits.subarray(n * W, (n + 1) * W), (x) => x / temperature);
  const { lse, results, entropy, seeds } = scoredRows(
    Array.from({ length: N }, (__, n) => scaled(n)),
    offset,
  );
  const expected = table(N, W, (n, v) => {
    const hit = targets[n] === first + v;
    return slope(logits[n * W + v] / temperature, lse[n], entropy(n), hit, seeds[2 * n], seeds[2 * n + 1]);
  });
  const call = {
    grid: foldedThreads(N * W),
    params: { N, W, first, resultOffset: offset, inverseTemperature: 1 / temperature },
  };
  return oneResult([targets, lse, results, seeds, logits], call, expected, tolerance);
};

/** Allowed tokens of 4 rows as lists of the masked head, after two unrelated entries. */
const allowed = [[3], [0, 2, 5, 6], [1, 4], [2, 3, 6]];
const masked = (() => {
  const starts = [0];
  for (const tokens of allowed) starts.push(starts[starts.length - 1] + tokens.length);
  const rows = allowed.flatMap((tokens, n) => tokens.map(() => n));
  const tokens = allowed.flat();
  const E = tokens.length;
  const at = { starts: 2, row: 2 + starts.length, token: 2 + starts.length + E };
  return { starts, rows, tokens, E, at, lists: [9, 9, ...starts, ...rows, ...tokens] };
})();
const maskedTargets = Uint32Array.from(allowed, (tokens, n) => tokens[n % tokens.length]);

const head_sparse_logits: Twin = (c, size) => {
  const { rows, tokens, E, at, lists } = masked;
  const C = 3 * size * value(c, 'WIDTH');
  const hidden = floats(4 * C, 'hidden');
  const { words, values: weight, scalesAt } = vocabularyTable(c, 7, C);
  const expected = table(
    1,
    E,
    (_, e) => sum(C, (i) => hidden[rows[e] * C + i] * weight[tokens[e] * C + i]) / temperature,
  );
  const call = {
    grid: foldedThreads(E),
    params: { E, C, rowOffset: at.row, tokenOffset: at.token, inverseTemperature: 1 / temperature, scalesAt },
  };
  return oneResult([Uint32Array.from(lists), hidden, words, unwritten(E)], call, expected, tolerance);
};

const maskedLogits = () => {
  const logits = floats(masked.E, 'logits');
  const rows = allowed.map((_, n) => [...logits.subarray(masked.starts[n], masked.starts[n + 1])]);
  return { logits, rows };
};

const head_sparse_finish: Twin = () => {
  const { at, lists } = masked;
  const { logits, rows } = maskedLogits();
  const [N, offset] = [rows.length, 2];
  const softmaxes = rows.map(softmaxOf);
  const lse = softmaxes.map(({ m, s }) => m + Math.log(s));
  const results = resultRows(N, offset, (n) => {
    const hit = rows[n][allowed[n].indexOf(maskedTargets[n])];
    return [hit - lse[n], Math.log(softmaxes[n].s) - softmaxes[n].u / softmaxes[n].s];
  });
  return {
    bindings: [Uint32Array.from(lists), maskedTargets, logits, unwritten(results.length), unwritten(N)],
    calls: [
      { grid: foldedThreads(N), params: { N, startOffset: at.starts, tokenOffset: at.token, resultOffset: offset } },
    ],
    expected: [
      { binding: 3, values: results, tolerance },
      { binding: 4, values: lse, tolerance },
    ],
  };
};

const head_sparse_dlogits: Twin = () => {
  const { rows: entryRow, tokens, E, at, lists } = masked;
  const { logits, rows } = maskedLogits();
  const offset = 1;
  const { lse, results, entropy, seeds } = scoredRows(rows, offset);
  const expected = table(1, E, (_, e) => {
    const n = entryRow[e];
    return slope(logits[e], lse[n], entropy(n), tokens[e] === maskedTargets[n], seeds[2 * n], seeds[2 * n + 1]);
  });
  const call = {
    grid: foldedThreads(E),
    params: { E, rowOffset: at.row, tokenOffset: at.token, resultOffset: offset, inverseTemperature: 1 / temperature },
  };
  return oneResult([Uint32Array.from(lists), maskedTargets, lse, results, seeds, logits], call, expected, tolerance);
};

/** The divergences of a row with log-probabilities `logp` from `logq`, by their definitions. */
function divergenceOf(logp: readonly number[], logq: readonly number[], beta: number): number {
  const kl = (a: readonly number[], b: readonly number[]) => sum(a.length, (i) => Math.exp(a[i]) * (a[i] - b[i]));
  if (beta === 1) return kl(logp, logq);
  if (beta === 0) return kl(logq, logp);
  const mixed = logp.map((lp, i) => Math.log(beta * Math.exp(logq[i]) + (1 - beta) * Math.exp(lp)));
  return beta * kl(logq, mixed) + (1 - beta) * kl(logp, mixed);
}

const logSoftmax = (logits: readonly number[]) => {
  const { m, s } = softmaxOf(logits);
  return logits.map((x) => x - m - Math.log(s));
};

/**
 * Three calls on equal rows, each with another divergence, whose slopes by the logits are central differences. The
 * second row has no teacher.
 */
const head_divergence_dlogits: Twin = () => {
  const lists = allowed.slice(1);
  const N = lists.length;
  const sizes = lists.map(({ length }) => length);
  const E = sum(N, (n) => sizes[n]);
  const betas = [1, 0, 0.3];
  const starts = [0, ...betas.flatMap((_, k) => sizes.map((__, n) => k * E + sum(n + 1, (i) => sizes[i])))];
  const rows = sizes.map((size, n) => [...floats(size, `logits ${n}`)]);
  const offset = 1;
  const { lse, results: once, entropy, seeds } = scoredRows(rows, offset);
  const repeated = betas.flatMap(() => [...once.subarray(offset * 8)]);
  const results = Float32Array.from([...once.subarray(0, offset * 8), ...repeated]);
  const targets = Uint32Array.from(lists, (tokens, n) => tokens[n % tokens.length]);
  const weights = [0.5, 0, 1.5];
  const logq = betas.map((_, k) => rows.map((row, n) => logSoftmax([...floats(row.length, `teacher ${k} ${n}`)])));
  const divergence = (k: number, n: number, row: readonly number[]) =>
    weights[n] === 0 ? 0 : divergenceOf(logSoftmax(row), logq[k][n], betas[k]);
  const step = 1e-5;
  const slopes = betas.flatMap((_, k) =>
    rows.flatMap((row, n) =>
      row.map((x, i) => {
        const moved = (by: number) => divergence(k, n, row.with(i, x + by));
        const own = slope(x, lse[n], entropy(n), lists[n][i] === targets[n], seeds[2 * n], seeds[2 * n + 1]);
        return own + (weights[n] * (moved(step) - moved(-step))) / (2 * step * temperature);
      }),
    ),
  );
  const tokenOffset = starts.length;
  const divergences = table(1, offset + N * betas.length, (_, i) =>
    i < offset ? untouched : divergence(Math.floor((i - offset) / N), (i - offset) % N, rows[(i - offset) % N]),
  );
  return {
    bindings: [
      Uint32Array.from([...starts, ...betas.flatMap(() => lists.flat())]),
      targets,
      lse,
      results,
      seeds,
      Float32Array.from([...weights, ...logq.flat(2)]),
      Float32Array.from(betas.flatMap(() => rows.flat())),
      unwritten(divergences.length),
    ],
    calls: betas.map((beta, k) => ({
      grid: foldedThreads(N),
      params: {
        ...{ N, startOffset: k * N, tokenOffset, resultOffset: offset + k * N },
        ...{ inverseTemperature: 1 / temperature, beta },
      },
    })),
    expected: [
      { binding: 6, values: slopes, tolerance },
      { binding: 7, values: divergences, tolerance },
    ],
  };
};

/** Only the objective with given weights has its twin here. Those of other objectives are in `rl/`. */
const objective_kernel: Twin = (_, size, extra) => {
  if (!extra.endsWith(givenWeights.wgsl!)) return null;
  const [N, offset] = [5 * size, 2];
  const columns = floats(2 * N, 'columns');
  const results = floats((offset + N) * 8, 'results');
  const after = Float64Array.from(results);
  for (let n = 0; n < N; n++) {
    const [w, e] = [columns[n], columns[N + n]];
    const at = (offset + n) * 8;
    after.set([w * results[at] + e * results[at + 1], w, e, 0, 0, 0].slice(0, 2), at + 2);
    after.fill(0, at + 4, at + 8);
  }
  const seeds = table(N, 2, (n, k) => columns[k * N + n]);
  return {
    bindings: [columns, results, unwritten(2 * N)],
    calls: [{ grid: foldedThreads(N), params: { N, resultOffset: offset } }],
    expected: [
      { binding: 1, values: after, tolerance },
      { binding: 2, values: seeds, tolerance },
    ],
  };
};

export const headTwins: { readonly [kernel: string]: Twin } = {
  head_lse_update,
  head_finish,
  head_dlogits,
  head_sparse_logits,
  head_sparse_finish,
  head_sparse_dlogits,
  head_divergence_dlogits,
  objective_kernel,
};
