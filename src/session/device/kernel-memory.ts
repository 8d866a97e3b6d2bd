/**
 * Chooses the kernel variants of a run: those of its checkpoint, so that it continues exactly; otherwise the fastest on
 * this adapter, measured once and stored.
 */
import type { Device } from '../../device/device.ts';
import { type KernelChoices, measurement, parseChoices } from '../../policy/engine/kernel-choices.ts';
import { measureChoices } from '../../policy/engine/measure-choices.ts';
import type { AdapterMemory } from '../../store/adapter-memory.ts';
import { adapterName } from './gpu-report.ts';

const measured = new WeakMap<Device, Promise<KernelChoices>>();

async function measureOrRecall(gpu: Device, memory: AdapterMemory | undefined): Promise<KernelChoices> {
  const adapter = adapterName(gpu);
  // A browser may refuse storage; the measurement is then repeated next time.
  const known = await memory?.read(adapter).catch(() => null);
  if (known && known.measurement === measurement) return parseChoices(known);
  const choices = await measureChoices(gpu);
  await memory?.write(adapter, { ...choices, measurement }).catch(() => {});
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
