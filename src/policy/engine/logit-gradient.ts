/** Inputs of the gradient of a tile of logits (shaders/logit_gradient.wgsl). */
import type { BufferSlice } from '../../device/device.ts';

export interface ScoredLogits {
  /** Of each scored row: its token, log-sum-exp, results, and seeds. */
  targets: BufferSlice;
  lse: BufferSlice;
  results: BufferSlice;
  seeds: BufferSlice;
  /** `first`: the tile's first row of the vocabulary. */
  params: { readonly first: number; readonly resultOffset: number; readonly inverseTemperature: number };
}

/** Operations for each logit. */
export const logitGradientFlops = 8;
