/**
 * `npm run test:learn-lora`: does the path of language models learn, not only run? A tiny policy imitates the oracle to about half
 * its ceiling and is written as a Hugging Face folder. That folder is read back, its weights are quantised and frozen, and a
 * low-rank adapter is trained by GRPO; sampled success on training goals must rise by at least 0.2, at int8 and at int4.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { World } from '../envs/env.ts';
import { Gpu } from '../gpu/device.ts';
import { initAdapter, type LoraConfig, projections } from '../policy/adapter.ts';
import { loadCheckpoint } from '../policy/checkpoint.ts';
import type { Precision } from '../policy/linear.ts';
import { Model } from '../policy/model.ts';
import { saveAdapter } from '../policy/peft.ts';
import { Tokenizer } from '../policy/tokenizer.ts';
import { conversationOf } from '../rl/conversation-files.ts';
import type { Evaluation, Rate } from '../rl/evaluation.ts';
import { Trainer } from '../rl/trainer.ts';
import type { Experiment } from '../session/experiment.ts';
import { chooseKernels } from '../session/kernel-memory.ts';
import { capacityOf } from '../session/sizes.ts';
import { openWorldPool } from '../workers/spawn-world.ts';
import { sparkline } from './curves.ts';
import { imitateOracle } from './imitating.ts';
import { nodeGpu } from './node-gpu.ts';
import { readExperiment, stepLine } from './training.ts';

/** Sampled success on training goals must rise by this much. */
const NEEDED_GAIN = 0.2;
const LORA: LoraConfig = { rank: 16, alpha: 32, targets: projections };

const print = (line: string) => console.log(line);
const three = (value: number) => value.toFixed(3);
const interval = ({ rate, low, high, episodes }: Rate) =>
  `${three(rate)} [${three(low)}, ${three(high)}] of ${episodes}`;

interface Files {
  config: string;
  model: Uint8Array;
  tokenizer: string;
  tokenizerConfig: unknown;
}

function readFolder(folder: string): Files {
  const text = (name: string) => readFileSync(join(folder, name), 'utf8');
  return {
    config: text('config.json'),
    model: readFileSync(join(folder, 'model.safetensors')),
    tokenizer: text('tokenizer.json'),
    tokenizerConfig: JSON.parse(text('tokenizer_config.json')),
  };
}

interface Result {
  precision: Precision;
  start: Evaluation;
  end: Evaluation;
  curve: number[];
  largestGap: number;
}

interface Parts {
  gpu: Gpu;
  worlds: ReadonlyMap<string, World>;
  experiment: Experiment;
  files: Files;
  out: string;
  verbose: boolean;
}

/** An adapter beside the folder's weights at a precision, trained for the experiment's steps. */
async function learnAt(precision: Precision, parts: Parts): Promise<Result> {
  const { gpu, experiment, files, worlds } = parts;
  const { config, tensors } = loadCheckpoint(files);
  const tokenizer = new Tokenizer(JSON.parse(files.tokenizer));
  const conversation = await conversationOf(tokenizer, { tokenizerConfig: files.tokenizerConfig });
  const policy = await Model.create(gpu, config, {
    capacity: capacityOf(experiment),
    choices: await chooseKernels(gpu, undefined),
    weights: tensors,
    precision,
    adapter: { lora: LORA, tensors: initAdapter(config, LORA, experiment.seed) },
    trainable: true,
    reference: false,
  });
  try {
    const trainer = await Trainer.create(experiment, { policy, worlds, tokenizer, conversation });
    return { precision, ...(await trainAll(trainer, policy, parts, precision)) };
  } finally {
    policy.destroy();
  }
}

