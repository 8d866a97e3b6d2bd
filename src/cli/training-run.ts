/**
 * A run on Node, from an experiment's file to a folder: the same session as in the page, with a printed line per step.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { customCodeOf } from '../experiment/custom-code.ts';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { factsOf, kindsWith } from '../experiment/policies/registry.ts';
import { NodeBaseModels } from '../library/node/base-models.ts';
import { partColumn } from '../rl/metrics/metrics.ts';
import { modelConnection } from '../session/api/model-connection.ts';
import type { RunSummary, SessionEvent, StepRecord } from '../session/protocol.ts';
import { recordingsFor } from '../session/run/recording-files.ts';
import { Session } from '../session/run/session.ts';
import { Assembly, type AssemblyParts } from '../session/service/assembly.ts';
import { getRun } from '../session/stored-run.ts';
import { exportRun } from '../store/bundle.ts';
import { FolderStore } from '../store/folder.ts';
import { type NewRun, RunStore } from '../store/run-store.ts';
import { otherThread } from '../workers/spawn-clock.ts';
import { openSandbox } from '../workers/spawn-sandbox.ts';
import { CommandError } from './command-error.ts';
import { type Connections, worldOpener } from './connections.ts';
import { bandLine } from './expected-band.ts';
import { continuedRun, type FolderOptions, forkedFile } from './folder-run.ts';
import { type DeviceOptions, openDevice } from './node-device.ts';
import { ownWorlds } from './own-world.ts';
import { ProgressLines } from './progress.ts';
import { checkRecordings, withRecordings } from './recordings.ts';
import { FEW_EPISODES } from './report.ts';
import { writeWhole } from './whole-files.ts';

export { CommandError };

export interface TrainingOptions extends DeviceOptions, FolderOptions {
  /** File of the experiment. Empty: the settings of `from`. */
  file: string;
  /** A run at step 0 with a policy trained elsewhere, used instead of a new policy. */
  from?: NewRun;
  /** File of a run (.tabgym); the new run is a fork of it at its last step. */
  fork?: string;
  out?: string;
  /** Language model in place of the experiment's. */
  model?: string;
  /** File of a typed world, in place of the experiment's worlds. */
  worldFile?: string;
  /** Addresses of worlds' servers; they override the environment. */
  connect?: Connections;
  /** Time limit for a world's answer, for machines so busy that the usual limit is too short. */
  patienceMs?: number;
  /** Allows the experiment's own code to run. */
  allowCode?: boolean;
  /** Address of the judge that may receive the episodes. */
  allowJudge?: string;
  /** Files outside of the experiment's folder that the run may copy. */
  allowFile?: readonly string[];
  /** Key for that address. */
  judgeKey?: string;
  /** Changes the experiment before it runs. */
  change?(experiment: Experiment): Experiment;
  /** Place where training episodes are played; absent: here. */
  elsewhere?: AssemblyParts['elsewhere'];
}

export interface Training {
  summary: RunSummary;
  records: StepRecord[];
  folder: string;
  finished: boolean;
}

/** The experiment contains code that was not allowed to run. */
export class CodeNotAllowedError extends CommandError {
  override name = 'CodeNotAllowedError';
  override readonly exitCode = 3;
  constructor(paths: readonly string[]) {
    super(
      `This experiment contains code (${paths.join(', ')}), which was not run. Read it; if you trust it, add --allow-code to run it in a sandbox.`,
    );
  }
}

/** Throws CodeNotAllowedError if an experiment contains code and `allowed` is false. */
export function requireCodeAllowed(experiments: readonly Experiment[], allowed = false): void {
  const carried = experiments.flatMap(customCodeOf);
  if (carried.length && !allowed) throw new CodeNotAllowedError([...new Set(carried.map(({ path }) => path))]);
}

/** The experiment would send its episodes to a judge that was not allowed. */
class JudgeNotAllowedError extends CommandError {
  override name = 'JudgeNotAllowedError';
  constructor(address: string) {
    super(
      `This experiment has a judge and would send its episodes to ${address}. If you trust that server, run npm run train with --allow-judge ${address}.`,
    );
  }
}

const sameAddress = (a: string, b: string) => modelConnection(a) === modelConnection(b);

