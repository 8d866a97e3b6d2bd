/**
 * Language-model head: log-probability and entropy of scored tokens, and their gradient, without ever holding a
 * (tokens, vocabulary) matrix. Two forms give the same result:
 * - dense: the vocabulary is processed in tiles with a running softmax per row; the backward recomputes each tile if
 * there are several.
 * - masked: only each row's allowed tokens have logits (DESIGN.md section 1); sums use precomputed lists.
 *
 * N scored rows, E allowed entries, V vocabulary, C hidden. Temperature divides the logits in both.
 */
import { grid1d } from '../../device/device.ts';
import type { ModelConfig } from '../config.ts';
import { allowedCapacity } from '../plan/head-buffers.ts';
import type { Capacity, PackedBatch, TeacherRows } from '../policy.ts';
import type { ListAt, Weights } from '../weights/linear.ts';
import { vocabularyTile } from '../weights/parameters.ts';
import { allowedEntries, BatchError, entryStarts, predecessors, type ScatterList, scatterList } from './batch.ts';
import type { ScoredLogits } from './logit-gradient.ts';
import type { Operations } from './operations.ts';
import type { Workspace } from './workspace.ts';

const ceil = (a: number, b: number) => Math.ceil(a / b);

/** Scored rows of an uploaded batch. */
export interface ScoredRows {
  N: number;
  /** Sums the rows' gradients into the tokens from which they are predicted. */
  intoTokens: ListAt;
  /** Adds each row's value gradient to its hidden state; null if no value gradient goes there. */
  intoHidden: ListAt | null;
  masked: null | MaskedRows;
}

interface MaskedRows {
  E: number;
  starts: number;
  row: number;
  token: number;
  intoHidden: ListAt;
  intoTable: ListAt;
  /** Divergence (`UpdateRequest.divergence`) from the uploaded teacher; absent: none. */
  divergence?: number;
}

/** Writes arrays one after another into one buffer. */
class Packer {
  at = 0;
  constructor(
    readonly capacity: number,
    readonly write: (offset: number, words: Uint32Array<ArrayBuffer>) => void,
  ) {}

  add(words: Uint32Array<ArrayBuffer>): number {
    const offset = this.at;
    if (offset + words.length > this.capacity) {
      throw new BatchError(`The lists of this batch need more than the ${this.capacity} words planned for them.`);
    }
    this.write(offset * 4, words);
    this.at += words.length;
    return offset;
  }

  addList(list: ScatterList): ListAt {
    return { offset: this.add(list.words as Uint32Array<ArrayBuffer>), rows: list.rows, entries: list.entries };
  }
}

/** [0, n) as an array. */
function numbersTo(n: number): Uint32Array {
  const out = new Uint32Array(n);
  for (let i = 0; i < n; i++) out[i] = i;
  return out;
}

/** (N + E) weight of each row's divergence, and a log-probability for each of its allowed tokens. */
function teacherWords({ allowed, scored }: PackedBatch, teacher: TeacherRows, vocabSize: number) {
  const { offsets, logprobs, weights } = teacher;
  const N = scored.length;
  if (offsets.length !== N + 1 || weights.length !== N)
    throw new BatchError(
      `A teacher of ${offsets.length - 1} rows with ${weights.length} weights for ${N} scored tokens.`,
    );
  const starts = entryStarts(allowed!, vocabSize);
  const words = new Float32Array(N + starts[N]);
  for (let n = 0; n < N; n++) {
    const row = logprobs.subarray(offsets[n], offsets[n + 1]);
    if (row.length === 0) continue;
    const size = starts[n + 1] - starts[n];
    if (row.length !== size)
      throw new BatchError(`Row ${n} has ${size} allowed tokens, and its teacher ${row.length}.`);
    words[n] = weights[n];
    words.set(row, N + starts[n]);
  }
  return words;
}

export class Head {
  constructor(
    readonly config: ModelConfig,
    readonly ops: Operations,
    readonly ws: Workspace,
    readonly capacity: Capacity,
  ) {}

  /** Vocabulary tiles as (first row, number of rows). */
  private tiles(): [number, number][] {
    const list: [number, number][] = [];
    for (let v = 0; v < this.config.vocabSize; v += vocabularyTile) {
      list.push([v, Math.min(vocabularyTile, this.config.vocabSize - v)]);
    }
    return list;
  }

