/**
 * Chooses the kernel variants of a run: those of its checkpoint, so that it continues exactly; otherwise the fastest on
 * this adapter at the run's sizes, each measured once and stored.
 */
import type { Device } from '../../device/device.ts';
import {
  type FormTimes,
  type KernelChoices,
  type MeasuredForm,
  measurement,
  parseChoices,
} from '../../policy/engine/kernel-choices.ts';
import { measuredForms as formsWith, measureChoices } from '../../policy/engine/measure-choices.ts';
import type { RunSizes } from '../../policy/engine/run-sizes.ts';
import type { AdapterMemory } from '../../store/adapter-memory.ts';
import { adapterName } from './gpu-report.ts';

/** What is known of each device. */
const timesOf = new WeakMap<Device, FormTimes>();
/** Measurement in progress on a device. Another begins after it, because two would disturb each other. */
const measuring = new WeakMap<Device, Promise<unknown>>();

/** Times that were measured on the adapter, by this version. */
async function recall(gpu: Device, memory: AdapterMemory | undefined): Promise<FormTimes> {
  const known = timesOf.get(gpu);
  if (known) return known;
  // A browser may refuse storage; the measurement is then repeated next time.
  const stored = await memory?.read(adapterName(gpu)).catch(() => null);
  const isCurrent = stored?.measurement === measurement && stored.times instanceof Map;
  const times = timesOf.get(gpu) ?? new Map(isCurrent ? (stored.times as FormTimes) : []);
  timesOf.set(gpu, times);
  return times;
}

/** `measure`: replaced in tests. */
export async function chooseKernels(
  gpu: Device,
  sizes: RunSizes,
  stored: { readonly [kernel: string]: unknown } | undefined,
  memory?: AdapterMemory,
  measure = measureChoices,
): Promise<KernelChoices> {
  const times = await recall(gpu, memory);
  if (stored && Object.keys(stored).length) return parseChoices(stored);
  const { size } = times;
  const before = measuring.get(gpu) ?? Promise.resolve();
  const choosing = before.catch(() => {}).then(() => measure(gpu, sizes, times));
  measuring.set(gpu, choosing);
  const choices = await choosing;
  if (times.size > size) await memory?.write(adapterName(gpu), { measurement, times }).catch(() => {});
  return choices;
}

/** Forms that a run uses on a device, each with the times of all that were measured; none where none are. */
export function measuredForms(gpu: Device, sizes: RunSizes, choices: KernelChoices): MeasuredForm[] {
  if (!gpu.compiles || gpu.info.isFallback) return [];
  return formsWith(sizes, choices, timesOf.get(gpu) ?? new Map());
}
