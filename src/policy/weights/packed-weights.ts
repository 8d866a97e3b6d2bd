/**
 * Frozen base in int4 or int8: implements the interface of linear.ts on packed rows. Its backward computes gradients of
 * the inputs only, from the same codes as the forward. It is filled in pieces of some rows of a tensor, which arrive
 * packed or are packed here.
 */
import { type BufferSlice, type Device, type DeviceBuffer, grid1d, type Recorder, slice } from '../../device/device.ts';
import type { ModelConfig } from '../config.ts';
import { BatchError } from '../engine/batch.ts';
import type { ScoredLogits } from '../engine/logit-gradient.ts';
import type { LowRankInputTerm, LowRankTerm } from '../engine/low-rank-forms.ts';
import { normalise } from '../engine/normed-product.ts';
import type { Operations } from '../engine/operations.ts';
import {
  formatConstants,
  QuantizedOperations,
  type QuantSlice,
  type QuantTable,
} from '../engine/quantized-operations.ts';
import type { Workspace } from '../engine/workspace.ts';
import { StateError } from '../state-error.ts';
import { convertRows, holds } from './convert-rows.ts';
import type {
  BackwardExtra,
  BaseWeights,
  Entries,
  ForwardExtra,
  ListAt,
  MaskedSampling,
  WeightPiece,
} from './linear.ts';
import type { PackedLayout, PackedOperand, PackedPart } from './packed-layout.ts';
import { ParameterSet, tableOperand } from './parameters.ts';
import { type PackedRow, type PackedRows, quantizeRows } from './quantize.ts';

const width = (k: number) => (k % 4 === 0 ? 4 : 1);

/** Packed blocks and f32 vectors of a model on the GPU. */
export class PackedSet {
  readonly vectors: ParameterSet;
  private readonly buffers: DeviceBuffer[];
  private readonly parts: { operand: PackedOperand; part: PackedPart }[];

  constructor(
    readonly device: Device,
    readonly layout: PackedLayout,
  ) {
    this.buffers = layout.blocks.map((words, i) => device.createBuffer(`packed.${i}`, words * 4));
    this.vectors = new ParameterSet(device, layout.vectors, 'vectors');
    this.parts = [...layout.operands.values()].flatMap((operand) => operand.parts.map((part) => ({ operand, part })));
  }

  operand(name: string): PackedOperand {
    const operand = this.layout.operands.get(name);
    if (!operand) throw new RangeError(`This model has no ${name}.`);
    return operand;
  }

  /** Rows [first, first + rows) of an operand. `first` must be a valid binding offset. */
  rows(name: string, first: number, rows: number): QuantSlice {
    const { row, block, codesAt, scalesAt } = this.operand(name);
    const part = (at: number, words: number) => slice(this.buffers[block], (at + first * words) * 4, rows * words * 4);
    const { bits, minimum } = row;
    return { bits, minimum, codes: part(codesAt, row.codeWords), scales: part(scalesAt, row.scaleWords) };
  }

  matrix(name: string): QuantSlice {
    return this.rows(name, 0, this.operand(name).rows);
  }

  /** Codes and scales of an operand in one binding. */
  table(name: string): QuantTable {
    const { row, rows, block, codesAt, scalesAt } = this.operand(name);
    const words = scalesAt - codesAt + rows * row.scaleWords;
    return {
      bits: row.bits,
      minimum: row.minimum,
      words: slice(this.buffers[block], codesAt * 4, words * 4),
      scalesAt: scalesAt - codesAt,
    };
  }

  /** Writes some rows of a tensor, packing them if needed. Throws StateError or QuantizeError. */
  write(recorder: Recorder, piece: WeightPiece): void {
    if (piece.shape.length === 1) {
      if (piece.kind !== 'f32') throw new StateError(`${piece.name} is packed, but a vector must be f32.`);
      this.vectors.write(recorder, piece.name, 0, piece.values);
      return;
    }
    let packed: PackedRows | null = null;
    for (const { operand, part } of this.parts) {
      const from = Math.max(piece.row, part.firstRow);
      const end = Math.min(piece.row + piece.rows, part.firstRow + part.rows);
      if (part.tensor !== piece.name || end <= from) continue;
      packed ??= packedPiece(piece, operand.row);
      this.writePart(recorder, packed, operand, from - piece.row, end - from, part.at + from - part.firstRow);
    }
  }

  /** Writes `rows` packed rows, from row `from` of a piece, to row `to` of an operand. */
  private writePart(
    recorder: Recorder,
    { codes, scales }: PackedRows,
    { row, block, codesAt, scalesAt }: PackedOperand,
    from: number,
    rows: number,
    to: number,
  ): void {
    const upload = (data: Uint32Array<ArrayBuffer>, at: number, words: number) =>
      recorder.upload(this.buffers[block], (at + to * words) * 4, data.subarray(from * words, (from + rows) * words));
    upload(codes, codesAt, row.codeWords);
    upload(scales, scalesAt, row.scaleWords);
  }

  destroy(): void {
    for (const buffer of this.buffers) this.device.destroyBuffer(buffer);
    this.vectors.destroy();
  }
}

const formatText = ({ bits, minimum }: PackedRow) => `${bits} bits${minimum ? ' with a minimum' : ''}`;

/** Rows of a piece in the format of its operand. Packed rows of another format are converted. */
function packedPiece(piece: WeightPiece, row: PackedRow): PackedRows {
  if (piece.kind === 'f32')
    return quantizeRows(row, piece.values, row.length, { name: piece.name, firstRow: piece.row });
  const { packed } = piece;
  if (!holds(row, packed.row) || packed.row.length !== row.length || packed.rows !== piece.rows)
    throw new StateError(
      `${piece.name}: ${packed.rows} rows of ${packed.row.length} values in ${formatText(packed.row)} were received; ` +
        `${piece.rows} rows of ${row.length} in ${formatText(row)} were expected.`,
    );
  return convertRows(packed, row);
}

