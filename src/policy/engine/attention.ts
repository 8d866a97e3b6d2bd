/**
 * Attention as dispatches: choice of kernel, constants and tiles. The forms give the same numbers up to rounding: one
 * thread a row (small models, software adapters), tiles through workgroup memory (prefill and training), and split keys
 * (decoding: few rows, long caches). Independent of layers and callers.
 *
 * The keys that a token attends to, and the order of their sum, never depend on neighbouring tokens: tiles and splits
 * are cut from the start of the token's own prefix and sequence. So a trajectory's numbers do not depend on the
 * trajectories decoded with it.
 */
import { type BufferSlice, type Constants, grid1d, type KernelCache, type Recorder } from '../../device/device.ts';
import { tokenWords } from './batch.ts';
import type { AttentionForm } from './kernel-choices.ts';

export interface AttentionShape {
  heads: number;
  kvHeads: number;
  headDim: number;
  eps: number;
}

/** Layout of K/V rows in their buffer. */
export interface CacheFormat {
  /** log2 of the rows in a page, with pages found through a table; 0: rows are stored at their own numbers. */
  pageBits: number;
  /** True for bytes with one scale per head, false for floats. */
  int8: boolean;
}

export const plainCache: CacheFormat = { pageBits: 0, int8: false };

/** Input of a pass: a packed batch or appended tokens, in tiles; or one new token a row, with split keys. */
export type AttentionPass = { tiles: number; format: CacheFormat } & (
  | { kind: 'batch' }
  | { kind: 'decode'; splits: number; prefixSplits: number }
);

/** Keys processed by one workgroup in decoding. */
const splitKeys = 128;
/** Size of a `Tile` (shaders/attention_tile.wgsl) in 32-bit words. */
export const tileWords = 4;
const threads = 64;
const keysAtOnce = 32;
const rowsAtOnce = 32;
const ceil = (a: number, b: number) => Math.ceil(a / b);

type Heads = Pick<AttentionShape, 'heads' | 'kvHeads'>;
const groupOf = (a: Heads) => a.heads / a.kvHeads;

/** True if the tiled kernels support these sizes. Otherwise attention runs with one thread a row. */
export const canTile = (a: Omit<AttentionShape, 'eps'>) =>
  a.headDim % 4 === 0 && a.headDim <= 256 && groupOf(a) <= rowsAtOnce;

/**
 * Form that runs when `wanted` is chosen: `thread` if the sizes cannot be tiled, `tiled` if `thread` is wanted but the
 * cache is int8, which only the tiled kernels read.
 */
export function formOf(a: AttentionShape, wanted: AttentionForm, format: CacheFormat): AttentionForm {
  if (!canTile(a)) return 'thread';
  return wanted === 'thread' && format.int8 ? 'tiled' : wanted;
}

/** Tokens of one tile. Their rows, one per query head of a key head, fill a workgroup. */
const tokensPerTile = (a: Heads) => Math.max(1, Math.floor(rowsAtOnce / groupOf(a)));

const largestDivisor = (n: number, most: number) => {
  for (let d = most; d > 1; d--) if (n % d === 0) return d;
  return 1;
};

/**
 * Lanes across the columns: a number that leaves the fewest lanes idle while rows x lanes fill the workgroup. Ties go
 * to the larger number.
 */
function lanesAcross(E: number, rows: number): number {
  const fitting = [4, 8, 16].filter((lanes) => rows * lanes >= threads);
  const width = (lanes: number) => ceil(E, lanes) * lanes;
  return fitting.reduce((best, lanes) => (width(lanes) <= width(best) ? lanes : best));
}

export interface TiledOptions {
  form: AttentionForm;
  rows: number;
  /** Number of matrices whose slices are staged at once: 2 forward, 4 backward. */
  staged: 2 | 4;
  int8?: boolean;
  split?: number;
}

/** Constants of a tiled kernel. */
export function tiledConstants(
  a: AttentionShape,
  { form, rows, staged, int8 = false, split = 0 }: TiledOptions,
): Constants {
  const E = a.headDim / 4;
  const SW = largestDivisor(E, 16 / staged);
  const slices = (staged / 2) * SW * (rows + 1 + keysAtOnce + 1);
  const room = Math.max(slices, 512);
  let VK = keysAtOnce;
  while (VK > 4 && VK * E > room) VK /= 2;
  const LX = lanesAcross(E, rows);
  const LY = threads / LX;
  return {
    H: a.heads,
    KV: a.kvHeads,
    G: groupOf(a),
    E,
    SCALE_F: 1 / Math.sqrt(a.headDim),
    ROWS: rows,
    SR: rows / 8,
    SW,
    LX,
    LY,
    RO: rows / LY,
    CO: ceil(E, LX),
    VK,
    ROW_TURNS: ceil(rows * SW, threads),
    KEY_TURNS: ceil(keysAtOnce * SW, threads),
    SUM_TURNS: ceil(VK * E, threads),
    STAGED: Math.max(slices, VK * E),
    STAGE_BITS: form.includes('half') ? 16 : 32,
    ...(staged === 2
      ? {
          SPLIT: split,
          KV8: int8 ? 1 : 0,
          SUBGROUPS: form.includes('subgroups') ? 1 : 0,
        }
      : {}),
  };
}

