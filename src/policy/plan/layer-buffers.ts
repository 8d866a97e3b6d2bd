/** Buffers of the layers, forward and backward. Sizes in floats. */
import { mostSplits, tileWords } from '../engine/attention.ts';
import { tokenWords } from '../engine/batch.ts';
import type { Capacity } from '../policy.ts';
import { adaptedOperands, adapterWidth, type LoraConfig } from '../weights/adapter.ts';
import { type Layout, layoutFloats } from '../weights/parameters.ts';
import { groupLength } from '../weights/quantize.ts';
import { defaultKeptMiB } from './kept-memory.ts';
import { partialFloats } from './partial-sums.ts';
import type { Sizes } from './sizes.ts';

const named = <Name extends string>(floats: { [name in Name]: number }) => Object.entries(floats) as [Name, number][];

/** Activations of a layer's attention half, which its backward reads. */
const attentionActivations = ({ T, h, H, KV, D }: Sizes) => ({
  normed: T * h,
  rstd1: T,
  qkv: T * (H + 2 * KV) * D,
  query: T * H * D,
  kv: T * 2 * KV * D,
  attended: T * H * D,
  lse: T * H,
  middle: T * h,
});

/** Activations of the feed-forward block, for some of a pass's tokens. */
const feedForwardActivations = ({ h, I }: Sizes, rows: number) => ({
  rstd2: rows,
  normed2: rows * h,
  gateUp: rows * 2 * I,
  activated: rows * I,
});

export type AttentionActivation = keyof ReturnType<typeof attentionActivations>;
export type FeedForwardActivation = keyof ReturnType<typeof feedForwardActivations>;
/** Name of an activation, with the layer's number and that of a piece of tokens if the layer has its own buffers. */
export type ActivationName =
  | AttentionActivation
  | FeedForwardActivation
  | `${AttentionActivation}.${number}`
  | `${FeedForwardActivation}.${number}.${number}`;

export const ownName = (name: AttentionActivation, layer: number): ActivationName => `${name}.${layer}`;
export const ownPiece = (name: FeedForwardActivation, layer: number, piece: number): ActivationName =>
  `${name}.${layer}.${piece}`;

/**
 * Activations of a layer that keeps its own, for all tokens, those of the feed-forward block in pieces, each of which fits
 * a binding. The backward reads `qkv` only for the norm of the heads.
 */
function keptActivations(sizes: Sizes, layer: number): [ActivationName, number][] {
  const { T, mlp, config } = sizes;
  const attention = named(attentionActivations(sizes)).filter(([name]) => name !== 'qkv' || config.qkNorm);
  const pieces = Array.from({ length: Math.ceil(T / mlp) }, (_, piece) =>
    named(feedForwardActivations(sizes, Math.min(mlp, T - piece * mlp))).map(
      ([name, floats]): [ActivationName, number] => [ownPiece(name, layer, piece), floats],
    ),
  );
  return [
    ...attention.map(([name, floats]): [ActivationName, number] => [ownName(name, layer), floats]),
    ...pieces.flat(),
  ];
}

/** Bytes of the activations that one layer keeps. */
export const keptLayerBytes = (sizes: Sizes) =>
  4 * keptActivations(sizes, 0).reduce((sum, [, floats]) => sum + floats, 0);

/**
 * Number of layers that keep their activations in `keptBytes`, so that the backward does not recompute them. The last
 * layer needs no buffers of its own.
 */
export const keptLayers = (sizes: Sizes, keptBytes = defaultKeptMiB * 2 ** 20): number =>
  Math.min(sizes.L - 1, Math.floor(keptBytes / keptLayerBytes(sizes)));

/** Activations that layers share, and those of the first `kept` layers, which keep their own. */
export const activationBuffers = (sizes: Sizes, kept: number): [ActivationName, number][] => [
  ...named(attentionActivations(sizes)),
  ...named(feedForwardActivations(sizes, sizes.mlp)),
  ...Array.from({ length: kept }, (_, layer) => keptActivations(sizes, layer)).flat(),
];

