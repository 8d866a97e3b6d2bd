/**
 * The kernels' self-test: each kernel that is compiled on a device, with the very constants it was compiled with, against its
 * twin in double precision. Nothing is compiled for it, and all of it is one submission and one read-back.
 */
import type { Device, Kernel } from '../../device/device.ts';
import { type KernelResult, runCases } from '../../device/selftest.ts';
import type { Twin } from './fixture.ts';
import { attentionTwins } from './twins-attention.ts';
import { tiledAttentionTwins } from './twins-attention-tiled.ts';
import { denseTwins } from './twins-dense.ts';
import { headTwins } from './twins-head.ts';
import { loraTwins } from './twins-lora.ts';
import { quantTwins } from './twins-quant.ts';
import { samplingTwins } from './twins-sampling.ts';

/** By the kernel's name. */
export const twins: { readonly [kernel: string]: Twin } = {
  ...denseTwins,
  ...attentionTwins,
  ...tiledAttentionTwins,
  ...headTwins,
  ...samplingTwins,
  ...loraTwins,
  ...quantTwins,
};

/** Tested once a device: a kernel that is compiled later is tested the next time. */
const known = new WeakMap<Kernel, KernelResult>();

const caseOf = (kernel: Kernel, size: number) => twins[kernel.name]?.(kernel.constants, size, kernel.extra) ?? null;

/** Compares kernels with their twins; those without one are left out. `size` multiplies the fixtures' rows. */
export function compareKernels(device: Device, kernels: readonly Kernel[], size = 1): Promise<KernelResult[]> {
  const cases = kernels.flatMap((kernel) => {
    const test = caseOf(kernel, size);
    return test ? [{ kernel, test }] : [];
  });
  return runCases(device, cases);
}

/** One line a kernel name: the failure of a variant, or the last variant's numbers. */
function byName(results: readonly KernelResult[]): KernelResult[] {
  const lines = new Map<string, KernelResult>();
  for (const result of results) {
    const line = lines.get(result.kernel);
    if (!line || line.ok) lines.set(result.kernel, result);
  }
  return [...lines.values()].sort((a, b) => (a.kernel < b.kernel ? -1 : 1));
}

/** Tests every kernel compiled on this device that was not tested yet, and returns what is known of all. */
export async function selfTest(device: Device): Promise<KernelResult[]> {
  const all = device.kernels.all();
  const fresh = all.filter((kernel) => !known.has(kernel) && caseOf(kernel, 1));
  const results = await compareKernels(device, fresh);
  for (const [i, kernel] of fresh.entries()) known.set(kernel, results[i]);
  return byName(all.flatMap((kernel) => known.get(kernel) ?? []));
}
