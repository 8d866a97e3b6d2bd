/**
 * Packed batch as the arrays that kernels read: the visible range of each token, the scored rows, and the lists for
 * summing gradients into rows without atomics and in a fixed order.
 */
import type { AllowedTokens, PackedBatch } from '../policy.ts';

/** Size of one `Token` (shaders/token.wgsl) in 32-bit words. */
export const tokenWords = 8;

/** Thrown for a batch that cannot be run. Names the violated bound. */
export class BatchError extends Error {
  override name = 'BatchError';
}

/** Lists of shaders/scatter_rows.wgsl: each of U target rows is a sum over source rows. */
export interface ScatterList {
  /** target (U), start (U + 1), source (E), and for a scaled scatter the index of each entry's scale (E). */
  words: Uint32Array;
  rows: number;
  entries: number;
}

/** (T) token descriptions of a training batch, where the K/V row of a token is its index in the batch. */
export function describeTokens(batch: PackedBatch): Uint32Array {
  const out = new Uint32Array(batch.tokens.length * tokenWords);
  const childrenEnd = batch.segments.map((s) => s.end);
  batch.segments.forEach((s, i) => {
    checkSegment(batch, i);
    if (s.parent >= 0) childrenEnd[s.parent] = s.end;
  });
  batch.segments.forEach((s, i) => {
    const parent = s.parent >= 0 ? batch.segments[s.parent] : null;
    const prefix = parent ? parent.end - parent.start : 0;
    for (let t = s.start; t < s.end; t++) {
      const word = t * tokenWords;
      out[word] = prefix + t - s.start;
      out[word + 1] = t;
      out[word + 2] = parent ? parent.start : 0;
      out[word + 3] = parent ? parent.end : 0;
      out[word + 4] = s.start;
      out[word + 5] = t + 1;
      out[word + 6] = childrenEnd[i];
    }
  });
  return out;
}

function checkSegment(batch: PackedBatch, i: number): void {
  const s = batch.segments[i];
  const before = i === 0 ? 0 : batch.segments[i - 1].end;
  if (s.start !== before || s.end < s.start || s.end > batch.tokens.length) {
    throw new BatchError(
      `Segment ${i} is [${s.start}, ${s.end}); it must start at ${before} and end by ${batch.tokens.length}.`,
    );
  }
  if (i === batch.segments.length - 1 && s.end !== batch.tokens.length) {
    throw new BatchError(`The segments end at ${s.end}, but there are ${batch.tokens.length} tokens.`);
  }
  if (s.parent < 0) return;
  const parent = batch.segments[s.parent];
  if (s.parent >= i || parent.parent >= 0)
    throw new BatchError(`Segment ${i}: its parent ${s.parent} must precede it and have no parent of its own.`);
  for (let k = s.parent + 1; k < i; k++) {
    if (batch.segments[k].parent !== s.parent)
      throw new BatchError(`Segment ${i} does not follow its parent ${s.parent} directly.`);
  }
}

/** (N) index of the token from which each scored token is predicted. */
export function predecessors(batch: PackedBatch): Int32Array {
  const out = new Int32Array(batch.scored.length);
  let i = 0;
  for (let n = 0; n < out.length; n++) {
    const t = batch.scored[n];
    if (n > 0 && t <= batch.scored[n - 1]) throw new BatchError(`scored[${n}] = ${t} is not above scored[${n - 1}].`);
    while (i < batch.segments.length && t >= batch.segments[i].end) i++;
    const s = batch.segments[i];
    if (!s) throw new BatchError(`scored[${n}] = ${t} is past the last token (${batch.tokens.length}).`);
    const first = t === s.start;
    if (first && s.parent < 0)
      throw new BatchError(`scored[${n}] = ${t} is the first token of a sequence: nothing predicts it.`);
    out[n] = first ? batch.segments[s.parent].end - 1 : t - 1;
  }
  return out;
}

/** The batch with a list for each row, so that the masked head runs it; an empty list allows the whole vocabulary. */
export const withLists = (batch: PackedBatch): PackedBatch =>
  batch.allowed
    ? batch
    : { ...batch, allowed: { offsets: new Int32Array(batch.scored.length + 1), tokens: new Int32Array(0) } };

/** Groups entries e = 0..E-1 by `target[e]`, in ascending e within a target. */
export function scatterList(targets: ArrayLike<number>, sources: ArrayLike<number>, scaled = false): ScatterList {
  const entries = targets.length;
  const places = countsOf(targets);
  let rows = 0;
  for (let target = 0; target < places.length; target++) if (places[target] > 0) rows++;
  const words = new Uint32Array(rows * 2 + 1 + entries * (scaled ? 2 : 1));
  const base = rows * 2 + 1;
  let [row, at] = [0, 0];
  for (let target = 0; target < places.length; target++) {
    const count = places[target];
    if (count === 0) continue;
    words[row] = target;
    words[rows + row++] = at;
    places[target] = at;
    at += count;
  }
  words[2 * rows] = entries;
  for (let e = 0; e < entries; e++) {
    const place = places[targets[e]]++;
    words[base + place] = sources[e];
    if (scaled) words[base + entries + place] = e;
  }
  return { words, rows, entries };
}

/** Number of occurrences of each target, from 0 to the largest. */
function countsOf(targets: ArrayLike<number>): Int32Array {
  let largest = -1;
  for (let e = 0; e < targets.length; e++) if (targets[e] > largest) largest = targets[e];
  const counts = new Int32Array(largest + 1);
  for (let e = 0; e < targets.length; e++) counts[targets[e]]++;
  return counts;
}

/** (N + 1) starts of the rows' entries in the masked head. A row without a mask lists the whole vocabulary. */
export function entryStarts({ offsets }: AllowedTokens, vocabSize: number): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(offsets.length);
  for (let n = 0; n + 1 < starts.length; n++) {
    const size = offsets[n + 1] - offsets[n];
    starts[n + 1] = starts[n] + (size === 0 ? vocabSize : size);
  }
  return starts;
}

/**
 * Entries of the masked head: (N + 1) starts, (E) rows and (E) tokens. A row without a mask lists the whole vocabulary.
 */
export function allowedEntries(allowed: AllowedTokens, targets: ArrayLike<number>, vocabSize: number) {
  const rows = allowed.offsets.length - 1;
  if (rows !== targets.length) throw new BatchError(`${rows} allowed rows for ${targets.length} scored tokens.`);
  const starts = entryStarts(allowed, vocabSize);
  const row = new Uint32Array(starts[rows]);
  const token = new Uint32Array(starts[rows]);
  for (let n = 0; n < rows; n++) {
    const from = allowed.offsets[n];
    const open = allowed.offsets[n + 1] === from;
    let hit = false;
    for (let e = starts[n]; e < starts[n + 1]; e++) {
      row[e] = n;
      token[e] = open ? e - starts[n] : allowed.tokens[from + e - starts[n]];
      hit ||= token[e] === targets[n];
    }
    if (!hit) throw new BatchError(`Scored token ${targets[n]} (row ${n}) is not among its allowed tokens.`);
  }
  return { starts, row, token, entries: token.length };
}