/** Throws JudgeNotAllowedError if the reward of an experiment has a judge at another address than the allowed one. */
export function requireJudgesAllowed(experiments: readonly Experiment[], allowed = ''): void {
  for (const part of experiments.flatMap(({ reward }) => reward?.parts ?? []))
    if ('address' in part && !sameAddress(part.address, allowed)) throw new JudgeNotAllowedError(part.address);
}

/** Reads and checks the experiment of a file. */
export function readDocument(file: string): Experiment {
  let document: unknown;
  try {
    // A reader may pass over a byte-order mark (RFC 8259, 8.1).
    document = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CommandError(`${file} cannot be read as an experiment: ${(error as Error).message}`);
  }
  return parseExperiment(document);
}

/** Refuses a policy that can only play. */
export function requireTraining({ policy }: Pick<Experiment, 'policy'>): void {
  const { trains, playsOnly } = factsOf(policy);
  if (trains) return;
  throw new CommandError(
    `policy.kind is "${policy.kind}": ${playsOnly}. Choose ${kindsWith('trains').join(' or ')} (lora: a repository with safetensors).`,
  );
}

/** The policy with another language model. Throws if it has none. */
function policyWith(policy: Experiment['policy'], model: string | undefined): unknown {
  if (model === undefined) return policy;
  if (!('model' in policy))
    throw new CommandError(`--model names a language model, but policy.kind is "${policy.kind}", which has none.`);
  return { ...policy, model };
}

/** The experiment as it will run: with seed, steps and model of the command line. */
export function readExperiment({
  file,
  from,
  seed,
  steps,
  model,
  worldFile,
  change,
  print,
}: TrainingOptions): Experiment {
  const experiment = from ? parseExperiment(from.experiment) : readDocument(file);
  if (experiment.sweep) throw new CommandError(`${file} is a sweep of several runs. Use npm run sweep -- ${file}`);
  requireTraining(experiment);
  const { episodes } = experiment.evaluation;
  if (episodes < FEW_EPISODES)
    print(`evaluation.episodes is ${episodes}: success over fewer than ${FEW_EPISODES} has a wide interval`);
  const whole = parseExperiment({
    ...experiment,
    seed: seed ?? experiment.seed,
    steps: steps ?? experiment.steps,
    policy: policyWith(experiment.policy, model),
    worlds: worldFile === undefined ? experiment.worlds : ownWorlds(worldFile),
  });
  return change?.(whole) ?? whole;
}

/** A value that is not finite is null once it was stored as JSON. */
const fixed = (value: number | null | undefined, digits: number) =>
  value === undefined || value === null ? '-' : value.toFixed(digits);

/** Reward and its parts, if the experiment composes one. */
function rewardWords(metrics: StepRecord['metrics']): string {
  if (metrics.reward === undefined) return '';
  const parts = Object.entries(metrics).flatMap(([name, value]) => {
    const column = partColumn(name);
    return column === null ? [] : [`${column} ${fixed(value, 3)}`];
  });
  return `reward ${fixed(metrics.reward, 3)} (${parts.join(', ')})  `;
}

/** Line of a step: stage, success of the batch beside chance, score, composed reward, entropy, KL, gradient norm, time. */
export function stepLine({ step, stage, metrics, evaluation }: StepRecord, steps: number): string {
  const evaluated = evaluation
    ? `  evaluation: training ${fixed(evaluation.train.policy.rate, 3)} held-out ${fixed(evaluation.test.policy.rate, 3)}`
    : '';
  if (step === 0) return `step 0/${steps}${evaluated}`;
  const signal = metrics.signal === undefined ? '' : `  signal ${fixed(metrics.signal, 4)}`;
  const chance = metrics.chanceSuccess ?? metrics.chance;
  return (
    `step ${step}/${steps}  stage ${stage}  success ${fixed(metrics.success, 3)}  chance ${fixed(chance, 3)}  ` +
    `score ${fixed(metrics.score, 3)}  ${rewardWords(metrics)}entropy ${fixed(metrics.entropy, 3)}  kl ${fixed(metrics.kl, 4)}  grad ${fixed(metrics.gradNorm, 3)}${signal}  ${fixed(metrics.stepMs, 0)} ms${evaluated}`
  );
}

