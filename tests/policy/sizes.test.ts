// Tokens that run through the feed-forward block at once: all that fit, else pieces of nearly equal size and whole tiles.
import { expect, it } from 'vitest';
import { findModel } from '../../src/policy/catalogue.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { sizesOf } from '../../src/policy/plan/sizes.ts';

const config = parseConfig(findModel('qwen2.5-0.5b').config);

/** Tokens of a piece, of a batch with `batchTokens`. */
const pieceOf = (batchTokens: number, blockBytes = 2 ** 27) => {
  const capacity = {
    rows: 32,
    groups: 1,
    promptTokens: 256,
    completionTokens: 64,
    batchTokens,
    batchScored: batchTokens,
  };
  return sizesOf(config, capacity, blockBytes).mlp;
};

it.each([
  [100, 100],
  [1724, 1724],
  [1725, 896],
  [2048, 1024],
  // Four pieces of 1,472 would have four rows of tiles of which a half is empty.
  [5888, 1536],
  [5952, 1536],
])('%i tokens: %i at once', (batchTokens, piece) => {
  expect(pieceOf(batchTokens)).toBe(piece);
});

it('is at most a multiple of 64 that fits a binding', () => {
  const rowBytes = 8 * config.intermediateSize;
  expect(pieceOf(2048, 200 * rowBytes)).toBe(192);
  expect(pieceOf(2048, 10 * rowBytes)).toBe(64);
});
