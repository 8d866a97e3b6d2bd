/**
 * GPU memory of every part of the engine, in bytes, computed before anything is allocated. The workspace allocates from
 * this list, so the plan is exact. Each part declares its own buffers.
 */
import { recorderBytes } from '../../device/device.ts';
import type { ModelConfig } from '../config.ts';
import type { KvPrecision } from '../engine/generation/cache-pages.ts';
import type { Capacity, CriticKind } from '../policy.ts';
import type { LoraConfig } from '../weights/adapter.ts';
import { planBase, planTrained } from '../weights/base.ts';
import type { Precision } from '../weights/linear.ts';
import type { TensorFormats } from '../weights/packed-layout.ts';
import { type Layout, layoutFloats } from '../weights/parameters.ts';
import { cacheBuffers, decodingBuffers, pageBuffers } from './decoding-buffers.ts';
import { headBuffers, hostBuffers, resultBatches, resultFloats, teacherBuffers, valueBuffers } from './head-buffers.ts';
import { defaultKeptMiB } from './kept-memory.ts';
import {
  activationBuffers,
  adapterBuffers,
  adapterGradients,
  adapterProductBytes,
  adapterProducts,
  backwardBuffers,
  integerBuffers,
  keptLayerBytes,
  keptLayers,
  layerInputs,
  passBuffers,
} from './layer-buffers.ts';
import type { PlannedBuffer } from './planned-buffer.ts';
import { type Sizes, sizesOf } from './sizes.ts';

export interface PlanOptions {
  trainable: boolean;
  /** Keeps a frozen copy of the weights. An adapted model needs none: its base is the reference. */
  reference: boolean;
  /** Low-rank adapter. If given, only the adapter is trained. */
  lora?: LoraConfig | null;
  /** Precision of a frozen base. Default: f32. */
  precision?: Precision;
  /** Formats of a packed base's matrices as its file suggests them. */
  formats?: TensorFormats;
  /** Precision of the K/V cache for decoding. Default: f32. */
  kvCache?: KvPrecision;
  /**
   * Bytes for what the backward need not compute again: first an adapter's first products, if all fit, then the
   * activations of as many layers as fit. Default: 128 MiB.
   */
  keptBytes?: number;
  /** Source of values; absent if nothing needs them. */
  critic?: CriticKind | null;
  /** Largest number of rows in an update whose objective sums over all rows; 0 if the objective does not. */
  updateRows?: number;
  /** Largest number of rows of a step with a teacher's distributions; 0 if no update reads them. */
  taughtRows?: number;
  /** Memory for kernel timings on the device. */
  timingBytes?: number;
  /** True on the processor: read-backs need no staging buffer, and packed weights have integer products. */
  sharesMemory?: boolean;
  /** The adapter's largest binding in bytes. */
  blockBytes: number;
}

/** Largest read-back in bytes. */
export const maxStaging = 32 << 20;

/**
 * Size of the read-back buffer: the trained parameters with their moments, up to a bound, or a step's results if
 * larger.
 */
function stagingBytes(c: Capacity, trainedBytes: number, distributions: boolean): number {
  const results = c.batchScored * (resultFloats + (distributions ? 1 : 0)) * 4 * resultBatches + 256;
  return Math.ceil(Math.min(maxStaging, Math.max(trainedBytes, results, 1 << 20)) / 16) * 16;
}

type Part = PlannedBuffer['part'];
type Named = readonly (readonly [PlannedBuffer['name'], number])[];

/** Planned buffers of a part, from numbers of floats rounded up to a multiple of four. */
const planned = (part: Part, buffers: Named): PlannedBuffer[] =>
  buffers.map(([name, floats]) => ({ name, bytes: Math.max(16, Math.ceil(floats / 4) * 16), part }));

const named = (buffers: { readonly [name: string]: number }) => Object.entries(buffers) as unknown as Named;

/** Weights, adapter, reference copy, gradients and optimiser moments. */
function weightBuffers(config: ModelConfig, trained: Layout, options: PlanOptions): PlannedBuffer[] {
  const { lora, precision = 'f32', formats, blockBytes, reference, trainable } = options;
  const floats = layoutFloats(trained);
  return [
    ...planned('weights', [['weights', planBase(config, precision, blockBytes, formats) / 4]]),
    ...planned('adapter', lora ? [['adapter', floats]] : []),
    ...planned('reference', !lora && reference && precision === 'f32' ? [['reference', floats]] : []),
    ...planned('optimizer', trainable ? named({ gradients: floats, exp_avg: floats, exp_avg_sq: floats }) : []),
  ];
}

