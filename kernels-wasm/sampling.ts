/**
 * Decoding: the next token of each row, with the counter-based random numbers of shaders/random.wgsl. Each kernel is
 * defined by the shader of its name.
 */
import { SampleFinish, SampleMasked, SampleScan } from '../build/kernels/calls';
import { ceilDiv, least, scratch } from './call';
import { softmaxLargest, softmaxMerge, softmaxOf, softmaxSum } from './head';
import { dot, log, log4 } from './math';
import { tableRow } from './quant';

const LOWEST: f32 = -1e30;
const NO_LEAF: u32 = 0xffffffff;
/** Bytes of a row's state (shaders/row.wgsl). */
const ROW: usize = 48;

/** First output of pcg4d. */
function randomBits(x: u32, y: u32, z: u32, w: u32): u32 {
  x = x * 1664525 + 1013904223;
  y = y * 1664525 + 1013904223;
  z = z * 1664525 + 1013904223;
  w = w * 1664525 + 1013904223;
  x += y * w; y += z * x; z += x * y; w += y * z;
  x ^= x >> 16; y ^= y >> 16; z ^= z >> 16; w ^= w >> 16;
  return x + y * w;
}

function gumbel(seed: u32, stream: u32, row: u32, position: u32, token: u32): f32 {
  const bits = randomBits(seed ^ token, stream + token, row, position ^ (token * 2654435769));
  const unit: f32 = (<f32>(bits >> 9) + 0.5) * <f32>(1.0 / 8388608.0);
  const v: f32 = 1 - unit;
  const near: f32 = v * (1 + v * (0.5 + v * (<f32>(1.0 / 3.0) + v * 0.25)));
  return -log(v < <f32>0.02 ? near : -log(unit));
}

/** `gumbel` of four consecutive tokens, with the same bits. */
function gumbel4(seed: u32, stream: u32, row: u32, position: u32, token: u32): v128 {
  const tokens = i32x4.add(i32x4.splat(token), i32x4(0, 1, 2, 3));
  const factor = i32x4.splat(1664525), more = i32x4.splat(1013904223);
  let x = i32x4.add(i32x4.mul(v128.xor(i32x4.splat(seed), tokens), factor), more);
  let y = i32x4.add(i32x4.mul(i32x4.add(i32x4.splat(stream), tokens), factor), more);
  let z = i32x4.add(i32x4.mul(i32x4.splat(row), factor), more);
  let w = i32x4.add(i32x4.mul(v128.xor(i32x4.splat(position), i32x4.mul(tokens, i32x4.splat(<i32>2654435769))), factor), more);
  x = i32x4.add(x, i32x4.mul(y, w)); y = i32x4.add(y, i32x4.mul(z, x)); z = i32x4.add(z, i32x4.mul(x, y)); w = i32x4.add(w, i32x4.mul(y, z));
  x = v128.xor(x, i32x4.shr_u(x, 16)); y = v128.xor(y, i32x4.shr_u(y, 16)); w = v128.xor(w, i32x4.shr_u(w, 16));
  const bits = i32x4.add(x, i32x4.mul(y, w));
  const one = f32x4.splat(1);
  const unit = f32x4.mul(f32x4.add(f32x4.convert_i32x4_s(i32x4.shr_u(bits, 9)), f32x4.splat(0.5)), f32x4.splat(<f32>(1.0 / 8388608.0)));
  const v = f32x4.sub(one, unit);
  const third = f32x4.add(f32x4.splat(<f32>(1.0 / 3.0)), f32x4.mul(v, f32x4.splat(0.25)));
  const near = f32x4.mul(v, f32x4.add(one, f32x4.mul(v, f32x4.add(f32x4.splat(0.5), f32x4.mul(v, third)))));
  const inner = v128.bitselect(near, f32x4.neg(log4(unit)), f32x4.lt(v, f32x4.splat(<f32>0.02)));
  return f32x4.neg(log4(inner));
}

/** Best candidate so far: the highest key; the lower index of equal keys. */
let bestKey: f32 = 0;
let bestLogit: f32 = 0;
let bestIndex: u32 = 0;
function consider(key: f32, logit: f32, index: u32): void {
  if (key > bestKey || (key == bestKey && index < bestIndex)) {
    bestKey = key;
    bestLogit = logit;
    bestIndex = index;
  }
}
function forget(): void {
  bestKey = LOWEST;
  bestLogit = 0;
  bestIndex = 0xffffffff;
}

