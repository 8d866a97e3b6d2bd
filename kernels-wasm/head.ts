/**
 * The language-model head: running softmax over vocabulary tiles, log-probability and entropy, their gradient; and the
 * same for a masked head. Each kernel is defined by the shader of its name.
 */
import { HeadDivergenceDlogits, HeadDlogits, HeadFinish, HeadLseUpdate, HeadSparseDlogits, HeadSparseFinish, HeadSparseLogits } from '../build/kernels/calls';
import { ceilDiv, least, scratch } from './call';
import { across, dot, exp, exp4, largestOf, log } from './math';
import { tableRow } from './quant';

const LOWEST: f32 = -1e30;

/** A running softmax over values x: m = max x, s = sum e^(x - m), u = sum e^(x - m) (x - m). */
let m: f32 = LOWEST;
let s: f32 = 0;
let u: f32 = 0;

/** Sets m, s and u to those of `count` values times `scale`. */
export function softmaxOf(values: usize, count: u32, scale: f32): void {
  const scale4 = f32x4.splat(scale);
  let top = f32x4.splat(LOWEST);
  let i: u32 = 0;
  for (; i + 4 <= count; i += 4) top = f32x4.max(top, f32x4.mul(v128.load(values + (i << 2)), scale4));
  m = largestOf(top);
  for (; i < count; i++) m = max<f32>(m, load<f32>(values + (i << 2)) * scale);
  const m4 = f32x4.splat(m);
  let sums = f32x4.splat(0), products = f32x4.splat(0);
  for (i = 0; i + 4 <= count; i += 4) {
    const d = f32x4.sub(f32x4.mul(v128.load(values + (i << 2)), scale4), m4);
    const e = exp4(d);
    sums = f32x4.add(sums, e);
    products = f32x4.add(products, f32x4.mul(e, d));
  }
  s = across(sums);
  u = across(products);
  for (; i < count; i++) {
    const d = load<f32>(values + (i << 2)) * scale - m;
    const e = exp(d);
    s += e;
    u += e * d;
  }
}

export function softmaxLargest(): f32 { return m; }
export function softmaxSum(): f32 { return s; }

/** Merges an earlier running softmax into m, s and u. */
export function softmaxMerge(m0: f32, s0: f32, u0: f32): void {
  if (s0 == 0) return;
  const top = max<f32>(m0, m);
  const before = m0 - top, here = m - top;
  const e0 = exp(before), e1 = exp(here);
  u = e0 * (u0 + s0 * before) + e1 * (u + s * here);
  s = e0 * s0 + e1 * s;
  m = top;
}

const ROWS: u32 = 8;
export function rowChunks(N: u32): i32 { return ceilDiv(N, ROWS); }

export function headLseUpdate(call: usize, chunk: u32): void {
  const N = HeadLseUpdate.N(call), W = HeadLseUpdate.W(call), first = HeadLseUpdate.first(call), scale = HeadLseUpdate.inverseTemperature(call);
  const end = least((chunk + 1) * ROWS, N);
  for (let n = chunk * ROWS; n < end; n++) {
    const logits = HeadLseUpdate.logitsAt(call) + ((n * W) << 2), state = HeadLseUpdate.stateAt(call) + (n << 4);
    softmaxOf(logits, W, scale);
    let hit: f32 = 0;
    if (first > 0) {
      softmaxMerge(load<f32>(state), load<f32>(state, 4), load<f32>(state, 8));
      hit = load<f32>(state, 12);
    }
    const target = load<u32>(HeadLseUpdate.targetsAt(call) + (n << 2));
    if (target >= first && target - first < W) hit = load<f32>(logits + ((target - first) << 2)) * scale;
    store<f32>(state, m);
    store<f32>(state, s, 4);
    store<f32>(state, u, 8);
    store<f32>(state, hit, 12);
  }
}

export function headFinish(call: usize, chunk: u32): void {
  const N = HeadFinish.N(call), offset = HeadFinish.resultOffset(call);
  const end = least((chunk + 1) * ROWS, N);
  for (let n = chunk * ROWS; n < end; n++) {
    const state = HeadFinish.stateAt(call) + (n << 4), result = HeadFinish.resultsAt(call) + ((offset + n) << 5);
    const largest = load<f32>(state), sum = load<f32>(state, 4);
    const logSum = log(sum);
    store<f32>(HeadFinish.lseAt(call) + (n << 2), largest + logSum);
    store<f32>(result, load<f32>(state, 12) - largest - logSum);
    store<f32>(result, logSum - load<f32>(state, 8) / sum, 4);
  }
}

