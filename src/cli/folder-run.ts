/** The run of a folder that `npm run train` continues: the one of the same experiment, the latest, or a fork of it. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Experiment } from '../experiment/experiment.ts';
import { differences, same } from '../experiment/paths.ts';
import { readRun } from '../library/files.ts';
import type { ExperimentDocument, Run, StoredRunInfo, Trainer } from '../library/index.ts';
import { type Allowances, requireAllowances } from './allowances.ts';
import { CommandError } from './command-error.ts';

export interface FolderOptions extends Allowances {
  /** Seed and steps of the command line. */
  seed?: number;
  steps?: number;
  /** Continues the folder's latest run, whatever its experiment. */
  resume?: boolean;
  /** Id of a run of the folder from whose last weights a new run starts. */
  after?: string;
  /** Step of the folder's run at which a fork with the file's settings begins. */
  forkAt?: number;
  print(line: string): void;
}

/** Maximum number of paths named in a line. */
const MOST_PATHS = 5;

/** Paths of the settings that differ; an experiment's words are none. */
const changedSettings = (from: Experiment, to: Experiment): string[] =>
  differences(from, to)
    .map(({ path }) => path)
    .filter((path) => path !== 'name' && path !== 'description');

function pathsOf(from: Experiment, to: Experiment): string {
  const paths = changedSettings(from, to);
  const more = paths.length - MOST_PATHS;
  return `${paths.slice(0, MOST_PATHS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The experiment of a library's run: the same document, with the types of this program. */
export const experimentOf = ({ experiment }: { experiment: ExperimentDocument }) => experiment as unknown as Experiment;

/** A run of the folder; `own`: the run of the same settings. */
interface Folder {
  trainer: Trainer;
  folder: string;
  own: StoredRunInfo | undefined;
  latest: StoredRunInfo | undefined;
}

/** The stored run to continue with this experiment; null: a new run begins. */
export async function continuedRun(
  trainer: Trainer,
  folder: string,
  experiment: Experiment,
  options: FolderOptions,
): Promise<Run | null> {
  const runs = await trainer.listRuns();
  const own =
    runs.find((run) => same(run.experiment, experiment)) ??
    runs.find((run) => changedSettings(experimentOf(run), experiment).length === 0);
  const latest = runs.at(0);
  const { forkAt, after } = options;
  if (forkAt !== undefined) return forkedAt({ trainer, folder, own, latest }, experiment, options);
  if (own) return trainer.openRun(own.id);
  if (after !== undefined) return forkOf(await trainer.openRun(after), null, experiment);
  if (options.resume && latest) return resumed(trainer, latest, experiment, options);
  if (latest)
    options.print(
      `${folder} contains another run ("${latest.name}", step ${latest.step} of ${experimentOf(latest).steps}), which differs in ${pathsOf(experimentOf(latest), experiment)}. ` +
        'A new run begins; --resume continues that one.',
    );
  return null;
}

/** A fork at a step with exactly these settings; null: at the last step. */
function forkOf(run: Run, step: number | null, experiment: Experiment): Promise<Run> {
  // A field that only the parent has is left out.
  const none = Object.fromEntries(Object.keys(run.experiment).map((field) => [field, undefined]));
  return run.fork(step ?? run.step, { ...none, ...experiment });
}

/** Stores the run of a file, and a fork of it at its last step with the experiment's settings. Returns the fork. */
export async function forkedFile(trainer: Trainer, file: string, experiment: Experiment): Promise<Run> {
  const bytes = new Uint8Array(readFileSync(file));
  // A trainer also imports a sweep, whose runs have no single last step.
  readRun(bytes, basename(file));
  return forkOf(await trainer.importRun(bytes, basename(file)), null, experiment);
}

/** A fork of the folder's run, which may have damaged records. Prints the steps without a record. */
async function forkedAt(
  { trainer, folder, own, latest }: Folder,
  experiment: Experiment,
  { forkAt: step = 0, print }: FolderOptions,
): Promise<Run> {
  const parent = own ?? latest;
  if (!parent) throw new CommandError(`--fork-at ${step}: ${folder} contains no run to fork.`);
  const fork = await trainer.forkRun(parent.id, step, experiment);
  const recorded = (await fork.records()).map((record) => record.step);
  const missing = recorded.length ? stepsUntil(step).filter((each) => !recorded.includes(each)) : [];
  if (missing.length) print(`Damaged records are left out of the fork's curve, of steps: ${missing.join(', ')}.`);
  return fork;
}

const stepsUntil = (step: number) => Array.from({ length: step }, (_, i) => i + 1);

/** The folder's latest run under its own settings, or a fork of it with another number of steps. */
async function resumed(
  trainer: Trainer,
  latest: StoredRunInfo,
  file: Experiment,
  { seed, steps, print, ...allowances }: FolderOptions,
): Promise<Run> {
  const own = experimentOf(latest);
  if (seed !== undefined && seed !== own.seed)
    throw new CommandError(
      `--seed ${seed}: the folder's run began with seed ${own.seed}, and a seed cannot change within a run. Leave it out, or begin a new run with another --out.`,
    );
  const others = pathsOf(own, { ...file, steps: own.steps, seed: own.seed });
  if (others) print(`The folder's run keeps its own settings. The file differs in ${others}.`);
  const run = await trainer.openRun(latest.id);
  if (steps === undefined || steps === own.steps) return run;
  if (steps < latest.step)
    throw new CommandError(
      `--steps ${steps}: the folder's run is already at step ${latest.step}. Give at least ${latest.step}, or begin a new run with another --out.`,
    );
  const at = (await run.checkpointSteps()).at(-1);
  if (at === undefined) throw new CommandError(`--steps ${steps}: the folder's run has no checkpoint to go on from.`);
  print(`The folder's run has ${own.steps} steps; a fork of it at step ${at} has ${steps}.`);
  requireAllowances([own], allowances);
  return run.fork(at, { steps });
}
