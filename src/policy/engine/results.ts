/** Reads the result rows of scored tokens (shaders/objective_kernel.wgsl) by column. */
import { resultFloats } from '../plan/head-buffers.ts';
import type { TeacherRows, UpdateResult } from '../policy.ts';

/** First of the four columns that an objective may fill for the metrics. */
const firstAux = 4;

/** (N) one column of the first N rows. */
export function column(rows: Float32Array, which: number, N: number): Float32Array {
  const out = new Float32Array(N);
  for (let n = 0; n < N; n++) out[n] = rows[n * resultFloats + which];
  return out;
}

/** Outputs of consecutive micro-batches with these numbers of rows; `aux`: names of the objective's own columns. */
export function outputsOf(
  rows: Float32Array,
  sizes: readonly number[],
  aux: readonly string[] = [],
  divergences?: Float32Array,
): UpdateResult['outputs'] {
  let at = 0;
  return sizes.map((N) => {
    const part = rows.subarray(at * resultFloats, (at + N) * resultFloats);
    const divergence = divergences?.slice(at, at + N);
    at += N;
    return {
      logprob: column(part, 0, N),
      entropy: column(part, 1, N),
      loss: column(part, 2, N),
      weight: column(part, 3, N),
      aux: Object.fromEntries(aux.map((name, k) => [name, column(part, firstAux + k, N)])),
      ...(divergence && { divergence }),
    };
  });
}

type Output = UpdateResult['outputs'][number];

/** Output whose loss holds the divergences of its rows as well, by their weights. */
export function withDivergences(output: Output, { weights }: TeacherRows): Output {
  const { loss, divergence } = output;
  // A row without a distribution has divergence 0.
  return divergence ? { ...output, loss: loss.map((own, n) => own + weights[n] * divergence[n]) } : output;
}
