/** Exports a run's policy in the format of its kind. */
import type { Experiment } from '../../experiment/experiment.ts';
import type { RunStore } from '../../store/run-store.ts';
import type { KeptPolicy, NamedFiles } from '../policies/kind.ts';
import { sessionPolicy } from '../policies/registry.ts';
import { getRun } from '../stored-run.ts';

/** The policy's files from a run. Throws a StoreError if there are none. */
export const policyFiles = (policy: Experiment['policy'], kept: KeptPolicy): NamedFiles =>
  sessionPolicy(policy).export(policy, kept);

/**
 * The policy of a run's last checkpoint: a whole model, or an adapter in PEFT's layout with the tokenizer it was
 * trained with.
 */
export async function exportedPolicy(store: RunStore, runId: string): Promise<NamedFiles> {
  const { policy } = (await getRun(store, runId)).experiment;
  return policyFiles(policy, {
    checkpoint: (await store.checkpoint(runId))?.bytes,
    config: await store.asset(runId, 'config.json'),
    tokenizer: await store.asset(runId, 'tokenizer.json'),
  });
}
