/** `npm run objectives -- RUN.tabgym|LOG.json [--step N] [--algorithms grpo,rloo] [--out FILE] [--unipo FILE]` */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type ComparedStep, compareStep } from '../library/node/compared-step.ts';
import { algorithms } from '../rl/algorithms/registry.ts';
import { absences, batchNotes, type ComparedObjective } from '../rl/compare-objectives.ts';
import { compareRecorded } from '../rl/compare-recorded.ts';
import { readUnipo, recordedStage } from '../rl/unipo.ts';
import { writeUnipo } from '../rl/unipo-writer.ts';
import { CommandError, fail } from './command-error.ts';
import { type DeviceOptions, deviceOptions } from './node-device.ts';
import { wholeFrom } from './number-argument.ts';
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

/** The step in UNIPO's form, with the numbers of the run's own algorithm. */
function logOf({ step, experiment, records, trajectories, texts }: ComparedStep, own: ComparedObjective): string {
  const task = experiment.worlds.map(({ name }) => name).join(', ');
  const facts = { task, model: experiment.policy.kind, reward: experiment.reward ? 'composed' : 'score of the world' };
  const totals = { totalSteps: experiment.steps, learningRate: experiment.optimizer.learningRate };
  const metrics = records.find((each) => each.step === step)?.metrics ?? {};
  return writeUnipo({ ...facts, ...totals }, [{ step, metrics, trajectories, own, texts }]);
}

async function ofRun(file: string, options: Options): Promise<void> {
  const asked = namesIn(options.algorithms);
  const compared = await compareStep(new Uint8Array(readFileSync(file)), file, {
    ...{ step: options.step, device: options.device, threads: options.threads },
    names: (own) => (options.unipo && !asked.includes(own) ? [...asked, own] : asked),
  });
  const { step, weights, objectives, own } = compared;
  report(`step ${step}, weights of step ${weights}`, options, objectives, { step, weights });
  const written = objectives.find(({ name }) => name === own);
  if (options.unipo && written) writeWhole(options.unipo, logOf(compared, written));
}

async function main(): Promise<void> {
  program.parse();
  const [file] = program.args;
  const options = program.opts<Options>();
  if (/\.jsonl?$/.test(file)) await ofLog(file, readFileSync(file, 'utf8'), options);
  else await ofRun(file, options);
}

main().then(() => process.exit(0), fail);
