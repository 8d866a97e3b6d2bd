/**
 * Twins of the sampling kernels: choice of the next token with counter-based random numbers, with or without a mask.
 */
import { tokenWords } from '../engine/batch.ts';
import { gumbel } from '../engine/random.ts';
import { floats, folded, softmaxOf, sum, type Twin, untouched, unwritten, value, vocabularyTable } from './fixture.ts';

/** Error of exp and log of sums, for values near 10. */
const tolerance = 1e-5;
/** Error of a Gumbel variable, computed by two logarithms accurate to 2^-21 each. */
const noisy = 1e-4;

const temperature = 0.8;

const [running, leafReached, stopped, full] = [0, 1, 2, 3];
const noLeaf = 0xffffffff;
const random = { seed: 77, stream: 5 };

/** Row of shaders/row.wgsl, with the field names used there. */
interface Row {
  base: number;
  length: number;
  capacity: number;
  prefixStart: number;
  prefixEnd: number;
  node: number;
  finished: number;
  key: number;
  leaf: number;
  sampled: number;
  constrained: number;
}
const packRows = (rows: readonly Row[]) =>
  Uint32Array.from(
    rows.flatMap((r) => [
      r.base,
      r.length,
      r.capacity,
      r.prefixStart,
      r.prefixEnd,
      r.node,
      r.finished,
      r.key,
      r.leaf,
      r.sampled,
      r.constrained,
      0,
    ]),
  );

/** Row r with free space, its own keys and cache. */
const decodingRow = (r: number, change: Partial<Row>): Row => ({
  base: 100 * r,
  length: 2 + r,
  capacity: 50,
  prefixStart: 10,
  prefixEnd: 13 + r,
  node: 0,
  finished: running,
  key: 1000 + r,
  leaf: noLeaf,
  sampled: 0,
  constrained: 1,
  ...change,
});

const trash = 999;

/** Output buffers of sampling, and the effect of taking a token (shaders/sample_advance.wgsl). */
class Sampled {
  readonly ids: Uint32Array;
  readonly tokens: Uint32Array;
  readonly outTokens: Uint32Array;
  readonly outLogprobs: Float64Array;

  constructor(
    readonly rows: Row[],
    steps: number,
  ) {
    const R = rows.length;
    this.ids = new Uint32Array(R).fill(7);
    this.tokens = new Uint32Array(R * tokenWords).fill(7);
    this.outTokens = new Uint32Array(R * steps).fill(7);
    this.outLogprobs = new Float64Array(R * steps).fill(untouched);
  }

  /** Copies of the current buffers: rows, ids, tokens, outTokens, outLogprobs. */
  snapshot() {
    return [
      packRows(this.rows),
      this.ids.slice(),
      this.tokens.slice(),
      this.outTokens.slice(),
      Float32Array.from(this.outLogprobs),
    ];
  }

  finish(r: number) {
    this.tokens.fill(0, r * tokenWords, (r + 1) * tokenWords);
    this.tokens[r * tokenWords + 1] = trash;
  }

  /** Returns true if a row has finished, and points its token at the unused cache row. */
  finishIfDone(r: number): boolean {
    const isDone = this.rows[r].finished !== running;
    if (isDone) this.finish(r);
    return isDone;
  }

  /** Takes a token at `step`. A row that continues is prepared for its next token. */
  advance(r: number, step: number, token: number, logprob: number, finished: number) {
    const row = this.rows[r];
    const at = step * this.rows.length + r;
    this.outTokens[at] = token;
    this.outLogprobs[at] = logprob;
    this.ids[r] = token;
    row.sampled++;
    row.finished = finished === running && row.length + 1 >= row.capacity ? full : finished;
    if (row.finished !== running) return this.finish(r);
    const own = row.base + row.length;
    const position = row.prefixEnd - row.prefixStart + row.length;
    this.tokens.set([position, own, row.prefixStart, row.prefixEnd, row.base, own + 1, 0, 0], r * tokenWords);
    row.length++;
  }

  /** Key of row r's random numbers. */
  key({ key, prefixEnd, prefixStart, length }: Row): [number, number, number, number] {
    return [random.seed, random.stream, key, prefixEnd - prefixStart + length];
  }
}

/** Largest logit + noise: its index, score, and log-probability of the logit among all. */
function choose(
  logits: readonly number[],
  noise: (i: number) => number,
): { at: number; score: number; logprob: number } {
  let at = 0;
  const score = (i: number) => logits[i] + noise(i);
  for (let i = 1; i < logits.length; i++) if (score(i) > score(at)) at = i;
  const { m, s } = softmaxOf(logits);
  return { at, score: score(at), logprob: logits[at] - m - Math.log(s) };
}