/** Constants of the kernels with one thread a row. */
function threadConstants(a: AttentionShape): Constants {
  const WIDTH = a.headDim % 4 === 0 ? 4 : 1;
  const { heads: H, kvHeads: KV, headDim: D } = a;
  return { H, KV, D, WIDTH, E: D / WIDTH, SCALE_F: 1 / Math.sqrt(D) };
}

/** Rows of a tile that hold one token's query heads. */
const decodeRows = (a: Heads) => (groupOf(a) <= 8 ? 8 : groupOf(a) <= 16 ? 16 : 32);
/** A key's two gradients are held in registers, so wide heads leave room for fewer keys. */
const keyRows = (a: AttentionShape) => (a.headDim <= 64 ? 32 : 16);

/**
 * Tiles of consecutive tokens with one prefix: first token, number of tokens, and two words used only for splits.
 * `words` describe the tokens (shaders/token.wgsl). If `across` is true, a tile may span consecutive sequences of a
 * packed batch.
 */
export function tokenTiles(words: Uint32Array, a: Heads, across: boolean): Uint32Array<ArrayBuffer> {
  const most = tokensPerTile(a);
  const out: number[] = [];
  const T = words.length / tokenWords;
  const follows = (t: number) => {
    const here = t * tokenWords;
    const before = here - tokenWords;
    if (words[before + 2] !== words[here + 2] || words[before + 3] !== words[here + 3]) return false;
    return words[before + 4] === words[here + 4] || (across && words[here + 4] === words[before + 1] + 1);
  };
  for (let t = 0; t < T; t++) {
    const last = out.length - tileWords;
    if (t > 0 && out[last + 1] < most && follows(t)) out[last + 1]++;
    else out.push(t, 1, 0, 0);
  }
  return Uint32Array.from(out);
}

/** Largest number of keys of a decoding row, in its prefix and of its own. `prefix` is the first row of the prefix. */
export interface DecodeRow {
  prefix: number;
  prefixKeys: number;
  ownKeys: number;
}

/**
 * Tiles of a decoding step, one for each split of a row's keys. Consecutive rows share the splits of a common prefix.
 */
export function decodeTiles(rows: readonly DecodeRow[], a: Heads, split = splitKeys): Uint32Array<ArrayBuffer> {
  const most = Math.max(1, Math.floor(decodeRows(a) / groupOf(a)));
  const out: number[] = [];
  for (let r = 0; r < rows.length; ) {
    let count = 1;
    const same = (n: number) =>
      rows[n]?.prefix === rows[r].prefix && rows[n].prefixKeys === rows[r].prefixKeys && rows[r].prefixKeys > 0;
    while (count < most && same(r + count)) count++;
    for (let s = 0; s < ceil(rows[r].prefixKeys, split); s++) out.push(r, count, s, 0);
    r += count;
  }
  rows.forEach(({ ownKeys }, r) => {
    for (let s = 0; s < ceil(ownKeys, split); s++) out.push(r, 1, s, 1);
  });
  return Uint32Array.from(out);
}

/** Largest number of splits of a row's prefix, and in all. */
export function mostSplits(promptTokens: number, completionTokens: number) {
  const prefixSplits = ceil(promptTokens, splitKeys);
  return { prefixSplits, splits: prefixSplits + ceil(completionTokens, splitKeys) };
}

/** Size of a row's split results over all heads, in floats. */
export const partialFloatsOf = (heads: number, headDim: number, splits: number) => heads * splits * (headDim + 4);

export interface AttentionBuffers {
  tokens: BufferSlice;
  tiles: BufferSlice;
  pages: BufferSlice;
  query: BufferSlice;
  cache: BufferSlice;
  partials: BufferSlice;
  out: BufferSlice;
  lse: BufferSlice;
}

export interface AttentionGradients {
  tokens: BufferSlice;
  tiles: BufferSlice;
  query: BufferSlice;
  cache: BufferSlice;
  attended: BufferSlice;
  lse: BufferSlice;
  dout: BufferSlice;
  dquery: BufferSlice;
  delta: BufferSlice;
  dcache: BufferSlice;
}

/** Source of the kernels and destination of the dispatches. */
export interface Recording {
  kernels: KernelCache;
  recorder: Recorder;
}

