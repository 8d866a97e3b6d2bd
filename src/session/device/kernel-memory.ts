/**
 * Chooses the kernel variants of a run: those of its checkpoint, so that it continues exactly; otherwise the fastest on
 * this adapter, measured once and stored.
 */
import type { Device } from '../../device/device.ts';
import {
  type FormTimes,
  type KernelChoices,
  type MeasuredForm,
  measurement,
  parseChoices,
} from '../../policy/engine/kernel-choices.ts';
import { measureChoices } from '../../policy/engine/measure-choices.ts';
import type { AdapterMemory } from '../../store/adapter-memory.ts';
import { adapterName } from './gpu-report.ts';

const measured = new WeakMap<Device, Promise<KernelChoices>>();
/** Times of the measured forms, for people to read. */
const timesOf = new WeakMap<Device, FormTimes>();

async function measureOrRecall(gpu: Device, memory: AdapterMemory | undefined): Promise<KernelChoices> {
  const adapter = adapterName(gpu);
  // A browser may refuse storage; the measurement is then repeated next time.
  const known = await memory?.read(adapter).catch(() => null);
  if (known && known.measurement === measurement) {
    if (known.times instanceof Map) timesOf.set(gpu, known.times);
    return parseChoices(known);
  }
  const times: FormTimes = new Map();
  const choices = await measureChoices(gpu, times);
  timesOf.set(gpu, times);
  await memory?.write(adapter, { ...choices, measurement, ...(times.size && { times }) }).catch(() => {});
  return choices;
}

export function chooseKernels(
  gpu: Device,
  stored: { readonly [kernel: string]: unknown } | undefined,
  memory?: AdapterMemory,
): Promise<KernelChoices> {
  if (stored && Object.keys(stored).length) return Promise.resolve(parseChoices(stored));
  const choices = measured.get(gpu) ?? measureOrRecall(gpu, memory);
  measured.set(gpu, choices);
  return choices;
}

/** Forms that a model uses on a device, each with the times of all that were measured; none where nothing was. */
export function measuredForms(gpu: Device, choices: KernelChoices): MeasuredForm[] {
  return [...(timesOf.get(gpu) ?? [])]
    .filter(([, times]) => times.length > 0)
    .map(([choice, times]) => ({ choice, form: choices[choice], times }));
}
