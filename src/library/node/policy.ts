/** A policy on Node, in this thread. */
import { importedRun } from '../../session/policies/registry.ts';
import { LoadedPolicy } from '../../session/service/loaded-policy.ts';
import { policyRun } from '../../session/service/policy-run.ts';
import type { NewRun } from '../../store/run-store.ts';
import type { OpenedPolicy, PlacedPolicyOptions } from '../opened-policy.ts';
import { nodeEngines } from './engines.ts';

export { importedRun, policyRun };

export const openNodePolicy = (file: Uint8Array, options: PlacedPolicyOptions): Promise<OpenedPolicy> =>
  openRunPolicy(policyRun(file, options.name ?? 'policy'), options);

/** The policy of a run's last checkpoint. */
export async function openRunPolicy(
  run: NewRun,
  { device, threads, name = 'policy' }: PlacedPolicyOptions,
): Promise<OpenedPolicy> {
  const engines = nodeEngines({ device, threads, sandbox: false });
  const policy = await LoadedPolicy.open(engines, run, name).catch(async (error: Error) => {
    await engines.closeDevice();
    throw error;
  });
  return {
    policy,
    mostReplies: policy.limits().replies,
    async close() {
      await policy.close();
      await engines.closeDevice();
    },
  };
}
