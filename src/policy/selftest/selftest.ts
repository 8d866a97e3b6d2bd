/**
 * Self-test of the kernels: runs each kernel compiled on a device, with its constants, against its twin in double
 * precision. Compiles nothing itself; one submission and one read-back in all.
 */
import type { Device, Kernel } from '../../device/device.ts';
import { type KernelResult, runCases } from '../../device/selftest.ts';
import type { Twin } from './fixture.ts';
import { attentionTwins } from './twins-attention.ts';
import { tiledAttentionTwins } from './twins-attention-tiled.ts';
import { denseTwins } from './twins-dense.ts';
import { headTwins } from './twins-head.ts';
import { integerTwins } from './twins-integer.ts';
import { loraTwins } from './twins-lora.ts';
import { quantTwins } from './twins-quant.ts';
import { samplingTwins } from './twins-sampling.ts';

/** Twins by kernel name. */
export const twins: { readonly [kernel: string]: Twin } = {
  ...denseTwins,
  ...attentionTwins,
  ...tiledAttentionTwins,
  ...headTwins,
  ...samplingTwins,
  ...loraTwins,
  ...quantTwins,
  ...integerTwins,
};

/** Results of tested kernels. A kernel compiled later is tested by the next self-test. */
const known = new WeakMap<Kernel, KernelResult>();

const caseOf = (kernel: Kernel, size: number) => twins[kernel.name]?.(kernel.constants, size, kernel.extra) ?? null;

/** Compares kernels with their twins and skips kernels without one. `size` multiplies the rows of the fixtures. */
export function compareKernels(device: Device, kernels: readonly Kernel[], size = 1): Promise<KernelResult[]> {
  const cases = kernels.flatMap((kernel) => {
    const test = caseOf(kernel, size);
    return test ? [{ kernel, test }] : [];
  });
  return runCases(device, cases);
}

/** One result per kernel name: the failure of a variant, or the result of the last variant. */
function byName(results: readonly KernelResult[]): KernelResult[] {
  const lines = new Map<string, KernelResult>();
  for (const result of results) {
    const line = lines.get(result.kernel);
    if (!line || line.ok) lines.set(result.kernel, result);
  }
  return [...lines.values()].sort((a, b) => (a.kernel < b.kernel ? -1 : 1));
}

/** Tests every kernel of this device that was not tested before. Returns the results of all. */
export async function selfTest(device: Device): Promise<KernelResult[]> {
  const all = device.kernels.all();
  const fresh = all.filter((kernel) => !known.has(kernel) && caseOf(kernel, 1));
  const results = await compareKernels(device, fresh);
  for (const [i, kernel] of fresh.entries()) known.set(kernel, results[i]);
  return byName(all.flatMap((kernel) => known.get(kernel) ?? []));
}
