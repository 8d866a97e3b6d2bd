/**
 * Precision of a model's tensors, and storage format of their pieces. Matrices may be int4 or int8. Token tables are at
 * least int8, because fewer bits would cost accuracy. Vectors stay f32.
 */
import type { Precision, WeightPiece } from '../policy/weights/linear.ts';
import { checkScales, packedRow, type QuantBits, quantizeRows } from '../policy/weights/quantize.ts';
import type { StoredTensor } from '../policy/weights/stored-tensor.ts';

const isVocabularyTable = (name: string) => name === 'model.embed_tokens.weight' || name === 'lm_head.weight';

/** Bits of a tensor's values; null for f32. */
export function bitsOf(precision: Precision, name: string, shape: readonly number[]): QuantBits | null {
  if (precision === 'f32' || shape.length < 2) return null;
  return precision === 'int4' && !isVocabularyTable(name) ? 4 : 8;
}

type Rows = Pick<WeightPiece, 'name' | 'shape' | 'row' | 'rows'>;

/** Packs a piece if its precision is packed. Throws QuantizeError. */
function makePiece(precision: Precision, { name, shape, row, rows }: Rows, values: Float32Array): WeightPiece {
  const bits = bitsOf(precision, name, shape);
  if (bits === null) return { name, shape, row, rows, kind: 'f32', values };
  const packed = quantizeRows(bits, values, shape.at(-1)!, { name, firstRow: row });
  return { name, shape, row, rows, kind: 'packed', packed };
}

/**
 * Piece from the bytes of whole rows of a tensor. Rows that are already in the packed format are used unchanged. Throws
 * QuantizeError.
 */
export function readPiece(precision: Precision, where: Rows, tensor: StoredTensor, bytes: Uint8Array): WeightPiece {
  const bits = bitsOf(precision, where.name, where.shape);
  if (bits === null || tensor.packed?.bits !== bits) return makePiece(precision, where, tensor.decode(bytes));
  const packed = tensor.packed.take(bytes);
  checkScales(packed, { name: where.name, firstRow: where.row });
  return { ...where, kind: 'packed', packed };
}

const bytesOf = (array: Float32Array | Uint32Array) =>
  new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);

/** Bytes of a piece in the format of `decodePiece`. */
export function encodePiece(piece: WeightPiece): Uint8Array[] {
  return piece.kind === 'f32' ? [bytesOf(piece.values)] : [bytesOf(piece.packed.codes), bytesOf(piece.packed.scales)];
}

/** Piece from stored bytes. */
export function decodePiece(precision: Precision, { name, shape, row, rows }: Rows, bytes: Uint8Array): WeightPiece {
  const bits = bitsOf(precision, name, shape);
  const buffer = bytes.byteOffset % 4 ? bytes.slice().buffer : bytes.buffer;
  const start = bytes.byteOffset % 4 ? 0 : bytes.byteOffset;
  if (bits === null) {
    const values = new Float32Array(buffer as ArrayBuffer, start, bytes.length / 4);
    return { name, shape, row, rows, kind: 'f32', values };
  }
  const packed = packedRow(bits, shape.at(-1)!);
  const codes = new Uint32Array(buffer as ArrayBuffer, start, rows * packed.codeWords);
  const scales = new Uint32Array(buffer as ArrayBuffer, start + codes.byteLength, rows * packed.scaleWords);
  return { name, shape, row, rows, kind: 'packed', packed: { row: packed, rows, codes, scales } };
}
