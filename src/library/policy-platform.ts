/** Opens a policy on this platform: in a page in a worker, on Node in this thread. */
import type { OpenedPolicy, PlacedPolicyOptions } from './opened-policy.ts';

export async function openPolicyHere(file: Uint8Array, options: PlacedPolicyOptions): Promise<OpenedPolicy> {
  if (import.meta.env.SSR) return (await import('./node/policy.ts')).openNodePolicy(file, options);
  return (await import('./web/policy.ts')).openWebPolicy(file, options);
}
