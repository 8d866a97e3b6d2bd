/** Prefill: runs tokens of several sequences through the layers into the K/V cache, in pieces that fit a batch. */

import type { ModelConfig } from '../../config.ts';
import type { Weights } from '../../weights/linear.ts';
import type { CacheFormat } from '../attention.ts';
import type { Layers, Pass } from '../layers.ts';
import type { Operations } from '../operations.ts';
import type { Workspace } from '../workspace.ts';

/** Tokens to append to one sequence, and their place in the cache. */
export interface Sequence {
  tokens: ArrayLike<number>;
  /** Position of the sequence's first row. */
  position: number;
  /** Cache rows: the sequence's first row, the number of rows it already has, and the rows of its prompt. */
  base: number;
  length: number;
  prefix: [number, number];
  /** Output row of the last hidden state. */
  target: number;
}

export interface PrefillParts {
  config: ModelConfig;
  ops: Operations;
  ws: Workspace;
  layers: Layers;
  /** Tokens of one piece. */
  batchTokens: number;
  cache: Pass['cache'];
  format: CacheFormat;
  /** Called before a piece runs, to upload the page table. */
  beforePiece(): void;
}

export class Prefill {
  /** Number of tokens run since creation. */
  tokens = 0;

  constructor(private readonly parts: PrefillParts) {}

  /**
   * Runs sequences through the layers into the cache, in pieces that fit, and writes each one's last hidden state to
   * `into`.
   */
  run(weights: Weights, sequences: readonly Sequence[], into: 'groupHidden' | 'rowHidden'): void {
    const limit = this.parts.batchTokens;
    const ids: number[] = [];
    const words: number[] = [];
    const lasts: number[] = [];
    let pairs = 0;
    const flush = () => {
      this.runPiece(weights, ids, words, pairs, lasts, into);
      ids.length = words.length = lasts.length = pairs = 0;
    };
    for (const s of sequences) {
      for (let i = 0; i < s.tokens.length; i++) {
        if (ids.length === limit) flush();
        const own = s.base + s.length + i;
        words.push(s.position + s.length + i, own, s.prefix[0], s.prefix[1], s.base, own + 1, 0, 0);
        pairs += s.prefix[1] - s.prefix[0] + s.length + i + 1;
        ids.push(s.tokens[i]);
        if (i === s.tokens.length - 1) lasts.push(ids.length - 1, s.target);
      }
    }
    flush();
  }

  private runPiece(
    weights: Weights,
    ids: number[],
    words: number[],
    pairs: number,
    lasts: number[],
    into: 'groupHidden' | 'rowHidden',
  ): void {
    const T = ids.length;
    if (T === 0) return;
    const { ws, ops, config, layers, cache, format } = this.parts;
    this.tokens += T;
    ops.recorder.upload(ws.buffer('ids'), 0, Uint32Array.from(ids));
    const described = Uint32Array.from(words);
    ops.recorder.upload(ws.buffer('tokens'), 0, described);
    ops.recorder.upload(ws.buffer('pairs'), 0, Uint32Array.from(lasts));
    this.parts.beforePiece();
    const attention = layers.describeAttention(described, format, false);
    layers.forward(weights, { T, pairs, cache, attention });
    ops.gatherRows(
      ws.slice('pairs'),
      ws.slice(`layerInput.${config.numLayers}`),
      ws.slice(into),
      lasts.length / 2,
      config.hiddenSize,
    );
  }
}
