/** AdamW with global-norm clipping over every block of parameters, without read-backs. */
import { grid1d, slice } from '../../device/device.ts';
import { wholePower } from '../elementary.ts';
import type { OptimizerSettings } from '../policy.ts';
import type { ParameterSet } from '../weights/parameters.ts';
import type { Operations } from './operations.ts';
import type { Workspace } from './workspace.ts';

const squareChunk = 4096;
/** Norm that disables clipping: min(1, huge / norm) = 1. */
const noClip = 3e38;

export class AdamW {
  /** Optimiser steps taken: t of the bias corrections. */
  step = 0;

  constructor(
    readonly ops: Operations,
    readonly ws: Workspace,
    readonly weights: ParameterSet,
    readonly grads: ParameterSet,
    readonly m: ParameterSet,
    readonly v: ParameterSet,
  ) {}

  /** Writes the global gradient norm and the clip coefficient to `norm`. */
  recordNorm(maxGradNorm: number): void {
    const { ops, ws } = this;
    let offset = 0;
    this.grads.layout.blocks.forEach((size, i) => {
      const chunks = Math.ceil(size / squareChunk);
      ops.recorder.run({
        kernel: ops.kernels.request('square_sum'),
        bindings: [slice(this.grads.buffers[i], 0, size * 4), ws.slice('squares')],
        grid: grid1d(chunks),
        params: { size, offset },
        flops: 2 * size,
      });
      offset += chunks;
    });
    const maxNorm = Number.isFinite(maxGradNorm) ? maxGradNorm : noClip;
    ops.recorder.run({
      kernel: ops.kernels.request('clip_coefficient'),
      bindings: [ws.slice('squares'), ws.slice('norm')],
      grid: [1],
      params: { count: offset, maxNorm },
    });
  }

  /** Takes one step and sets the gradients to zero. */
  record(settings: OptimizerSettings): void {
    const { ops, ws } = this;
    this.recordNorm(settings.maxGradNorm);
    if (!ops.recorder.dry) this.step++;
    const t = Math.max(1, this.step);
    const { learningRate, beta1, beta2, epsilon, weightDecay } = settings;
    const params = {
      ...{ learningRate, beta1, beta2, epsilon, weightDecay },
      biasCorrection1: 1 - wholePower(beta1, t),
      biasCorrection2Sqrt: Math.sqrt(1 - wholePower(beta2, t)),
    };
    this.grads.layout.blocks.forEach((size, i) => {
      const of = (set: ParameterSet) => slice(set.buffers[i], 0, size * 4);
      ops.recorder.run({
        kernel: ops.kernels.request('adamw'),
        bindings: [ws.slice('norm'), of(this.grads), of(this.weights), of(this.m), of(this.v)],
        grid: grid1d(Math.ceil(size / 64)),
        params: { size, ...params },
        flops: 14 * size,
      });
    });
  }
}
