/** Buffers of the layers, forward and backward. Sizes in floats. */
import { mostSplits, tileWords } from '../engine/attention.ts';
import { tokenWords } from '../engine/batch.ts';
import type { Capacity } from '../policy.ts';
import { adapterWidth, type LoraConfig } from '../weights/adapter.ts';
import { type Layout, layoutFloats } from '../weights/parameters.ts';
import { groupLength } from '../weights/quantize.ts';
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
/** Name of an activation, with the layer's number if each layer has its own buffer. */
export type ActivationName = LayerActivation | `${LayerActivation}.${number}`;

/**
 * Name of a layer's activation in a plan. If activations are kept, each layer has its own buffers; otherwise all layers
 * share one set, and the backward recomputes it from the layer's input.
 */
export const activationName = (name: LayerActivation, layer: number, kept: boolean): ActivationName =>
  kept ? `${name}.${layer}` : name;

const defaultKeptBytes = 1 << 27;

/** True if all layers keep their activations, so that the backward does not recompute them. */
export function keepsLayers(sizes: Sizes, keptBytes = defaultKeptBytes): boolean {
  const floats = Object.values(layerActivations(sizes)).reduce((a, b) => a + b, 0);
  return sizes.mlp === sizes.T && (sizes.L - 1) * floats * 4 <= keptBytes;
}

/** Activations of each layer, or of one layer shared by all. */
export function activationBuffers(sizes: Sizes, kept: boolean): [ActivationName, number][] {
  const own = Object.entries(layerActivations(sizes)) as [LayerActivation, number][];
  const layers = Array.from({ length: kept ? sizes.L : 1 }, (_, layer) => layer);
  return layers.flatMap((layer) =>
    own.map(([name, floats]) => [activationName(name, layer, kept), floats] as [ActivationName, number]),
  );
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
