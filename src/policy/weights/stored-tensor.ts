/**
 * Tensor in a file of weights, in any format: its byte range, and the conversion of rows to f32. A model is read
 * through this interface in slices of rows, so that at most one slice is in memory.
 */

import { dtypeBytes, SafetensorsError, type TensorEntry, tensorView, toFloat32 } from '../formats/safetensors.ts';
import type { PackedFormat, PackedRows } from './quantize.ts';

export interface StoredTensor {
  /** Hugging Face's name. */
  name: string;
  /** Shape as in Hugging Face, (out, in) for a matrix. */
  shape: number[];
  /** Byte range, counted from the beginning of the file. */
  start: number;
  end: number;
  /** A vector is one row. */
  rows: number;
  columns: number;
  /** Number of rows that cannot be separated: a slice holds a multiple of it. */
  rowGroup: number;
  /** Decodes the bytes of whole rows to (rows, columns) values. */
  decode(bytes: Uint8Array): Float32Array;
  /** Packed format for the values of the file's blocks; absent for floating-point numbers and blocks below 4 bits. */
  suggested?: PackedFormat;
  /** Set if the file's codes and scales are packed rows in the suggested format. `take` packs the bytes of whole rows. */
  take?(bytes: Uint8Array): PackedRows;
}

/** Largest f32 size of a slice, in bytes. */
export const sliceBytes = 8 << 20;

export interface RowSlice {
  row: number;
  rows: number;
}

/**
 * Splits a tensor into slices of whole rows, each at most `most` bytes as f32. A slice has at least one row, or one set
 * of rows that cannot be separated.
 */
export function rowSlices({ rows, columns, rowGroup }: StoredTensor, most = sliceBytes): RowSlice[] {
  const fit = Math.max(1, Math.floor(most / (4 * columns * rowGroup))) * rowGroup;
  const slices: RowSlice[] = [];
  for (let row = 0; row < rows; row += fit) slices.push({ row, rows: Math.min(fit, rows - row) });
  return slices;
}

/** Rows and columns of a shape. A vector is one row. */
export function rowsOf(shape: readonly number[]): { rows: number; columns: number } {
  const columns = shape.at(-1) ?? 1;
  return { rows: shape.slice(0, -1).reduce((a, b) => a * b, 1), columns };
}

/** Tensor of a safetensors file. Throws SafetensorsError if its values are not floating-point numbers. */
export function storedTensor({ name, dtype, shape, start, end }: TensorEntry): StoredTensor {
  if (!['F64', 'F32', 'F16', 'BF16'].includes(dtype))
    throw new SafetensorsError(
      `${name}: its values are ${dtype}; only weights in f64, f32, f16 or bf16 are read. This may be a quantised copy: choose the original.`,
    );
  const decode = (bytes: Uint8Array) => {
    const values = bytes.length / dtypeBytes(dtype);
    return toFloat32({ dtype, shape: [values], data: tensorView(bytes, dtype) }, name);
  };
  return { name, shape, start, end, ...rowsOf(shape), rowGroup: 1, decode };
}
