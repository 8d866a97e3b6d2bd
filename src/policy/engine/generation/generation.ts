/**
 * Batched decoding with a K/V cache that lives across turns: each token of a trajectory is computed once. A group's
 * prompt is computed once and shared. Sampling, the action mask and stop detection run on the GPU; the CPU reads back
 * once per round of at most `decodeChunk` tokens.
 *
 * K/V rows lie in pages (cache-pages.ts), which a row takes before a pass writes to them. Prompts and rows without free
 * pages wait (`admits`, `grow`).
 */
import { slice } from '../../../device/device.ts';
import type { ModelConfig } from '../../config.ts';
import { decodeChunk, rowWords, trieWordsPerRow } from '../../plan/decoding-buffers.ts';
import { mostTokens } from '../../plan/sizes.ts';
import type { AdmittedGroup, Capacity, GeneratedTurn, GenerateRow, Sampling, TokenTrie } from '../../policy.ts';
import type { Weights } from '../../weights/linear.ts';
import { type AttentionPass, type CacheFormat, mostSplits } from '../attention.ts';
import { BatchError } from '../batch.ts';
import type { Layers, Pass } from '../layers.ts';
import type { Operations } from '../operations.ts';
import type { Workspace } from '../workspace.ts';
import { type CachePages, type KvPrecision, pageBits } from './cache-pages.ts';
import { Prefill } from './prefill.ts';
import { type ActiveRow, closeRound, keepPending, roomOf, rowOf } from './rows.ts';
import { recordSample } from './sample.ts';
import { Slots } from './slots.ts';
import { noLeaf, packTries, partsOf } from './tries.ts';

/** Ending of a turn by the row's state on the GPU (shaders/row.wgsl). */
const endings = { 0: 'length', 1: 'leaf', 2: 'stop', 3: 'context' } as const;
/** Placeholder settings for recording kernels without sampling. */
const noSampling: Sampling = { temperature: 1, seed: 0, stream: 0, maxTokens: 1, stopTokens: [] };

export class Generation {
  tokensGenerated = 0;
  readonly slots: Slots;
  private readonly format: CacheFormat;
  private readonly prefill: Prefill;

  constructor(
    readonly config: ModelConfig,
    readonly ops: Operations,
    readonly ws: Workspace,
    readonly layers: Layers,
    readonly capacity: Capacity,
    kvCache: KvPrecision = 'f32',
  ) {
    this.slots = new Slots(capacity);
    this.format = { pageBits, int8: kvCache === 'int8' };
    const { batchTokens } = capacity;
    const beforePiece = () => this.uploadPages();
    this.prefill = new Prefill({
      config,
      ops,
      ws,
      layers,
      batchTokens,
      cache: this.cache,
      format: this.format,
      beforePiece,
    });
  }

  private get trieWords(): number {
    return trieWordsPerRow * this.capacity.rows;
  }

  private get cache(): Pass['cache'] {
    return (layer) => this.ws.slice(`cache.${layer}`);
  }

  get pages(): CachePages {
    return this.slots.pages;
  }

  get tokensPrefilled(): number {
    return this.prefill.tokens;
  }

  /** Runs the prompts that are not in the cache yet. Slots start empty after their prompts. */
  admit(weights: Weights, groups: readonly AdmittedGroup[]): void {
    const sequences = this.slots.place(groups).map(({ prompt, index }) => {
      const place = { base: this.pages.promptBase(index), target: index };
      return { tokens: prompt, position: 0, length: 0, prefix: [0, 0] as [number, number], ...place };
    });
    this.prefill.run(weights, sequences, 'groupHidden');
  }

  /** Uploads the page table if it changed. */
  private uploadPages(): void {
    if (!this.pages.changed) return;
    this.ops.recorder.upload(this.ws.buffer('pages'), 0, this.pages.table);
    this.pages.changed = false;
  }

