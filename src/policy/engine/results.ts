/** The result rows of a device's buffer, column by column. */
import { resultFloats } from '../plan/head-buffers.ts';
import type { UpdateResult } from '../policy.ts';

/** (N) one column of result rows. */
export function pick(rows: Float32Array, column: number, N: number): Float32Array {
  const out = new Float32Array(N);
  for (let n = 0; n < N; n++) out[n] = rows[n * resultFloats + column];
  return out;
}

/** Rows of several micro-batches, one after the other. */
export function outputsOf(rows: Float32Array, sizes: readonly number[]): UpdateResult['outputs'] {
  let at = 0;
  return sizes.map((N) => {
    const part = rows.subarray(at * resultFloats, (at + N) * resultFloats);
    at += N;
    return {
      logprob: pick(part, 0, N),
      entropy: pick(part, 1, N),
      loss: pick(part, 2, N),
      weight: pick(part, 3, N),
      aux: [4, 5, 6, 7].map((k) => pick(part, k, N)),
    };
  });
}