/** Input of each layer, and the output of the last. */
export const layerInputs = ({ T, h, L }: Sizes): [`layerInput.${number}`, number][] =>
  Array.from({ length: L + 1 }, (_, layer) => [`layerInput.${layer}`, T * h]);

/** Number of positions in the rotary table. */
export const ropePositions = (c: Capacity) => Math.max(c.batchTokens, c.promptTokens + c.completionTokens);

/** Buffers that describe a pass or are shared by all layers. */
export const passBuffers = ({ T, N, R, D, capacity }: Sizes) => ({
  ids: T,
  tokens: T * tokenWords,
  tiles: Math.max(T, R * mostSplits(capacity.promptTokens, capacity.completionTokens).splits) * tileWords,
  pairs: 2 * Math.max(T, N, R),
  rope: ropePositions(capacity) * D,
});

/** Activations of a product as 16-bit integers, with a scale and a sum for 32 values (kernels-wasm/integer.ts). */
export function integerBuffers({ T, N, R, h, H, D, I }: Sizes) {
  const groups = Math.max(T, N, R) * Math.ceil(Math.max(h, H * D, I) / groupLength);
  return { integerCodes: (groups * groupLength) / 2, integerScales: 2 * groups };
}

/** Name of the first product of an operand's adapter, if each operand has its own. */
export const ownProduct = (operand: string) => `loraMid.${operand}` as const;

/** First products of all operands of an adapter, if they are kept for the backward, which then reads no input for them. */
export const adapterProducts = ({ T, config }: Sizes, lora: LoraConfig) =>
  adaptedOperands(config, lora).map(
    ({ name, parts }) => [ownProduct(name), T * parts.length * lora.rank] as [ReturnType<typeof ownProduct>, number],
  );

/** Bytes of the first products that an adapter keeps in `keptBytes`: all of them or none. */
export function adapterProductBytes(sizes: Sizes, lora: LoraConfig, keptBytes = defaultKeptMiB * 2 ** 20): number {
  const bytes = 4 * adapterProducts(sizes, lora).reduce((sum, [, floats]) => sum + floats, 0);
  return bytes <= keptBytes ? bytes : 0;
}

/** Low-rank intermediate of an adapter, forward, unless each operand has its own. */
export const adapterBuffers = ({ T, config }: Sizes, lora: LoraConfig) => ({ loraMid: T * adapterWidth(config, lora) });

/** Gradient of an adapter's low-rank intermediate. */
export const adapterGradients = ({ T, config }: Sizes, lora: LoraConfig) => ({
  loraDmid: T * adapterWidth(config, lora),
});

/**
 * Size of the largest operand, in floats, whose gradient is summed in one go. Gradients of the token tables are summed
 * by tiles.
 */
function largestGradient(trained: Layout, tile: number): number {
  const isTable = (name: string) => name.startsWith('embedding') || name.startsWith('head');
  return [...trained.operands.values()].reduce((most, o) => Math.max(most, isTable(o.name) ? tile : o.size), 0);
}

/** Gradients of a layer's activations, and inputs of the optimiser. */
export const backwardBuffers = ({ T, h, H, KV, D, I, mlp, tile, config }: Sizes, trained: Layout) => ({
  dlayer: T * h,
  dmiddle: T * h,
  dnormed: T * h,
  dactivated: mlp * I,
  dattended: T * H * D,
  dquery: T * H * D,
  delta: T * H,
  dkv: T * 2 * KV * D,
  dqkv: T * (H + 2 * KV) * D,
  dgains: config.qkNorm ? T * (H + KV) * D : 1,
  partials: Math.max(partialFloats, largestGradient(trained, tile * h)),
  squares: Math.ceil(layoutFloats(trained) / 4096) + trained.blocks.length,
  norm: 4,
});
