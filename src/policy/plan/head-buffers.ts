/** Buffers of the head: hidden states, a tile of logits, results and lists. Floats each. */
import type { Capacity } from '../policy.ts';
import type { Sizes } from './sizes.ts';

/** Floats of one result row: logprob, entropy, loss, weight, aux x 4. */
export const resultFloats = 8;
/** Micro-batches of one optimiser step whose results are read back together. */
export const resultBatches = 4;
/** Most objective input columns. */
export const objectiveColumns = 8;
/** Most allowed tokens per scored row, on average over a batch, where every row has a list. */
const allowedPerScored = 64;

/** Entries that fit the allowed lists of one batch. */
export const allowedCapacity = ({ batchScored, freeTokens }: Capacity, vocabSize: number) =>
  batchScored * Math.max(allowedPerScored, freeTokens ? vocabSize : 0);

/** Words of the head's lists: starts, rows, tokens, two scaled scatter lists, the plain scatter list, the embedding's, the value head's. */
function listWords({ config, capacity }: Sizes, critic: boolean): number {
  const entries = allowedCapacity(capacity, config.vocabSize);
  const n = capacity.batchScored;
  const t = capacity.batchTokens;
  const values = critic ? 4 * n + 1 : 0;
  return n + 1 + 2 * entries + (2 * n + 1 + 2 * entries) + (4 * entries + 1) + (3 * n + 1) + (3 * t + 1) + values + 64;
}

export function headBuffers(sizes: Sizes, critic = false) {
  const { N, R, h, tile, config, capacity } = sizes;
  return {
    hidden: Math.max(N, R) * h,
    hiddenNormed: Math.max(N, R) * h,
    rstdHead: Math.max(N, R),
    dhidden: N * h,
    dhidden2: N * h,
    logits: Math.max(N, R) * tile,
    softmax: N * 4,
    headLse: N,
    results: N * resultFloats * resultBatches,
    seeds: N * 2,
    columns: N * objectiveColumns,
    targets: N,
    lists: listWords(sizes, critic),
    entryLogits: allowedCapacity(capacity, config.vocabSize),
  };
}

/** Of a value head whose gradient goes into the trunk: its weights, and what each row's value weighs in the loss. */
export const valueBuffers = ({ N, h }: Sizes) => ({ valueHead: h, valueSeeds: N });

/** Numbers of a row that are kept between the two forwards of an objective over all rows: logprob, entropy, value. */
export const foreseenFloats = 3;

/**
 * What an update keeps in the host's memory: the hidden states that a value head on the host reads, and the scores of all rows where
 * the objective sums over them, so that they are forwarded twice.
 */
export const hostBuffers = ({ N, h }: Sizes, { critic, updateRows }: { critic: boolean; updateRows: number }) => ({
  ...(critic ? { hiddenRows: N * h } : {}),
  ...(updateRows ? { foreseen: updateRows * foreseenFloats } : {}),
});
