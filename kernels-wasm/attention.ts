/**
 * Attention over the K/V rows that a token may see. Forward: scores of all its keys, their softmax, the weighted sum of
 * the values. Backward: gradients of the queries and of the keys. Tokens, tiles, pages, and caches of floats or bytes
 * have the layout of shaders/attention_*.wgsl. Rows are read four at a time through a list of offsets in scratch, so
 * prefixes, pages and sequences need only one loop.
 */
import {
  AttentionBackwardKey, AttentionBackwardKeyTiled, AttentionBackwardQuery, AttentionBackwardQueryTiled,
  AttentionCombine, AttentionDelta, AttentionForward, AttentionForwardTiled, AttentionKeys,
} from '../build/kernels/calls';
import {
  LOWEST, MOST_KEYS, listRows, offsets, padList, products, productsOfBytes, productsOfTwo, slopes, slopes1, tokenAt,
  weightedSum, weightedSumOfBytes, weightedSumOfTwo, weights, weights1,
} from './attention-rows';
import { ceilDiv, least } from './call';
import { across, dot, exp, exp4, largestOf, log } from './math';

/**
 * Replaces `count` scores by the weights e^(score - largest), and leaves the largest score and the sum of the weights
 * here.
 */
let largest: f32 = 0;
let total: f32 = 0;
function softmax(scores: usize, count: u32): void {
  for (let j = count; (j & 3) != 0; j++) store<f32>(scores + (j << 2), LOWEST);
  const end = scores + (((count + 3) & ~3) << 2);
  let top = f32x4.splat(LOWEST);
  for (let at = scores; at < end; at += 16) top = f32x4.max(top, v128.load(at));
  largest = largestOf(top);
  const top4 = f32x4.splat(largest);
  let sums = f32x4.splat(0);
  for (let at = scores; at < end; at += 16) {
    const e = exp4(f32x4.sub(v128.load(at), top4));
    v128.store(at, e);
    sums = f32x4.add(sums, e);
  }
  total = across(sums);
}

/** Lists the keys of a token in scratch. Returns their number. */
function listKeys(token: usize, pages: usize, pageBits: u32, rowBytes: u32): u32 {
  const prefix = listRows(load<u32>(token, 8), load<u32>(token, 12), 0, pages, pageBits, rowBytes);
  const count = listRows(load<u32>(token, 16), load<u32>(token, 20), prefix, pages, pageBits, rowBytes);
  if (count > 0) padList(count);
  return count;
}

/** out and lse of one head over the listed keys. Without keys: out = 0, lse = log(1e-30) - 1e30. */
function attendHead(q: usize, keys: usize, values: usize, count: u32, D: u32, scale: f32, int8: bool, out: usize, lse: usize): void {
  if (count == 0) {
    memory.fill(out, 0, D << 2);
    store<f32>(lse, LOWEST + log(<f32>1e-30));
    return;
  }
  if (int8) productsOfBytes(q, keys, count, D, scale, weights());
  else products(q, keys, count, D, scale, weights());
  softmax(weights(), count);
  const inverse: f32 = 1 / max<f32>(total, 1e-30);
  if (int8) weightedSumOfBytes(values, weights(), count, D, inverse, out);
  else weightedSum(values, weights(), count, D, inverse, out);
  store<f32>(lse, largest + log(max<f32>(total, 1e-30)));
}

/** `attendHead` for two heads of floats with the same keys. D must be a multiple of 16. */
function attendTwo(q: usize, keys: usize, values: usize, count: u32, D: u32, scale: f32, out: usize, lse: usize): void {
  const next: usize = D << 2;
  productsOfTwo(q, q + next, keys, count, D, scale, weights(), weights1());
  softmax(weights(), count);
  const first: f32 = max<f32>(total, 1e-30);
  store<f32>(lse, largest + log(first));
  softmax(weights1(), count);
  const second: f32 = max<f32>(total, 1e-30);
  store<f32>(lse, largest + log(second), 4);
  weightedSumOfTwo(values, weights(), weights1(), count, D, 1 / first, 1 / second, out, out + next);
}

/** Tokens of a chunk. Several at once, so that threads seldom write to the same cache line. */
const TOKENS: u32 = 8;
/** Chunks of a kernel that iterates over tokens and their key heads. */
export function tokenChunks(T: u32): i32 { return ceilDiv(T, TOKENS); }

