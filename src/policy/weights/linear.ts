/**
 * Weights as used by the layers and the head: products with matrices, rows of tables, vectors. Implementations decide
 * on f32 or packed, trained, frozen or adapted matrices (here, in packed-weights.ts and in adapted.ts); the
 * transformer's sequence of operations is independent of that choice.
 */
import { type BufferSlice, grid1d, slice } from '../../device/device.ts';
import type { ModelConfig } from '../config.ts';
import { BatchError } from '../engine/batch.ts';
import type { ScoredLogits } from '../engine/logit-gradient.ts';
import type { LowRankInputTerm, LowRankTerm } from '../engine/low-rank-forms.ts';
import { type NormInput, normalise } from '../engine/normed-product.ts';
import type { Operations } from '../engine/operations.ts';
import type { Workspace } from '../engine/workspace.ts';
import { StateError } from '../state-error.ts';
import { type ParameterSet, type Table, tableOf, tableOperand } from './parameters.ts';
import type { PackedRows } from './quantize.ts';

/** Scatter list in the `lists` buffer. */
export interface ListAt {
  offset: number;
  rows: number;
  entries: number;
}

/** Allowed entries of a masked head: their number E, and the offsets of their rows and tokens in `lists`. */
export interface Entries {
  E: number;
  row: number;
  token: number;
}

/**
 * Operations of a model's weights. Operands are named by `layerOperands` (parameters.ts); M rows, N outputs, K inputs,
 * C hidden, all activations f32. A frozen base in another precision (int8, int4) implements all of `BaseWeights`; it
 * ignores `inp` and `hidden` in the two backward products and returns null from every `gradient`. The reference of an
 * adapted model is its base. Vectors (norms, biases, head gains) stay f32.
 */
export interface Weights {
  /** Gain of a norm, or the head gains: norm1, norm2, headGains, finalNorm. */
  vector(operand: string): BufferSlice;
  /**
   * out (M, N) = inp (M, K) W^T (+ the operand's bias) (+ residual). Operands: qkv, output, gateUp, down. `activated`:
   * receives SwiGLU's activation of out, if `activates`.
   */
  forward(operand: string, inp: BufferSlice, out: BufferSlice, M: number, extra?: ForwardExtra): void;
  /** True if the forward product of gateUp writes the activation, too. */
  activates(operand: string, M: number): boolean;
  /**
   * dinp (M, K) = dout (M, N) W; adds the gradients of trained weights, computed from the forward's `inp`. Runs in the
   * pass whose forward had the same operand and rows.
   */
  backward(
    operand: string,
    dout: BufferSlice,
    inp: BufferSlice,
    dinp: BufferSlice,
    M: number,
    extra?: BackwardExtra,
  ): void;
  /** True if the backward product adds an adapter's gradient of the same input and applies SwiGLU's gradient. */
  fusesGradients(operand: string, M: number): boolean;
  /** out (T, C) = rows `ids` (T) of the embedding. */
  embed(ids: BufferSlice, out: BufferSlice, T: number): void;
  /**
   * out (M, rows) = hidden (M, C) times the head's vocabulary rows [first, first + rows)^T, all in one binding. `first`
   * is a multiple of `vocabularyTile`. `scored`: out is the gradient of these logits, if `differentiatesLogits`.
   */
  logits(hidden: BufferSlice, out: BufferSlice, M: number, first: number, rows: number, scored?: ScoredLogits): void;
  /** True if the product of that many rows of the head writes the gradient of its logits. */
  differentiatesLogits(M: number, rows: number): boolean;
  /**
   * dhidden (M, C) = dlogits times those rows, added to the result of earlier tiles; adds the head's gradient if it is
   * trained.
   */
  logitsBackward(
    dlogits: BufferSlice,
    hidden: BufferSlice,
    dhidden: BufferSlice,
    M: number,
    first: number,
    rows: number,
  ): void;
  /** Rows of the head that one binding holds: all, or a multiple of `vocabularyTile`. */
  readonly headRows: number;
  /** True if one binding holds the whole head, as the masked head and constrained decoding require. */
  readonly canMask: boolean;
  /** Masked head: out (E) = logit of each entry / temperature, hidden (N, C). */
  entryLogits(entries: Entries, hidden: BufferSlice, out: BufferSlice, temperature: number): void;
  /** Masked head: out (N, C) += scale (E) times each entry's row of the head. */
  scatterTable(list: ListAt, scale: BufferSlice, out: BufferSlice): void;
  /**
   * Samples one token per constrained row with the kernel sample_masked, which reads the head's rows of the trie's
   * edges.
   */
  sampleMasked(hidden: BufferSlice, others: readonly BufferSlice[], R: number, params: MaskedSampling): void;
  /** Gradient buffer of an operand; null if the operand is frozen. */
  gradient(operand: string): BufferSlice | null;
  destroy(): void;
}

