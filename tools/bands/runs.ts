/** Runs from which a band is made. */
import { createHash } from 'node:crypto';
import { trainingOf } from '../../src/experiment/bands.ts';
import type { Experiment } from '../../src/experiment/experiment.ts';
import { same } from '../../src/experiment/paths.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { listRuns } from '../../src/session/stored-run.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';

/**
 * SHA-256 of a preset's training as its file states it, in hexadecimal digits. A later version's new settings have
 * defaults, which change neither the file nor the numbers.
 */
export const trainingHash = (document: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(trainingOf(document as Experiment)))
    .digest('hex');

/** Finished runs of a training in some folders, one of each seed, by seed. */
export async function runsOf(experiment: Experiment, folders: readonly string[]) {
  const training = trainingOf(experiment);
  const found = new Map<number, { seed: number; records: StepRecord[] }>();
  for (const folder of folders) {
    const store = new RunStore(new FolderStore(folder));
    for (const run of await listRuns(store)) {
      const { seed, steps } = run.experiment;
      if (run.step < steps || found.has(seed) || !same(trainingOf(run.experiment), training)) continue;
      found.set(seed, { seed, records: await store.records<StepRecord>(run.id) });
    }
  }
  return [...found.values()].sort((a, b) => a.seed - b.seed);
}
