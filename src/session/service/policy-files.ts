/** Exports a run's policy in the format of its kind. */
import type { Experiment } from '../../experiment/experiment.ts';
import type { PickedFile } from '../../models/protocol.ts';
import type { RunStore } from '../../store/run-store.ts';
import { zip } from '../../store/zip.ts';
import type { KeptPolicy, NamedFiles } from '../policies/kind.ts';
import { sessionPolicy } from '../policies/registry.ts';
import { getRun } from '../stored-run.ts';

/** Files of the conversation that go with an adapter, as trainers write them. */
const templateFiles = ['tokenizer_config.json', 'chat_template.jinja'] as const;

/** The stored files of a run that its policy's export needs. */
export function keptPolicy(checkpoint: Uint8Array | undefined, assets: NamedFiles): KeptPolicy {
  const found = templateFiles.filter((name) => assets[name]).map((name) => [name, assets[name]]);
  const chat = Object.fromEntries(found);
  return { checkpoint, config: assets['config.json'], tokenizer: assets['tokenizer.json'], chat };
}

/** The policy's files from a run. Throws a StoreError if there are none. */
export const policyFiles = (policy: Experiment['policy'], kept: KeptPolicy): NamedFiles =>
  sessionPolicy(policy).export(policy, kept);

/**
 * The policy of a run's last checkpoint: a whole model, or an adapter in PEFT's layout with the tokenizer it was
 * trained with.
 */
export async function exportedPolicy(store: RunStore, runId: string): Promise<NamedFiles> {
  const { policy } = (await getRun(store, runId)).experiment;
  const assets: NamedFiles = {};
  for (const name of ['config.json', 'tokenizer.json', ...templateFiles]) {
    const bytes = await store.asset(runId, name);
    if (bytes) assets[name] = bytes;
  }
  return policyFiles(policy, keptPolicy((await store.checkpoint(runId))?.bytes, assets));
}

/** A zip of the files that a person picked. */
export async function zippedFiles(files: readonly PickedFile[]): Promise<Uint8Array> {
  const bytesOf = async ({ file }: PickedFile) => new Uint8Array(await file.arrayBuffer());
  return zip(
    await Promise.all(files.map(async (each) => ({ name: each.name, bytes: await bytesOf(each), stored: true }))),
  );
}
