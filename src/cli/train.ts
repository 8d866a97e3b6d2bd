/** `npm run train -- experiments/NAME.json|--from FOLDER [--seed N] [--out FOLDER] [--steps N] [--resume] [--device wasm] [--allow-code]` */
import { Command, InvalidArgumentError } from 'commander';
import { kindsHelp } from '../experiment/guide.ts';
import { connectOption } from './connections.ts';
import { deviceOptions } from './node-device.ts';
import { reportLines } from './report.ts';
import { returnedRun } from './returning.ts';
import { CodeNotAllowedError, train } from './training-run.ts';

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('It must be a whole number from 0.');
  return value;
}

const [device, threads] = deviceOptions('auto');
const program = new Command('train')
  .description('Trains an experiment on this machine, without a page, and writes a run that the page opens.')
  .argument('[experiment]', 'a file of experiments/; with --from it may be left out')
  .option('--from <folder>', 'a policy that was trained elsewhere goes on: a PEFT or a Hugging Face folder')
  .option('--seed <n>', 'instead of the seed in the file', whole)
  .option('--steps <n>', 'instead of the number of steps in the file', whole)
  .option('--out <folder>', 'where the run is written (default: runs/NAME-seedN)')
  .addOption(connectOption())
  .addOption(device)
  .addOption(threads)
  .option('--resume', "go on with the folder's latest run even if the experiment differs", false)
  .option('--few-episodes', 'evaluate as few episodes as the file says: to see that it runs, on a slow server', false)
  .option('--allow-code', 'run the objective that the experiment carries, in a sandbox', false)
  .addHelpText('after', kindsHelp());

async function main(): Promise<number> {
  program.parse();
  const [file = ''] = program.args;
  const { from: folder, ...options } = program.opts();
  if (!file && !folder) program.error('Name an experiment, or a policy that goes on: --from FOLDER.');
  const print = (line: string) => console.log(line);
  const from = folder ? returnedRun(folder, file || null) : undefined;
  const { records, finished } = await train({ ...options, file, from, print });
  for (const line of finished ? reportLines(records) : []) print(line);
  return 0;
}

// Dawn keeps the process alive: it is ended explicitly.
main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.name === 'Error' || error.name === 'TypeError' ? error.stack : error.message);
    // 3: it carries code, and --allow-code was not given.
    process.exit(error instanceof CodeNotAllowedError ? 3 : 1);
  },
);
