/**
 * Base weights of a model in their precision: size in bytes before anything is allocated, creation, and streaming of
 * pieces.
 */

import type { ModelConfig } from '../config.ts';
import type { Operations } from '../engine/operations.ts';
import type { Workspace } from '../engine/workspace.ts';
import type { TensorMap } from '../policy.ts';
import { StateError } from '../state-error.ts';
import { type LoraConfig, planAdapter } from './adapter.ts';
import { type BaseWeights, DenseWeights, type Precision, type WeightPiece } from './linear.ts';
import { packedWords, planPacked, type TensorFormats } from './packed-layout.ts';
import { PackedSet, PackedWeights } from './packed-weights.ts';
import { type Layout, layoutFloats, ParameterSet, placeOperands, planLayout } from './parameters.ts';
import { PrecisionError } from './precision-error.ts';

/** Pieces of a model, in any order. */
export interface WeightPieces extends AsyncIterable<WeightPiece> {
  /** Formats of the packed tensors, by which their memory is planned. Absent: those of the precision (`planPacked`). */
  readonly formats?: TensorFormats;
}

/** Whole model in memory, or its pieces. */
export type WeightStream = TensorMap | WeightPieces;

/** Formats that a stream's packed tensors have. */
export const formatsOf = (weights: WeightStream): TensorFormats | undefined =>
  weights instanceof Map ? undefined : weights.formats;

/** Pieces with the formats of their tensors. */
export const withFormats = (formats: TensorFormats, pieces: AsyncIterable<WeightPiece>) => ({
  formats,
  [Symbol.asyncIterator]: () => pieces[Symbol.asyncIterator](),
});

/** True for the errors of planning: a matrix larger than a binding, too few pages, weights that cannot be packed. */
export const isUnplannable = (error: unknown): error is Error =>
  error instanceof RangeError || error instanceof PrecisionError;

/**
 * Size of the base on the GPU in bytes, including padding. `blockBytes` is the adapter's largest binding, `formats`
 * those of the model's file.
 */
export function planBase(
  config: ModelConfig,
  precision: Precision,
  blockBytes: number,
  formats?: TensorFormats,
): number {
  if (precision === 'f32') return layoutFloats(planLayout(config, blockBytes)) * 4;
  return packedWords(planPacked(config, precision, blockBytes, formats)) * 4;
}

/** Layout of the trained parameters: the adapter, or all weights in f32. Empty for a packed model without adapter. */
export function planTrained(
  config: ModelConfig,
  lora: LoraConfig | null,
  precision: Precision,
  blockBytes: number,
): Layout {
  if (lora) return planAdapter(config, lora, blockBytes);
  return precision === 'f32' ? planLayout(config, blockBytes) : placeOperands([], blockBytes);
}

/** Allocates a frozen base without values. */
export function createBase(
  config: ModelConfig,
  { precision, formats }: { precision: Precision; formats?: TensorFormats },
  ops: Operations,
  ws: Workspace,
): BaseWeights {
  if (precision !== 'f32') {
    const packed = planPacked(config, precision, ws.device.bindingBytes, formats);
    return new PackedWeights(config, ops, ws, new PackedSet(ws.device, packed));
  }
  const layout = planLayout(config, ws.device.bindingBytes);
  return new DenseWeights(config, ops, ws, new ParameterSet(ws.device, layout, 'weights'));
}

/** Bytes to write before waiting for the queue. Written pieces stay in memory until then. */
const bytesBetweenWaits = 64 << 20;

/**
 * Writes pieces until every tensor is complete. `shapes` are the model's tensors. Throws StateError for a missing or
 * unexpected tensor.
 */
export async function streamInto(
  base: BaseWeights,
  pieces: AsyncIterable<WeightPiece>,
  shapes: ReadonlyMap<string, number[]>,
  settle: () => Promise<void>,
): Promise<void> {
  const rowsLeft = new Map([...shapes].map(([name, shape]) => [name, shape.length > 1 ? shape[0] : 1]));
  let waiting = 0;
  for await (const piece of pieces) {
    const shape = shapes.get(piece.name);
    if (!shape) throw new StateError(`${piece.name} is not a tensor of this model.`);
    if (shape.join() !== piece.shape.join())
      throw new StateError(`${piece.name} has shape (${piece.shape}); this model needs (${shape}).`);
    base.write(piece);
    rowsLeft.set(piece.name, rowsLeft.get(piece.name)! - piece.rows);
    waiting += bytesOf(piece);
    if (waiting < bytesBetweenWaits) continue;
    await settle();
    waiting = 0;
  }
  const partial = [...rowsLeft].find(([, rows]) => rows !== 0);
  if (partial) throw new StateError(`The tensor ${partial[0]} is incomplete: ${partial[1]} rows are missing.`);
}

const bytesOf = (piece: WeightPiece) =>
  piece.kind === 'f32' ? piece.values.byteLength : piece.packed.codes.byteLength + piece.packed.scales.byteLength;

/** Streams a model in memory as pieces, one per tensor. */
export async function* piecesOf(
  tensors: TensorMap,
  shapes: ReadonlyMap<string, number[]>,
): AsyncGenerator<WeightPiece> {
  for (const [name, shape] of shapes) {
    const rows = shape.length > 1 ? shape[0] : 1;
    yield { name, shape, row: 0, rows, kind: 'f32', values: tensors.get(name)!.data };
  }
}