/** out (T, H, D) and lse (T, H) of the queries over a cache of floats. */
export function attentionForward(call: usize, chunk: u32): void {
  const KV = AttentionForward.KV(call);
  const end = least((chunk + 1) * TOKENS, AttentionForward.T(call));
  for (let t = chunk * TOKENS; t < end; t++)
    for (let kv: u32 = 0; kv < KV; kv++) forwardHeads(call, t, kv);
}

/** Forward of the query heads of one token that share the key head `kv`. */
function forwardHeads(call: usize, t: u32, kv: u32): void {
  const H = AttentionForward.H(call), KV = AttentionForward.KV(call), D = AttentionForward.D(call), scale = AttentionForward.SCALE_F(call);
  const G = H / KV;
  const rowBytes = (2 * KV * D) << 2;
  const count = listKeys(tokenAt(AttentionForward.tokensAt(call), t), AttentionForward.pagesAt(call), AttentionForward.pageBits(call), rowBytes);
  const keys = AttentionForward.cacheAt(call) + ((kv * D) << 2), values = keys + ((KV * D) << 2);
  const q = AttentionForward.queryAt(call), out = AttentionForward.outAt(call), lse = AttentionForward.lseAt(call);
  let at = t * H + kv * G;
  const end = at + G;
  if (count > 0 && (D & 15) == 0)
    for (; at + 2 <= end; at += 2)
      attendTwo(q + ((at * D) << 2), keys, values, count, D, scale, out + ((at * D) << 2), lse + (at << 2));
  for (; at < end; at++)
    attendHead(q + ((at * D) << 2), keys, values, count, D, scale, false, out + ((at * D) << 2), lse + (at << 2));
}

/** dquery of one head. Recomputes the weights of the listed keys from `lse`. */
function backwardHead(q: usize, dout: usize, keys: usize, values: usize, count: u32, D: u32, scale: f32, lse: f32, delta: f32, dquery: usize): void {
  if (count == 0) {
    memory.fill(dquery, 0, D << 2);
    return;
  }
  products(q, keys, count, D, scale, weights());
  products(dout, values, count, D, 1, slopes());
  slopesOf(weights(), slopes(), count, lse, delta);
  weightedSum(keys, slopes(), count, D, scale, dquery);
}

/** Replaces `slope` (dout · value) by dloss / dscore = p (dout · value - delta), with p = e^(score - lse). */
function slopesOf(scores: usize, slope: usize, count: u32, lse: f32, delta: f32): void {
  const end = (count << 2);
  const lse4 = f32x4.splat(lse), delta4 = f32x4.splat(delta);
  for (let j: u32 = 0; j < end; j += 16) {
    const p = exp4(f32x4.sub(v128.load(scores + j), lse4));
    v128.store(slope + j, f32x4.mul(p, f32x4.sub(v128.load(slope + j), delta4)));
  }
}

/** `backwardHead` for two heads with the same keys. D must be a multiple of 16. */
function backwardTwo(q: usize, dout: usize, keys: usize, values: usize, count: u32, D: u32, scale: f32, lse: usize, delta: usize, dquery: usize): void {
  const next: usize = D << 2;
  productsOfTwo(q, q + next, keys, count, D, scale, weights(), weights1());
  productsOfTwo(dout, dout + next, values, count, D, 1, slopes(), slopes1());
  slopesOf(weights(), slopes(), count, load<f32>(lse), load<f32>(delta));
  slopesOf(weights1(), slopes1(), count, load<f32>(lse, 4), load<f32>(delta, 4));
  weightedSumOfTwo(keys, slopes(), slopes1(), count, D, scale, scale, dquery, dquery + next);
}

/** dquery (T, H, D), and delta (T, H) = dout · attended for the backward of the keys. */
export function attentionBackwardQuery(call: usize, chunk: u32): void {
  const KV = AttentionBackwardQuery.KV(call);
  const end = least((chunk + 1) * TOKENS, AttentionBackwardQuery.T(call));
  for (let t = chunk * TOKENS; t < end; t++)
    for (let kv: u32 = 0; kv < KV; kv++) backwardQueryHeads(call, t, kv);
}