function layerBuffers(sizes: Sizes, trained: Layout, options: PlanOptions): PlannedBuffer[] {
  const { trainable, keptBytes = defaultKeptMiB * 2 ** 20, lora, precision = 'f32', sharesMemory } = options;
  const products = lora && trainable ? adapterProductBytes(sizes, lora, keptBytes) : 0;
  const kept = trainable ? keptLayers(sizes, keptBytes - products) : 0;
  const integers = sharesMemory && precision !== 'f32' ? integerBuffers(sizes) : {};
  const shared = lora && products === 0 ? adapterBuffers(sizes, lora) : {};
  const forward = { ...passBuffers(sizes), ...integers, ...shared };
  const backward = { ...backwardBuffers(sizes, trained), ...(lora ? adapterGradients(sizes, lora) : {}) };
  return [
    ...planned('activations', [...activationBuffers(sizes, kept), ...layerInputs(sizes), ...named(forward)]),
    ...planned('activations', lora && products > 0 ? adapterProducts(sizes, lora) : []),
    ...planned('gradients of activations', trainable ? named(backward) : []),
  ];
}

function transferBuffers(capacity: Capacity, trained: Layout, options: PlanOptions): PlannedBuffer[] {
  const { sharesMemory, timingBytes, taughtRows = 0 } = options;
  const staging = stagingBytes(capacity, options.trainable ? layoutFloats(trained) * 12 : 0, taughtRows > 0);
  return [
    ...planned('transfer', sharesMemory ? [] : [['staging', staging / 4]]),
    ...planned('transfer', [['uniforms', recorderBytes / 4]]),
    ...planned('transfer', timingBytes ? [['timestamps', timingBytes / 4]] : []),
  ];
}

/** Capacity of a separate critic or a teacher, which never decode. */
export const scoringCapacity = (capacity: Capacity): Capacity => ({
  ...capacity,
  rows: 1,
  groups: 1,
  cachePages: undefined,
});

const criticOptions = ({ keptBytes, timingBytes, sharesMemory, blockBytes }: PlanOptions): PlanOptions => ({
  ...{ keptBytes, timingBytes, sharesMemory, blockBytes },
  trainable: true,
  reference: false,
  critic: 'shared',
});

/** Buffers of a separate critic's model, and arrays on the host. */
function criticBuffers(config: ModelConfig, capacity: Capacity, sizes: Sizes, options: PlanOptions): PlannedBuffer[] {
  const { critic = null, updateRows = 0, taughtRows = 0 } = options;
  const separate = critic === 'separate' ? planBuffers(config, scoringCapacity(capacity), criticOptions(options)) : [];
  const own = critic !== null && critic !== 'separate';
  return [
    ...separate.map((buffer) => (buffer.part === 'host' ? buffer : { ...buffer, part: 'critic' as const })),
    ...planned('host', named(hostBuffers(sizes, { critic: own, updateRows, taughtRows }))),
  ];
}

export function planBuffers(config: ModelConfig, capacity: Capacity, options: PlanOptions): PlannedBuffer[] {
  const { lora = null, precision = 'f32', kvCache = 'f32', blockBytes, critic = null } = options;
  const shared = critic === 'shared';
  const sizes = sizesOf(config, capacity, blockBytes);
  const caches = cacheBuffers(sizes, kvCache);
  const trained = planTrained(config, lora, precision, blockBytes);
  return [
    ...weightBuffers(config, trained, options),
    ...layerBuffers(sizes, trained, options),
    ...planned('head', named({ ...headBuffers(sizes, shared), ...(shared ? valueBuffers(sizes) : {}) })),
    ...planned('head', options.taughtRows ? named(teacherBuffers(sizes)) : []),
    ...planned('KV cache', [...caches, ...named(pageBuffers(sizes))]),
    ...planned('decoding', named(decodingBuffers(sizes))),
    ...transferBuffers(capacity, trained, options),
    ...criticBuffers(config, capacity, sizes, options),
  ];
}

export const totalBytes = (buffers: readonly PlannedBuffer[]) => buffers.reduce((sum, b) => sum + b.bytes, 0);

/**
 * `keptBytes` of a run whose settings leave it open: what fits the default, or, if all buffers would exceed `mostBytes`,
 * an adapter's first products with the largest number of whole layers with which they fit. 0 if they exceed it without
 * any.
 */
export function keptBytesWithin(
  mostBytes: number,
  config: ModelConfig,
  capacity: Capacity,
  options: PlanOptions,
): number {
  const sizes = sizesOf(config, capacity, options.blockBytes);
  const layer = keptLayerBytes(sizes);
  const products = options.lora && options.trainable ? adapterProductBytes(sizes, options.lora) : 0;
  const keptBy = (layers: number) => products + layers * layer;
  const bytesWith = (layers: number) =>
    totalBytes(planBuffers(config, capacity, { ...options, keptBytes: keptBy(layers) }));
  const wanted = keptLayers(sizes, defaultKeptMiB * 2 ** 20 - products);
  const all = bytesWith(wanted);
  if (all <= mostBytes) return keptBy(wanted);
  const none = bytesWith(0);
  if (none > mostBytes) return 0;
  let layers = Math.floor((wanted * (mostBytes - none)) / (all - none));
  // A separate critic of fewer tokens may keep more layers in the same bytes.
  while (layers > 0 && bytesWith(layers) > mostBytes) layers--;
  return keptBy(layers);
}
