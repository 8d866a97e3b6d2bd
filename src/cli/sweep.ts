/** `npm run sweep -- experiments/NAME.json [--seeds 1,2,3] [--steps N] [--out FOLDER] [--device wasm]` */
import { Command } from 'commander';
import { fail } from './command-error.ts';
import { connectOption } from './connections.ts';
import { deviceOptions } from './node-device.ts';
import { wholeFrom } from './number-argument.ts';
import { repeatable } from './repeatable.ts';
import { sweep } from './sweep-folder.ts';

const whole = wholeFrom(0);

const wholes = (text: string): number[] => text.split(',').map(whole);

const [device, threads] = deviceOptions('auto');
const program = new Command('sweep')
  .description(
    'Trains every seed and variant of an experiment, a step of each in turn. If stopped, run it again to continue.',
  )
  .argument('<experiment>', 'a file of experiments/; its field `sweep` lists seeds and variants')
  .option('--seeds <list>', 'seeds, separated by commas (default: those in the file)', wholes)
  .option('--steps <n>', 'number of steps (default: the one in the file)', whole)
  .option('--out <folder>', 'folder for the runs (default: runs/NAME-sweep)')
  .option('--allow-code', "run the experiment's own objectives, in a sandbox", false)
  .addOption(
    repeatable(
      '--allow-file <path>',
      "copy this file of trajectories, or of a policy that teaches, though it is outside of the experiment's folder",
    ),
  )
  .addOption(connectOption())
  .addOption(device)
  .addOption(threads);

async function main(): Promise<number> {
  program.parse();
  const print = (line: string) => console.log(line);
  const { failed } = await sweep({ ...program.opts(), file: program.args[0], print });
  return failed ? 1 : 0;
}

// Dawn keeps the process alive, so exit explicitly.
main().then((code) => process.exit(code), fail);
