/** Buffers of decoding: the K/V cache and the sampled rows. Sizes in floats. */
import type { ModelConfig } from '../config.ts';
import { canTile, mostSplits, partialFloatsOf } from '../engine/attention.ts';
import { cacheRows, type KvPrecision, kvRowWords, tableEntries } from '../engine/generation/cache-pages.ts';
import { PrecisionError } from '../weights/precision-error.ts';
import type { Sizes } from './sizes.ts';

/** Size of one `Row` (shaders/row.wgsl) in 32-bit words. */
export const rowWords = 12;
/** Largest number of tokens sampled between two read-backs. */
export const decodeChunk = 16;
/**
 * Average trie size per row in 32-bit words: 3 a node and 2 an edge. If the rows of a round need more, they are decoded
 * one part after another.
 */
export const trieWordsPerRow = 4096;

/** True if keys and values may be int8. The attention kernel reads an int8 cache by tiles, four values at a time. */
export const canCacheBytes = ({ numHeads, numKvHeads, headDim }: ModelConfig): boolean =>
  canTile({ heads: numHeads, kvHeads: numKvHeads, headDim });

function checkBytes(config: ModelConfig): void {
  if (canCacheBytes(config)) return;
  const { numHeads, numKvHeads, headDim } = config;
  const sizes = `${numHeads} heads of size ${headDim} and ${numKvHeads} key heads`;
  throw new PrecisionError(
    `An int8 K/V cache needs a head size that is a multiple of 4, at most 256, and at most 32 heads per key head; this model has ${sizes}. Use f32.`,
  );
}

/** K/V cache of each layer. Throws PrecisionError if the model's head sizes do not allow int8. */
export function cacheBuffers({ config, capacity, L }: Sizes, kvCache: KvPrecision): [`cache.${number}`, number][] {
  if (kvCache === 'int8') checkBytes(config);
  const words = cacheRows(capacity) * kvRowWords(config, kvCache);
  return Array.from({ length: L }, (_, layer) => [`cache.${layer}`, words]);
}

export const pageBuffers = ({ capacity }: Sizes) => ({ pages: tableEntries(capacity) });

/** Vocabulary tiles. A GPU keeps the state of each row after each of them. */
const tilesOf = ({ config, tile }: Sizes) => Math.ceil(config.vocabSize / tile);

export const decodingBuffers = (sizes: Sizes) => ({
  ...rowBuffers(sizes),
  ...(tilesOf(sizes) > 1 ? { sampleTiles: sizes.R * 8 * tilesOf(sizes) } : {}),
});

const rowBuffers = ({ R, h, H, D, capacity }: Sizes) => ({
  rowHidden: R * h,
  groupHidden: capacity.groups * h,
  attentionPartials: R * partialFloatsOf(H, D, mostSplits(capacity.promptTokens, capacity.completionTokens).splits),
  rows: R * rowWords,
  trie: R * trieWordsPerRow,
  outTokens: R * decodeChunk,
  outLogprobs: R * decodeChunk,
  sampleState: R * 8,
  stops: 64,
});
