/** A run on Node, from an experiment's file to a folder: the same session as in the page, with a line a step. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { carriedCode } from '../experiment/own-code.ts';
import { factsOf, kindsWith } from '../experiment/policies/registry.ts';
import type { RunSummary, SessionEvent, StepRecord } from '../session/protocol.ts';
import { recordingsFor } from '../session/run/recording-files.ts';
import { Session } from '../session/run/session.ts';
import { Assembly } from '../session/service/assembly.ts';
import { getRun, listRuns } from '../session/stored-run.ts';
import { exportRun } from '../store/bundle.ts';
import { FolderStore } from '../store/folder.ts';
import { type NewRun, RunStore } from '../store/run-store.ts';
import { openSandbox } from '../workers/spawn-sandbox.ts';
import { NodeBaseModels } from './base-models.ts';
import { type Connections, openingWorlds } from './connections.ts';
import { type DeviceOptions, openDevice } from './node-device.ts';
import { withRecordings } from './recordings.ts';

/** A rate of success means little below this many episodes. */
const LEAST_EPISODES = 200;

export interface TrainingOptions extends DeviceOptions {
  /** An experiment's; empty: `from` has its settings. */
  file: string;
  /** A run at step 0 that holds a policy from elsewhere, in place of one that begins. */
  from?: NewRun;
  seed?: number;
  steps?: number;
  out?: string;
  /** Goes on with the folder's latest run, whatever its experiment. */
  resume?: boolean;
  /** Where the servers of worlds are, over what the environment says. */
  connect?: Connections;
  /** What a world's answer may take, where a machine is so busy that the usual bound says nothing. */
  patienceMs?: number;
  /** Evaluates as few episodes as the file says: for a look at whether it runs, not at what it reaches. */
  fewEpisodes?: boolean;
  /** The objective that the experiment carries may run. */
  allowCode?: boolean;
  print(line: string): void;
}

export interface Training {
  summary: RunSummary;
  records: StepRecord[];
  folder: string;
  finished: boolean;
}

export class CommandError extends Error {
  override name = 'CommandError';
}

/** The experiment carries code, and nobody said that it may run. */
export class CodeNotAllowedError extends CommandError {
  override name = 'CodeNotAllowedError';
  constructor(paths: readonly string[]) {
    super(
      `This experiment carries code (${paths.join(', ')}), which has not run. Read it; if you trust it, give --allow-code: it runs in a sandbox.`,
    );
  }
}

/** Throws CodeNotAllowedError. */
export function askForCode(experiments: readonly Experiment[], allowed = false): void {
  const carried = experiments.flatMap(carriedCode);
  if (carried.length && !allowed) throw new CodeNotAllowedError([...new Set(carried.map(({ path }) => path))]);
}

/** The experiment of a file, checked. */
export function readDocument(file: string): Experiment {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`${file} cannot be read as an experiment: ${(error as Error).message}`);
  }
  return parseExperiment(document);
}

/** Refuses a policy that only plays. */
export function requireTraining({ policy }: Pick<Experiment, 'policy'>): void {
  const { trains, playsOnly } = factsOf(policy);
  if (trains) return;
  throw new CommandError(
    `policy.kind is "${policy.kind}": ${playsOnly}. Choose ${kindsWith('trains').join(' or ')} (lora: a repository with safetensors).`,
  );
}

/** The experiment as it will run: seed and steps of the command line, and enough episodes to report. */
export function readExperiment({ file, from, seed, steps, fewEpisodes, print }: TrainingOptions): Experiment {
  const experiment = from ? parseExperiment(from.experiment) : readDocument(file);
  if (experiment.sweep) throw new CommandError(`${file} is a sweep of several runs: npm run sweep -- ${file}`);
  requireTraining(experiment);
  const { episodes } = experiment.evaluation;
  const least = fewEpisodes ? 1 : LEAST_EPISODES;
  if (episodes < least)
    print(`evaluation.episodes: ${least} instead of ${episodes}, so that the result means something`);
  return parseExperiment({
    ...experiment,
    seed: seed ?? experiment.seed,
    steps: steps ?? experiment.steps,
    evaluation: { ...experiment.evaluation, episodes: Math.max(episodes, least) },
  });
}

async function findRun(store: RunStore, experiment: Experiment, resume: boolean): Promise<RunSummary | null> {
  const runs = (await listRuns(store)).filter((run) => run.deletedUntil === null);
  const same = runs.find((run) => JSON.stringify(run.experiment) === JSON.stringify(experiment));
  return same ?? (resume ? (runs[0] ?? null) : null);
}

