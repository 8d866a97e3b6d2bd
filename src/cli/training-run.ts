/**
 * A run on Node, from an experiment's file to a folder: the same session as in the page, with a printed line per step.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { factsOf, kindsWith } from '../experiment/policies/registry.ts';
import { openTrainer, type Run, type Trainer } from '../library/index.ts';
import type { StepRecord } from '../rl/evaluation/evaluation.ts';
import { partColumn } from '../rl/metrics/metrics.ts';
import type { AssemblyParts } from '../session/service/assembly.ts';
import type { NewRun } from '../store/run-store.ts';
import { requireAllowances } from './allowances.ts';
import { CommandError } from './command-error.ts';
import type { Connections } from './connections.ts';
import { bandLine } from './expected-band.ts';
import { continuedRun, experimentOf, type FolderOptions, forkedFile } from './folder-run.ts';
import { type DeviceOptions, requireDevice } from './node-device.ts';
import { ownWorlds } from './own-world.ts';
import { ProgressLines } from './progress.ts';
import { withFiles } from './recordings.ts';
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
  /** Files outside of the experiment's folder that the run may copy. */
  allowFile?: readonly string[];
  /** Key for that address. */
  judgeKey?: string;
  /** Key of the teacher. */
  teacherKey?: string;
  /** Changes the experiment before it runs. */
  change?(experiment: Experiment): Experiment;
  /** Place where training episodes are played; absent: here. */
  elsewhere?: AssemblyParts['elsewhere'];
}

/** A trained run of a folder. */
export interface TrainedRun {
  id: string;
  name: string;
  /** Number of committed steps. */
  step: number;
  experiment: Experiment;
}

export interface Training {
  run: TrainedRun;
  records: StepRecord[];
  folder: string;
  finished: boolean;
  /** Message of the error that stopped the training; null if none did. */
  error: string | null;
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

/** Trains until the run is finished or interrupted; writes the run, and run.tabgym beside it. */
export async function train(options: TrainingOptions): Promise<Training> {
  const { experiment, files } = await withFiles(readExperiment(options), dirname(options.file), options.allowFile);
  requireAllowances([experiment], options);
  const folder = options.out ?? join('runs', `${basename(options.file, '.json') || 'back'}-seed${experiment.seed}`);
  mkdirSync(folder, { recursive: true });
  const trainer = await openFolder(folder, options);
  try {
    for (const [name, bytes] of files) await trainer.keepFile(name, new Uint8Array(bytes));
    return await trainIn(folder, trainer, experiment, options);
  } finally {
    await trainer.close();
  }
}

/** The trainer of a folder's runs. */
export function openFolder(folder: string, options: Omit<TrainingOptions, 'file' | 'print'>): Promise<Trainer> {
  const { device, threads, connect, patienceMs, elsewhere } = options;
  const { allowCode, allowJudge, judgeKey, allowTeacher, teacherKey } = options;
  const machine = { device, threads, connect, patienceMs, elsewhere };
  const allowances = { allowCode, allowJudge, judgeKey, allowTeacher, teacherKey };
  return openTrainer({ ...machine, ...allowances, store: { folder } });
}

/** A new run, or one that begins with a policy from elsewhere. */
function newRun(trainer: Trainer, experiment: Experiment, { from }: TrainingOptions): Promise<Run> {
  if (!from) return trainer.createRun({ ...experiment });
  return trainer.placeRun({ ...from, name: experiment.name, experiment });
}

async function trainIn(
  folder: string,
  trainer: Trainer,
  experiment: Experiment,
  options: TrainingOptions,
): Promise<Training> {
  const { print } = options;
  const found =
    (await continuedRun(trainer, folder, experiment, options)) ??
    (options.fork ? await forkedFile(trainer, options.fork, experiment) : null);
  const run = found ?? (await newRun(trainer, experiment, options));
  const own = experimentOf(run);
  // Checked again for the run: --resume continues the folder's run, whose experiment may differ from the file.
  requireAllowances([own], options);
  if (found) print(`${folder} contains this run at step ${found.step} of ${own.steps}`);
  const error = run.step < own.steps ? await trainRun(trainer, run, options) : null;
  const file = join(folder, 'run.tabgym');
  writeWhole(file, await run.export());
  const finished = run.step >= own.steps;
  print(
    `${finished ? 'Finished' : `Stopped after step ${run.step}. Run the same command to continue`}. The run is in ${folder}; the page opens ${file}`,
  );
  const { id, name, step } = run;
  return { run: { id, name, step, experiment: own }, records: await run.records(), folder, finished, error };
}

/** Trains a run; returns the message of the error that stopped it, or null. */
async function trainRun(trainer: Trainer, run: Run, { print }: TrainingOptions): Promise<string | null> {
  requireDevice(trainer.device, print);
  const experiment = experimentOf(run);
  const progress = new ProgressLines(print);
  const seeBand = await bandLine(experiment, () => run.records(), print);
  let error: string | null = null;
  const ends = [
    run.on('step', (record) => {
      print(stepLine(record, experiment.steps));
      seeBand(record);
    }),
    run.on('notice', ({ level, message }) => {
      if (level === 'error') error ??= message;
      print(`${level}: ${message}`);
    }),
    run.on('progress', (each) => progress.take(each)),
    onInterrupt({ pause: () => run.pause({ afterStep: true }) }, print, () => progress.remaining),
  ];
  try {
    await run.train();
  } finally {
    for (const end of ends) end();
  }
  return run.step < experiment.steps ? error : null;
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