  /** Uploads the head's inputs of a batch. The embedding's scatter list follows the head's in `lists`. */
  upload(batch: PackedBatch): ScoredRows & { embedding: ListAt } {
    const { ws } = this;
    const N = batch.scored.length;
    if (N > this.capacity.batchScored)
      throw new BatchError(`${N} scored tokens; at most ${this.capacity.batchScored} were planned.`);
    const recorder = this.ops.recorder;
    const lists = ws.buffer('lists');
    const packer = new Packer(lists.size / 4, (offset, words) => recorder.upload(lists, offset, words));
    const before = predecessors(batch);
    const targets = new Uint32Array(N);
    const pairs = new Uint32Array(N * 2);
    for (let n = 0; n < N; n++) {
      targets[n] = batch.tokens[batch.scored[n]];
      pairs[2 * n] = before[n];
      pairs[2 * n + 1] = n;
    }
    recorder.upload(ws.buffer('targets'), 0, targets);
    recorder.upload(ws.buffer('pairs'), 0, pairs);
    const intoTokens = packer.addList(scatterList(before, numbersTo(N)));
    const embedding = packer.addList(scatterList(batch.tokens, numbersTo(batch.tokens.length)));
    const masked = batch.allowed ? this.uploadMask(batch, targets, packer) : null;
    const values = ws.has('valueSeeds');
    const intoHidden = values ? packer.addList(scatterList(numbersTo(N), new Uint32Array(N), true)) : null;
    return { N, intoTokens, intoHidden, embedding, masked };
  }

  private uploadMask(batch: PackedBatch, targets: Uint32Array, packer: Packer): ScoredRows['masked'] {
    const { starts, row, token, entries } = allowedEntries(batch.allowed!, targets, this.config.vocabSize);
    const most = allowedCapacity(this.capacity, this.config.vocabSize);
    if (entries > most) throw new BatchError(`${entries} allowed tokens in this batch; at most ${most} were planned.`);
    return {
      E: entries,
      starts: packer.add(starts),
      row: packer.add(row),
      token: packer.add(token),
      intoHidden: packer.addList(scatterList(row, token, true)),
      intoTable: packer.addList(scatterList(token, row, true)),
    };
  }

  /** Uploads a teacher's distributions of masked rows, whose divergence the next backward adds to the loss. */
  uploadTeacher({ masked }: ScoredRows, batch: PackedBatch, teacher: TeacherRows, divergence: number): void {
    if (!masked || !this.ws.has('teacher'))
      throw new BatchError("This policy was planned without a teacher's distributions.");
    masked.divergence = divergence;
    this.ops.recorder.upload(this.ws.buffer('teacher'), 0, teacherWords(batch, teacher, this.config.vocabSize));
  }

  /**
   * Uploads the weight of each row's value in the loss, and the value head. Their product is the gradient added to the
   * rows' hidden states.
   */
  uploadValues(valueWeight: Float64Array, slopes: Float32Array<ArrayBuffer>, trunkWeight: number): void {
    const { recorder } = this.ops;
    recorder.upload(
      this.ws.buffer('valueSeeds'),
      0,
      Float32Array.from(valueWeight, (weight) => weight * trunkWeight),
    );
    recorder.upload(this.ws.buffer('valueHead'), 0, slopes);
  }

  /** Computes `results` (logprob, entropy) from the last layer's output, starting at row `resultOffset`. */
  forward(weights: Weights, rows: ScoredRows, resultOffset: number, temperature: number): void {
    const { ws, ops, config } = this;
    const C = config.hiddenSize;
    if (rows.N === 0) return;
    ops.gatherRows(ws.slice('pairs'), ws.slice(`layerInput.${config.numLayers}`), ws.slice('hidden'), rows.N, C);
    ops.rmsnorm(
      ws.slice('hidden'),
      weights.vector('finalNorm'),
      ws.slice('hiddenNormed'),
      ws.slice('rstdHead'),
      rows.N,
      C,
      config.rmsNormEps,
    );
    this.scoresFromHidden(weights, rows, resultOffset, temperature);
  }

  /** Computes `results` from `hiddenNormed`. */
  scoresFromHidden(weights: Weights, rows: ScoredRows, resultOffset: number, temperature: number): void {
    if (rows.masked) this.maskedForward(weights, rows, resultOffset, temperature);
    else this.denseForward(weights, rows, resultOffset, temperature);
  }

  private denseForward(weights: Weights, rows: ScoredRows, resultOffset: number, temperature: number): void {
    const { ws, ops } = this;
    for (const [first, W] of this.tiles()) {
      weights.logits(ws.slice('hiddenNormed'), ws.slice('logits'), rows.N, first, W);
      ops.headLseUpdate(
        { logits: ws.slice('logits'), targets: ws.slice('targets'), state: ws.slice('softmax') },
        rows.N,
        W,
        first,
        temperature,
      );
    }
    ops.headFinish(ws.slice('softmax'), ws.slice('results'), ws.slice('headLse'), rows.N, resultOffset);
  }

  private maskedForward(weights: Weights, rows: ScoredRows, resultOffset: number, temperature: number): void {
    const { ws, ops } = this;
    const mask = rows.masked!;
    weights.entryLogits(mask, ws.slice('hiddenNormed'), ws.slice('entryLogits'), temperature);
    ops.recorder.run({
      kernel: ops.kernels.request('head_sparse_finish'),
      bindings: [
        ws.slice('lists'),
        ws.slice('targets'),
        ws.slice('entryLogits'),
        ws.slice('results'),
        ws.slice('headLse'),
      ],
      grid: grid1d(ceil(rows.N, 64)),
      params: { N: rows.N, startOffset: mask.starts, tokenOffset: mask.token, resultOffset },
      flops: 6 * mask.E,
    });
  }

