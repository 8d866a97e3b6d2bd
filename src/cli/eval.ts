/** `npm run eval -- RUN --suite NAME [--samples 8] [--turns 5,10,20,30] [--greedy] [--compare OTHER] [--out FOLDER]` */
import { Command, InvalidArgumentError } from 'commander';
import { fail } from './command-error.ts';
import { connectOption } from './connections.ts';
import { evaluate, gainOfRun, OWN_SUITE, reportText, suiteNames, writeReport } from './evaluation.ts';
import { deviceOptions } from './node-device.ts';
import { numberIn, wholeFrom } from './number-argument.ts';

const whole = wholeFrom(1);

const wholes = (text: string): number[] => text.split(',').map(whole);

function temperature(text: string): number {
  const value = numberIn(text);
  if (!(value > 0 && value <= 10)) throw new InvalidArgumentError('It must be above 0 and at most 10.');
  return value;
}

const [device, threads] = deviceOptions('auto');
const program = new Command('eval')
  .description("Plays a run's last policy on a suite, and prints the published rows beside it, with intervals.")
  .argument(
    '<run>',
    "a run's file (.tabgym), the folder that npm run train wrote, or the address of an OpenAI-compatible server",
  )
  .requiredOption('--suite <name>', `one of: ${OWN_SUITE} (the run's own held-out tasks), ${suiteNames().join(', ')}`)
  .option('--samples <n>', 'attempts at each item', whole, 8)
  .option('--turns <list>', 'also report success within these numbers of turns, separated by commas', wholes)
  .option('--greedy', 'always the most likely token, one attempt', false)
  .option('--temperature <t>', "sampling temperature (default: the run's)", temperature)
  .option('--seed <n>', 'seed for sampling', whole, 1)
  .option('--prompt-tokens <n>', "tokens for the task's text, if the run's limit is too small", whole)
  .option('--completion-tokens <n>', "tokens for the rest of an episode, if the run's limit is too small", whole)
  .option(
    '--compare <run>',
    'another run on the same items, or "imitation" for the same run after its imitation: differences with paired tests',
  )
  .option(
    '--model <name>',
    'for a server: its name for the model. The key is read from TABGYM_API_KEY, or typed with --ask-key',
  )
  .option('--reply-tokens <n>', 'for a server: most tokens of a reply, with its reasoning (default: 256)', whole)
  .option('--ask-key', "prompt for the server's key; it stays in memory", false)
  .option('--out <folder>', 'folder for JSON, CSV, Markdown and plots')
  .addOption(connectOption())
  .addOption(device)
  .addOption(threads);

/** Reads the server's key from the terminal without echoing it. */
async function askForKey(): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const { Writable } = await import('node:stream');
  process.stderr.write('Key of the server: ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: Boolean(process.stdin.isTTY) });
  try {
    return (await lines.question('')).trim();
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

class InterruptedError extends Error {
  override name = 'InterruptedError';
}

/** First Ctrl-C: end the evaluation and report what is kept. Second: end at once. */
function interrupted(print: (line: string) => void): AbortSignal {
  const control = new AbortController();
  const interrupt = () => {
    if (control.signal.aborted) process.exit(130);
    print('Stopping. Ctrl-C again stops at once.');
    control.abort(new InterruptedError('The evaluation was stopped.'));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return control.signal;
}

async function main(): Promise<void> {
  program.parse();
  const { askKey, turns = [], ...options } = program.opts();
  const { out } = options;
  const apiKey = askKey ? await askForKey() : process.env.TABGYM_API_KEY || undefined;
  const print = (line: string) => console.log(line);
  const signal = interrupted(print);
  const given = { ...options, turns, apiKey, run: program.args[0], signal, print };
  const { report, columns } = await evaluate(given as Parameters<typeof evaluate>[0]);
  print(reportText(report, columns));
  for (const line of gainOfRun(given.run)) print(line);
  for (const file of out ? writeReport(report, columns, out) : []) print(file);
}

main().then(
  () => process.exit(0),
  (error: Error) => fail(error, error instanceof InterruptedError ? 130 : undefined),
);