/** What a forward product adds and what it writes beside its result, never both, and its place in the pass. */
export interface ForwardExtra {
  /** The product's input is the RMSNorm of this one, and is written first. */
  norm?: NormInput;
  /** First of the rows in the pass. Default: 0. */
  first?: number;
  residual?: BufferSlice;
  activated?: BufferSlice;
  /** True if the same product has run before in this pass, with the same values. */
  again?: boolean;
}

export interface BackwardExtra {
  /** First of the rows in the pass. Default: 0. */
  first?: number;
  /** If `fusesGradients`: dinp (M, 2 K) has gates and ups in, and their gradient out. */
  gated?: boolean;
}

/** Scalars of sample_masked that do not depend on the weights. */
export interface MaskedSampling {
  step: number;
  trash: number;
  edgeOffset: number;
  seed: number;
  stream: number;
  inverseTemperature: number;
}

/** Storage of a frozen base's matrices: f32, or packed (quantize.ts). Vectors are always f32. */
export type Precision = 'f32' | 'int8' | 'int4';

/** Some whole rows of a tensor, f32 or packed. A vector is one row. */
export type WeightPiece = {
  name: string;
  shape: readonly number[];
  /** First row. */
  row: number;
  rows: number;
} & ({ kind: 'f32'; values: Float32Array } | { kind: 'packed'; packed: PackedRows });

/** Base weights of a model. They are written in pieces, so that a large model is never completely in memory. */
export interface BaseWeights extends Weights {
  /** `lowRank`: also adds an adapter's second product, if `addsLowRank` is true for the operand and M. */
  forward(
    operand: string,
    inp: BufferSlice,
    out: BufferSlice,
    M: number,
    extra?: ForwardExtra & { lowRank?: LowRankTerm },
  ): void;
  /** True if the chosen form of the product adds an adapter's second product. */
  addsLowRank(operand: string, M: number): boolean;
  /** `lowRank`: also adds an adapter's gradient of the same input, if `fusesGradients`. */
  backward(
    operand: string,
    dout: BufferSlice,
    inp: BufferSlice,
    dinp: BufferSlice,
    M: number,
    extra?: BackwardExtra & { lowRank?: LowRankInputTerm },
  ): void;
  /** Writes a piece to its place. Throws StateError for a piece in another precision. */
  write(piece: WeightPiece): void;
}

/** f32 weights, all trained if `grads` is given, except frozen embeddings; else frozen. */
export class DenseWeights implements BaseWeights {
  private readonly C: number;
  /** Gradients of embedding and head. */
  private readonly tableGrads: ParameterSet | null;
  private readonly embedding: Table;
  private readonly head: Table;

  constructor(
    config: ModelConfig,
    private readonly ops: Operations,
    private readonly ws: Workspace,
    readonly set: ParameterSet,
    readonly grads: ParameterSet | null = null,
    /** Embedding and head get no gradient. */
    frozenTables = false,
  ) {
    this.C = config.hiddenSize;
    this.tableGrads = frozenTables ? null : grads;
    const blockBytes = set.device.bindingBytes;
    this.embedding = tableOf(config, 'embedding', this.C * 4, blockBytes);
    this.head = tableOf(config, 'head', this.C * 4, blockBytes);
  }

  write(piece: WeightPiece): void {
    if (piece.kind !== 'f32') throw new StateError(`${piece.name} is packed; this model keeps its weights in f32.`);
    const start = (piece.row * piece.values.length) / piece.rows;
    this.set.write(this.ops.recorder, piece.name, start, piece.values);
  }

  vector(operand: string): BufferSlice {
    return this.set.slice(operand);
  }

  forward(
    operand: string,
    inp: BufferSlice,
    out: BufferSlice,
    M: number,
    { residual, lowRank, norm }: { residual?: BufferSlice; lowRank?: LowRankTerm; norm?: NormInput } = {},
  ): void {
    const [N, K] = this.set.shape(operand);
    if (norm) normalise(this.ops, norm, inp, M, K);
    const bias = this.set.has(`${operand}Bias`) ? this.set.slice(`${operand}Bias`) : undefined;
    this.ops.matmulNT(inp, this.set.slice(operand), out, M, N, K, { bias, residual, lowRank });
  }

  addsLowRank(operand: string, M: number): boolean {
    const [N, K] = this.set.shape(operand);
    return this.ops.addsLowRank(M, N, K);
  }