  /**
   * Samples a few tokens of each row; unfinished turns continue. Every round has the same number of steps and a turn
   * starts with a round, so the kernels of a token do not depend on the other rows.
   */
  async round(
    weights: Weights,
    rows: readonly GenerateRow[],
    sampling: Sampling,
    signal?: AbortSignal,
  ): Promise<(GeneratedTurn | null)[]> {
    signal?.throwIfAborted();
    this.checkRows(rows);
    const all = rows.map((row, index) => rowOf(row, index, this.slots));
    const active = all.filter((row) => !row.done);
    const most = Math.min(decodeChunk, sampling.roundTokens ?? decodeChunk);
    const steps = Math.min(most, Math.max(...active.map((row) => roomOf(row, sampling))));
    for (const part of partsOf(active, this.trieWords)) {
      this.extend(weights, part);
      this.uploadRows(part, sampling);
      this.recordChunk(weights, part, sampling, steps);
      await this.readChunk(part, sampling, steps);
    }
    for (const row of active) keepPending(row);
    return all.map((row) => closeRound(row));
  }

  private checkRows(rows: readonly GenerateRow[]): void {
    if (rows.length > this.capacity.rows)
      throw new BatchError(`${rows.length} rows; at most ${this.capacity.rows} were planned.`);
  }

  private extend(weights: Weights, rows: ActiveRow[]): void {
    const { ws, ops, config } = this;
    for (const { slot, slotIndex, append } of rows) this.pages.needSlot(slotIndex, slot.length + append.length);
    const fresh: number[] = [];
    const sequences = rows.flatMap((row, r) => {
      if (row.append.length === 0) {
        if (row.slot.length > 0) throw new BatchError(`Slot ${row.slotIndex} has nothing to run before sampling.`);
        fresh.push(row.slot.group, r);
        return [];
      }
      const base = this.pages.slotBase(row.slotIndex);
      return [
        {
          tokens: row.append,
          position: row.slot.promptLength,
          base,
          length: row.slot.length,
          prefix: this.slots.prefix(row.slot),
          target: r,
        },
      ];
    });
    if (fresh.length > 0) {
      ops.recorder.upload(ws.buffer('pairs'), 0, Uint32Array.from(fresh));
      ops.gatherRows(
        ws.slice('pairs'),
        ws.slice('groupHidden'),
        ws.slice('rowHidden'),
        fresh.length / 2,
        config.hiddenSize,
      );
    }
    this.prefill.run(weights, sequences, 'rowHidden');
    for (const row of rows) {
      row.slot.length += row.append.length;
      row.slot.pending = [];
    }
  }

  private uploadRows(rows: ActiveRow[], sampling: Sampling): void {
    const { ws, ops } = this;
    const { words, nodeBase, edgeOffset } = packTries(rows, this.trieWords);
    this.edgeOffset = edgeOffset;
    this.nodeBase = nodeBase;
    ops.recorder.upload(ws.buffer('trie'), 0, words);
    const data = new Uint32Array(rows.length * rowWords);
    rows.forEach((row, r) => {
      const [prefixStart, prefixEnd] = this.slots.prefix(row.slot);
      const node = row.constraint ? nodeBase.get(row.constraint)! + row.node : 0;
      const base = this.pages.slotBase(row.slotIndex);
      data.set(
        [
          base,
          row.slot.length,
          this.capacity.completionTokens,
          prefixStart,
          prefixEnd,
          node,
          0,
          row.slot.key,
          noLeaf,
          0,
          row.constraint ? 1 : 0,
          0,
        ],
        r * rowWords,
      );
    });
    ops.recorder.upload(ws.buffer('rows'), 0, data);
    if (sampling.stopTokens.length > 63) throw new BatchError(`${sampling.stopTokens.length} stop tokens; at most 63.`);
    ops.recorder.upload(ws.buffer('stops'), 0, Uint32Array.from([sampling.stopTokens.length, ...sampling.stopTokens]));
  }

  private edgeOffset = 0;
  private nodeBase: ReadonlyMap<TokenTrie, number> = new Map();

