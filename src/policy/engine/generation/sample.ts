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

/** Maximum number of operations of one product of the head: a dispatch stays short on a software adapter too. */
const spanFlops = (isFallback: boolean) => (isFallback ? 2e8 : 4e9);

/**
 * Number of vocabulary rows, from `first` on, whose logits one dispatch computes: as many tiles as the buffer, one
 * binding of the head and the operations allow.
 */
function spanFrom(first: number, { config, ops, ws }: SampleParts, weights: Weights, R: number): number {
  const { vocabSize, hiddenSize } = config;
  const { isFallback } = ops.recorder.device.info;
  const held = ws.slice('logits').size / (4 * R * vocabularyTile);
  const computed = spanFlops(isFallback) / (2 * R * vocabularyTile * hiddenSize);
  const most = Math.max(1, Math.floor(Math.min(held, computed))) * vocabularyTile;
  const bound = weights.headRows - (first % weights.headRows);
  const rows = Math.min(most, bound, vocabSize - first);
  // The kernels take rows in fours: rows past the last whole tile get a call of their own if four does not divide them.
  return rows % 4 === 0 || rows < vocabularyTile ? rows : rows - (rows % vocabularyTile);
}

/**
 * Updates each row's best token and softmax over the whole vocabulary. A GPU scans many tiles at once; the processor,
 * which gains nothing by this, one after another. Both add the tiles in the same order.
 */
function scanVocabulary(
  parts: SampleParts,
  weights: Weights,
  normed: BufferSlice,
  R: number,
  random: { seed: number; stream: number; inverseTemperature: number },
): void {
  const { config, ops, ws } = parts;
  const V = config.vocabSize;
  const TILES = Math.ceil(V / vocabularyTile);
  const isSplit = TILES > 1 && ops.recorder.device.compiles;
  const kernel = isSplit
    ? ops.kernels.request('sample_scan_tiles', { TILE: vocabularyTile, TILES })
    : ops.kernels.request('sample_scan');
  for (let first = 0, W = 0; first < V; first += W) {
    W = isSplit ? spanFrom(first, parts, weights, R) : Math.min(vocabularyTile, V - first);
    weights.logits(normed, ws.slice('logits'), R, first, W);
    ops.recorder.run({
      kernel,
      bindings: [ws.slice('logits'), ws.slice('rows'), ws.slice(isSplit ? 'sampleTiles' : 'sampleState')],
      grid: grid1d(R * Math.ceil(W / vocabularyTile)),
      params: { R, W, first, ...random },
      flops: 20 * R * W,
    });
  }
  if (!isSplit) return;
  ops.recorder.run({
    kernel: ops.kernels.request('sample_merge_tiles', { TILES }),
    bindings: [ws.slice('rows'), ws.slice('sampleTiles'), ws.slice('sampleState')],
    grid: grid1d(R),
    params: { R },
    flops: 20 * R * TILES,
  });
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
  scanVocabulary({ config, ops, ws }, weights, normed, R, { seed, stream, inverseTemperature });
  ops.recorder.run({
    kernel: ops.kernels.request('sample_finish'),
    bindings: [ws.slice('sampleState'), ws.slice('stops'), ...outputs],
    grid: [Math.ceil(R / 64)],
    params: { R, step, trash: restRow },
  });
}