  /**
   * Runs directly after the forward of the same rows. Computes, from `seeds` (weight, entropyWeight per row), the
   * gradient of the last layer's output in `dlayer` and of the head's weights if they are trained. If `values` is true,
   * adds the gradient of the uploaded values.
   */
  backward(
    weights: Weights,
    rows: ScoredRows,
    T: number,
    resultOffset: number,
    temperature: number,
    values = false,
  ): void {
    const { ws, ops, config } = this;
    const C = config.hiddenSize;
    ops.recorder.clear(ws.buffer('dlayer'), 0, T * C * 4);
    if (rows.N === 0) return;
    if (rows.masked) this.maskedBackward(weights, rows, resultOffset, temperature);
    else this.denseBackward(weights, rows, resultOffset, temperature);
    if (values && rows.intoHidden)
      ops.scatterRows(
        ws.slice('lists'),
        rows.intoHidden,
        ws.slice('valueHead'),
        ws.slice('dhidden'),
        C,
        ws.slice('valueSeeds'),
      );
    ops.rmsnormBackward(
      {
        inp: ws.slice('hidden'),
        gain: weights.vector('finalNorm'),
        rstd: ws.slice('rstdHead'),
        dout: ws.slice('dhidden'),
        dinp: ws.slice('dhidden2'),
        dgain: weights.gradient('finalNorm'),
        partials: ws.slice('partials'),
      },
      rows.N,
      C,
    );
    ops.scatterRows(ws.slice('lists'), rows.intoTokens, ws.slice('dhidden2'), ws.slice('dlayer'), C);
  }

  private denseBackward(weights: Weights, rows: ScoredRows, resultOffset: number, temperature: number): void {
    const { ws, ops } = this;
    const logits = ws.slice('logits');
    const tiles = this.tiles();
    const hidden = ws.slice('hiddenNormed');
    for (const [first, W] of tiles) {
      const scored: ScoredLogits = {
        targets: ws.slice('targets'),
        lse: ws.slice('headLse'),
        results: ws.slice('results'),
        seeds: ws.slice('seeds'),
        params: { first, resultOffset, inverseTemperature: 1 / temperature },
      };
      // With a single tile, the logits of the forward are still in the buffer.
      const isAgain = tiles.length > 1;
      if (isAgain && weights.differentiatesLogits(rows.N, W)) weights.logits(hidden, logits, rows.N, first, W, scored);
      else {
        if (isAgain) weights.logits(hidden, logits, rows.N, first, W);
        ops.headDlogits(scored, logits, rows.N, W);
      }
      weights.logitsBackward(logits, hidden, ws.slice('dhidden'), rows.N, first, W);
    }
  }

  private maskedBackward(weights: Weights, rows: ScoredRows, resultOffset: number, temperature: number): void {
    const { ws, ops, config } = this;
    const mask = rows.masked!;
    const C = config.hiddenSize;
    const logits = ws.slice('entryLogits');
    if (mask.divergence !== undefined) this.divergenceBackward(rows, mask, mask.divergence, resultOffset, temperature);
    else this.entriesBackward(mask, resultOffset, temperature);
    ops.recorder.clear(ws.buffer('dhidden'), 0, rows.N * C * 4);
    weights.scatterTable(mask.intoHidden, logits, ws.slice('dhidden'));
    const dtable = weights.gradient('head');
    if (dtable) ops.scatterRows(ws.slice('lists'), mask.intoTable, ws.slice('hiddenNormed'), dtable, C, logits);
  }

  /** What the gradients of the masked logits read of each row. */
  private rowSlices() {
    const names = ['lists', 'targets', 'headLse', 'results', 'seeds'] as const;
    return names.map((name) => this.ws.slice(name));
  }

  private entriesBackward(mask: MaskedRows, resultOffset: number, temperature: number): void {
    const { ws, ops } = this;
    ops.recorder.run({
      kernel: ops.kernels.request('head_sparse_dlogits'),
      bindings: [...this.rowSlices(), ws.slice('entryLogits')],
      grid: grid1d(ceil(mask.E, 64)),
      params: {
        ...{ E: mask.E, rowOffset: mask.row, tokenOffset: mask.token, resultOffset },
        inverseTemperature: 1 / temperature,
      },
      flops: 10 * mask.E,
    });
  }

  private divergenceBackward(
    { N }: ScoredRows,
    mask: MaskedRows,
    beta: number,
    resultOffset: number,
    temperature: number,
  ): void {
    const { ws, ops } = this;
    ops.recorder.run({
      kernel: ops.kernels.request('head_divergence_dlogits'),
      bindings: [...this.rowSlices(), ws.slice('teacher'), ws.slice('entryLogits'), ws.slice('divergences')],
      grid: grid1d(ceil(N, 64)),
      params: {
        ...{ N, startOffset: mask.starts, tokenOffset: mask.token, resultOffset },
        ...{ inverseTemperature: 1 / temperature, beta },
      },
      flops: 30 * mask.E,
    });
  }
}