  activates(): boolean {
    return false;
  }

  fusesGradients(): boolean {
    return false;
  }

  backward(operand: string, dout: BufferSlice, inp: BufferSlice, dinp: BufferSlice, M: number): void {
    const { ops, grads } = this;
    const [N, K] = this.set.shape(operand);
    ops.matmulNN(dout, this.set.slice(operand), dinp, M, N, K);
    if (!grads) return;
    const partials = this.ws.slice('partials');
    if (grads.has(`${operand}Bias`)) {
      const chunks = ops.columnSum(dout, partials, M, N);
      ops.reducePartials(partials, grads.slice(`${operand}Bias`), N, chunks);
    }
    ops.matmulTN(dout, inp, grads.slice(operand), partials, M, N, K);
  }

  embed(ids: BufferSlice, out: BufferSlice, T: number): void {
    const { rows, rowsEach } = this.embedding;
    for (let first = 0; first < rows; first += rowsEach) {
      const table = this.set.slice(tableOperand(this.embedding, first));
      this.ops.embed(ids, table, out, T, this.C, first, Math.min(rowsEach, rows - first));
    }
  }

  /** Rows [first, first + rows) of the head. A tile never spans two operands. */
  private tile(set: ParameterSet, first: number, rows: number): BufferSlice {
    const operand = set.slice(tableOperand(this.head, first));
    const rowBytes = this.C * 4;
    return slice(operand.buffer, operand.offset + (first % this.head.rowsEach) * rowBytes, rows * rowBytes);
  }

  logits(hidden: BufferSlice, out: BufferSlice, M: number, first: number, rows: number): void {
    this.ops.matmulNT(hidden, this.tile(this.set, first, rows), out, M, rows, this.C);
  }

  differentiatesLogits(): boolean {
    return false;
  }

  logitsBackward(
    dlogits: BufferSlice,
    hidden: BufferSlice,
    dhidden: BufferSlice,
    M: number,
    first: number,
    rows: number,
  ): void {
    const { ops, tableGrads, C } = this;
    ops.matmulNN(dlogits, this.tile(this.set, first, rows), dhidden, M, rows, C, first > 0);
    if (tableGrads)
      ops.matmulTN(dlogits, hidden, this.tile(tableGrads, first, rows), this.ws.slice('partials'), M, rows, C);
  }

  get headRows(): number {
    return this.head.rowsEach;
  }

  get canMask(): boolean {
    return this.head.rowsEach >= this.head.rows;
  }

  private wholeHead(): BufferSlice {
    if (!this.canMask)
      throw new BatchError(
        `Constrained decoding reads the whole head at once: ${this.head.rows * this.C * 4} bytes, more than this adapter binds. Turn the action mask off.`,
      );
    return this.set.slice(this.head.name);
  }

  entryLogits({ E, row, token }: Entries, hidden: BufferSlice, out: BufferSlice, temperature: number): void {
    const { ops, ws, C } = this;
    ops.recorder.run({
      kernel: ops.kernels.request('head_sparse_logits', { WIDTH: C % 4 === 0 ? 4 : 1, BITS: 32 }),
      bindings: [ws.slice('lists'), hidden, this.wholeHead(), out],
      grid: grid1d(Math.ceil(E / 64)),
      // A table of floats has no scales.
      params: { E, C, rowOffset: row, tokenOffset: token, inverseTemperature: 1 / temperature, scalesAt: 0 },
      flops: 2 * E * C,
    });
  }

  scatterTable(list: ListAt, scale: BufferSlice, out: BufferSlice): void {
    this.ops.scatterRows(this.ws.slice('lists'), list, this.wholeHead(), out, this.C, scale);
  }

  sampleMasked(hidden: BufferSlice, others: readonly BufferSlice[], R: number, params: MaskedSampling): void {
    const { ops, C } = this;
    ops.recorder.run({
      kernel: ops.kernels.request('sample_masked', { WIDTH: C % 4 === 0 ? 4 : 1, BITS: 32 }),
      bindings: [hidden, this.wholeHead(), ...others],
      grid: grid1d(R),
      // A table of floats has no scales.
      params: { R, C, ...params, scalesAt: 0 },
      flops: 40 * R * C,
    });
  }

  gradient(operand: string): BufferSlice | null {
    if (operand === 'head' || operand === 'embedding')
      return this.tableGrads?.slice((operand === 'head' ? this.head : this.embedding).name) ?? null;
    return this.grads?.slice(operand) ?? null;
  }

  destroy(): void {
    this.set.destroy();
    this.grads?.destroy();
  }
}
