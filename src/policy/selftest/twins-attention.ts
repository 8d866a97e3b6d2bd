/** Twins of the attention kernels: rotary positions, attention with a shared prefix, and their backwards. */
import { describeTokens, tokenWords } from '../engine/batch.ts';
import { packRows, unpackRows } from '../engine/generation/kv-bytes.ts';
import type { PackedBatch } from '../policy.ts';
import { floats, foldedThreads, oneResult, sum, type Twin, table, unwritten, value } from './fixture.ts';

/** Error of scores, their exponentials and short sums. */
const tolerance = 1e-5;
/**
 * Error of an int8 value: half a scale, which is the head's largest magnitude / 127, plus a margin for rounding in the
 * other direction.
 */
const halfByte = 0.51 / 127;

export interface Shape {
  H: number;
  KV: number;
  D: number;
}
const shapeOf = (c: Parameters<Twin>[0]): Shape => ({ H: value(c, 'H'), KV: value(c, 'KV'), D: value(c, 'D') });

/** A prompt of 3 tokens, two continuations, and one independent sequence. */
function describe(size: number): { words: Uint32Array<ArrayBuffer>; T: number } {
  const lengths = [3, 2 * size, 1, 3 * size];
  let end = 0;
  const segments = lengths.map((length, i) => {
    end += length;
    return { start: end - length, end, parent: i === 1 || i === 2 ? 0 : -1 };
  });
  const batch: PackedBatch = {
    tokens: new Int32Array(end),
    segments,
    scored: new Int32Array(0),
    allowed: null,
  };
  return { words: describeTokens(batch) as Uint32Array<ArrayBuffer>, T: end };
}

/** K/V rows visible to token t: those of its prefix, and those of its own sequence up to itself. */
export function seenRows(words: Uint32Array, t: number): number[] {
  const [prefixStart, prefixEnd, ownStart, ownEnd] = words.subarray(t * tokenWords + 2, t * tokenWords + 6);
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  return [...range(prefixStart, prefixEnd), ...range(ownStart, ownEnd)];
}

/**
 * Attention of a batch in double precision, with the inputs of its backward. `stored` returns the K/V rows as read from
 * a cache that does not keep all bits.
 */
export function attend({ H, KV, D }: Shape, size: number, stored = (rows: Float32Array): ArrayLike<number> => rows) {
  const { words, T } = describe(size);
  const query = floats(T * H * D, 'query');
  const written = floats(T * 2 * KV * D, 'cache');
  const cache = stored(written);
  const key = (row: number, h: number, d: number) => cache[row * 2 * KV * D + Math.floor(h / (H / KV)) * D + d];
  const val = (row: number, h: number, d: number) => cache[(row * 2 + 1) * KV * D + Math.floor(h / (H / KV)) * D + d];
  const scores = (t: number, h: number) =>
    seenRows(words, t).map((row) => sum(D, (d) => query[(t * H + h) * D + d] * key(row, h, d)) / Math.sqrt(D));
  const lse = table(T, H, (t, h) => Math.log(scores(t, h).reduce((total, s) => total + Math.exp(s), 0)));
  const probabilities = Array.from(lse, (l, i) => scores(Math.floor(i / H), i % H).map((s) => Math.exp(s - l)));
  const weights = (t: number, h: number) => probabilities[t * H + h];
  const out = table(T * H, D, (i, d) => {
    const [t, h] = [Math.floor(i / H), i % H];
    const rows = seenRows(words, t);
    return weights(t, h).reduce((total, w, j) => total + w * val(rows[j], h, d), 0);
  });
  return { words, T, query, cache: written, scores, lse, weights, out, key, val };
}

/**
 * Layout in pages of two or four rows, the first page last: page size as in the call, table, place of a row, and number
 * of rows.
 */
function pagesOf(rows: number, size: number) {
  const pageBits = size > 1 ? 2 : 1;
  const count = Math.ceil(rows / 2 ** pageBits);
  const pages = Uint32Array.from({ length: Math.max(4, count) }, (_, i) => Math.max(0, count - 1 - i));
  const place = (row: number) => (pages[row >> pageBits] << pageBits) | (row & (2 ** pageBits - 1));
  return { pageBits, pages, place, rows: count << pageBits };
}

/** Cache of T rows in pages. */
export function paged(rows: Float32Array | Uint32Array, T: number, size: number) {
  const { pageBits, pages, place, rows: count } = pagesOf(T, size);
  const width = rows.length / T;
  const cache = rows instanceof Float32Array ? new Float32Array(count * width) : new Uint32Array(count * width);
  for (let row = 0; row < T; row++) cache.set(rows.subarray(row * width, (row + 1) * width), place(row) * width);
  return { pageBits, pages, cache };
}