/** Replaces the logits (N, W) of a vocabulary tile by their gradient. */
export function headDlogits(call: usize, chunk: u32): void {
  const N = HeadDlogits.N(call), W = HeadDlogits.W(call), first = HeadDlogits.first(call), offset = HeadDlogits.resultOffset(call), scale = HeadDlogits.inverseTemperature(call);
  const end = least((chunk + 1) * ROWS, N);
  const scale4 = f32x4.splat(scale);
  for (let n = chunk * ROWS; n < end; n++) {
    const logits = HeadDlogits.logitsAt(call) + ((n * W) << 2);
    const lse = load<f32>(HeadDlogits.lseAt(call) + (n << 2)), entropy = load<f32>(HeadDlogits.resultsAt(call) + ((offset + n) << 5), 4);
    const weight = load<f32>(HeadDlogits.seedsAt(call) + (n << 3)), entropyWeight = load<f32>(HeadDlogits.seedsAt(call) + (n << 3), 4);
    const lse4 = f32x4.splat(lse), entropy4 = f32x4.splat(entropy), w4 = f32x4.splat(-weight), e4 = f32x4.splat(entropyWeight);
    let i: u32 = 0;
    for (; i + 4 <= W; i += 4) {
      const logprob = f32x4.sub(f32x4.mul(v128.load(logits + (i << 2)), scale4), lse4);
      const p = exp4(logprob);
      const value = f32x4.sub(f32x4.mul(w4, p), f32x4.mul(f32x4.mul(e4, p), f32x4.add(logprob, entropy4)));
      v128.store(logits + (i << 2), f32x4.mul(value, scale4));
    }
    for (; i < W; i++) {
      const logprob = load<f32>(logits + (i << 2)) * scale - lse;
      const p = exp(logprob);
      store<f32>(logits + (i << 2), (-weight * p - entropyWeight * p * (logprob + entropy)) * scale);
    }
    const target = load<u32>(HeadDlogits.targetsAt(call) + (n << 2)) - first;
    if (target < W) store<f32>(logits + (target << 2), load<f32>(logits + (target << 2)) + weight * scale);
  }
}

const ENTRIES: u32 = 256;
export function entryChunks(E: u32): i32 { return ceilDiv(E, ENTRIES); }

/** Logits of the allowed tokens (E entries: a row of `hidden` and a token each). */
export function headSparseLogits(call: usize, chunk: u32): void {
  const E = HeadSparseLogits.E(call), C = HeadSparseLogits.C(call), scale = HeadSparseLogits.inverseTemperature(call), scalesAt = HeadSparseLogits.scalesAt(call);
  const lists = HeadSparseLogits.listsAt(call), hidden = HeadSparseLogits.hiddenAt(call), table = HeadSparseLogits.tableAt(call);
  const rows = lists + (HeadSparseLogits.rowOffset(call) << 2), tokens = lists + (HeadSparseLogits.tokenOffset(call) << 2);
  const bits = HeadSparseLogits.BITS(call), withMinimum = HeadSparseLogits.MINIMUM(call) != 0;
  const end = least((chunk + 1) * ENTRIES, E);
  for (let e = chunk * ENTRIES; e < end; e++) {
    const row = tableRow(table, bits, withMinimum, load<u32>(tokens + (e << 2)), C, scalesAt, scratch);
    store<f32>(HeadSparseLogits.logitsAt(call) + (e << 2), dot(hidden + ((load<u32>(rows + (e << 2)) * C) << 2), row, C) * scale);
  }
}

/** Log-probability, entropy and lse of each row over its allowed tokens. */
export function headSparseFinish(call: usize, chunk: u32): void {
  const N = HeadSparseFinish.N(call), offset = HeadSparseFinish.resultOffset(call);
  const starts = HeadSparseFinish.listsAt(call) + (HeadSparseFinish.startOffset(call) << 2), tokens = HeadSparseFinish.listsAt(call) + (HeadSparseFinish.tokenOffset(call) << 2);
  const logits = HeadSparseFinish.logitsAt(call);
  const end = least((chunk + 1) * ROWS, N);
  for (let n = chunk * ROWS; n < end; n++) {
    const from = load<u32>(starts + (n << 2)), to = load<u32>(starts + (n << 2), 4);
    const target = load<u32>(HeadSparseFinish.targetsAt(call) + (n << 2));
    softmaxOf(logits + (from << 2), to - from, 1);
    let hit: f32 = 0;
    for (let e = from; e < to; e++) if (load<u32>(tokens + (e << 2)) == target) hit = load<f32>(logits + (e << 2));
    const logSum = log(s);
    const result = HeadSparseFinish.resultsAt(call) + ((offset + n) << 5);
    store<f32>(HeadSparseFinish.lseAt(call) + (n << 2), m + logSum);
    store<f32>(result, hit - m - logSum);
    store<f32>(result, logSum - u / s, 4);
  }
}

