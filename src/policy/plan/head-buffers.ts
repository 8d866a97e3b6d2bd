/** Buffers of the head: hidden states, logits, results and lists. Sizes in floats. */
import { allowedPerScored, type Capacity } from '../policy.ts';
import type { Sizes } from './sizes.ts';

/** Floats of one result row: logprob, entropy, loss, weight, aux x 4. */
export const resultFloats = 8;
/** Number of micro-batches of one optimiser step whose results are read back together. */
export const resultBatches = 4;
/** Minimum number of tiles of logits that a decoding step of many rows holds, counted for one row each: 4 MiB. */
const decodedTiles = 512;
/** Largest number of input columns of an objective. */
export const objectiveColumns = 8;

/** Allowed tokens that are planned for each scored row. */
const allowedPerRow = ({ freeTokens }: Capacity, vocabSize: number) =>
  Math.max(allowedPerScored, freeTokens ? vocabSize : 0);

/** Capacity of the allowed-token lists of one batch, in entries. */
export const allowedCapacity = (capacity: Capacity, vocabSize: number) =>
  capacity.batchScored * allowedPerRow(capacity, vocabSize);

/**
 * Size of the head's lists in 32-bit words: starts, rows, tokens, two scaled scatter lists, the plain scatter list, the
 * embedding's list, the value head's list.
 */
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
    logits: Math.max(N, R, Math.min(R * Math.ceil(config.vocabSize / tile), decodedTiles)) * tile,
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

/**
 * Buffers of a value head whose gradient goes into the trunk: its weights, and the weight of each row's value in the
 * loss.
 */
export const valueBuffers = ({ N, h }: Sizes) => ({ valueHead: h, valueSeeds: N });

/**
 * Buffers of a teacher's distributions: a weight for each row and a log-probability for each allowed token; the rows'
 * divergences.
 */
export const teacherBuffers = ({ N, config, capacity }: Sizes) => ({
  teacher: N + allowedCapacity(capacity, config.vocabSize),
  divergences: N * resultBatches,
});

/** Numbers per row kept between the two forwards of an objective over all rows: logprob, entropy, value. */
export const scoreFloats = 3;

/**
 * Host memory of an update: hidden states for a value head on the host, the scores of all rows for an objective that
 * sums over them and therefore needs two forwards, and a teacher's distributions of the step's trajectories.
 */
export const hostBuffers = (
  { N, h, capacity, config }: Sizes,
  { critic, updateRows, taughtRows }: { critic: boolean; updateRows: number; taughtRows: number },
) => ({
  ...(critic ? { hiddenRows: N * h } : {}),
  ...(updateRows ? { updateScores: updateRows * scoreFloats } : {}),
  ...(taughtRows ? { distributions: taughtRows * allowedPerRow(capacity, config.vocabSize) } : {}),
});
