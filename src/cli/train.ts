/**
 * `npm run train -- experiments/NAME.json|--from FOLDER [--seed N] [--out FOLDER] [--steps N] [--model MODEL]
 * [--resume] [--fork-at STEP] [--device wasm] [--world-file FILE] [--allow-code]
 * [--allow-judge ADDRESS] [--allow-teacher ADDRESS]`
 */
import { Command } from 'commander';
import { kindsHelp } from '../experiment/guide.ts';
import { fail } from './command-error.ts';
import { connectOption } from './connections.ts';
import { deviceOptions } from './node-device.ts';
import { wholeFrom } from './number-argument.ts';
import { repeatable } from './repeatable.ts';
import { reportLines } from './report.ts';
import { returnedRun } from './returning.ts';
import { train } from './training-run.ts';

const whole = wholeFrom(0);

const [device, threads] = deviceOptions('auto');
const program = new Command('train')
  .description('Trains an experiment on this machine, without a page, and writes a run that the page opens.')
  .argument('[experiment]', 'a file of experiments/; optional with --from')
  .option(
    '--from <folder>',
    'continue a policy that was trained elsewhere: a PEFT or a Hugging Face folder, or a .gguf file; or fork a run (.tabgym) at its last step',
  )
  .option('--seed <n>', 'seed (default: the one in the file)', whole)
  .option('--steps <n>', 'number of steps (default: the one in the file)', whole)
  .option(
    '--model <model>',
    "language model in place of the file's: a folder, a .gguf file, a listed name or an address",
  )
  .option('--out <folder>', 'folder for the run (default: runs/NAME-seedN)')
  .addOption(connectOption())
  .addOption(device)
  .addOption(threads)
  .option('--resume', "continue the folder's latest run, with its own settings, even if the file differs", false)
  .option('--fork-at <step>', "fork the folder's run at this step, with the file's settings, and train the fork", whole)
  .option('--few-episodes', "no longer needed: the file's evaluation.episodes is always used", false)
  .option('--world-file <file>', "a world typed in JavaScript, in place of the experiment's worlds; needs --allow-code")
  .option('--allow-code', "run the experiment's own objective, reward and worlds, in a sandbox", false)
  .addOption(
    repeatable(
      '--allow-file <path>',
      "copy this file of trajectories, or of a policy that teaches, though it is outside of the experiment's folder",
    ),
  )
  .option(
    '--allow-judge <address>',
    'send episodes to the judge at this address; its key is read from TABGYM_JUDGE_KEY',
  )
  .option(
    '--allow-teacher <address>',
    'send episodes to the teacher behind an API at this address; its key is read from TABGYM_TEACHER_KEY',
  )
  .addHelpText('after', kindsHelp());

async function main(): Promise<number> {
  program.parse();
  const [file = ''] = program.args;
  const { from: folder, fewEpisodes, ...options } = program.opts();
  if (!file && !folder) program.error('Name an experiment, or a policy to continue: --from FOLDER.');
  const print = (line: string) => console.log(line);
  if (fewEpisodes) print("--few-episodes changes nothing: the run's own evaluation.episodes is always used");
  const fork = folder?.endsWith('.tabgym') ? folder : undefined;
  if (fork && !file) program.error('--from RUN.tabgym needs an experiment: its settings are those of the fork.');
  const from = folder && !fork ? returnedRun(folder, file || null) : undefined;
  const judgeKey = process.env.TABGYM_JUDGE_KEY || undefined;
  const teacherKey = process.env.TABGYM_TEACHER_KEY || undefined;
  const keys = { judgeKey, teacherKey };
  const { records, finished, error } = await train({ ...options, file, from, fork, ...keys, print });
  for (const line of finished ? reportLines(records) : []) print(line);
  return error === null ? 0 : 1;
}

// Dawn keeps the process alive, so exit explicitly.
main().then((code) => process.exit(code), fail);
