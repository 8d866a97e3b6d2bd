/** `npm run grade -- ASSIGNMENT FOLDER --out DIR [--seed N] [--steps N] [--allow-code] [--device wasm]` */
import { Command } from 'commander';
import { fail } from './command-error.ts';
import { gradeFolder } from './grading.ts';
import { deviceOptions } from './node-device.ts';
import { wholeFrom } from './number-argument.ts';

const whole = wholeFrom(1);
const [device, threads] = deviceOptions('auto');
const program = new Command('grade')
  .description('Grades handed-in files: computes their claims again from the weights, and writes the marks.')
  .argument('<assignment>', "the teacher's copy of the assignment, with its answers")
  .argument('<folder>', 'a folder of handed-in files (.tabgym), or one of them')
  .requiredOption('--out <folder>', 'folder for the table, CSV, and the JSON of Classroom 50 and Gradescope')
  .option(
    '--seed <n>',
    'seed of the held-out tasks and of the drawn steps (default: the one in --out, or a new one)',
    whole,
  )
  .option('--steps <n>', 'most steps of each run that are computed again', whole, 40)
  .option('--allow-code', "run the pupils' own objectives, rewards and worlds, in a sandbox", false)
  .addOption(device)
  .addOption(threads);

async function main(): Promise<void> {
  program.parse();
  const [assignment, folder] = program.args;
  const options = program.opts();
  const print = (line: string) => console.log(line);
  await gradeFolder({ ...(options as { out: string; steps: number; allowCode: boolean }), assignment, folder, print });
}

// Dawn keeps the process alive, so exit explicitly.
main().then(() => process.exit(0), fail);
