/** A policy in a page: in a worker of its own. */
import type { LoadedPolicy } from '../../session/service/loaded-policy.ts';
import type { OpenedPolicy, PlacedPolicyOptions } from '../opened-policy.ts';
import { untilLost } from '../until-lost.ts';
import { startLibraryWorker } from './worker.ts';

export async function openWebPolicy(
  file: Uint8Array,
  { device = 'auto', threads, name = 'policy' }: PlacedPolicyOptions,
): Promise<OpenedPolicy> {
  const { remote, lost, terminate } = startLibraryWorker();
  try {
    const opening = remote.openPolicy(file, name, device === 'auto' ? null : device, { threads, store: 'memory' });
    const policy = untilLost((await Promise.race([opening, lost])) as unknown as LoadedPolicy, lost);
    const { replies } = await policy.limits();
    return { policy, mostReplies: replies, close: async () => terminate() };
  } catch (error) {
    terminate();
    throw error;
  }
}
