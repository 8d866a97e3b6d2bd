/**
 * Weights of a model off the grid of its file's blocks. Values that lie on the grid stay exact when they are quantised
 * again; these do not:
 * - shifted: every axis that a product sums over is rotated by 16 places, so that groups of 32 begin at other values.
 * The model computes the same, because the matrices that write an axis and those that read it are rotated alike;
 * - merged: an adapter's products are added to their matrices.
 */
import type { ModelConfig } from '../../src/policy/config.ts';
import type { Adapter } from '../../src/policy/formats/peft.ts';
import type { TensorMap } from '../../src/policy/policy.ts';
import { adaptedOperands, loraScale } from '../../src/policy/weights/adapter.ts';

const places = 16;

/** Rotates values (rows, columns) along the columns, within parts of `width` columns. */
function rotateColumns(values: Float32Array, columns: number, width: number): Float32Array {
  const out = new Float32Array(values.length);
  for (let start = 0; start < values.length; start += columns)
    for (let c = 0; c < columns; c++) {
      const part = c - (c % width);
      out[start + c] = values[start + part + ((c - part + places) % width)];
    }
  return out;
}

/** Rotates rows of `columns` values, within parts of `height` rows. */
function rotateRows(values: Float32Array, columns: number, height: number): Float32Array {
  const out = new Float32Array(values.length);
  for (let r = 0; r * columns < values.length; r++) {
    const part = r - (r % height);
    const from = part + ((r - part + places) % height);
    out.set(values.subarray(from * columns, (from + 1) * columns), r * columns);
  }
  return out;
}

type Rotation = (values: Float32Array, shape: readonly number[]) => Float32Array;

/** Rotations of a tensor by the end of its name. */
function rotations({ hiddenSize, intermediateSize, headDim }: ModelConfig): readonly [RegExp, Rotation][] {
  const readsHidden: Rotation = (values) => rotateColumns(values, hiddenSize, hiddenSize);
  const rows =
    (height: number): Rotation =>
    (values, shape) =>
      rotateRows(values, shape[1] ?? 1, height);
  const columns =
    (width: number): Rotation =>
    (values, shape) =>
      rotateColumns(values, shape[1], width);
  return [
    [/(embed_tokens|lm_head|[qkv]_proj|gate_proj|up_proj|norm|layernorm)\.weight$/, readsHidden],
    [/v_proj\.(weight|bias)$/, rows(headDim)],
    [/(gate|up)_proj\.weight$/, rows(intermediateSize)],
    [/o_proj\.weight$/, columns(headDim)],
    [/down_proj\.weight$/, columns(intermediateSize)],
    [/(o|down)_proj\.weight$/, rows(hiddenSize)],
  ];
}

/** The same model with the borders of its groups moved by 16 values. */
export function shifted(config: ModelConfig, tensors: TensorMap): TensorMap {
  const all = rotations(config);
  const isHeadNorm = (name: string) => /[qk]_norm\.weight$/.test(name);
  return new Map(
    [...tensors].map(([name, { shape, data }]) => {
      const own = isHeadNorm(name) ? [] : all.filter(([names]) => names.test(name));
      return [name, { shape, data: own.reduce((values, [, rotate]) => rotate(values, shape), data) }];
    }),
  );
}

/** The model with the adapter's products added: W + scale B A. */
export function merged(config: ModelConfig, tensors: TensorMap, { lora, tensors: factors }: Adapter): TensorMap {
  const out: TensorMap = new Map(tensors);
  const scale = loraScale(lora);
  for (const { parts, inputs } of adaptedOperands(config, lora))
    for (const { A, B, rows } of parts) {
      const name = B.replace('base_model.model.', '').replace('lora_B.weight', 'weight');
      const { shape, data } = tensors.get(name)!;
      const [a, b, sum] = [factors.get(A)!.data, factors.get(B)!.data, data.slice()];
      for (let row = 0; row < rows; row++)
        for (let rank = 0; rank < lora.rank; rank++) {
          const factor = scale * b[row * lora.rank + rank];
          for (let i = 0; i < inputs; i++) sum[row * inputs + i] += factor * a[rank * inputs + i];
        }
      out.set(name, { shape, data: sum });
    }
  return out;
}
