/**
 * Trains the experiments of a recipe one after the other in one folder. Each starts from the last weights of the one
 * before.
 */
import { mkdirSync } from 'node:fs';
import type { Experiment } from '../../experiment/experiment.ts';
import { same } from '../../experiment/paths.ts';
import type { RunSummary } from '../../session/protocol.ts';
import { forkRun } from '../../session/service/fork.ts';
import { listRuns } from '../../session/stored-run.ts';
import { FolderStore } from '../../store/folder.ts';
import { RunStore } from '../../store/run-store.ts';
import type { DeviceOptions } from '../node-device.ts';
import { CommandError, readExperiment, train } from '../training-run.ts';

export interface PartsOptions extends DeviceOptions {
  experiments: readonly string[];
  /** Folder of the runs; another call continues them. */
  out: string;
  /** Language model in place of the experiments'. */
  model?: string;
  /** Uses the steps trained so far, without training further. */
  now?: boolean;
  print(line: string): void;
}

const storeOf = (folder: string) => new RunStore(new FolderStore(folder));

async function runOf(store: RunStore, experiment: Experiment): Promise<RunSummary | null> {
  const runs = (await listRuns(store)).filter((run) => run.deletedUntil === null);
  return runs.find((run) => same(run.experiment, experiment)) ?? null;
}

/** Run of the latest part that has at least one step. */
async function trainedSoFar({ experiments, out, model, print }: PartsOptions): Promise<RunSummary> {
  const store = storeOf(out);
  for (const file of experiments.toReversed()) {
    const run = await runOf(store, readExperiment({ file, model, print }));
    if (run && run.step > 0) return run;
  }
  throw new CommandError(`${out} contains no trained step of ${experiments.join(', ')} yet: run without --now first.`);
}

/** Returns the run of the last part, or null if interrupted; the same call then continues. */
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