export class PackedWeights implements BaseWeights {
  private readonly C: number;
  private readonly quantized: QuantizedOperations;

  constructor(
    config: ModelConfig,
    private readonly ops: Operations,
    private readonly ws: Workspace,
    readonly set: PackedSet,
  ) {
    this.C = config.hiddenSize;
    const integers = ws.has('integerCodes')
      ? { codes: ws.slice('integerCodes'), scales: ws.slice('integerScales') }
      : null;
    this.quantized = new QuantizedOperations(ops.kernels, ops.recorder, ops.choices, integers);
  }

  write(piece: WeightPiece): void {
    this.set.write(this.ops.recorder, piece);
  }

  vector(operand: string): BufferSlice {
    return this.set.vectors.slice(operand);
  }

  forward(
    operand: string,
    inp: BufferSlice,
    out: BufferSlice,
    M: number,
    extra: ForwardExtra & { lowRank?: LowRankTerm } = {},
  ): void {
    const { norm, ...rest } = extra;
    const { rows, row } = this.set.operand(operand);
    if (norm) normalise(this.ops, norm, inp, M, row.length);
    const { vectors } = this.set;
    const bias = vectors.has(`${operand}Bias`) ? vectors.slice(`${operand}Bias`) : undefined;
    this.quantized.matmulNT(inp, this.set.matrix(operand), out, M, rows, row.length, { bias, ...rest });
  }

  addsLowRank(operand: string, M: number): boolean {
    const { rows, row } = this.set.operand(operand);
    return this.quantized.addsLowRank(M, rows, row.length);
  }

  activates(operand: string, M: number): boolean {
    const { rows, row } = this.set.operand(operand);
    return this.quantized.activates(M, rows, row.length);
  }

  backward(
    operand: string,
    dout: BufferSlice,
    _: BufferSlice,
    dinp: BufferSlice,
    M: number,
    extra: BackwardExtra & { lowRank?: LowRankInputTerm } = {},
  ): void {
    const { rows, row } = this.set.operand(operand);
    this.quantized.matmulNN(dout, this.set.matrix(operand), dinp, M, rows, row.length, extra);
  }

  fusesGradients(operand: string, M: number): boolean {
    const { rows, row } = this.set.operand(operand);
    return this.quantized.fusesGradients(M, rows, row.length);
  }

  embed(ids: BufferSlice, out: BufferSlice, T: number): void {
    const { embedding } = this.set.layout;
    const { rows, rowsEach } = embedding;
    for (let first = 0; first < rows; first += rowsEach) {
      const piece = this.set.matrix(tableOperand(embedding, first));
      this.quantized.embed(ids, piece, out, T, this.C, first, Math.min(rowsEach, rows - first));
    }
  }

  /** Rows [first, first + rows) of the head; the rows lie in one operand (`headRows`). */
  private tile(first: number, rows: number): QuantSlice {
    const { head } = this.set.layout;
    return this.set.rows(tableOperand(head, first), first % head.rowsEach, rows);
  }

  logits(hidden: BufferSlice, out: BufferSlice, M: number, first: number, rows: number, scored?: ScoredLogits): void {
    const { quantized, C } = this;
    const tile = this.tile(first, rows);
    if (scored) quantized.logitGradient(hidden, tile, out, M, rows, C, scored);
    else quantized.matmulNT(hidden, tile, out, M, rows, C);
  }

  differentiatesLogits(M: number, rows: number): boolean {
    return this.quantized.differentiatesLogits(M, rows, this.C);
  }

  logitsBackward(
    dlogits: BufferSlice,
    _: BufferSlice,
    dhidden: BufferSlice,
    M: number,
    first: number,
    rows: number,
  ): void {
    this.quantized.matmulNN(dlogits, this.tile(first, rows), dhidden, M, rows, this.C, { accumulate: first > 0 });
  }

  get headRows(): number {
    return this.set.layout.head.rowsEach;
  }

  get canMask(): boolean {
    const { rows, rowsEach } = this.set.layout.head;
    return rowsEach >= rows;
  }

  private wholeHead(): QuantTable {
    const { head } = this.set.layout;
    if (!this.canMask)
      throw new BatchError(
        `Constrained decoding reads the whole head at once: ${head.rows} rows, of which this adapter binds ${head.rowsEach}. Turn the action mask off.`,
      );
    return this.set.table(head.name);
  }

  entryLogits({ E, row, token }: Entries, hidden: BufferSlice, out: BufferSlice, temperature: number): void {
    const x = { lists: this.ws.slice('lists'), hidden, table: this.wholeHead(), out };
    this.quantized.entryLogits(x, { E, row, token }, this.C, temperature);
  }

  scatterTable(list: ListAt, scale: BufferSlice, out: BufferSlice): void {
    this.quantized.scatterRows(this.ws.slice('lists'), list, this.wholeHead(), out, this.C, scale);
  }

  sampleMasked(hidden: BufferSlice, others: readonly BufferSlice[], R: number, params: MaskedSampling): void {
    const { ops, C } = this;
    const table = this.wholeHead();
    ops.recorder.run({
      kernel: ops.kernels.request('sample_masked', { WIDTH: width(C), ...formatConstants(table) }),
      bindings: [hidden, table.words, ...others],
      grid: grid1d(R),
      params: { R, C, ...params, scalesAt: table.scalesAt },
      flops: 40 * R * C,
    });
  }

  gradient(): null {
    return null;
  }

  destroy(): void {
    this.set.destroy();
  }
}
