/** `npm run objectives -- RUN.tabgym|LOG.json [--step N] [--algorithms grpo,rloo] [--out FILE] [--unipo FILE]` */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { parseExperiment } from '../experiment/experiment.ts';
import { algorithms } from '../rl/algorithms/registry.ts';
import { absences, batchNotes, type ComparedObjective } from '../rl/compare-objectives.ts';
import { compareRecorded } from '../rl/compare-recorded.ts';
import type { Trajectory } from '../rl/episode/trajectory.ts';
import type { StepRecord } from '../rl/evaluation/evaluation.ts';
import { trainingStageAt } from '../rl/settings.ts';
import { readUnipo, recordedStage } from '../rl/unipo.ts';
import { writeUnipo } from '../rl/unipo-writer.ts';
import { decodeState, REFERENCE } from '../session/checkpoint.ts';
import { decodeTrajectories } from '../session/run/trajectory-codec.ts';
import { readRunFile } from '../session/run-file.ts';
import { tokenTextsOf } from '../session/text/token-texts.ts';
import { CommandError, fail } from './command-error.ts';
import { type DeviceOptions, deviceOptions } from './node-device.ts';
import { wholeFrom } from './number-argument.ts';
import { commandEngines } from './sweep-folder.ts';
import { writeWhole } from './whole-files.ts';

const [device, threads] = deviceOptions('auto');
const program = new Command('objectives')
  .description("Computes every algorithm's weights and gradient on one kept step of a run; trains nothing.")
  .argument('<run>', "a file of a run (.tabgym), or a training log in UNIPO's form (.json, .jsonl)")
  .option('--step <n>', 'step whose episodes are used (default: the last)', wholeFrom(1))
  .option('--algorithms <list>', 'names, separated by commas (default: all)')
  .option('--out <file>', 'also writes the numbers as JSON')
  .option('--unipo <file>', "also writes the run's step in UNIPO's form")
  .addOption(device)
  .addOption(threads);

type RunFile = ReturnType<typeof readRunFile>;

const fixed = (value: number | null, digits = 3) =>
  value === null || !Number.isFinite(value) ? '-' : value.toFixed(digits);

/** Typed arrays as plain lists, for JSON. */
const plainLists = (_: string, value: unknown) =>
  ArrayBuffer.isView(value) ? Array.from(value as unknown as ArrayLike<number>) : value;

/** Table of the algorithms, then the cosines of their gradients. */
function lines(all: readonly ComparedObjective[]): string[] {
  const counted = all.filter(({ without }) => !without);
  const rows = counted.map(({ label, tokens, ratio, clipped, norm, episodes }) => {
    const total = episodes.reduce((sum, { weight }) => sum + weight, 0);
    const largest = Math.max(0, ...episodes.map(({ weight }) => weight)) / (total || 1);
    return `${label}: ${tokens} tokens, ratio ${fixed(ratio)}, clipped ${fixed(100 * clipped, 1)}%, gradient norm ${fixed(norm)}, largest episode ${fixed(100 * largest, 1)}% of the weight`;
  });
  const cosines = counted.map(({ label, cosines: own }) => {
    const shown = all.flatMap(({ without }, k) => (without ? [] : [fixed(own[k], 2)]));
    return `${label}: ${shown.join(' ')}`;
  });
  const missing = all.flatMap(({ label, without }) =>
    without ? [`${label}: not compared, ${absences[without]}`] : [],
  );
  const notes = all.flatMap(({ label, notes: own }) => own.map((note) => `${label}: ${batchNotes[note]}`));
  return [...rows, ...notes, 'cosines of the gradients, in this order:', ...cosines, ...missing];
}

interface Options extends DeviceOptions {
  step?: number;
  algorithms?: string;
  out?: string;
  unipo?: string;
}

const namesIn = (list: string | undefined) => (list ? list.split(',') : algorithms.map(({ name }) => name));

/** Prints the comparison, and writes it if a file is named. */
function report(what: string, { out }: Options, objectives: ComparedObjective[], facts: { [name: string]: unknown }) {
  console.log(what);
  for (const line of lines(objectives)) console.log(line);
  if (out) writeWhole(out, `${JSON.stringify({ ...facts, objectives }, plainLists, 1)}\n`);
}

