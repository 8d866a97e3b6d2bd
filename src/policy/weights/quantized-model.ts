/** Values of a whole model in memory after quantisation, for reports and tests. */

import type { TensorMap } from '../policy.ts';
import { matrixBits, type PackedPrecision, tableBits } from './packed-layout.ts';
import { dequantizeRows, type QuantBits, quantizeRows } from './quantize.ts';

/** Bits of a tensor in a packed model; null if it stays f32. */
export function tensorBits(precision: PackedPrecision, name: string, shape: readonly number[]): QuantBits | null {
  if (shape.length < 2) return null;
  return /^(model\.embed_tokens|lm_head)\./.test(name) ? tableBits : matrixBits(precision);
}

/** Exact f32 values of the tensors after packing. */
export function dequantizedModel(tensors: TensorMap, precision: PackedPrecision): TensorMap {
  return new Map(
    [...tensors].map(([name, { shape, data }]) => {
      const bits = tensorBits(precision, name, shape);
      if (bits === null) return [name, { shape, data }];
      return [name, { shape, data: dequantizeRows(quantizeRows(bits, data, shape[1], { name })) }];
    }),
  );
}