const fixed = (value: number | undefined, digits: number) => (value === undefined ? '-' : value.toFixed(digits));

/** step, stage, success of the batch beside chance, score, entropy, KL, gradient norm, time. */
export function stepLine({ step, stage, metrics, evaluation }: StepRecord, steps: number): string {
  const evaluated = evaluation
    ? `  evaluation: training ${fixed(evaluation.train.policy.rate, 3)} held-out ${fixed(evaluation.test.policy.rate, 3)}`
    : '';
  if (step === 0) return `step 0/${steps}${evaluated}`;
  const chance = metrics.chanceSuccess ?? metrics.chance;
  return (
    `step ${step}/${steps}  stage ${stage}  success ${fixed(metrics.success, 3)}  chance ${fixed(chance, 3)}  ` +
    `score ${fixed(metrics.score, 3)}  entropy ${fixed(metrics.entropy, 3)}  kl ${fixed(metrics.kl, 4)}  grad ${fixed(metrics.gradNorm, 3)}  ${fixed(metrics.stepMs, 0)} ms${evaluated}`
  );
}

function listener(print: (line: string) => void, steps: number): (event: SessionEvent) => void {
  let announced = '';
  return (event) => {
    if (event.type === 'step') print(stepLine(event.record, steps));
    else if (event.type === 'notice') print(`${event.level}: ${event.message}`);
    else if (event.type === 'progress' && event.progress) {
      const { what, unit } = event.progress;
      const kind = unit === 'kernels' ? 'Compiling kernels' : what;
      if (unit !== 'kernels' || kind === announced) return;
      announced = kind;
      print(`${kind} ...`);
    }
  };
}

/** Trains until it is finished or interrupted; writes the run, and run.tabgym beside it. */
export async function train(options: TrainingOptions): Promise<Training> {
  const { print } = options;
  const { experiment, recordings } = withRecordings(readExperiment(options), dirname(options.file));
  askForCode([experiment], options.allowCode);
  const folder = options.out ?? join('runs', `${basename(options.file, '.json') || 'back'}-seed${experiment.seed}`);
  mkdirSync(folder, { recursive: true });
  const store = new RunStore(new FolderStore(folder));
  const found = await findRun(store, experiment, options.resume ?? false);
  const assets = found ? {} : await recordingsFor(experiment, async (name) => recordings.get(name) ?? null);
  const from: Pick<NewRun, 'origin' | 'assets' | 'checkpoints'> = options.from ?? { origin: { kind: 'new' } };
  const begun = { ...from, name: experiment.name, experiment, assets: { ...from.assets, ...assets } };
  const id = found?.id ?? (await store.create(begun)).id;
  const run = await getRun(store, id);
  // Of the run and not of the file: --resume goes on with what the folder holds.
  askForCode([run.experiment], options.allowCode);
  if (found) print(`${folder} holds this run at step ${found.step} of ${run.experiment.steps}`);
  if (!found || found.step < run.experiment.steps) await trainRun(store, run, options);
  const file = join(folder, 'run.tabgym');
  writeFileSync(file, await exportRun(store, id));
  const summary = await getRun(store, id);
  const finished = summary.step >= run.experiment.steps;
  print(
    `${finished ? 'Finished' : `Stopped after step ${summary.step}; the same command goes on`}. The run is in ${folder}; the page opens ${file}`,
  );
  return { summary, records: await store.records<StepRecord>(id), folder, finished };
}

async function trainRun(store: RunStore, run: RunSummary, options: TrainingOptions): Promise<void> {
  const { print } = options;
  const machine = { open: () => openDevice(options) };
  const openWorld = openingWorlds(options.connect, options.patienceMs);
  const engines = new Assembly({ machine, openWorld, models: new NodeBaseModels(), openSandbox });
  const { supported, problem, adapter } = await engines.report();
  if (!supported) throw new CommandError(problem);
  print(`adapter: ${adapter.description}${adapter.isFallback ? ' (software)' : ''}`);
  const session = new Session(run.id, run.experiment, { store, engines, emit: listener(print, run.experiment.steps) });
  const stop = onInterrupt(session, print);
  try {
    await session.train();
  } finally {
    stop();
    await session.close();
  }
}

/** Ctrl-C once: the step in progress is finished. Twice: at once; that step is lost. */
export function onInterrupt(session: { pause(): Promise<void> }, print: (line: string) => void): () => void {
  let asked = false;
  const interrupt = () => {
    if (asked) process.exit(130);
    asked = true;
    print('Stopping after this step. Ctrl-C again stops at once.');
    void session.pause();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  };
}
