/** What a model is made of, and what the plan needs to know of it. */
import { type Device, DeviceError } from '../../device/device.ts';
import { criticCapacity, type PlanOptions } from '../plan/buffers.ts';
import type { Capacity, CriticKind } from '../policy.ts';
import type { KvPrecision } from './generation/cache-pages.ts';
import type { KernelChoices } from './kernel-choices.ts';
import type { WeightOptions } from './model-weights.ts';

export interface ModelOptions extends WeightOptions {
  capacity: Capacity;
  /** Forms of the kernels; another choice rounds otherwise. */
  choices?: KernelChoices;
  /** How decoding keeps K/V rows. Default: f32; training's are f32 in any case. */
  kvCache?: KvPrecision;
  /** Of activations, between forward and backward (`PlanOptions`). */
  keptBytes?: number;
  /** Where values come from; absent: nothing asks for them. */
  critic?: CriticKind | null;
  /** Most rows of an update whose objective sums over all of them. Absent: none does. */
  updateRows?: number;
  onProgress?: (done: number, total: number, kernel: string) => void;
}

/** Of the second model of a separate critic: it begins as the policy, is trained whole, and never decodes. */
export function secondOptions({ weights, capacity, choices, keptBytes, adapter }: ModelOptions): ModelOptions {
  if (adapter || !(weights instanceof Map))
    throw new DeviceError('A separate critic is a copy of a policy that is trained whole.');
  const own = { weights, choices, keptBytes, capacity: criticCapacity(capacity) };
  return { ...own, trainable: true, reference: false, critic: 'shared' };
}

/** What the plan needs to know of a model's options. */
export function planOptionsOf(
  { adapter, trainable, reference, precision, kvCache, keptBytes, critic, updateRows }: ModelOptions,
  device: Device,
): PlanOptions {
  return {
    trainable,
    reference,
    precision,
    kvCache,
    keptBytes,
    critic,
    updateRows,
    lora: adapter?.lora,
    blockBytes: device.bindingBytes,
    timingBytes: device.timingBytes,
    sharesMemory: device.sharesMemory,
  };
}
