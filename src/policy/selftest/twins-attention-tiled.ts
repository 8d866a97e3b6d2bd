/** Twins of the tiled attention kernels, with int8 caches and split keys. */
import { decodeTiles, tokenTiles } from '../engine/attention.ts';
import { tokenWords } from '../engine/batch.ts';
import { packRows, unpackRows } from '../engine/generation/kv-bytes.ts';
import { floats, folded, foldedThreads, oneResult, type Twin, untouched, unwritten, value } from './fixture.ts';
import { attend, attendBackward, paged, type Shape, seenRows } from './twins-attention.ts';

/** Error of scores, their exponentials and short sums; with f16 staging, that of operands rounded to 11 bits. */
const toleranceOf = (c: Parameters<Twin>[0]) => (value(c, 'STAGE_BITS') === 16 ? 4e-3 : 1e-5);
const shapeOf = (c: Parameters<Twin>[0]): Shape => ({ H: value(c, 'H'), KV: value(c, 'KV'), D: 4 * value(c, 'E') });
const headsOf = ({ H, KV }: Shape) => ({ heads: H, kvHeads: KV });

/** Attention over a cache in the kernel's format: rows in pages, as floats or as bytes with scales. */
function attendAs(c: Parameters<Twin>[0], size: number) {
  const shape = shapeOf(c);
  const isBytes = value(c, 'KV8') === 1;
  const a = attend(shape, size, (rows) => (isBytes ? unpackRows(packRows(rows, shape.D), shape.D) : rows));
  return { ...a, ...paged(isBytes ? packRows(a.cache, shape.D) : a.cache, a.T, size) };
}

const attention_forward_tiled: Twin = (c, size) => {
  if (value(c, 'SPLIT') > 0) return splitForward(c, size, '');
  const shape = shapeOf(c);
  const { words, query, pageBits, pages, cache, out, lse } = attendAs(c, size);
  const tiles = tokenTiles(words, headsOf(shape), true);
  const tolerance = toleranceOf(c);
  return {
    bindings: [tiles, words, pages, query, cache, unwritten(out.length), unwritten(lse.length)],
    calls: [
      {
        grid: folded((tiles.length / 4) * shape.KV),
        params: { tiles: tiles.length / 4, splits: 0, prefixSplits: 0, pageBits },
      },
    ],
    expected: [
      { binding: 5, values: out, tolerance },
      { binding: 6, values: lse, tolerance },
    ],
  };
};

/** Number of splits of each token's prefix and own keys. */
function splitsOf(words: Uint32Array, T: number, split: number) {
  const lengths = Array.from({ length: T }, (_, t) => {
    const [prefixStart, prefixEnd, ownStart, ownEnd] = words.subarray(t * tokenWords + 2, t * tokenWords + 6);
    return { prefix: prefixStart, prefixKeys: prefixEnd - prefixStart, ownKeys: ownEnd - ownStart };
  });
  const most = (of: (x: (typeof lengths)[number]) => number) => Math.ceil(Math.max(...lengths.map(of)) / split);
  const prefixSplits = most((x) => x.prefixKeys);
  return { lengths, prefixSplits, splits: prefixSplits + most((x) => x.ownKeys) };
}

/** Keys of a token in each split: [index of the split, first key, end]. */
function partsOf(
  { prefixKeys, ownKeys }: { prefixKeys: number; ownKeys: number },
  prefixSplits: number,
  split: number,
) {
  const parts: [number, number, number][] = [];
  for (let j = 0; j < prefixKeys; j += split) parts.push([j / split, j, Math.min(prefixKeys, j + split)]);
  for (let j = 0; j < ownKeys; j += split)
    parts.push([prefixSplits + j / split, prefixKeys + j, prefixKeys + Math.min(ownKeys, j + split)]);
  return parts;
}

