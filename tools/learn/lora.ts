/**
 * `npm run test:learn-lora`: checks that training an adapter beside a language model learns, not only runs. A tiny
 * policy imitates the oracle up to about half its ceiling and is written as a Hugging Face folder. An experiment then
 * uses that folder as its language model: the weights are quantised on loading and frozen, and GRPO trains an adapter
 * beside them. Sampled success on training goals must rise by at least 0.2, at int8 and at int4.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { sparkline } from '../../src/cli/curves.ts';
import { imitateOracle } from '../../src/cli/imitation.ts';
import { type DeviceOptions, deviceOptions } from '../../src/cli/node-device.ts';
import { endsOf, formatRate, three } from '../../src/cli/report.ts';
import { readExperiment } from '../../src/cli/training-run.ts';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import type { Precision } from '../../src/policy/weights/linear.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { trainToEnd } from './trained.ts';

/** Sampled success on training goals must rise by at least this much. */
const NEEDED_GAIN = 0.2;
const LORA = { rank: 16, alpha: 32 };

const print = (line: string) => console.log(line);

const precisions: readonly Precision[] = ['f32', 'int8', 'int4'];

interface Options extends DeviceOptions {
  experiment: string;
  weights: Precision[];
  until: number;
  seed: number;
  steps?: number;
  policy?: string;
  out: string;
  verbose: boolean;
}

/** Folder of a policy that plays about half as well as it could; trained by imitation unless one is given. */
async function startingPolicy(experiment: Experiment, options: Options): Promise<string> {
  const { policy, out, until, device, threads } = options;
  const folder = resolve(policy ?? join(out, 'imitated'));
  if (policy) {
    if (!existsSync(join(folder, 'model.safetensors'))) throw new Error(`${folder} contains no model.safetensors.`);
    return folder;
  }
  // Stopping is decided on fewer episodes than the reported evaluations use.
  const quick = { ...experiment, evaluation: { ...experiment.evaluation, episodes: 128 } };
  const limits = { until, steps: 100, every: 4, episodes: 32, learningRate: 0.002, device, threads };
  const { reached } = await imitateOracle({ experiment: quick, out: folder, ...limits, print });
  if (!reached) throw new Error(`Imitation did not reach ${until}.`);
  return folder;
}

/** The same experiment with an adapter beside the folder's weights. */
function adapted(experiment: Experiment, model: string, weights: Precision): Experiment {
  return parseExperiment({ ...experiment, policy: { kind: 'lora', model, weights, lora: LORA } });
}

async function learn(experiment: Experiment, weights: Precision, options: Options): Promise<StepRecord[]> {
  const { out, verbose, device, threads } = options;
  mkdirSync(out, { recursive: true });
  const file = join(out, `${weights}.json`);
  writeFileSync(file, JSON.stringify(experiment, null, 2));
  const printFiltered = (line: string) =>
    verbose || !line.startsWith('step ') ? print(`${weights}: ${line}`) : undefined;
  const { records } = await trainToEnd({ file, out: join(out, weights), device, threads, print: printFiltered });
  return records;
}

function verdict(weights: Precision, records: readonly StepRecord[]): boolean {
  const ends = endsOf(records);
  if (!ends) throw new Error(`The run at ${weights} has no evaluation at its start and end.`);
  const { start, end } = ends;
  const steps = records.filter(({ step }) => step > 0);
  const gap = Math.max(...steps.map(({ metrics }) => metrics.logprobGapMax));
  const gain = end.train.policy.rate - start.train.policy.rate;
  print(`|${sparkline(steps.map(({ metrics }) => metrics.success))}|  success of each step's batch at ${weights}`);
  print(`${weights}, held-out goals: start ${formatRate(start.test.policy)}, end ${formatRate(end.test.policy)}`);
  print(`${weights}, training goals: start ${formatRate(start.train.policy)}, end ${formatRate(end.train.policy)}`);
  print(`${weights}: chance ${three(end.train.chance.rate)}, largest log-probability gap ${gap.toExponential(1)} nats`);
  print(`${weights}: gained ${three(gain)}, needed ${NEEDED_GAIN}: ${gain >= NEEDED_GAIN ? 'ok' : 'NOT REACHED'}`);
  return gain >= NEEDED_GAIN;
}

function precisionList(text: string): Precision[] {
  const list = text.split(',');
  const wrong = list.find((name) => !(precisions as readonly string[]).includes(name));
  if (wrong !== undefined) throw new InvalidArgumentError(`"${wrong}" must be one of ${precisions.join(', ')}.`);
  return list as Precision[];
}

const program = new Command('test:learn-lora')
  .option('--experiment <file>', 'experiment to train', 'experiments/textcraft-lora.json')
  .option('--weights <list>', 'precisions of the frozen model, separated by commas: f32, int8, int4', precisionList, [
    'int8',
    'int4',
  ])
  .option('--until <share>', 'success at which imitation stops', Number, 0.4)
  .option('--seed <n>', 'seed', Number, 1)
  .option('--steps <n>', 'number of steps (default: the one in the file)', Number)
  .option('--policy <folder>', 'start from this folder instead of imitating')
  .option('--out <folder>', 'folder for the policy and the runs', 'runs/learn-lora')
  .option('--verbose', 'print every step', false);
for (const option of deviceOptions('auto')) program.addOption(option);

async function main(): Promise<number> {
  program.parse();
  const options = program.opts<Options>();
  const experiment = readExperiment({ file: options.experiment, seed: options.seed, steps: options.steps, print });
  const folder = await startingPolicy(experiment, options);
  const results = new Map<Precision, StepRecord[]>();
  for (const weights of options.weights)
    results.set(weights, await learn(adapted(experiment, folder, weights), weights, options));
  const passed = [...results].map(([weights, records]) => verdict(weights, records)).filter(Boolean).length;
  print(`learnt at ${passed} of ${results.size} precisions`);
  return passed === results.size ? 0 : 1;
}

// Dawn keeps the process alive, so exit explicitly.
main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
