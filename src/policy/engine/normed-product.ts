/** RMSNorm before a product: in a kernel of its own, or of few rows together with an adapter's first product. */
import { type BufferSlice, grid1d } from '../../device/device.ts';
import { fewRows } from './kernel-choices.ts';
import type { Operations } from './operations.ts';
import { rowsFor } from './row-steps.ts';

/** Input and gain of an RMSNorm, its factor of each row, which it writes, and its epsilon. */
export interface NormInput {
  inp: BufferSlice;
  gain: BufferSlice;
  rstd: BufferSlice;
  eps: number;
}

/** normed (M, C). */
export function normalise(
  ops: Operations,
  { inp, gain, rstd, eps }: NormInput,
  normed: BufferSlice,
  M: number,
  C: number,
): void {
  ops.rmsnorm(inp, gain, normed, rstd, M, C, eps);
}

/** Rows and threads of a workgroup. */
const workgroupRows = [1, 4];
const workgroupLanes = 128;

/**
 * True if `normaliseDown` computes a first product of these sizes: in decoding, where the sums of such products are shared
 * by lanes.
 */
export const normalisesDown = (ops: Operations, M: number, N: number, K: number): boolean =>
  M <= fewRows && ops.recorder.device.compiles && ops.isNarrow(N, K);

/** normed (M, K), and mid (M, N) = normed A^T. */
export function normaliseDown(
  { recorder, kernels }: Operations,
  { inp, gain, rstd, eps }: NormInput,
  normed: BufferSlice,
  { A, mid }: { A: BufferSlice; mid: BufferSlice },
  params: { M: number; N: number; K: number },
): void {
  const { M, N, K } = params;
  const ROWS = rowsFor(M, workgroupRows);
  recorder.run({
    kernel: kernels.request('lora_norm_down', { ROWS, LANES: workgroupLanes, EPS_F: eps }),
    bindings: [inp, gain, A, normed, rstd, mid],
    grid: grid1d((Math.ceil(M / ROWS) * N) / 4),
    params,
    flops: 2 * M * N * K + 4 * M * K,
  });
}
