/** `npm run handoff -- RUN|EXPERIMENT --to verl|agentgym-rl|trl|trl-tools --out FOLDER [--steps N]` */
import { Command, Option } from 'commander';
import { handoffTargets } from '../library/node/handoff.ts';
import { fail } from './command-error.ts';
import { handOff } from './handoff-folder.ts';
import { wholeFrom } from './number-argument.ts';

const whole = wholeFrom(1);

const program = new Command('handoff')
  .description('Writes a run as a folder from which another trainer continues, on one machine or a cluster.')
  .argument('<run>', 'a run (.tabgym or its folder), or an experiment (.json) with an adapter')
  .addOption(
    new Option('--to <trainer>', handoffTargets.map(({ name, sentence }) => `${name}: ${sentence}`).join(' '))
      .choices(handoffTargets.map(({ name }) => name))
      .makeOptionMandatory(),
  )
  .requiredOption('--out <folder>', 'the folder to write: new, or empty')
  .option('--steps <n>', 'steps to train there (default: the remaining ones, or as many again)', whole)
  .action(async (run: string, options: { to: string; out: string; steps?: number }) => {
    await handOff(run, { ...options, print: (line) => console.log(line) });
  });

// Worlds run in workers, which keep the process alive, so exit explicitly.
program.parseAsync().then(() => process.exit(0), fail);