const attention_forward: Twin = (c, size) => {
  const shape = shapeOf(c);
  const { words, T, query, cache: rows, lse, out } = attend(shape, size);
  const { pageBits, pages, cache } = paged(rows, T, size);
  return {
    bindings: [words, query, pages, cache, unwritten(out.length), unwritten(lse.length)],
    calls: [{ grid: foldedThreads(T * shape.H), params: { T, pageBits } }],
    expected: [
      { binding: 4, values: out, tolerance },
      { binding: 5, values: lse, tolerance },
    ],
  };
};

/** Gradients of query and cache, and delta = dout . out. */
export function attendBackward(shape: Shape, size: number) {
  const { H, KV, D } = shape;
  const a = attend(shape, size);
  const dout = floats(a.T * H * D, 'dout');
  const delta = table(a.T, H, (t, h) => sum(D, (d) => dout[(t * H + h) * D + d] * a.out[(t * H + h) * D + d]));
  const dquery = new Float64Array(a.query.length);
  const dcache = new Float64Array(a.cache.length);
  for (let i = 0; i < a.T * H; i++) {
    const [t, h] = [Math.floor(i / H), i % H];
    const weights = a.weights(t, h);
    seenRows(a.words, t).forEach((row, j) => {
      const dweight = sum(D, (d) => dout[i * D + d] * a.val(row, h, d));
      const dscore = (weights[j] * (dweight - delta[i])) / Math.sqrt(D);
      const at = row * 2 * KV * D + Math.floor(h / (H / KV)) * D;
      for (let d = 0; d < D; d++) {
        dquery[i * D + d] += dscore * a.key(row, h, d);
        dcache[at + d] += dscore * a.query[i * D + d];
        dcache[at + KV * D + d] += weights[j] * dout[i * D + d];
      }
    });
  }
  return { ...a, dout, delta, dquery, dcache };
}

const attention_backward_query: Twin = (c, size) => {
  const shape = shapeOf(c);
  const a = attendBackward(shape, size);
  const inputs = [a.words, a.query, a.cache, Float32Array.from(a.out), Float32Array.from(a.lse), a.dout];
  return {
    bindings: [...inputs, unwritten(a.dquery.length), unwritten(a.delta.length)],
    calls: [{ grid: foldedThreads(a.T * shape.H), params: { T: a.T } }],
    expected: [
      { binding: 6, values: a.dquery, tolerance },
      { binding: 7, values: a.delta, tolerance },
    ],
  };
};

const attention_backward_key: Twin = (c, size) => {
  const shape = shapeOf(c);
  const a = attendBackward(shape, size);
  const inputs = [a.words, a.query, a.cache, Float32Array.from(a.lse), a.dout, Float32Array.from(a.delta)];
  const call = { grid: foldedThreads(a.T * shape.KV), params: { T: a.T } };
  return oneResult([...inputs, unwritten(a.dcache.length)], call, a.dcache, tolerance);
};

/** Tokens whose positions and cache rows are not in order. */
function scattered(T: number) {
  const words = new Uint32Array(T * tokenWords);
  const position = (t: number) => (t * 5 + 2) % (T + 3);
  const row = (t: number) => T - t;
  for (let t = 0; t < T; t++) words.set([position(t), row(t)], t * tokenWords);
  return { words, position, row };
}

/** Rotary table of cos | sin for each position, in f32. */
function rotations(positions: number, D: number): Float32Array<ArrayBuffer> {
  const out = new Float32Array(positions * D);
  for (let p = 0; p < positions; p++)
    for (let d = 0; d < D / 2; d++) {
      const angle = p / 10 ** (d / D);
      out[p * D + d] = Math.cos(angle);
      out[p * D + D / 2 + d] = Math.sin(angle);
    }
  return out;
}

/** Query and key heads of token t before the rotation: (x / rms) * gain with a norm, x without. */
function headNorm(c: Parameters<Twin>[0], inp: ArrayLike<number>, gains: ArrayLike<number>) {
  const { H, KV, D } = shapeOf(c);
  const normed = value(c, 'QK_NORM') === 1;
  const at = (t: number, head: number) => (t * (H + 2 * KV) + head) * D;
  const scale = (t: number, head: number) =>
    normed ? 1 / Math.sqrt(sum(D, (d) => inp[at(t, head) + d] ** 2) / D + value(c, 'EPS_F')) : 1;
  const gain = (head: number, d: number) => (normed ? gains[(head < H ? 0 : D) + d] : 1);
  return { at, scale, gain };
}