/** Marks a row as resting: its token points at the trash row and sees no keys. */
function rest(tokens: usize, r: u32, trash: u32): void {
  memory.fill(tokens + (r << 5), 0, 32);
  store<u32>(tokens + (r << 5), trash, 4);
}

/** Writes the chosen token to the outputs and makes it the input of the next step. */
function advance(R: u32, step: u32, trash: u32, r: u32, row: usize, ids: usize, tokens: usize, outTokens: usize, outLogprobs: usize, chosen: u32, logprob: f32, finished: u32): void {
  const at: usize = (step * R + r) << 2;
  store<u32>(outTokens + at, chosen);
  store<f32>(outLogprobs + at, logprob);
  store<u32>(ids + (r << 2), chosen);
  store<u32>(row, load<u32>(row, 36) + 1, 36);
  const base = load<u32>(row), length = load<u32>(row, 4);
  if (finished == 0 && length + 1 >= load<u32>(row, 8)) finished = 3;
  store<u32>(row, finished, 24);
  if (finished != 0) {
    rest(tokens, r, trash);
    return;
  }
  store<u32>(row, length + 1, 4);
  const token = tokens + (r << 5);
  store<u32>(token, load<u32>(row, 16) - load<u32>(row, 12) + length);
  store<u32>(token, base + length, 4);
  store<u32>(token, load<u32>(row, 12), 8);
  store<u32>(token, load<u32>(row, 16), 12);
  store<u32>(token, base, 16);
  store<u32>(token, base + length + 1, 20);
  store<u64>(token, 0, 24);
}

const LOGITS: u32 = 2048;

/** Chooses among the tokens that a row's trie node allows. Scratch: up to 2,048 logits, then a row of the table. */
export function sampleMasked(call: usize, r: u32): void {
  const R = SampleMasked.R(call), C = SampleMasked.C(call), step = SampleMasked.step(call), trash = SampleMasked.trash(call), seed = SampleMasked.seed(call), stream = SampleMasked.stream(call);
  const row = SampleMasked.rowsAt(call) + <usize>r * ROW;
  if (load<u32>(row, 40) == 0) return;
  const tokens = SampleMasked.tokensAt(call);
  if (load<u32>(row, 24) != 0) {
    rest(tokens, r, trash);
    return;
  }
  const inverse = SampleMasked.inverseTemperature(call);
  const greedy = inverse == 0;
  const scale: f32 = greedy ? 1 : inverse;
  const hidden = SampleMasked.hiddenAt(call) + ((r * C) << 2);
  const trie = SampleMasked.trieAt(call), edges = trie + (SampleMasked.edgeOffset(call) << 2);
  const node = trie + load<u32>(row, 20) * 12;
  const end = load<u32>(node, 4);
  const key = load<u32>(row, 28), position = load<u32>(row, 16) - load<u32>(row, 12) + load<u32>(row, 4);
  const space = scratch + (LOGITS << 2);
  const bits = SampleMasked.BITS(call), withMinimum = SampleMasked.MINIMUM(call) != 0, scalesAt = SampleMasked.scalesAt(call);
  forget();
  let m: f32 = LOWEST, s: f32 = 0;
  for (let from = load<u32>(node); from < end; from += LOGITS) {
    const to = least(from + LOGITS, end);
    for (let e = from; e < to; e++) {
      const token = load<u32>(edges + (e << 3));
      const logit = dot(hidden, tableRow(SampleMasked.tableAt(call), bits, withMinimum, token, C, scalesAt, space), C) * scale;
      store<f32>(scratch + ((e - from) << 2), logit);
      consider(greedy ? logit : logit + gumbel(seed, stream, key, position, token), logit, e);
    }
    softmaxOf(scratch, to - from, 1);
    softmaxMerge(m, s, 0);
    m = softmaxLargest();
    s = softmaxSum();
  }
  const next = load<u32>(edges + (bestIndex << 3), 4);
  const leaf = load<u32>(trie + next * 12, 8);
  store<u32>(row, next, 20);
  store<u32>(row, leaf, 32);
  const logprob = bestLogit - m - log(s);
  advance(R, step, trash, r, row, SampleMasked.idsAt(call), tokens, SampleMasked.outTokensAt(call), SampleMasked.outLogprobsAt(call), load<u32>(edges + (bestIndex << 3)), logprob, leaf != NO_LEAF ? 1 : 0);
}