  private recordChunk(weights: Weights, rows: ActiveRow[], sampling: Sampling, steps: number): void {
    const { ws, config } = this;
    const R = rows.length;
    const pairs = rows.reduce((sum, row) => sum + row.slot.promptLength + row.slot.length, 0);
    for (const { slot, slotIndex } of rows) this.pages.needSlot(slotIndex, this.slots.rowsAfter(slot.length + steps));
    this.uploadPages();
    const attention = this.describeDecoding(rows, steps);
    const sampled = {
      masked: rows.some((row) => row.constraint),
      open: rows.some((row) => !row.constraint),
      edgeOffset: this.edgeOffset,
      restRow: this.pages.restRow,
    };
    for (let step = 0; step < steps; step++) {
      if (step > 0) this.layers.forward(weights, { T: R, pairs: pairs + R * step, cache: this.cache, attention });
      const hidden = ws.slice(step > 0 ? `layerInput.${config.numLayers}` : 'rowHidden');
      recordSample(this, weights, hidden, R, step, sampling, sampled);
    }
  }

  /** Describes the keys that the next steps attend to, at most `more` of them new. */
  private describeDecoding(rows: readonly ActiveRow[], more: number): AttentionPass {
    const { capacity } = this;
    const bounds = rows.map(({ slot }) => ({
      prefix: this.pages.promptBase(slot.group),
      prefixKeys: slot.promptLength,
      ownKeys: Math.min(slot.length + more, capacity.completionTokens),
    }));
    return this.layers.describeDecoding(bounds, capacity, this.format);
  }

  /**
   * Requests the kernels of a prefill and a decoding step of this many rows, or of as many as the layers have room for,
   * while the recorder sends nothing.
   */
  recordPasses(weights: Weights, rows: number): void {
    const T = Math.min(rows, mostTokens(this.capacity));
    const splits = mostSplits(this.capacity.promptTokens, this.capacity.completionTokens);
    const shared = { tiles: 1, format: this.format };
    const passes: AttentionPass[] = [
      { kind: 'batch', ...shared },
      { kind: 'decode', ...splits, ...shared },
    ];
    for (const attention of passes) this.layers.forward(weights, { T, pairs: T, cache: this.cache, attention });
    const both = { masked: weights.canMask, open: true, edgeOffset: 0, restRow: this.pages.restRow };
    recordSample(this, weights, this.ws.slice('rowHidden'), T, 0, noSampling, both);
  }

  /** Reads the sampled tokens back. A turn is cut at its own token limit, even if more tokens were sampled. */
  private async readChunk(rows: ActiveRow[], sampling: Sampling, steps: number): Promise<void> {
    const { ws, ops } = this;
    const R = rows.length;
    const size = R * steps * 4;
    const [rowBytes, tokenBytes, logprobBytes] = await ops.recorder.read([
      slice(ws.buffer('rows'), 0, R * rowWords * 4),
      slice(ws.buffer('outTokens'), 0, size),
      slice(ws.buffer('outLogprobs'), 0, size),
    ]);
    const words = new Uint32Array(rowBytes);
    const tokens = new Uint32Array(tokenBytes);
    const logprobs = new Float32Array(logprobBytes);
    rows.forEach((row, r) => {
      const state = words[r * rowWords + 6] as 0 | 1 | 2 | 3;
      const all = Math.min(words[r * rowWords + 9], steps);
      const count = Math.min(all, roomOf(row, sampling));
      for (let i = 0; i < count; i++) {
        row.tokens.push(tokens[i * R + r]);
        row.logprobs.push(logprobs[i * R + r]);
      }
      this.tokensGenerated += count;
      if (row.constraint) row.node = words[r * rowWords + 5] - this.nodeBase.get(row.constraint)!;
      const isCut = count < all;
      const leaf = words[r * rowWords + 8];
      row.leaf = isCut || leaf === noLeaf ? -1 : leaf;
      row.ending = isCut ? 'length' : endings[state];
      row.done = isCut || state !== 0 || roomOf(row, sampling) === 0;
    });
  }
}
