/**
 * `npm run propose-rewards -- experiments/NAME.json --out FOLDER --allow-code [--address URL --model NAME] [--count 3]
 * [--rounds 2] [--steps 20] [--minutes N]`
 */
import { Command } from 'commander';
import type { Experiment } from '../experiment/experiment.ts';
import type { WorldText } from '../rl/rewards/proposals.ts';
import { judgeAsker } from '../session/api/judge.ts';
import { worldModule } from '../worlds/registry.ts';
import { CommandError, fail } from './command-error.ts';
import { worldOpener } from './connections.ts';
import { type DeviceOptions, deviceOptions } from './node-device.ts';
import { wholeFrom } from './number-argument.ts';
import { RewardProposals } from './reward-proposals.ts';
import { readExperiment, train } from './training-run.ts';
import { writeWhole } from './whole-files.ts';

const whole = wholeFrom(1);

interface Options extends DeviceOptions {
  out: string;
  address?: string;
  model?: string;
  count: number;
  rounds: number;
  steps: number;
  minutes?: number;
  replyTokens: number;
  allowCode: boolean;
}

const program = new Command('propose-rewards')
  .description(
    'Reward functions written by a model, or pasted by a person: each is trained shortly, the best is improved.',
  )
  .argument('<experiment>', 'a file of experiments/')
  .requiredOption('--out <folder>', 'folder for requests, replies, runs and the table; the same command continues')
  .option('--address <url>', 'OpenAI-compatible server; without it the replies are pasted. Key: TABGYM_API_KEY')
  .option('--model <name>', 'name of the model on the server')
  .option('--count <n>', 'functions of a round', whole, 3)
  .option('--rounds <n>', 'number of rounds', whole, 2)
  .option('--steps <n>', 'steps of each run', whole, 20)
  .option('--minutes <n>', 'begin no run after this time', whole)
  .option('--reply-tokens <n>', 'most tokens of a reply', whole, 8000)
  .option('--allow-code', 'run the proposed functions, in a sandbox', false);
for (const option of deviceOptions('auto')) program.addOption(option);

/** The world of the experiment in words, with the first observation of its first training task. */
async function worldTextOf({ worlds }: Experiment): Promise<WorldText> {
  const [{ name, options }] = worlds;
  const { title, summary, instruction } = worldModule(name);
  const world = await worldOpener(undefined)(name);
  try {
    const [task] = await world.tasks(options, 'train');
    const [first] = await world.reset([0], [task]);
    const { code } = options;
    return { title, summary, instruction, example: first.observation, ...(typeof code === 'string' && { code }) };
  } finally {
    await world.close();
  }
}

/** Requests one reply of the model; undefined: a person pastes it. */
function asker({ address, model, replyTokens: maxTokens }: Options) {
  if (!address) return undefined;
  if (!model) throw new CommandError('Name the model on the server: --model NAME.');
  const ask = judgeAsker(() => ({ ...(process.env.TABGYM_API_KEY && { token: process.env.TABGYM_API_KEY }) }));
  return (content: string) => ask({ address, model, content, maxTokens });
}

async function main(): Promise<number> {
  program.parse();
  const [file] = program.args;
  const options = program.opts<Options>();
  const { count, rounds, steps, minutes, out, allowCode } = options;
  const print = (line: string) => console.log(line);
  if (!allowCode)
    throw new CommandError(
      'The proposed functions are code from elsewhere: add --allow-code to run them in a sandbox.',
    );
  const experiment = readExperiment({ file, print: () => {} });
  print(`at most ${rounds * count} runs of ${steps} steps${minutes ? `, none begun after ${minutes} minutes` : ''}`);
  const proposals = new RewardProposals({
    ...{ experiment, folder: out, count, rounds, steps, print },
    ...(minutes && { mostMs: 60_000 * minutes }),
    world: await worldTextOf(experiment),
    ask: asker(options),
    train: async (run, folder) => {
      const document = `${folder}.json`;
      writeWhole(document, JSON.stringify(run, null, 2));
      // The model of the options writes functions; the run's own is in its document.
      const { records } = await train({ ...options, model: undefined, file: document, out: folder, print: () => {} });
      return records;
    },
  });
  const progress = await proposals.run();
  print(proposals.table());
  if (progress.state === 'waiting')
    print(`Give ${progress.request} to a model, paste its reply into ${progress.reply}, and run the same command.`);
  if (progress.state === 'stopped') print('The time is used up. The same command continues.');
  if (progress.state === 'finished') print(`Finished. The experiment with the best function is ${out}/best.json`);
  return 0;
}

// Dawn keeps the process alive, so exit explicitly.
main().then((code) => process.exit(code), fail);
