/** Buffers of the layers, forward and backward. Sizes in floats. */
import { mostSplits, tileWords } from '../engine/attention.ts';
import { tokenWords } from '../engine/batch.ts';
import type { Capacity } from '../policy.ts';
import { adapterWidth, type LoraConfig } from '../weights/adapter.ts';
import { type Layout, layoutFloats } from '../weights/parameters.ts';
import { groupLength } from '../weights/quantize.ts';
import { defaultKeptMiB } from './kept-memory.ts';
import { partialFloats } from './partial-sums.ts';
import type { Sizes } from './sizes.ts';

/** Activations that a layer computes and its backward reads. */
const layerActivations = ({ T, h, H, KV, D, I, mlp }: Sizes) => ({
  normed: T * h,
  rstd1: T,
  rstd2: mlp,
  qkv: T * (H + 2 * KV) * D,
  query: T * H * D,
  kv: T * 2 * KV * D,
  attended: T * H * D,
  lse: T * H,
  middle: T * h,
  normed2: mlp * h,
  gateUp: mlp * 2 * I,
  activated: mlp * I,
});

export type LayerActivation = keyof ReturnType<typeof layerActivations>;
/** Name of an activation, with the layer's number if the layer has its own buffer. */
export type ActivationName = LayerActivation | `${LayerActivation}.${number}`;

export const ownName = (name: LayerActivation, layer: number): ActivationName => `${name}.${layer}`;

/** Activations of a layer that keeps its own, for all tokens. The backward reads `qkv` only for the norm of the heads. */
const keptActivations = (sizes: Sizes) =>
  (Object.entries(layerActivations({ ...sizes, mlp: sizes.T })) as [LayerActivation, number][]).filter(
    ([name]) => name !== 'qkv' || sizes.config.qkNorm,
  );

/** Bytes of the activations that one layer keeps. */
export const keptLayerBytes = (sizes: Sizes) => 4 * keptActivations(sizes).reduce((sum, [, floats]) => sum + floats, 0);

/**
 * Number of layers that keep their activations in `keptBytes`, so that the backward does not recompute them. The last
 * layer needs no buffers of its own. None are kept if the gates and ups of all tokens exceed a binding.
 */
export function keptLayers(sizes: Sizes, keptBytes = defaultKeptMiB * 2 ** 20): number {
  if (8 * sizes.T * sizes.I > sizes.blockBytes) return 0;
  return Math.min(sizes.L - 1, Math.floor(keptBytes / keptLayerBytes(sizes)));
}

/** Activations that layers share, and those of the first `kept` layers, which keep their own. */
export function activationBuffers(sizes: Sizes, kept: number): [ActivationName, number][] {
  const own = keptActivations(sizes);
  const layers = Array.from({ length: kept }, (_, layer) => layer);
  return [
    ...(Object.entries(layerActivations(sizes)) as [LayerActivation, number][]),
    ...layers.flatMap((layer) => own.map(([name, floats]): [ActivationName, number] => [ownName(name, layer), floats])),
  ];
}

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

/** Low-rank intermediate of an adapter, forward. */
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