/** Trie of 40 first tokens with three second tokens each: more edges than lanes. */
const [firsts, seconds] = [40, 3];
function trieWords(): {
  words: Uint32Array<ArrayBuffer>;
  edgeOffset: number;
  edges: (node: number) => [number, number][];
} {
  const nodes = 1 + firsts + firsts * seconds;
  const edges: [number, number][] = [];
  const starts: number[] = [];
  for (let node = 0; node < nodes; node++) {
    starts.push(edges.length);
    if (node === 0) for (let i = 0; i < firsts; i++) edges.push([i, 1 + i]);
    else if (node <= firsts)
      for (let k = 0; k < seconds; k++)
        edges.push([(node * 3 + k * 5) % firsts, 1 + firsts + (node - 1) * seconds + k]);
  }
  starts.push(edges.length);
  const leaf = (node: number) => (node > firsts ? node - firsts - 1 : noLeaf);
  const words = [
    ...Array.from({ length: nodes }, (_, node) => [starts[node], starts[node + 1], leaf(node)]).flat(),
    ...edges.flat(),
  ];
  return {
    words: Uint32Array.from(words),
    edgeOffset: nodes * 3,
    edges: (node) => edges.slice(starts[node], starts[node + 1]),
  };
}

/** A sampled step and a greedy one, for rows that are running, full, finished, or left to the other kernel. */
const sample_masked: Twin = (c) => {
  const [C, steps] = [3 * value(c, 'WIDTH'), 2];
  const rows = [
    decodingRow(0, {}),
    decodingRow(1, { node: 4 }),
    decodingRow(2, { finished: leafReached }),
    decodingRow(3, { constrained: 0 }),
    decodingRow(4, { capacity: 7 }),
  ];
  const R = rows.length;
  const hidden = floats(R * C, 'hidden');
  const { words: tableWords, values: weight, scalesAt } = vocabularyTable(c, firsts, C);
  const { words, edgeOffset, edges } = trieWords();
  const sampled = new Sampled(rows, steps);
  const before = sampled.snapshot();
  const take = (step: number, inverse: number) =>
    rows.forEach((row, r) => {
      if (row.constrained === 0 || sampled.finishIfDone(r)) return;
      const open = edges(row.node);
      const logits = open.map(([token]) => sum(C, (i) => hidden[r * C + i] * weight[token * C + i]) * (inverse || 1));
      const key = sampled.key(row);
      const { at, logprob } = choose(logits, (i) => (inverse === 0 ? 0 : gumbel(key, open[i][0])));
      const [token, node] = open[at];
      row.node = node;
      row.leaf = node > firsts ? node - firsts - 1 : noLeaf;
      sampled.advance(r, step, token, logprob, row.leaf === noLeaf ? running : leafReached);
    });
  take(0, 1 / temperature);
  take(1, 0);
  const call = (step: number, inverse: number) => ({
    grid: folded(R),
    params: { R, C, step, trash, edgeOffset, ...random, inverseTemperature: inverse, scalesAt },
  });
  return {
    bindings: [hidden, tableWords, words, ...before],
    calls: [call(0, 1 / temperature), call(1, 0)],
    expected: sampled.snapshot().map((values, i) => ({ binding: 3 + i, values, tolerance })),
  };
};

/** Rows of a sampling from the whole vocabulary, and two that it leaves alone: one with a list, one that has stopped. */
const vocabularyRows = () => [
  decodingRow(0, { constrained: 0 }),
  decodingRow(1, {}),
  decodingRow(2, { constrained: 0, finished: stopped }),
  decodingRow(3, { constrained: 0 }),
];

/** Two tiles of the same logits, whose second tile is merged into the first. */
const sample_scan: Twin = (_, size) => {
  const W = 70 * size;
  const rows = vocabularyRows();
  const R = rows.length;
  const logits = floats(R * W, 'logits');
  const sampled = new Sampled(rows, 1);
  const expected = Float64Array.from(unwritten(R * 8));
  rows.forEach((row, r) => {
    if (row.constrained === 1 || row.finished !== running) return;
    const scaled = Array.from({ length: 2 * W }, (__, v) => logits[r * W + (v % W)] / temperature);
    const { at, score } = choose(scaled, (v) => gumbel(sampled.key(row), v));
    const { m, s } = softmaxOf(scaled);
    expected.set([score, scaled[at], at, 0, m, s, 0, 0], r * 8);
  });
  const call = (first: number) => ({
    grid: folded(R),
    params: { R, W, first, ...random, inverseTemperature: 1 / temperature },
  });
  return {
    bindings: [logits, packRows(rows), unwritten(R * 8)],
    calls: [call(0), call(W)],
    expected: [{ binding: 2, values: expected, tolerance: noisy }],
  };
};

