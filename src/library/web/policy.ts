/** A policy in a page: in a worker of its own. */
import type { OpenedPolicy, PlacedPolicyOptions } from '../opened-policy.ts';
import { startLibraryWorker } from './worker.ts';

export async function openWebPolicy(
  file: Uint8Array,
  { device = 'auto', threads, name = 'policy' }: PlacedPolicyOptions,
): Promise<OpenedPolicy> {
  const { remote, lost, terminate } = startLibraryWorker();
  const opening = remote.openPolicy(file, name, device === 'auto' ? null : device, { threads, store: 'memory' });
  const policy = await Promise.race([opening, lost]);
  const { replies } = await policy.limits();
  return { policy: policy as unknown as OpenedPolicy['policy'], mostReplies: replies, close: async () => terminate() };
}