/** Records out and lse of T tokens. `pairs` is the number of query-key pairs, used to count operations. */
export function attentionForward(
  { kernels, recorder }: Recording,
  a: AttentionShape,
  x: AttentionBuffers,
  T: number,
  pairs: number,
  pass: AttentionPass,
  form: AttentionForm,
): void {
  const flops = 4 * a.headDim * a.heads * pairs;
  const { pageBits, int8 } = pass.format;
  if (form === 'thread') {
    const kernel = kernels.request('attention_forward', threadConstants(a));
    const bindings = [x.tokens, x.query, x.pages, x.cache, x.out, x.lse];
    recorder.run({ kernel, bindings, grid: grid1d(ceil(T * a.heads, threads)), params: { T, pageBits }, flops });
    return;
  }
  const { tiles } = pass;
  const split = pass.kind === 'decode' ? splitKeys : 0;
  const rows = pass.kind === 'decode' ? decodeRows(a) : rowsAtOnce;
  const kernel = kernels.request('attention_forward_tiled', tiledConstants(a, { form, rows, staged: 2, int8, split }));
  const { splits, prefixSplits } = pass.kind === 'decode' ? pass : { splits: 0, prefixSplits: 0 };
  const out = pass.kind === 'decode' ? x.partials : x.out;
  const bindings = [x.tiles, x.tokens, x.pages, x.query, x.cache, out, x.lse];
  recorder.run({
    kernel,
    bindings,
    grid: grid1d(tiles * a.kvHeads),
    params: { tiles, splits, prefixSplits, pageBits },
    flops,
  });
  if (pass.kind !== 'decode') return;
  recorder.run({
    kernel: kernels.request('attention_combine', { H: a.heads, E: a.headDim / 4, SPLIT: splitKeys }),
    bindings: [x.tokens, x.partials, x.out, x.lse],
    grid: grid1d(ceil((T * a.heads * a.headDim) / 4, threads)),
    params: { T, splits, prefixSplits },
  });
}

/** Records dquery, delta and dcache of a packed batch. */
export function attentionBackward(
  recording: Recording,
  a: AttentionShape,
  x: AttentionGradients,
  T: number,
  pairs: number,
  tiles: number,
  form: AttentionForm,
): void {
  if (form === 'thread') backwardByThreads(recording, a, x, T, pairs);
  else backwardByTiles(recording, a, x, T, pairs, tiles, form);
}

function backwardByThreads(
  { kernels, recorder }: Recording,
  a: AttentionShape,
  x: AttentionGradients,
  T: number,
  pairs: number,
) {
  const constants = threadConstants(a);
  const each = a.headDim * a.heads * pairs;
  recorder.run({
    kernel: kernels.request('attention_backward_query', constants),
    bindings: [x.tokens, x.query, x.cache, x.attended, x.lse, x.dout, x.dquery, x.delta],
    grid: grid1d(ceil(T * a.heads, threads)),
    params: { T },
    flops: 6 * each,
  });
  recorder.run({
    kernel: kernels.request('attention_backward_key', constants),
    bindings: [x.tokens, x.query, x.cache, x.lse, x.dout, x.delta, x.dcache],
    grid: grid1d(ceil(T * a.kvHeads, threads)),
    params: { T },
    flops: 8 * each,
  });
}

function backwardByTiles(
  { kernels, recorder }: Recording,
  a: AttentionShape,
  x: AttentionGradients,
  T: number,
  pairs: number,
  tiles: number,
  form: AttentionForm,
) {
  const each = a.headDim * a.heads * pairs;
  recorder.run({
    kernel: kernels.request('attention_delta', { H: a.heads }),
    bindings: [x.dout, x.attended, x.delta],
    grid: grid1d(ceil(T * a.heads, threads)),
    params: { T, E: a.headDim / 4 },
    flops: 2 * T * a.heads * a.headDim,
  });
  recorder.run({
    kernel: kernels.request('attention_backward_query_tiled', tiledConstants(a, { form, rows: rowsAtOnce, staged: 4 })),
    bindings: [x.tiles, x.tokens, x.query, x.cache, x.lse, x.dout, x.delta, x.dquery],
    grid: grid1d(tiles * a.kvHeads),
    params: { tiles },
    flops: 6 * each,
  });
  recorder.run({
    kernel: kernels.request('attention_backward_key_tiled', tiledConstants(a, { form, rows: keyRows(a), staged: 4 })),
    bindings: [x.tokens, x.query, x.cache, x.lse, x.dout, x.delta, x.dcache],
    grid: grid1d(ceil(T, keyRows(a)) * a.kvHeads),
    params: { T },
    flops: 8 * each,
  });
}