/** Two calls over the first tiles; the last tile of the second call is partial. */
const sample_scan_tiles: Twin = (c) => {
  const [tile, tiles] = [value(c, 'TILE'), value(c, 'TILES')];
  if (tiles < 4) return null;
  const rows = vocabularyRows();
  const R = rows.length;
  const [first, second] = [2 * tile, 2 * tile - 5];
  const logits = floats(R * Math.max(first, second), 'logits');
  const sampled = new Sampled(rows, 1);
  const expected = Float64Array.from(unwritten(R * tiles * 8));
  rows.forEach((row, r) => {
    if (row.constrained === 1 || row.finished !== running) return;
    for (let t = 0; t < 4; t++) {
      const [start, W] = t < 2 ? [0, first] : [first, second];
      const begin = t * tile - start;
      const scaled = [...logits.subarray(r * W + begin, r * W + Math.min(begin + tile, W))].map((x) => x / temperature);
      const { at, score } = choose(scaled, (v) => gumbel(sampled.key(row), t * tile + v));
      const { m, s } = softmaxOf(scaled);
      expected.set([score, scaled[at], t * tile + at, 0, m, s, 0, 0], (r * tiles + t) * 8);
    }
  });
  const call = (start: number, W: number) => ({
    grid: folded(R * Math.ceil(W / tile)),
    params: { R, W, first: start, ...random, inverseTemperature: 1 / temperature },
  });
  return {
    bindings: [logits, packRows(rows), unwritten(R * tiles * 8)],
    calls: [call(0, first), call(first, second)],
    expected: [{ binding: 2, values: expected, tolerance: noisy }],
  };
};

const sample_merge_tiles: Twin = (c) => {
  const tiles = value(c, 'TILES');
  const rows = vocabularyRows();
  const R = rows.length;
  const noise = floats(R * tiles * 3, 'states');
  const stateOf = (r: number, t: number) => {
    const [score, m, s] = noise.subarray((r * tiles + t) * 3, (r * tiles + t + 1) * 3);
    return [score, score / 2, 10 * t + 3, 0, m, 1 + Math.abs(s), 0, 0];
  };
  const states = Float32Array.from({ length: R * tiles * 8 }, (_, i) => {
    const row = Math.floor(i / (tiles * 8));
    return stateOf(row, Math.floor(i / 8) % tiles)[i % 8];
  });
  const expected = Float64Array.from(unwritten(R * 8));
  rows.forEach((row, r) => {
    if (row.constrained === 1 || row.finished !== running) return;
    const all = Array.from({ length: tiles }, (_, t) => [
      ...states.subarray((r * tiles + t) * 8, (r * tiles + t + 1) * 8),
    ]);
    const best = all.reduce((a, b) => (b[0] > a[0] ? b : a));
    const m = Math.max(...all.map((state) => state[4]));
    const s = sum(tiles, (t) => Math.exp(all[t][4] - m) * all[t][5]);
    expected.set([best[0], best[1], best[2], 0, m, s, 0, 0], r * 8);
  });
  return {
    bindings: [packRows(rows), states, unwritten(R * 8)],
    calls: [{ grid: folded(R), params: { R } }],
    expected: [{ binding: 2, values: expected, tolerance }],
  };
};

const sample_finish: Twin = () => {
  const stops = [12, 31];
  const rows = [
    decodingRow(0, { constrained: 0 }),
    decodingRow(1, { constrained: 0 }),
    decodingRow(2, {}),
    decodingRow(3, { constrained: 0, finished: stopped }),
    decodingRow(4, { constrained: 0, capacity: 7 }),
  ];
  const R = rows.length;
  const tokens = [30, 31, 12, 3, 2047];
  const state = Float32Array.from(tokens.flatMap((token, r) => [3, 1 + r / 8, token, 0, 2 + r / 4, 1.5 + r, 0, 0]));
  const sampled = new Sampled(rows, 2);
  const before = sampled.snapshot();
  rows.forEach((row, r) => {
    if (row.constrained === 1 || sampled.finishIfDone(r)) return;
    const logprob = state[r * 8 + 1] - state[r * 8 + 4] - Math.log(state[r * 8 + 5]);
    sampled.advance(r, 1, tokens[r], logprob, stops.includes(tokens[r]) ? stopped : running);
  });
  return {
    bindings: [state, Uint32Array.from([stops.length, ...stops]), ...before],
    calls: [{ grid: [1], params: { R, step: 1, trash } }],
    expected: sampled.snapshot().map((values, i) => ({ binding: 2 + i, values, tolerance })),
  };
};

export const samplingTwins: { readonly [kernel: string]: Twin } = {
  sample_masked,
  sample_scan,
  sample_scan_tiles,
  sample_merge_tiles,
  sample_finish,
};