/** Continues a row's running choice and softmax over one vocabulary tile. */
export function sampleScan(call: usize, r: u32): void {
  const W = SampleScan.W(call), first = SampleScan.first(call), seed = SampleScan.seed(call), stream = SampleScan.stream(call);
  const row = SampleScan.rowsAt(call) + <usize>r * ROW;
  if (load<u32>(row, 24) != 0 || load<u32>(row, 40) != 0) return;
  const inverse = SampleScan.inverseTemperature(call);
  const greedy = inverse == 0;
  const scale: f32 = greedy ? 1 : inverse;
  const key = load<u32>(row, 28), position = load<u32>(row, 16) - load<u32>(row, 12) + load<u32>(row, 4);
  const logits = SampleScan.logitsAt(call) + ((r * W) << 2);
  forget();
  let v: u32 = 0;
  for (; v + 4 <= W; v += 4) {
    const four = f32x4.mul(v128.load(logits + (v << 2)), f32x4.splat(scale));
    const keys = greedy ? four : f32x4.add(four, gumbel4(seed, stream, key, position, first + v));
    // Later tokens replace the best only with a larger key.
    if (!v128.any_true(f32x4.gt(keys, f32x4.splat(bestKey)))) continue;
    consider(f32x4.extract_lane(keys, 0), f32x4.extract_lane(four, 0), first + v);
    consider(f32x4.extract_lane(keys, 1), f32x4.extract_lane(four, 1), first + v + 1);
    consider(f32x4.extract_lane(keys, 2), f32x4.extract_lane(four, 2), first + v + 2);
    consider(f32x4.extract_lane(keys, 3), f32x4.extract_lane(four, 3), first + v + 3);
  }
  for (; v < W; v++) {
    const logit = load<f32>(logits + (v << 2)) * scale;
    consider(greedy ? logit : logit + gumbel(seed, stream, key, position, first + v), logit, first + v);
  }
  softmaxOf(logits, W, scale);
  const state = SampleScan.stateAt(call) + (r << 5);
  if (first > 0) {
    consider(load<f32>(state), load<f32>(state, 4), <u32>load<f32>(state, 8));
    softmaxMerge(load<f32>(state, 16), load<f32>(state, 20), 0);
  }
  store<f32>(state, bestKey);
  store<f32>(state, bestLogit, 4);
  store<f32>(state, <f32>bestIndex, 8);
  store<f32>(state, 0, 12);
  store<f32>(state, softmaxLargest(), 16);
  store<f32>(state, softmaxSum(), 20);
  store<u64>(state, 0, 24);
}

const ROWS: u32 = 64;
export function finishChunks(R: u32): i32 { return ceilDiv(R, ROWS); }
/** Finishes a row's choice after the last vocabulary tile. */
export function sampleFinish(call: usize, chunk: u32): void {
  const R = SampleFinish.R(call), step = SampleFinish.step(call), trash = SampleFinish.trash(call);
  const stops = SampleFinish.stopsAt(call), tokens = SampleFinish.tokensAt(call);
  const end = least((chunk + 1) * ROWS, R);
  for (let r = chunk * ROWS; r < end; r++) {
    const row = SampleFinish.rowsAt(call) + <usize>r * ROW;
    if (load<u32>(row, 40) == 1) continue;
    if (load<u32>(row, 24) != 0) {
      rest(tokens, r, trash);
      continue;
    }
    const state = SampleFinish.stateAt(call) + (r << 5);
    const token = <u32>load<f32>(state, 8);
    let finished = 0;
    const count = load<u32>(stops);
    for (let k: u32 = 0; k < count; k++) if (load<u32>(stops + ((k + 1) << 2)) == token) finished = 2;
    const logprob = load<f32>(state, 4) - load<f32>(state, 16) - log(load<f32>(state, 20));
    advance(R, step, trash, r, row, SampleFinish.idsAt(call), tokens, SampleFinish.outTokensAt(call), SampleFinish.outLogprobsAt(call), token, logprob, finished);
  }
}