function listener(
  print: (line: string) => void,
  steps: number,
  progress: ProgressLines,
): (event: SessionEvent) => void {
  return (event) => {
    if (event.type === 'step') print(stepLine(event.record, steps));
    else if (event.type === 'notice') print(`${event.level}: ${event.message}`);
    else if (event.type === 'progress') progress.take(event.progress);
  };
}

/** Trains until the run is finished or interrupted; writes the run, and run.tabgym beside it. */
export async function train(options: TrainingOptions): Promise<Training> {
  const { print } = options;
  const { experiment, recordings } = withRecordings(readExperiment(options), dirname(options.file), options.allowFile);
  requireCodeAllowed([experiment], options.allowCode);
  requireJudgesAllowed([experiment], options.allowJudge);
  await checkRecordings(recordings);
  const folder = options.out ?? join('runs', `${basename(options.file, '.json') || 'back'}-seed${experiment.seed}`);
  mkdirSync(folder, { recursive: true });
  const store = new RunStore(new FolderStore(folder));
  const found =
    (await continuedRun(store, folder, experiment, options)) ??
    (options.fork ? await forkedFile(store, options.fork, experiment) : null);
  const assets = found ? {} : await recordingsFor(experiment, async (name) => recordings.get(name) ?? null);
  const from: Pick<NewRun, 'origin' | 'assets' | 'checkpoints'> = options.from ?? { origin: { kind: 'new' } };
  const begun = { ...from, name: experiment.name, experiment, assets: { ...from.assets, ...assets } };
  const id = found?.id ?? (await store.create(begun)).id;
  const run = await getRun(store, id);
  // Checked again for the run: --resume continues the folder's run, whose experiment may differ from the file.
  requireCodeAllowed([run.experiment], options.allowCode);
  requireJudgesAllowed([run.experiment], options.allowJudge);
  if (found) print(`${folder} contains this run at step ${found.step} of ${run.experiment.steps}`);
  if (!found || found.step < run.experiment.steps) await trainRun(store, run, options);
  const file = join(folder, 'run.tabgym');
  writeWhole(file, await exportRun(store, id));
  const summary = await getRun(store, id);
  const finished = summary.step >= run.experiment.steps;
  print(
    `${finished ? 'Finished' : `Stopped after step ${summary.step}. Run the same command to continue`}. The run is in ${folder}; the page opens ${file}`,
  );
  return { summary, records: await store.records<StepRecord>(id), folder, finished };
}

async function trainRun(store: RunStore, run: RunSummary, options: TrainingOptions): Promise<void> {
  const { print } = options;
  const machine = { open: () => openDevice(options) };
  const openWorld = worldOpener(options.connect, options.patienceMs);
  const modelSettings = () => ({ ...(options.judgeKey && { token: options.judgeKey }) });
  const models = new NodeBaseModels();
  const { elsewhere } = options;
  const engines = new Assembly({ machine, openWorld, models, openSandbox, modelSettings, elsewhere });
  const { supported, problem, adapter } = await engines.report();
  if (!supported) throw new CommandError(problem);
  print(`adapter: ${adapter.description}${adapter.isFallback ? ' (software)' : ''}`);
  const progress = new ProgressLines(print);
  const seeBand = await bandLine(run.experiment, () => store.records<StepRecord>(run.id), print);
  const listen = listener(print, run.experiment.steps, progress);
  const session = new Session(run.id, run.experiment, {
    store,
    engines,
    emit(event) {
      listen(event);
      if (event.type === 'step') seeBand(event.record);
    },
    otherThread,
  });
  const stop = onInterrupt(session, print, () => progress.remaining);
  try {
    await session.train();
  } finally {
    stop();
    await session.close();
  }
}

/**
 * First Ctrl-C: stop after the current step. Second: stop at once; the step is repeated when the run continues.
 * `remaining`: the estimated time to the end of the step, in parentheses.
 */
export function onInterrupt(
  session: { pause(): Promise<void> },
  print: (line: string) => void,
  remaining: () => string = () => '',
): () => void {
  let interrupted = false;
  const interrupt = () => {
    if (interrupted) process.exit(130);
    interrupted = true;
    print(`Stopping after this step${remaining()}. Ctrl-C again stops at once.`);
    void session.pause();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  };
}
