/**
 * Trains the experiments of a recipe one after the other in one folder. Each starts from the last weights of the one
 * before.
 */
import { mkdirSync } from 'node:fs';
import type { Experiment } from '../../experiment/experiment.ts';
import { same } from '../../experiment/paths.ts';
import { CommandError } from '../command-error.ts';
import { experimentOf } from '../folder-run.ts';
import type { DeviceOptions } from '../node-device.ts';
import { openFolder, readExperiment, type TrainedRun, type Training, train } from '../training-run.ts';

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

/** The folder's run of an experiment; null: there is none. */
async function runOf(folder: string, experiment: Experiment): Promise<TrainedRun | null> {
  const trainer = await openFolder(folder, { device: 'wasm', threads: 1 });
  try {
    const found = (await trainer.listRuns()).find((run) => same(run.experiment, experiment));
    return found ? { ...found, experiment: experimentOf(found) } : null;
  } finally {
    await trainer.close();
  }
}

/** Run of the latest part that has at least one step. */
async function trainedSoFar({ experiments, out, model, print }: PartsOptions): Promise<TrainedRun> {
  for (const file of experiments.toReversed()) {
    const run = await runOf(out, readExperiment({ file, model, print }));
    if (run && run.step > 0) return run;
  }
  throw new CommandError(`${out} contains no trained step of ${experiments.join(', ')} yet: run without --now first.`);
}

/** Returns the run of the last part, or null if interrupted; the same call then continues. */
export async function trainParts(options: PartsOptions): Promise<TrainedRun | null> {
  if (options.now) return trainedSoFar(options);
  const { experiments, out, print } = options;
  mkdirSync(out, { recursive: true });
  let last: TrainedRun | null = null;
  for (const [k, file] of experiments.entries()) {
    print(`part ${k + 1} of ${experiments.length}: ${file}`);
    const { run, finished }: Training = await train({ ...options, file, after: last?.id });
    if (!finished) return null;
    last = run;
  }
  return last;
}