/** Twin of the split form. Each token is one decoding row. */
const splitForward: Twin = (c, size) => {
  const shape = shapeOf(c);
  const { H, D } = shape;
  const split = value(c, 'SPLIT');
  const { words, T, query, pageBits, pages, cache, scores, val } = attendAs(c, size);
  const { lengths, prefixSplits, splits } = splitsOf(words, T, split);
  const tiles = decodeTiles(lengths, headsOf(shape), split);
  const expected = Float64Array.from(unwritten(T * H * splits * (D + 4)));
  for (let i = 0; i < T * H; i++) {
    const [t, h] = [Math.floor(i / H), i % H];
    const all = scores(t, h);
    const rows = seenRows(words, t);
    for (const [part, first, end] of partsOf(lengths[t], prefixSplits, split)) {
      const base = (i * splits + part) * (D + 4);
      const largest = Math.max(...all.slice(first, end));
      const weights = all.slice(first, end).map((s) => Math.exp(s - largest));
      for (let d = 0; d < D; d++)
        expected[base + d] = weights.reduce((total, w, j) => total + w * val(rows[first + j], h, d), 0);
      expected.set([largest, weights.reduce((a, b) => a + b, 0), 0, 0], base + D);
    }
  }
  const call = {
    grid: folded((tiles.length / 4) * shape.KV),
    params: { tiles: tiles.length / 4, splits, prefixSplits, pageBits },
  };
  const out = unwritten(expected.length);
  return {
    bindings: [tiles, words, pages, query, cache, out, unwritten(4)],
    calls: [call],
    expected: [
      { binding: 5, values: expected, tolerance: toleranceOf(c) },
      { binding: 6, values: Array(4).fill(untouched), tolerance: 0 },
    ],
  };
};

const attention_combine: Twin = (c, size) => {
  const [H, E, split] = [value(c, 'H'), value(c, 'E'), value(c, 'SPLIT')];
  const D = 4 * E;
  const { words, T } = attend({ H: 1, KV: 1, D: 4 }, size);
  const { lengths, prefixSplits, splits } = splitsOf(words, T, split);
  const partials = floats(T * H * splits * (D + 4), 'partials');
  const out = new Float64Array(T * H * D);
  const lse = new Float64Array(T * H);
  for (let i = 0; i < T * H; i++) {
    const parts = partsOf(lengths[Math.floor(i / H)], prefixSplits, split);
    const bases = parts.map(([part]) => (i * splits + part) * (D + 4));
    // The sum of weights must be positive.
    for (const base of bases) partials[base + D + 1] = 1 + Math.abs(partials[base + D + 1]);
    const total = bases.reduce((sum, base) => sum + Math.exp(partials[base + D]) * partials[base + D + 1], 0);
    lse[i] = Math.log(total);
    for (let d = 0; d < D; d++)
      out[i * D + d] = bases.reduce((sum, base) => sum + Math.exp(partials[base + D]) * partials[base + d], 0) / total;
  }
  return {
    bindings: [words, partials, unwritten(out.length), unwritten(lse.length)],
    calls: [{ grid: foldedThreads(T * H * E), params: { T, splits, prefixSplits } }],
    expected: [
      { binding: 2, values: out, tolerance: 1e-5 },
      { binding: 3, values: lse, tolerance: 1e-5 },
    ],
  };
};

const attention_delta: Twin = (c, size) => {
  const H = value(c, 'H');
  const E = 5;
  const a = attendBackward({ H, KV: 1, D: 4 * E }, size);
  const call = { grid: foldedThreads(a.T * H), params: { T: a.T, E } };
  return oneResult([a.dout, Float32Array.from(a.out), unwritten(a.delta.length)], call, a.delta, 1e-5);
};

const attention_backward_query_tiled: Twin = (c, size) => {
  const shape = shapeOf(c);
  const a = attendBackward(shape, size);
  const tiles = tokenTiles(a.words, headsOf(shape), true);
  const inputs = [tiles, a.words, a.query, a.cache, Float32Array.from(a.lse), a.dout, Float32Array.from(a.delta)];
  const call = { grid: folded((tiles.length / 4) * shape.KV), params: { tiles: tiles.length / 4 } };
  return oneResult([...inputs, unwritten(a.dquery.length)], call, a.dquery, toleranceOf(c));
};

const attention_backward_key_tiled: Twin = (c, size) => {
  const shape = shapeOf(c);
  const a = attendBackward(shape, size);
  const inputs = [a.words, a.query, a.cache, Float32Array.from(a.lse), a.dout, Float32Array.from(a.delta)];
  const call = { grid: folded(Math.ceil(a.T / value(c, 'ROWS')) * shape.KV), params: { T: a.T } };
  return oneResult([...inputs, unwritten(a.dcache.length)], call, a.dcache, toleranceOf(c));
};

export const tiledAttentionTwins: { readonly [kernel: string]: Twin } = {
  attention_forward_tiled,
  attention_combine,
  attention_delta,
  attention_backward_query_tiled,
  attention_backward_key_tiled,
};
