/**
 * Attention in isolation, for timing and for comparing forms: a packed batch with its gradients, and a decoding step of
 * some of its tokens.
 */
import { type BufferSlice, type Device, type DeviceBuffer, type Recorder, whole } from '../../device/device.ts';
import type { PackedBatch } from '../policy.ts';
import { normals } from '../weights/init.ts';
import {
  type AttentionPass,
  type AttentionShape,
  attentionBackward,
  attentionForward,
  type DecodeRow,
  decodeTiles,
  mostSplits,
  partialFloatsOf,
  plainCache,
  type Recording,
  tileWords,
  tokenTiles,
} from './attention.ts';
import { describeTokens, tokenWords } from './batch.ts';
import type { AttentionForm } from './kernel-choices.ts';

/** Segments of a prompt and of `rows` trajectories of `own` tokens after it. */
export function groupSegments(prompt: number, own: number, rows: number): PackedBatch['segments'] {
  const starts = Array.from({ length: rows }, (_, r) => prompt + r * own);
  return [{ start: 0, end: prompt, parent: -1 }, ...starts.map((s) => ({ start: s, end: s + own, parent: 0 }))];
}

export class AttentionTrial {
  readonly T: number;
  /** Tokens that decode: the last of each segment. */
  readonly rows: readonly number[];
  /** Number of query-key pairs in the batch, and in a decoding step. */
  readonly pairs: number;
  readonly decodePairs: number;
  readonly words: Uint32Array<ArrayBuffer>;
  private readonly rowWords: Uint32Array<ArrayBuffer>;
  private readonly tiles: Uint32Array<ArrayBuffer>;
  private readonly decoding: Uint32Array<ArrayBuffer>;
  private readonly buffers: Record<string, DeviceBuffer> = {};
  private readonly splits: { splits: number; prefixSplits: number };

  constructor(
    readonly device: Device,
    readonly shape: AttentionShape,
    segments: PackedBatch['segments'],
  ) {
    this.T = segments[segments.length - 1].end;
    const batch = { tokens: new Int32Array(this.T), segments, scored: new Int32Array(0), allowed: null };
    this.words = describeTokens(batch) as Uint32Array<ArrayBuffer>;
    this.tiles = tokenTiles(this.words, shape, true);
    this.rows = segments.filter((s) => s.end > s.start).map((s) => s.end - 1);
    this.rowWords = new Uint32Array(this.rows.length * tokenWords);
    this.rows.forEach((t, r) => this.rowWords.set(this.wordsOf(t), r * tokenWords));
    const bounds = this.rows.map((t) => this.boundsOf(t));
    this.decoding = decodeTiles(bounds, shape);
    const most = (name: 'prefixKeys' | 'ownKeys') => Math.max(...bounds.map((b) => b[name]));
    this.splits = mostSplits(most('prefixKeys'), most('ownKeys'));
    const seen = ({ prefixKeys, ownKeys }: DecodeRow) => prefixKeys + ownKeys;
    this.decodePairs = bounds.reduce((sum, b) => sum + seen(b), 0);
    this.pairs = Array.from({ length: this.T }, (_, t) => seen(this.boundsOf(t))).reduce((a, b) => a + b, 0);
    this.allocate();
  }

  private wordsOf(t: number): Uint32Array {
    return this.words.subarray(t * tokenWords, (t + 1) * tokenWords);
  }

  private boundsOf(t: number): DecodeRow {
    const [, , prefixStart, prefixEnd, ownStart, ownEnd] = this.wordsOf(t);
    return { prefix: prefixStart, prefixKeys: prefixEnd - prefixStart, ownKeys: ownEnd - ownStart };
  }

