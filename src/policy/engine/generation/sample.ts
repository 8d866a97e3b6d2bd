/** Samples one token per row from its hidden state, among the tokens of the valid actions or among all. */
import { type BufferSlice, grid1d } from '../../../device/device.ts';
import type { ModelConfig } from '../../config.ts';
import type { Sampling } from '../../policy.ts';
import type { Weights } from '../../weights/linear.ts';
import { vocabularyTile } from '../../weights/parameters.ts';
import type { Operations } from '../operations.ts';
import type { Workspace } from '../workspace.ts';

export interface SampleParts {
  config: ModelConfig;
  ops: Operations;
  ws: Workspace;
}

/** Kinds of rows in the batch, and inputs of their kernels. */
export interface SampledRows {
  /** True if some rows have a list of valid actions, and if some have none. */
  masked: boolean;
  open: boolean;
  /** Offset of the edges in the trie array, in 32-bit words. */
  edgeOffset: number;
  /** Cache row that finished rows write to. */
  restRow: number;
}

/** Records the sampling of one token per row. */
export function recordSample(
  { config, ops, ws }: SampleParts,
  weights: Weights,
  hidden: BufferSlice,
  R: number,
  step: number,
  sampling: Sampling,
  { masked, open, edgeOffset, restRow }: SampledRows,
): void {
  const C = config.hiddenSize;
  const { seed, stream, temperature } = sampling;
  const inverseTemperature = temperature === 0 ? 0 : 1 / temperature;
  const normed = ws.slice('hiddenNormed');
  ops.rmsnorm(hidden, weights.vector('finalNorm'), normed, ws.slice('rstdHead'), R, C, config.rmsNormEps);
  const outputs = [
    ws.slice('rows'),
    ws.slice('ids'),
    ws.slice('tokens'),
    ws.slice('outTokens'),
    ws.slice('outLogprobs'),
  ];
  if (masked) {
    const params = { step, trash: restRow, edgeOffset, seed, stream, inverseTemperature };
    weights.sampleMasked(normed, [ws.slice('trie'), ...outputs], R, params);
  }
  if (!open) return;
  for (let first = 0; first < config.vocabSize; first += vocabularyTile) {
    const W = Math.min(vocabularyTile, config.vocabSize - first);
    weights.logits(normed, ws.slice('logits'), R, first, W);
    ops.recorder.run({
      kernel: ops.kernels.request('sample_scan'),
      bindings: [ws.slice('logits'), ws.slice('rows'), ws.slice('sampleState')],
      grid: grid1d(R),
      params: { R, W, first, seed, stream, inverseTemperature },
      flops: 20 * R * W,
    });
  }
  ops.recorder.run({
    kernel: ops.kernels.request('sample_finish'),
    bindings: [ws.slice('sampleState'), ws.slice('stops'), ...outputs],
    grid: [Math.ceil(R / 64)],
    params: { R, step, trash: restRow },
  });
}
