/** `npm run imitate -- experiments/NAME.json --out FOLDER [--until 0.5]` */
import { Command, InvalidArgumentError } from 'commander';
import { fail } from './command-error.ts';
import { imitateOracle } from './imitation.ts';
import { type DeviceOptions, deviceOptions } from './node-device.ts';
import { numberIn, wholeFrom } from './number-argument.ts';
import { readExperiment } from './training-run.ts';

function share(text: string): number {
  const value = numberIn(text);
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return value;
}

const whole = wholeFrom(1);

function positive(text: string): number {
  const value = numberIn(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}

const program = new Command('imitate')
  .description("Trains an experiment's policy to imitate its worlds' oracles, and writes it as a Hugging Face folder.")
  .argument('<experiment>', 'a file of experiments/')
  .requiredOption('--out <folder>', 'folder for the policy')
  .option('--until <share>', 'stop at this success rate on training goals, in sampled play', share, 1)
  .option('--steps <n>', 'maximum number of steps', whole, 400)
  .option('--every <n>', 'steps between evaluations', whole, 20)
  .option('--episodes <n>', 'oracle episodes per step', whole, 32)
  .option('--learning-rate <x>', "learning rate (default: the experiment's)", positive)
  .option('--seed <n>', 'seed (default: the one in the file)', Number);
for (const option of deviceOptions('auto')) program.addOption(option);

async function main(): Promise<number> {
  program.parse();
  const [file] = program.args;
  const print = (line: string) => console.log(line);
  interface Options extends DeviceOptions {
    out: string;
    until: number;
    steps: number;
    every: number;
    episodes: number;
    learningRate?: number;
    seed?: number;
  }
  const options = program.opts<Options>();
  const experiment = readExperiment({ file, seed: options.seed, print });
  const { reached, steps, evaluation } = await imitateOracle({ ...options, experiment, print });
  const rate = evaluation.train.policy.rate.toFixed(3);
  print(`${reached ? 'reached' : 'did not reach'} ${options.until}: success ${rate} after ${steps} steps`);
  return reached || options.until === 1 ? 0 : 1;
}

// Dawn keeps the process alive, so exit explicitly.
main().then((code) => process.exit(code), fail);