  private allocate(): void {
    const { heads: H, kvHeads: KV, headDim: D } = this.shape;
    const { T } = this;
    const floats = {
      words: this.words.length,
      rowWords: this.rowWords.length,
      tiles: this.tiles.length,
      decoding: this.decoding.length,
      pages: 4,
      query: T * H * D,
      cache: T * 2 * KV * D,
      partials: this.rows.length * partialFloatsOf(H, D, this.splits.splits),
      out: T * H * D,
      lse: T * H,
      dout: T * H * D,
      dquery: T * H * D,
      delta: T * H,
      dcache: T * 2 * KV * D,
    };
    for (const [name, count] of Object.entries(floats))
      this.buffers[name] = this.device.createBuffer(`AttentionTrial.${name}`, count * 4);
  }

  /** Uploads queries. For decoding alone, the queries of the decoding rows come first. */
  setQuery(recorder: Recorder, values: Float32Array<ArrayBuffer>): void {
    recorder.upload(this.buffers.query, 0, values);
  }

  /** Uploads the token descriptions. All other values are zero. */
  describe(recorder: Recorder): void {
    for (const name of ['words', 'rowWords', 'tiles', 'decoding'] as const)
      recorder.upload(this.buffers[name], 0, this[name]);
  }

  /** Uploads the token descriptions, and random values of magnitude about 1. */
  upload(recorder: Recorder): void {
    this.describe(recorder);
    for (const name of ['query', 'cache', 'dout'] as const) recorder.upload(this.buffers[name], 0, this.values(name));
  }

  values(name: 'query' | 'cache' | 'dout'): Float32Array<ArrayBuffer> {
    const { heads, kvHeads, headDim } = this.shape;
    const width = name === 'cache' ? 2 * kvHeads : heads;
    return normals(this.T * width * headDim, 1, name, 1) as Float32Array<ArrayBuffer>;
  }

  async read(recorder: Recorder, name: 'out' | 'lse' | 'dquery' | 'dcache', count: number): Promise<Float32Array> {
    const [bytes] = await recorder.read([{ ...this.slice(name), size: count * 4 }]);
    return new Float32Array(bytes);
  }

  private slice(name: string): BufferSlice {
    return whole(this.buffers[name]);
  }

  private bindings(tokens: string, tiles: string) {
    const named = ['pages', 'query', 'cache', 'partials', 'out', 'lse'] as const;
    const rest = Object.fromEntries(named.map((name) => [name, this.slice(name)])) as {
      [name in (typeof named)[number]]: BufferSlice;
    };
    return { tokens: this.slice(tokens), tiles: this.slice(tiles), ...rest };
  }

  forward(recording: Recording, form: AttentionForm): void {
    const pass: AttentionPass = { kind: 'batch', tiles: this.tiles.length / tileWords, format: plainCache };
    attentionForward(recording, this.shape, this.bindings('words', 'tiles'), this.T, this.pairs, pass, form);
  }

  backward(recording: Recording, form: AttentionForm): void {
    const { tokens, tiles, query, cache, out, lse } = this.bindings('words', 'tiles');
    const gradients = { dout: this.slice('dout'), dquery: this.slice('dquery') };
    const x = { tokens, tiles, query, cache, attended: out, lse, ...gradients };
    const rest = { delta: this.slice('delta'), dcache: this.slice('dcache') };
    attentionBackward(
      recording,
      this.shape,
      { ...x, ...rest },
      this.T,
      this.pairs,
      this.tiles.length / tileWords,
      form,
    );
  }

  train(recording: Recording, form: AttentionForm): void {
    this.forward(recording, form);
    this.backward(recording, form);
  }

  decode(recording: Recording, form: AttentionForm): void {
    const tiles = this.decoding.length / tileWords;
    const pass: AttentionPass = { kind: 'decode', tiles, format: plainCache, ...this.splits };
    const x = this.bindings('rowWords', 'decoding');
    attentionForward(recording, this.shape, x, this.rows.length, this.decodePairs, pass, form);
  }

  destroy(): void {
    for (const buffer of Object.values(this.buffers)) this.device.destroyBuffer(buffer);
  }
}