function backwardQueryHeads(call: usize, t: u32, kv: u32): void {
  const H = AttentionBackwardQuery.H(call), KV = AttentionBackwardQuery.KV(call), D = AttentionBackwardQuery.D(call), scale = AttentionBackwardQuery.SCALE_F(call);
  const G = H / KV;
  const count = listKeys(tokenAt(AttentionBackwardQuery.tokensAt(call), t), 0, 0, (2 * KV * D) << 2);
  const keys = AttentionBackwardQuery.cacheAt(call) + ((kv * D) << 2), values = keys + ((KV * D) << 2);
  const q = AttentionBackwardQuery.queryAt(call), lse = AttentionBackwardQuery.lseAt(call), dout = AttentionBackwardQuery.doutAt(call), dquery = AttentionBackwardQuery.dqueryAt(call), delta = AttentionBackwardQuery.deltaAt(call);
  let at = t * H + kv * G;
  const end = at + G;
  for (let i = at; i < end; i++) store<f32>(delta + (i << 2), dot(dout + ((i * D) << 2), AttentionBackwardQuery.attendedAt(call) + ((i * D) << 2), D));
  if (count > 0 && (D & 15) == 0)
    for (; at + 2 <= end; at += 2) {
      const own: usize = (at * D) << 2;
      backwardTwo(q + own, dout + own, keys, values, count, D, scale, lse + (at << 2), delta + (at << 2), dquery + own);
    }
  for (; at < end; at++) {
    const own: usize = (at * D) << 2;
    backwardHead(q + own, dout + own, keys, values, count, D, scale, load<f32>(lse + (at << 2)), load<f32>(delta + (at << 2)), dquery + own);
  }
}

/** dk | dv of every key head of a token, from the queries [j, queryEnd). */
export function attentionBackwardKey(call: usize, chunk: u32): void { backwardKeys(call, chunk, AttentionBackwardKey.D(call)); }
export function attentionBackwardKeyTiled(call: usize, chunk: u32): void { backwardKeys(call, chunk, AttentionBackwardKeyTiled.E(call) << 2); }

function backwardKeys(call: usize, chunk: u32, D: u32): void {
  const KV = AttentionKeys.KV(call);
  const end = least((chunk + 1) * TOKENS, AttentionKeys.T(call));
  for (let j = chunk * TOKENS; j < end; j++)
    for (let kv: u32 = 0; kv < KV; kv++) backwardKeyHead(call, j, kv, D);
}

function backwardKeyHead(call: usize, j: u32, kv: u32, D: u32): void {
  const H = AttentionKeys.H(call), KV = AttentionKeys.KV(call), scale = AttentionKeys.SCALE_F(call);
  const G = H / KV;
  const end = load<u32>(tokenAt(AttentionKeys.tokensAt(call), j), 24);
  const at = ((j * 2 * KV + kv) * D) << 2;
  const key = AttentionKeys.cacheAt(call) + at, value = key + ((KV * D) << 2);
  const dk = AttentionKeys.dcacheAt(call) + at, dv = dk + ((KV * D) << 2);
  const count = end > j ? (end - j) * G : 0;
  if (count == 0) {
    memory.fill(dk, 0, D << 2);
    memory.fill(dv, 0, D << 2);
    return;
  }
  if (count > MOST_KEYS) unreachable();
  let list = offsets();
  const lse = AttentionKeys.lseAt(call), delta = AttentionKeys.deltaAt(call);
  // Lists the queries as rows of (token, query head).
  for (let t = j; t < end; t++)
    for (let g: u32 = 0; g < G; g++) {
      store<u32>(list, ((t * H + kv * G + g) * D) << 2);
      list += 4;
    }
  padList(count);
  products(key, AttentionKeys.queryAt(call), count, D, scale, weights());
  products(value, AttentionKeys.doutAt(call), count, D, 1, slopes());
  for (let n: u32 = 0; n < count; n += 4) {
    const t0 = rowOf(j, n, count, H, kv, G), t1 = rowOf(j, n + 1, count, H, kv, G), t2 = rowOf(j, n + 2, count, H, kv, G), t3 = rowOf(j, n + 3, count, H, kv, G);
    const ends = f32x4.replace_lane(f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(load<f32>(lse + t0)), 1, load<f32>(lse + t1)), 2, load<f32>(lse + t2)), 3, load<f32>(lse + t3));
    const deltas = f32x4.replace_lane(f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(load<f32>(delta + t0)), 1, load<f32>(delta + t1)), 2, load<f32>(delta + t2)), 3, load<f32>(delta + t3));
    const w = weights() + (n << 2), g = slopes() + (n << 2);
    const p = exp4(f32x4.sub(v128.load(w), ends));
    v128.store(w, p);
    v128.store(g, f32x4.mul(p, f32x4.sub(v128.load(g), deltas)));
  }
  weightedSum(AttentionKeys.queryAt(call), slopes(), count, D, scale, dk);
  weightedSum(AttentionKeys.doutAt(call), weights(), count, D, 1, dv);
}

