// Layout of tokens and decoding rows in tiles, and the form that runs if they do not fit. Needs no GPU.
import { describe, expect, it } from 'vitest';
import { decodeTiles, formOf, plainCache, tokenTiles } from '../../src/policy/engine/attention.ts';
import { describeTokens, tokenWords } from '../../src/policy/engine/batch.ts';
import { segments } from './ragged-segments.ts';

describe('tiles', () => {
  const heads = { heads: 14, kvHeads: 2 };

  it('contain every token once, in order, with one prefix, and only sequences that follow each other', () => {
    const batch = { tokens: new Int32Array(297), segments, scored: new Int32Array(0), allowed: null };
    const descriptors = describeTokens(batch);
    for (const across of [true, false]) {
      const tiles = tokenTiles(descriptors, heads, across);
      let next = 0;
      for (let i = 0; i < tiles.length; i += 4) {
        const [first, count] = tiles.subarray(i, i + 2);
        expect(first).toBe(next);
        expect(count).toBeLessThanOrEqual(4);
        const of = (word: number) =>
          new Set(Array.from({ length: count }, (_, k) => descriptors[(first + k) * tokenWords + word]));
        expect(of(2).size + of(3).size).toBe(2);
        if (!across) expect(of(4).size).toBe(1);
        next += count;
      }
      expect(next).toBe(297);
    }
  });

  it('of decoding rows share a prefix within a workgroup, and split it as for a single row', () => {
    const rows = [
      { prefix: 0, prefixKeys: 300, ownKeys: 1 },
      { prefix: 0, prefixKeys: 300, ownKeys: 129 },
      { prefix: 512, prefixKeys: 10, ownKeys: 5 },
    ];
    const tiles = decodeTiles(rows, { heads: 4, kvHeads: 1 });
    const list = Array.from({ length: tiles.length / 4 }, (_, i) => [...tiles.subarray(i * 4, i * 4 + 4)].join());
    expect(list).toEqual(['0,2,0,0', '0,2,1,0', '0,2,2,0', '2,1,0,0', '0,1,0,1', '1,1,0,1', '1,1,1,1', '2,1,0,1']);
    expect([...decodeTiles([rows[1]], heads)]).toEqual([0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0, 1, 0, 1, 0, 1, 1, 1]);
  });

  it('are not used for heads that do not fit them', () => {
    expect(formOf({ heads: 3, kvHeads: 1, headDim: 6, eps: 0 }, 'tiled', plainCache)).toBe('thread');
    const fits = { heads: 3, kvHeads: 1, headDim: 8, eps: 0 };
    // The form `thread` reads pages, but not bytes.
    expect(formOf(fits, 'thread', { pageBits: 4, int8: false })).toBe('thread');
    expect(formOf(fits, 'thread', { pageBits: 4, int8: true })).toBe('tiled');
  });
});