/** Replaces the logits of the allowed tokens by their gradient. */
export function headSparseDlogits(call: usize, chunk: u32): void {
  const E = HeadSparseDlogits.E(call), offset = HeadSparseDlogits.resultOffset(call), scale = HeadSparseDlogits.inverseTemperature(call);
  const rows = HeadSparseDlogits.listsAt(call) + (HeadSparseDlogits.rowOffset(call) << 2), tokens = HeadSparseDlogits.listsAt(call) + (HeadSparseDlogits.tokenOffset(call) << 2);
  const end = least((chunk + 1) * ENTRIES, E);
  for (let e = chunk * ENTRIES; e < end; e++) {
    const n = load<u32>(rows + (e << 2));
    const at = HeadSparseDlogits.logitsAt(call) + (e << 2);
    const logprob = load<f32>(at) - load<f32>(HeadSparseDlogits.lseAt(call) + (n << 2));
    const p = exp(logprob);
    const entropy = load<f32>(HeadSparseDlogits.resultsAt(call) + ((offset + n) << 5), 4);
    const hit: f32 = load<u32>(HeadSparseDlogits.targetsAt(call) + (n << 2)) == load<u32>(tokens + (e << 2)) ? 1 : 0;
    const seed = HeadSparseDlogits.seedsAt(call) + (n << 3);
    store<f32>(at, (load<f32>(seed) * (hit - p) - load<f32>(seed, 4) * p * (logprob + entropy)) * scale);
  }
}

/** A token's share of a row's divergence, and of the sum that its gradient subtracts. */
let term: f32 = 0;
let slope: f32 = 0;

/** Sets `term` and `slope` for a token of log-probability `logp` under the policy and `logq` under the teacher. */
function divergenceTerms(logp: f32, logq: f32, beta: f32): void {
  const p = exp(logp);
  if (beta >= 1) {
    term = p * (logp - logq);
    slope = term;
    return;
  }
  const q = exp(logq);
  if (beta <= 0) {
    term = q * (logq - logp);
    slope = -q;
    return;
  }
  const top = max<f32>(logp, logq);
  const logm = top + log(beta * exp(logq - top) + (1 - beta) * exp(logp - top));
  slope = (1 - beta) * p * (logp - logm);
  term = beta * q * (logq - logm) + slope;
}

/** headSparseDlogits with the divergence from a teacher. */
export function headDivergenceDlogits(call: usize, chunk: u32): void {
  const N = HeadDivergenceDlogits.N(call), offset = HeadDivergenceDlogits.resultOffset(call), scale = HeadDivergenceDlogits.inverseTemperature(call), beta = HeadDivergenceDlogits.beta(call);
  const starts = HeadDivergenceDlogits.listsAt(call) + (HeadDivergenceDlogits.startOffset(call) << 2), tokens = HeadDivergenceDlogits.listsAt(call) + (HeadDivergenceDlogits.tokenOffset(call) << 2);
  const logits = HeadDivergenceDlogits.logitsAt(call), teacher = HeadDivergenceDlogits.teacherAt(call), logqs = teacher + (N << 2);
  const end = least((chunk + 1) * ROWS, N);
  for (let n = chunk * ROWS; n < end; n++) {
    const from = load<u32>(starts + (n << 2)), to = load<u32>(starts + (n << 2), 4);
    const lse = load<f32>(HeadDivergenceDlogits.lseAt(call) + (n << 2)), weight = load<f32>(teacher + (n << 2));
    let divergence: f32 = 0, slopes: f32 = 0;
    if (weight != 0) for (let e = from; e < to; e++) {
      divergenceTerms(load<f32>(logits + (e << 2)) - lse, load<f32>(logqs + (e << 2)), beta);
      divergence += term;
      slopes += slope;
    }
    store<f32>(HeadDivergenceDlogits.divergencesAt(call) + ((offset + n) << 2), divergence);
    const target = load<u32>(HeadDivergenceDlogits.targetsAt(call) + (n << 2)), entropy = load<f32>(HeadDivergenceDlogits.resultsAt(call) + ((offset + n) << 5), 4);
    const seed = HeadDivergenceDlogits.seedsAt(call) + (n << 3);
    for (let e = from; e < to; e++) {
      const at = logits + (e << 2), logprob = load<f32>(at) - lse;
      const p = exp(logprob);
      const hit: f32 = target == load<u32>(tokens + (e << 2)) ? 1 : 0;
      let sum = load<f32>(seed) * (hit - p) - load<f32>(seed, 4) * p * (logprob + entropy);
      if (weight != 0) {
        divergenceTerms(logprob, load<f32>(logqs + (e << 2)), beta);
        sum += weight * (slope - p * slopes);
      }
      store<f32>(at, sum * scale);
    }
  }
}