/** A step of a training log: its recorded log-probabilities stand for the weights. */
async function ofLog(file: string, text: string, options: Options): Promise<void> {
  const { steps } = readUnipo(text);
  const found = options.step === undefined ? steps.at(-1) : steps.find(({ step }) => step === options.step);
  const known = steps.map(({ step }) => step).join(', ');
  if (!found)
    throw new CommandError(
      `${file} has no such step with prompts and responses. ${known ? `These have: ${known}.` : ''}`,
    );
  const choices = namesIn(options.algorithms).map((name) => ({ name }));
  const all = await compareRecorded(found, recordedStage(found.header), choices, 'after');
  report(`step ${found.step}, recorded log-probabilities`, options, all, { step: found.step });
}

/** Weights of a step: those after it, if they are kept. There the ratios differ from 1, as in a second pass. */
function stepOf(file: string, run: RunFile, asked: number | undefined) {
  const kept = (run.checkpoints ?? []).map(({ meta }) => meta.step);
  const possible = [...(run.trajectories?.keys() ?? [])].filter(
    (each) => kept.includes(each) || kept.includes(each - 1),
  );
  if (!possible.length) throw new CommandError(`${file} keeps no step with both episodes and weights.`);
  const step = asked ?? Math.max(...possible);
  const checkpoint = run.checkpoints?.find(({ meta }) => meta.step === (kept.includes(step) ? step : step - 1));
  const bytes = run.trajectories?.get(step);
  if (!checkpoint || !bytes)
    throw new CommandError(`Step ${step} has no episodes with weights beside it. These have: ${possible.join(', ')}.`);
  return { step, checkpoint, trajectories: decodeTrajectories(bytes) };
}

/** The step in UNIPO's form, with the numbers of the run's own algorithm. */
function logOf(run: RunFile, step: number, trajectories: readonly Trajectory[], own: ComparedObjective): string {
  const experiment = parseExperiment(run.experiment);
  const tokenizer = run.assets?.['tokenizer.json'];
  const task = experiment.worlds.map(({ name }) => name).join(', ');
  const facts = { task, model: experiment.policy.kind, reward: experiment.reward ? 'composed' : 'score of the world' };
  const totals = { totalSteps: experiment.steps, learningRate: experiment.optimizer.learningRate };
  const records: readonly StepRecord[] = run.records;
  const metrics = records.find((each) => each.step === step)?.metrics ?? {};
  const texts = tokenizer ? tokenTextsOf(tokenizer) : [];
  return writeUnipo({ ...facts, ...totals }, [{ step, metrics, trajectories, own, texts }]);
}

async function ofRun(file: string, options: Options): Promise<void> {
  const run = readRunFile(new Uint8Array(readFileSync(file)), file);
  const { step, checkpoint, trajectories } = stepOf(file, run, options.step);
  const experiment = parseExperiment(run.experiment);
  const { signal } = new AbortController();
  const opening = { assets: run.assets ?? {}, choices: checkpoint.meta, purpose: 'train', signal } as const;
  const engine = await commandEngines(options).open(experiment, { ...opening, onProgress: () => {} });
  const stored = run.assets?.[REFERENCE];
  const reference = stored ? decodeState(stored, 0) : null;
  if (reference) await engine.load(reference, { reference: true });
  const now = decodeState(checkpoint.bytes, checkpoint.meta.optimizerStep);
  await engine.load(now);
  if (!engine.training?.compare) throw new CommandError('This policy does not train.');
  const own = trainingStageAt(experiment, step).algorithm.name;
  const names = namesIn(options.algorithms);
  const asked = options.unipo && !names.includes(own) ? [...names, own] : names;
  const choices = asked.map((name) => ({ name }));
  const all = await engine.training.compare(step, trajectories, choices, { now, reference });
  const weights = checkpoint.meta.step;
  report(`step ${step}, weights of step ${weights}`, options, all, { step, weights });
  const written = all.find(({ name }) => name === own);
  if (options.unipo && written) writeWhole(options.unipo, logOf(run, step, trajectories, written));
  await engine.close();
}

async function main(): Promise<void> {
  program.parse();
  const [file] = program.args;
  const options = program.opts<Options>();
  if (/\.jsonl?$/.test(file)) await ofLog(file, readFileSync(file, 'utf8'), options);
  else await ofRun(file, options);
}

main().then(() => process.exit(0), fail);
