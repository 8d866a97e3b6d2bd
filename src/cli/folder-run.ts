/** The run of a folder that `npm run train` continues: the one of the same experiment, the latest, or a fork of it. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { differences, same } from '../experiment/paths.ts';
import type { RunSummary } from '../session/protocol.ts';
import { forkRun } from '../session/service/fork.ts';
import { getRun, listRuns } from '../session/stored-run.ts';
import { readRun } from '../store/bundle.ts';
import type { RunStore } from '../store/run-store.ts';
import { CommandError } from './command-error.ts';

export interface FolderOptions {
  /** Seed and steps of the command line. */
  seed?: number;
  steps?: number;
  /** Continues the folder's latest run, whatever its experiment. */
  resume?: boolean;
  /** Step of the folder's run at which a fork with the file's settings begins. */
  forkAt?: number;
  print(line: string): void;
}

/** Maximum number of paths named in a line. */
const MOST_PATHS = 5;

function pathsOf(from: Experiment, to: Experiment): string {
  const paths = differences(from, to)
    .map(({ path }) => path)
    .filter((path) => path !== 'name' && path !== 'description');
  const more = paths.length - MOST_PATHS;
  return `${paths.slice(0, MOST_PATHS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The stored run to continue with this experiment; null: a new run begins. */
export async function continuedRun(
  store: RunStore,
  folder: string,
  experiment: Experiment,
  options: FolderOptions,
): Promise<RunSummary | null> {
  const runs = (await listRuns(store)).filter((run) => run.deletedUntil === null);
  const own = runs.find((run) => same(run.experiment, experiment));
  const latest: RunSummary | undefined = runs[0];
  if (options.forkAt !== undefined) return forkedAt(store, folder, own ?? latest, experiment, options.forkAt);
  if (own) return own;
  if (options.resume && latest) return resumed(store, latest, experiment, options);
  if (latest)
    options.print(
      `${folder} contains another run ("${latest.name}", step ${latest.step} of ${latest.experiment.steps}), which differs in ${pathsOf(latest.experiment, experiment)}. ` +
        'A new run begins; --resume continues that one.',
    );
  return null;
}

/** Stores the run of a file, and a fork of it at its last step with the experiment's settings. Returns the fork. */
export async function forkedFile(store: RunStore, file: string, experiment: Experiment): Promise<RunSummary> {
  const parent = await store.create(readRun(readFileSync(file), basename(file)));
  return getRun(store, await forkRun(store, parent.id, parent.step, experiment));
}

async function forkedAt(
  store: RunStore,
  folder: string,
  parent: RunSummary | undefined,
  experiment: Experiment,
  step: number,
): Promise<RunSummary> {
  if (!parent) throw new CommandError(`--fork-at ${step}: ${folder} contains no run to fork.`);
  return getRun(store, await forkRun(store, parent.id, step, experiment));
}

/** The folder's latest run under its own settings, or a fork of it with another number of steps. */
async function resumed(
  store: RunStore,
  latest: RunSummary,
  file: Experiment,
  { seed, steps, print }: FolderOptions,
): Promise<RunSummary> {
  const own = latest.experiment;
  if (seed !== undefined && seed !== own.seed)
    throw new CommandError(
      `--seed ${seed}: the folder's run began with seed ${own.seed}, and a seed cannot change within a run. Leave it out, or begin a new run with another --out.`,
    );
  const others = pathsOf(own, { ...file, steps: own.steps, seed: own.seed });
  if (others) print(`The folder's run keeps its own settings. The file differs in ${others}.`);
  if (steps === undefined || steps === own.steps) return latest;
  if (steps < latest.step)
    throw new CommandError(
      `--steps ${steps}: the folder's run is already at step ${latest.step}. Give at least ${latest.step}, or begin a new run with another --out.`,
    );
  const at = (await store.checkpointSteps(latest.id)).at(-1);
  if (at === undefined) throw new CommandError(`--steps ${steps}: the folder's run has no checkpoint to go on from.`);
  print(`The folder's run has ${own.steps} steps; a fork of it at step ${at} has ${steps}.`);
  return getRun(store, await forkRun(store, latest.id, at, parseExperiment({ ...own, steps })));
}
