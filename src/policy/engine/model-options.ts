/** Options of a model, and the subset that the plan uses. */
import { type Device, DeviceError } from '../../device/device.ts';
import { type PlanOptions, scoringCapacity } from '../plan/buffers.ts';
import type { Capacity, CriticKind } from '../policy.ts';
import { formatsOf } from '../weights/base.ts';
import type { KvPrecision } from './generation/cache-pages.ts';
import type { KernelChoices } from './kernel-choices.ts';
import type { WeightOptions } from './model-weights.ts';

export interface ModelOptions extends WeightOptions {
  capacity: Capacity;
  /** Kernel forms. Another choice rounds differently. */
  choices?: KernelChoices;
  /** Storage of K/V rows in decoding. Default: f32. Training always uses f32. */
  kvCache?: KvPrecision;
  /** Memory limit for activations kept between forward and backward (see `PlanOptions`). */
  keptBytes?: number;
  /** Source of values; absent if nothing needs them. */
  critic?: CriticKind | null;
  /** Largest number of rows in an update whose objective sums over all rows. Absent: the objective does not. */
  updateRows?: number;
  /** Largest number of rows of a step with a teacher's distributions. Absent: no update reads them. */
  taughtRows?: number;
  onProgress?: (done: number, total: number, kernel: string) => void;
}

/**
 * Options of a separate critic's model, which starts as a copy of the policy, trains all weights, and never decodes.
 */
export function secondOptions({ weights, capacity, choices, keptBytes, adapter }: ModelOptions): ModelOptions {
  if (adapter || !(weights instanceof Map))
    throw new DeviceError(
      'A separate critic copies the policy, so all weights must be trained: it does not work with an adapter.',
    );
  const own = { weights, choices, keptBytes, capacity: scoringCapacity(capacity) };
  return { ...own, trainable: true, reference: false, critic: 'shared' };
}

/** Plan options of a model. */
export function planOptionsOf(
  { weights, adapter, trainable, reference, precision, kvCache, keptBytes, critic, ...options }: ModelOptions,
  device: Device,
): PlanOptions {
  return {
    trainable,
    reference,
    precision,
    formats: formatsOf(weights),
    kvCache,
    keptBytes,
    critic,
    updateRows: options.updateRows,
    taughtRows: options.taughtRows,
    lora: adapter?.lora,
    blockBytes: device.bindingBytes,
    timingBytes: device.timingBytes,
    sharesMemory: device.sharesMemory,
  };
}
