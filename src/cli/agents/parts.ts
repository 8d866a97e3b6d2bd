/** Trains the experiments of a recipe one after the other, in one folder: each goes on from the last weights of the one before. */
import { mkdirSync } from 'node:fs';
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import type { RunSummary } from '../../session/protocol.ts';
import { forkRun } from '../../session/service/fork.ts';
import { listRuns } from '../../session/stored-run.ts';
import { FolderStore } from '../../store/folder.ts';
import { RunStore } from '../../store/run-store.ts';
import type { DeviceOptions } from '../node-device.ts';
import { CommandError, readExperiment, train } from '../training-run.ts';

export interface PartsOptions extends DeviceOptions {
  experiments: readonly string[];
  /** Holds the runs; the same folder goes on where it stopped. */
  out: string;
  /** Takes what is there, without another step. */
  now?: boolean;
  print(line: string): void;
}

const storeOf = (folder: string) => new RunStore(new FolderStore(folder));

async function runOf(store: RunStore, experiment: Experiment): Promise<RunSummary | null> {
  const wanted = JSON.stringify(experiment);
  // Read again: a run of an earlier version lacks fields that have a default today.
  const same = (run: RunSummary) => JSON.stringify(parseExperiment(run.experiment)) === wanted;
  return (await listRuns(store)).find((run) => run.deletedUntil === null && same(run)) ?? null;
}

/** The newest part that has a step. */
async function trainedSoFar({ experiments, out, print }: PartsOptions): Promise<RunSummary> {
  const store = storeOf(out);
  for (const file of experiments.toReversed()) {
    const run = await runOf(store, readExperiment({ file, print }));
    if (run && run.step > 0) return run;
  }
  throw new CommandError(`Nothing of ${experiments.join(', ')} is trained in ${out} yet.`);
}

/** The run of the last part; null: it was interrupted, and the same call goes on. */
export async function trainParts(options: PartsOptions): Promise<RunSummary | null> {
  if (options.now) return trainedSoFar(options);
  const { experiments, out, print } = options;
  mkdirSync(out, { recursive: true });
  let last: RunSummary | null = null;
  for (const [k, file] of experiments.entries()) {
    print(`part ${k + 1} of ${experiments.length}: ${file}`);
    const experiment = readExperiment({ ...options, file });
    const store = storeOf(out);
    if (last && !(await runOf(store, experiment))) await forkRun(store, last.id, last.step, experiment);
    const { summary, finished } = await train({ ...options, file });
    if (!finished) return null;
    last = summary;
  }
  return last;
}
