/**
 * Sizes of a run by which the forms of its kernels are compared: its widest and its narrowest product, its adapter, the
 * rows of a training pass and those of a decoding step.
 */
import type { ModelConfig } from '../config.ts';
import { sizesOf } from '../plan/sizes.ts';
import type { Capacity } from '../policy.ts';
import { type AdaptedOperand, adaptedOperands, type LoraConfig } from '../weights/adapter.ts';
import { formatsOf } from '../weights/base.ts';
import { planPacked } from '../weights/packed-layout.ts';
import { layerOperands, tableOperand } from '../weights/parameters.ts';
import type { PackedFormat } from '../weights/quantize.ts';
import type { WeightOptions } from './model-weights.ts';

/** Product with a weight (N, K). */
export interface Product {
  /** Operand in its layer, as `qkv`, or `head` for a tile of the head. */
  name: string;
  N: number;
  K: number;
  /** Format of packed weights; null: f32. */
  format: PackedFormat | null;
}

export interface RunSizes {
  config: ModelConfig;
  capacity: Capacity;
  isPacked: boolean;
  /** Rows of a training pass, at most `mostRows`. */
  manyRows: number;
  /** Rows of a decoding step. */
  decodeRows: number;
  gateUp: Product;
  down: Product;
  /** Widest and narrowest product, of those whose sizes four divides. */
  products: readonly Product[];
  lora: LoraConfig | null;
  /** The same of an adapter's operands, each with its frozen product. */
  adapted: readonly { operand: AdaptedOperand; product: Product }[];
}

/**
 * Most measured rows of a training pass. From here on a product with more than 512 outputs keeps its tile
 * (block-tiles.ts), so more rows cost time and decide nothing.
 */
const mostRows = 1024;

/** The entries with the most weights and with the fewest outputs, of those whose sizes four divides. */
function widestAndNarrowest<T>(list: readonly T[], productOf: (entry: T) => Product): T[] {
  const fitting = list.filter((entry) => productOf(entry).N % 4 === 0 && productOf(entry).K % 4 === 0);
  const by = (size: (product: Product) => number) =>
    [...fitting].sort((a, b) => size(productOf(a)) - size(productOf(b)));
  const widest = by(({ N, K }) => -N * K)[0];
  const narrowest = by(({ N, K }) => N + K / 2 ** 32)[0];
  return [...new Set([widest, narrowest])].filter((entry) => entry !== undefined);
}

function productsOf(
  config: ModelConfig,
  { weights, precision = 'f32' }: Pick<WeightOptions, 'weights' | 'precision'>,
  [blockBytes, tile]: [number, number],
): Product[] {
  const packed = precision === 'f32' ? null : planPacked(config, precision, blockBytes, formatsOf(weights));
  const format = (operand: string) => {
    const row = packed?.operands.get(operand)?.row;
    return row ? { bits: row.bits, minimum: row.minimum } : null;
  };
  const { hiddenSize: h, intermediateSize: I, numHeads: H, numKvHeads: KV, headDim: D } = config;
  const { qkv, output, gateUp, down } = layerOperands(0);
  const head = packed ? format(tableOperand(packed.head, 0)) : null;
  return [
    { name: 'qkv', N: (H + 2 * KV) * D, K: h, format: format(qkv) },
    { name: 'output', N: h, K: H * D, format: format(output) },
    { name: 'gateUp', N: 2 * I, K: h, format: format(gateUp) },
    { name: 'down', N: h, K: I, format: format(down) },
    { name: 'head', N: tile, K: h, format: head },
  ];
}

/** Adapted operands of the first layer that has some. */
function adaptedOf(config: ModelConfig, lora: LoraConfig, products: readonly Product[]): RunSizes['adapted'] {
  const all = adaptedOperands(config, lora);
  const layer = all[0]?.name.split('.')[1];
  const pairs = all
    .filter(({ name }) => name.split('.')[1] === layer)
    .map((operand) => ({ operand, product: products.find(({ name }) => operand.name.endsWith(`.${name}`))! }));
  return widestAndNarrowest(pairs, ({ product }) => product);
}

/** `blockBytes`: largest binding of the device. */
export function runSizes(
  config: ModelConfig,
  capacity: Capacity,
  weights: Pick<WeightOptions, 'weights' | 'precision' | 'adapter'>,
  blockBytes: number,
): RunSizes {
  const { T, R, mlp, tile } = sizesOf(config, capacity, blockBytes);
  const products = productsOf(config, weights, [blockBytes, tile]);
  const lora = weights.adapter?.lora ?? null;
  const named = (name: string) => products.find((product) => product.name === name)!;
  return {
    ...{ config, capacity, lora, isPacked: (weights.precision ?? 'f32') !== 'f32' },
    ...{ manyRows: Math.min(T, mlp, mostRows), decodeRows: R, gateUp: named('gateUp'), down: named('down') },
    products: widestAndNarrowest(products, (product) => product),
    adapted: lora ? adaptedOf(config, lora, products) : [],
  };
}
