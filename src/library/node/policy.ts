/** A policy on Node, in this thread. */
import { Assembly } from '../../session/service/assembly.ts';
import { LoadedPolicy } from '../../session/service/loaded-policy.ts';
import { policyRun } from '../../session/service/policy-run.ts';
import { openGuardedWorld } from '../../workers/spawn-world.ts';
import type { OpenedPolicy, PlacedPolicyOptions } from '../opened-policy.ts';
import { NodeBaseModels } from './base-models.ts';
import { openDevice } from './device.ts';

export async function openNodePolicy(
  file: Uint8Array,
  { device, threads, name = 'policy' }: PlacedPolicyOptions,
): Promise<OpenedPolicy> {
  const machine = { open: () => openDevice({ device, threads }) };
  const engines = new Assembly({ machine, openWorld: openGuardedWorld, models: new NodeBaseModels() });
  const policy = await LoadedPolicy.open(engines, policyRun(file, name), name).catch(async (error: Error) => {
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