async function trainAll(trainer: Trainer, policy: Model, { experiment, out, verbose }: Parts, precision: Precision) {
  const start = await trainer.evaluate(0);
  print(`${precision}: at the start ${interval(start.train.policy)}, chance ${three(start.train.chance.rate)}`);
  const curve: number[] = [];
  let largestGap = 0;
  for (let step = 1; step <= experiment.steps; step++) {
    const { record } = await trainer.step(step);
    curve.push(record.metrics.success);
    largestGap = Math.max(largestGap, record.metrics.logprobGapMax);
    if (verbose || step % 10 === 0) print(`${precision}: ${stepLine(record, experiment.steps)}`);
  }
  const end = await trainer.evaluate(experiment.steps);
  const { tensors } = await policy.save();
  const adapter = new Map([...tensors].filter(([name]) => !name.startsWith('exp_avg')));
  const files = saveAdapter(policy.config, { lora: LORA, tensors: adapter }, null);
  const folder = join(out, `adapter-${precision}`);
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return { start, end, curve, largestGap };
}

function verdict({ precision, start, end, curve, largestGap }: Result): boolean {
  const gain = end.train.policy.rate - start.train.policy.rate;
  print('');
  print(`${precision}, training goals: start ${interval(start.train.policy)}, end ${interval(end.train.policy)}`);
  print(`${precision}, held-out goals: start ${interval(start.test.policy)}, end ${interval(end.test.policy)}`);
  print(
    `|${sparkline(curve)}|  success of each step's batch; largest log-probability gap ${largestGap.toExponential(1)}`,
  );
  print(`${precision}: gained ${three(gain)}, needed ${NEEDED_GAIN}: ${gain >= NEEDED_GAIN ? 'ok' : 'NOT REACHED'}`);
  return gain >= NEEDED_GAIN;
}

const precisions: readonly Precision[] = ['f32', 'int8', 'int4'];

function precisionList(text: string): Precision[] {
  const list = text.split(',');
  const wrong = list.find((name) => !(precisions as readonly string[]).includes(name));
  if (wrong !== undefined) throw new InvalidArgumentError(`"${wrong}" is none of ${precisions.join(', ')}.`);
  return list as Precision[];
}

const program = new Command('test:learn-lora')
  .option('--experiment <file>', 'which experiment', 'experiments/textcraft-lora.json')
  .option('--precision <list>', 'of the frozen weights: f32, int8, int4', precisionList, ['int8', 'int4'])
  .option('--until <share>', 'success at which imitation stops', Number, 0.4)
  .option('--seed <n>', 'which seed', Number, 1)
  .option('--steps <n>', 'instead of the number of steps in the file', Number)
  .option('--policy <folder>', 'start from this folder instead of imitating')
  .option('--out <folder>', 'where the policy and the adapters are written', 'runs/learn-lora')
  .option('--verbose', 'every step', false);

async function main(): Promise<number> {
  program.parse();
  const options = program.opts<{
    experiment: string;
    precision: Precision[];
    until: number;
    seed: number;
    steps?: number;
    policy?: string;
    out: string;
    verbose: boolean;
  }>();
  const experiment = readExperiment({ file: options.experiment, seed: options.seed, steps: options.steps, print });
  const folder = options.policy ?? join(options.out, 'imitated');
  if (!options.policy) {
    const limits = { steps: 100, every: 4, episodes: 32, learningRate: 0.002 };
    const { reached } = await imitateOracle({ experiment, out: folder, until: options.until, ...limits, print });
    if (!reached) throw new Error(`Imitation did not reach ${options.until}.`);
  }
  if (!existsSync(join(folder, 'model.safetensors'))) throw new Error(`${folder} holds no model.safetensors.`);
  const gpu = await Gpu.open(await nodeGpu());
  const worlds = new Map<string, World>();
  for (const { name } of experiment.worlds) worlds.set(name, await openWorldPool(name));
  const parts = { gpu, worlds, experiment, files: readFolder(folder), out: options.out, verbose: options.verbose };
  const results: Result[] = [];
  for (const precision of options.precision) results.push(await learnAt(precision, parts));
  const passed = results.map(verdict).filter(Boolean).length;
  print(`learnt at ${passed} of ${results.length} precisions`);
  return passed === results.length ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
