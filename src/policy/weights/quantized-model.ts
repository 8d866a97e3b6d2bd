/** Values of a whole model in memory after quantisation, for reports and tests. */

import type { TensorMap } from '../policy.ts';
import { formatOf, type PackedPrecision } from './packed-layout.ts';
import { dequantizeRows, type PackedFormat, quantizeRows } from './quantize.ts';

/** Format of a tensor in a packed model; null if it stays f32. */
export const tensorFormat = (
  precision: PackedPrecision,
  name: string,
  shape: readonly number[],
): PackedFormat | null => (shape.length < 2 ? null : formatOf(precision, name));

/** f32 values of the tensors after packing. */
export function dequantizedModel(tensors: TensorMap, precision: PackedPrecision): TensorMap {
  return new Map(
    [...tensors].map(([name, { shape, data }]) => {
      const format = tensorFormat(precision, name, shape);
      if (format === null) return [name, { shape, data }];
      return [name, { shape, data: dequantizeRows(quantizeRows(format, data, shape[1], { name })) }];
    }),
  );
}
