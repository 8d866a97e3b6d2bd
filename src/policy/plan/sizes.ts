/** Sizes that determine the buffers, each under its letter. */
import type { ModelConfig } from '../config.ts';
import type { Capacity } from '../policy.ts';
import { vocabularyTile } from '../weights/parameters.ts';

export interface Sizes {
  config: ModelConfig;
  capacity: Capacity;
  /** Tokens of one pass, scored rows, decoded rows. */
  T: number;
  N: number;
  R: number;
  /** Hidden size, heads, key-value heads, head size, layers. */
  h: number;
  H: number;
  KV: number;
  D: number;
  L: number;
  /** Feed-forward width, and the number of tokens that run through it at once. */
  I: number;
  mlp: number;
  /** Vocabulary rows of one tile of logits. */
  tile: number;
}

const mostMlpBytes = 1 << 26;

/** Rows of a GPU's largest tile: a piece of other sizes computes a part of a tile for nothing. */
const tileRows = 128;

/**
 * Number of tokens that run through the feed-forward block at once: all, or a multiple of 64 whose gate and up values
 * fit a binding, in pieces of nearly equal size, because a small one fills few cores of a GPU, and of whole tiles.
 */
function mlpRows(T: number, intermediateSize: number, blockBytes: number): number {
  const rows = Math.floor(Math.min(blockBytes, mostMlpBytes) / (8 * intermediateSize));
  if (T <= rows) return T;
  const most = Math.max(64, rows - (rows % 64));
  const pieces = Math.ceil(T / most);
  return Math.min(most, tileRows * Math.ceil(T / pieces / tileRows));
}

/** Most tokens of a pass through the layers. */
export const mostTokens = ({ batchTokens, rows }: Capacity): number => Math.max(batchTokens, rows);

export function sizesOf(config: ModelConfig, capacity: Capacity, blockBytes: number): Sizes {
  const T = mostTokens(capacity);
  return {
    config,
    capacity,
    T,
    N: capacity.batchScored,
    R: capacity.rows,
    h: config.hiddenSize,
    H: config.numHeads,
    KV: config.numKvHeads,
    D: config.headDim,
    L: config.numLayers,
    I: config.intermediateSize,
    mlp: mlpRows(T, config.intermediateSize, blockBytes),
    tile: Math.min(config.vocabSize, vocabularyTile),
  };
}