/** Byte offset of the float that belongs to row n: token j + n / G, head kv G + n % G. */
// @ts-ignore: decorator
@inline
function rowOf(j: u32, n: u32, count: u32, H: u32, kv: u32, G: u32): u32 {
  const row = n < count ? n : count - 1;
  return ((j + row / G) * H + kv * G + row % G) << 2;
}

/**
 * Forward over tiles of tokens that share a range of keys. SPLIT 0: writes out and lse. SPLIT > 0: a tile covers one
 * part of the keys, and its unnormalised sum, largest score and sum of weights go to the partials in `out`.
 */
export function attentionForwardTiled(call: usize, chunk: u32): void {
  const H = AttentionForwardTiled.H(call), KV = AttentionForwardTiled.KV(call), D = AttentionForwardTiled.E(call) << 2, scale = AttentionForwardTiled.SCALE_F(call);
  const split = AttentionForwardTiled.SPLIT(call), int8 = AttentionForwardTiled.KV8(call) != 0;
  const G = H / KV, kv = chunk % KV;
  const tile = AttentionForwardTiled.tilesAt(call) + ((chunk / KV) << 4);
  const first = load<u32>(tile), tokens = load<u32>(tile, 4);
  const headBytes = int8 ? D + 4 : D << 2;
  const keys = AttentionForwardTiled.cacheAt(call) + kv * headBytes, values = keys + KV * headBytes;
  for (let i: u32 = 0; i < tokens; i++) {
    const t = first + i;
    const token = tokenAt(AttentionForwardTiled.tokensAt(call), t);
    let count: u32;
    if (split == 0) count = listKeys(token, AttentionForwardTiled.pagesAt(call), AttentionForwardTiled.pageBits(call), 2 * KV * headBytes);
    else {
      const own = load<u32>(tile, 12);
      const range = token + (own ? 16 : 8);
      const from = load<u32>(range), to = load<u32>(range, 4);
      const begin = from + load<u32>(tile, 8) * split;
      count = begin < to ? listRows(begin, least(begin + split, to), 0, AttentionForwardTiled.pagesAt(call), AttentionForwardTiled.pageBits(call), 2 * KV * headBytes) : 0;
      if (count > 0) padList(count);
    }
    for (let g: u32 = 0; g < G; g++) {
      const at = t * H + kv * G + g;
      const q = AttentionForwardTiled.queryAt(call) + ((at * D) << 2);
      if (split == 0) {
        attendHead(q, keys, values, count, D, scale, int8, AttentionForwardTiled.outAt(call) + ((at * D) << 2), AttentionForwardTiled.lseAt(call) + (at << 2));
        continue;
      }
      if (count == 0) continue;
      const part = AttentionForwardTiled.outAt(call) + ((at * AttentionForwardTiled.splits(call) + load<u32>(tile, 8) + load<u32>(tile, 12) * AttentionForwardTiled.prefixSplits(call)) * (D + 4) << 2);
      if (int8) productsOfBytes(q, keys, count, D, scale, weights());
      else products(q, keys, count, D, scale, weights());
      softmax(weights(), count);
      if (int8) weightedSumOfBytes(values, weights(), count, D, 1, part);
      else weightedSum(values, weights(), count, D, 1, part);
      store<f32>(part + (D << 2), largest);
      store<f32>(part + (D << 2), total, 4);
      store<u64>(part + (D << 2), 0, 8);
    }
  }
}

