/**
 * `npm run propose-rewards -- experiments/NAME.json --out FOLDER --allow-code [--address URL --model NAME] [--count 3]
 * [--rounds 2] [--steps 20] [--minutes N]`
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { openWorldHere } from '../library/node/worlds.ts';
import { judgeAsker } from '../session/api/judge.ts';
import {
  InterruptedError,
  type ProposalTexts,
  RewardProposals,
  replyName,
  requestName,
  stepsOfRun,
} from '../session/proposals/rounds.ts';
import { worldTextOf } from '../session/proposals/world-text.ts';
import { CommandError, fail } from './command-error.ts';
import { type DeviceOptions, deviceOptions } from './node-device.ts';
import { wholeFrom } from './number-argument.ts';
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
    'Reward functions written by a model or pasted by a person: a short run is trained with each, and the best is improved.',
  )
  .argument('<experiment>', 'a file of experiments/')
  .requiredOption('--out <folder>', 'folder for requests, replies, runs and the table; the same command continues')
  .option('--address <url>', 'OpenAI-compatible server; without it the replies are pasted. Key: TABGYM_API_KEY')
  .option('--model <name>', 'name of the model on the server')
  .option('--count <n>', 'functions of a round', whole, 3)
  .option('--rounds <n>', 'number of rounds', whole, 2)
  .option('--steps <n>', 'steps of reward of each run, after those of earlier stages', whole, 20)
  .option('--minutes <n>', 'begin no run after this time', whole)
  .option('--reply-tokens <n>', 'most tokens of a reply', whole, 8000)
  .option('--allow-code', 'run the proposed functions, in a sandbox', false);
for (const option of deviceOptions('auto')) program.addOption(option);

/** Texts as files of a folder. */
function textsIn(folder: string): ProposalTexts {
  mkdirSync(folder, { recursive: true });
  const at = (name: string) => join(folder, name);
  return {
    read: (name) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : null),
    write: (name, text) => writeWhole(at(name), text),
  };
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
  print(
    `at most ${rounds * count} runs of ${stepsOfRun(experiment, steps)} steps${minutes ? `, none begun after ${minutes} minutes` : ''}`,
  );
  const proposals = new RewardProposals({
    ...{ experiment, texts: textsIn(out), count, rounds, steps, print },
    ...(minutes && { mostMs: 60_000 * minutes }),
    world: await worldTextOf(experiment, (name) => openWorldHere(name)),
    ask: asker(options),
    train: async (run, name) => {
      const folder = join(out, name);
      const document = `${folder}.json`;
      writeWhole(document, JSON.stringify(run, null, 2));
      // The model of the options writes functions; the run's own is in its document.
      const { records } = await train({ ...options, model: undefined, file: document, out: folder, print: () => {} });
      return records;
    },
  });
  const progress = await proposals.run().catch((error) => {
    if (!(error instanceof InterruptedError)) throw error;
    throw new CommandError(`${error.message} The same command continues.`);
  });
  print(proposals.table());
  if (progress.state === 'waiting')
    print(
      `Give ${join(out, requestName(progress.round))} to a model, paste its reply into ${join(out, replyName(progress.round))}, and run the same command.`,
    );
  if (progress.state === 'stopped') print('The time is used up. The same command continues.');
  if (progress.state === 'finished') print(`Finished. The experiment with the best function is ${out}/best.json`);
  return 0;
}

// Dawn keeps the process alive, so exit explicitly.
main().then((code) => process.exit(code), fail);
