/** Converts tensors of a policy to operands of ONNX operators. */
import type { PackedRows } from '../weights/quantize.ts';

/** (rows, columns) -> (columns, rows): the Hub stores a projection as (out, in), MatMul needs (in, out). */
export function transposed(data: Float32Array, rows: number, columns: number): Float32Array {
  const out = new Float32Array(data.length);
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) out[c * rows + r] = data[r * columns + c];
  return out;
}

/** Codes in MatMulNBits' form: unsigned, with the zero point in the middle. int4 codes already have that form. */
export function unsignedCodes({ row, codes }: PackedRows): Uint8Array {
  const bytes = new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength);
  return row.bits === 4 ? bytes : bytes.map((code) => code ^ 0x80);
}