/** Joins the partial results of a token's splits into out (T, H, D) and lse (T, H). */
export function attentionCombine(call: usize, t: u32): void {
  const H = AttentionCombine.H(call), D = AttentionCombine.E(call) << 2, split = AttentionCombine.SPLIT(call);
  const token = tokenAt(AttentionCombine.tokensAt(call), t);
  const prefixes = ceilDiv(load<u32>(token, 12) - load<u32>(token, 8), split);
  const all = prefixes + ceilDiv(load<u32>(token, 20) - load<u32>(token, 16), split);
  for (let h: u32 = 0; h < H; h++) {
    const at = t * H + h;
    const out = AttentionCombine.outAt(call) + ((at * D) << 2);
    let top = LOWEST;
    let sum: f32 = 0;
    memory.fill(out, 0, D << 2);
    for (let s: u32 = 0; s < all; s++) {
      const place = s < prefixes ? s : AttentionCombine.prefixSplits(call) + s - prefixes;
      const part = AttentionCombine.partialsAt(call) + ((at * AttentionCombine.splits(call) + place) * (D + 4) << 2);
      const m = load<f32>(part + (D << 2));
      const next = max<f32>(top, m);
      const before = exp(top - next), here = exp(m - next);
      for (let d: u32 = 0; d < D; d += 4) {
        const old = f32x4.mul(v128.load(out + (d << 2)), f32x4.splat(before));
        v128.store(out + (d << 2), f32x4.add(old, f32x4.mul(v128.load(part + (d << 2)), f32x4.splat(here))));
      }
      sum = sum * before + load<f32>(part + (D << 2), 4) * here;
      top = next;
    }
    const inverse = f32x4.splat(1 / max<f32>(sum, 1e-30));
    for (let d: u32 = 0; d < D; d += 4) v128.store(out + (d << 2), f32x4.mul(v128.load(out + (d << 2)), inverse));
    store<f32>(AttentionCombine.lseAt(call) + (at << 2), top + log(max<f32>(sum, 1e-30)));
  }
}

const DELTAS: u32 = 64;
export function deltaChunks(T: u32): i32 { return ceilDiv(T, DELTAS); }
/** delta (T, H) = dout · attended. */
export function attentionDelta(call: usize, chunk: u32): void {
  const H = AttentionDelta.H(call), D = AttentionDelta.E(call) << 2;
  const end = least((chunk + 1) * DELTAS, AttentionDelta.T(call)) * H;
  for (let at = chunk * DELTAS * H; at < end; at++)
    store<f32>(AttentionDelta.deltaAt(call) + (at << 2), dot(AttentionDelta.doutAt(call) + ((at * D) << 2), AttentionDelta.attendedAt(call) + ((at * D) << 2), D));
}

/** dquery (T, H, D) over tiles of tokens; delta is an input. */
export function attentionBackwardQueryTiled(call: usize, chunk: u32): void {
  const H = AttentionBackwardQueryTiled.H(call), KV = AttentionBackwardQueryTiled.KV(call), D = AttentionBackwardQueryTiled.E(call) << 2, scale = AttentionBackwardQueryTiled.SCALE_F(call);
  const G = H / KV, kv = chunk % KV;
  const tile = AttentionBackwardQueryTiled.tilesAt(call) + ((chunk / KV) << 4);
  const first = load<u32>(tile), last = first + load<u32>(tile, 4);
  const keys = AttentionBackwardQueryTiled.cacheAt(call) + ((kv * D) << 2), values = keys + ((KV * D) << 2);
  for (let t = first; t < last; t++) {
    const count = listKeys(tokenAt(AttentionBackwardQueryTiled.tokensAt(call), t), 0, 0, (2 * KV * D) << 2);
    for (let g: u32 = 0; g < G; g++) {
      const at = t * H + kv * G + g;
      const own: usize = (at * D) << 2;
      backwardHead(AttentionBackwardQueryTiled.queryAt(call) + own, AttentionBackwardQueryTiled.doutAt(call) + own, keys, values, count, D, scale, load<f32>(AttentionBackwardQueryTiled.lseAt(call) + (at << 2)), load<f32>(AttentionBackwardQueryTiled.deltaAt(call) + (at << 2)), AttentionBackwardQueryTiled.dqueryAt(call) + own);
    }
  }
}
