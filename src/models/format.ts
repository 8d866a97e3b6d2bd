/**
 * Format of a model's tensors at a precision, and storage format of their pieces. int4 uses the blocks of a GGUF as they
 * are, or as the nearest packed format, and int8 their values in 8 bits, with a minimum where the blocks have one.
 * Floating-point numbers are packed as `formatOf` states. Vectors stay f32.
 */
import { convertRows, holds } from '../policy/weights/convert-rows.ts';
import type { Precision, WeightPiece } from '../policy/weights/linear.ts';
import { formatOf, isTable, type TensorFormats } from '../policy/weights/packed-layout.ts';
import { checkScales, type PackedFormat, packedRow, quantizeRows, symmetric } from '../policy/weights/quantize.ts';
import type { StoredTensor } from '../policy/weights/stored-tensor.ts';

/** Name and shape of a tensor, and the format of its file's blocks. */
type Described = Pick<StoredTensor, 'name' | 'shape' | 'suggested'>;

/** Format of a tensor; null for f32. */
export function formatIn(precision: Precision, { name, shape, suggested }: Described): PackedFormat | null {
  if (precision === 'f32' || shape.length < 2) return null;
  if (!suggested) return formatOf(precision, name);
  return precision === 'int4' ? suggested : { bits: 8, minimum: suggested.minimum };
}

/** Formats of all packed tensors. */
export function formatsIn(precision: Precision, tensors: readonly Described[]): TensorFormats {
  const formats = new Map<string, PackedFormat>();
  for (const tensor of tensors) {
    const format = formatIn(precision, tensor);
    if (format) formats.set(tensor.name, format);
  }
  return formats;
}

type Rows = Pick<WeightPiece, 'name' | 'shape' | 'row' | 'rows'>;

/**
 * Piece from the bytes of whole rows of a tensor. Rows whose blocks the format holds are not quantised again. Throws
 * QuantizeError.
 */
export function readPiece(precision: Precision, where: Rows, tensor: StoredTensor, bytes: Uint8Array): WeightPiece {
  const format = formatIn(precision, tensor);
  if (format === null) return { ...where, kind: 'f32', values: tensor.decode(bytes) };
  const about = { name: where.name, firstRow: where.row };
  if (!tensor.take || !holds(format, tensor.suggested!)) {
    const packed = quantizeRows(format, tensor.decode(bytes), where.shape.at(-1)!, about);
    return { ...where, kind: 'packed', packed };
  }
  const packed = tensor.take(bytes);
  checkScales(packed, about);
  return { ...where, kind: 'packed', packed: convertRows(packed, format) };
}

const bytesOf = (array: Float32Array | Uint32Array) =>
  new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);

/** Bytes of a piece in the format of `decodePiece`. */
export function encodePiece(piece: WeightPiece): Uint8Array[] {
  return piece.kind === 'f32' ? [bytesOf(piece.values)] : [bytesOf(piece.packed.codes), bytesOf(piece.packed.scales)];
}

/** Format of a piece as its journal names it: `4`, `4+` with minima, `8`, `8+`, `f32`. */
export const formatName = (piece: WeightPiece): string =>
  piece.kind === 'f32' ? 'f32' : `${piece.packed.row.bits}${piece.packed.row.minimum ? '+' : ''}`;

/**
 * Reads `formatName`. Pieces without a name were stored by a version that had no minima: int8's in eight symmetric
 * bits, int4's in four.
 */
export function namedFormat(name: string | undefined, precision: Precision, where: Rows): PackedFormat | null {
  if (name === 'f32' || precision === 'f32' || where.shape.length < 2) return null;
  if (name === undefined) return symmetric(precision === 'int8' || isTable(where.name) ? 8 : 4);
  return { bits: name.startsWith('4') ? 4 : 8, minimum: name.endsWith('+') };
}

/** Piece from stored bytes in a format; null: f32. */
export function decodePiece(
  format: PackedFormat | null,
  { name, shape, row, rows }: Rows,
  bytes: Uint8Array,
): WeightPiece {
  const buffer = bytes.byteOffset % 4 ? new Uint8Array(bytes).buffer : bytes.buffer;
  const start = bytes.byteOffset % 4 ? 0 : bytes.byteOffset;
  if (format === null) {
    const values = new Float32Array(buffer as ArrayBuffer, start, bytes.length / 4);
    return { name, shape, row, rows, kind: 'f32', values };
  }
  const packed = packedRow(format, shape.at(-1)!);
  const codes = new Uint32Array(buffer as ArrayBuffer, start, rows * packed.codeWords);
  const scales = new Uint32Array(buffer as ArrayBuffer, start + codes.byteLength, rows * packed.scaleWords);
  return { name, shape, row, rows, kind: 'packed', packed: { row: packed, rows, codes, scales } };
}