const rope_forward: Twin = (c, size) => {
  const { H, KV, D } = shapeOf(c);
  const T = 5 * size;
  const { words, position, row } = scattered(T);
  const inp = floats(T * (H + 2 * KV) * D, 'inp');
  const turn = rotations(T + 3, D);
  const gains = floats(2 * D, 'gains');
  const { at, scale, gain } = headNorm(c, inp, gains);
  const rotated = (t: number, head: number, d: number) => {
    const x = (e: number) => inp[at(t, head) + e] * scale(t, head) * gain(head, e);
    const angle = position(t) * D + (d % (D / 2));
    const other = d < D / 2 ? -x(d + D / 2) : x(d - D / 2);
    return x(d) * turn[angle] + other * turn[angle + D / 2];
  };
  const query = table(T, H * D, (t, i) => rotated(t, Math.floor(i / D), i % D));
  const { pageBits, pages, place, rows } = pagesOf(T + 1, size);
  const empty = unwritten(rows * 2 * KV * D);
  const cache = Float64Array.from(empty);
  for (let t = 0; t < T; t++)
    for (let i = 0; i < KV * D; i++) {
      cache[place(row(t)) * 2 * KV * D + i] = rotated(t, H + Math.floor(i / D), i % D);
      cache[(place(row(t)) * 2 + 1) * KV * D + i] = inp[at(t, H + KV) + i];
    }
  const isBytes = value(c, 'KV8') === 1;
  const kept = isBytes
    ? { values: cache, tolerance: halfByte, read: (words: Uint32Array) => unpackRows(words, D) }
    : { values: cache, tolerance };
  return {
    bindings: [words, inp, turn, gains, pages, unwritten(query.length), isBytes ? packRows(empty, D) : empty],
    calls: [{ grid: foldedThreads(T * (H + 2 * KV)), params: { T, pageBits } }],
    expected: [
      { binding: 5, values: query, tolerance },
      { binding: 6, ...kept },
    ],
  };
};

const rope_backward: Twin = (c, size) => {
  const { H, KV, D } = shapeOf(c);
  const T = 5 * size;
  const { words, position } = scattered(T);
  const inp = floats(T * (H + 2 * KV) * D, 'inp');
  const turn = rotations(T + 3, D);
  const gains = floats(2 * D, 'gains');
  const dquery = floats(T * H * D, 'dquery');
  const dcache = floats(T * 2 * KV * D, 'dcache');
  const { at, scale, gain } = headNorm(c, inp, gains);
  const normed = value(c, 'QK_NORM') === 1;
  const dinp = new Float64Array(inp.length);
  const dgain = Float64Array.from(unwritten(normed ? T * (H + KV) * D : 1));
  const dout = (t: number, head: number, d: number) =>
    head < H ? dquery[(t * H + head) * D + d] : dcache[(t * 2 * KV + head - H) * D + d];
  const rotatedBack = (t: number, head: number, d: number) => {
    const angle = position(t) * D + (d % (D / 2));
    const other = d < D / 2 ? dout(t, head, d + D / 2) : -dout(t, head, d - D / 2);
    return dout(t, head, d) * turn[angle] + other * turn[angle + D / 2];
  };
  for (let i = 0; i < T * (H + 2 * KV); i++) {
    const [t, head] = [Math.floor(i / (H + 2 * KV)), i % (H + 2 * KV)];
    const r = scale(t, head);
    const x = (d: number) => inp[at(t, head) + d];
    const g = (d: number) => rotatedBack(t, head, d) * gain(head, d);
    const mean = normed ? sum(D, (d) => g(d) * x(d) * r) / D : 0;
    for (let d = 0; d < D; d++) {
      const value = head >= H + KV ? dcache[(t * 2 + 1) * KV * D + (head - H - KV) * D + d] : null;
      dinp[at(t, head) + d] = value ?? r * (g(d) - x(d) * r * mean);
      if (normed && value === null) dgain[(t * (H + KV) + head) * D + d] = rotatedBack(t, head, d) * x(d) * r;
    }
  }
  return {
    bindings: [words, inp, turn, gains, dquery, dcache, unwritten(dinp.length), unwritten(dgain.length)],
    calls: [{ grid: foldedThreads(T * (H + 2 * KV)), params: { T } }],
    expected: [
      { binding: 6, values: dinp, tolerance },
      { binding: 7, values: dgain, tolerance },
    ],
  };
};

const reduce_head_gains: Twin = (c, size) => {
  const { H, KV, D } = shapeOf(c);
  const chunks = 2 * size;
  const partials = floats(chunks * (H + KV) * D, 'partials');
  const out = floats(2 * D, 'out');
  const expected = table(2, D, (which, d) => {
    const heads = which === 0 ? H : KV;
    const first = which === 0 ? 0 : H;
    const total = sum(chunks, (s) => sum(heads, (head) => partials[(s * (H + KV) + first + head) * D + d]));
    return out[which * D + d] + total;
  });
  const call = { grid: [Math.ceil((2 * D) / 64)] as const, params: { chunks } };
  return oneResult([partials, out], call, expected, tolerance);
};

export const attentionTwins: { readonly [kernel: string]: Twin } = {
  attention_forward,
  attention_backward_query,
  attention_backward_key,
  rope_forward,
  rope_backward,
  reduce_head_gains,
};
