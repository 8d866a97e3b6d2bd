/**
 * `npm run harden [-- NAME...] [--times N] [--write]`: throws faults at stored runs and trainings, counts what was lost
 * or wrongly accepted, and with --write puts the counts into docs/hardening.md. Exits with 1 if there is any.
 */
import { Argument, Command } from 'commander';
import { fail } from '../../src/cli/command-error.ts';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { lostDevices, lostGpus } from './lost-devices.ts';
import { countsPage, type Outcome, rowOf, writeRow } from './outcome.ts';
import { readOnlyFolders } from './read-only.ts';
import { clocks, flatGpuMemory, flatMemory, pauses } from './session-faults.ts';
import { flippedBits, fullDisks } from './stored-run.ts';
import { killedModel, stopped } from './training.ts';

const faults: { readonly [name: string]: { times: number; run(times: number): Promise<Outcome> } } = {
  disk: { times: 60, run: fullDisks },
  flips: { times: 500, run: flippedBits },
  kills: { times: 5, run: (times) => stopped(times, 'SIGKILL') },
  'model-kills': { times: 10, run: killedModel },
  interrupts: { times: 5, run: (times) => stopped(times, 'SIGINT') },
  devices: { times: 20, run: lostDevices },
  gpus: { times: 10, run: lostGpus },
  pauses: { times: 20, run: pauses },
  clocks: { times: 20, run: clocks },
  'read-only': { times: 6, run: readOnlyFolders },
  memory: { times: 1000, run: flatMemory },
  'gpu-memory': { times: 300, run: flatGpuMemory },
};

/** It needs a model's file, so it runs only when named. */
const onRequest = new Set(['model-kills']);

const program = new Command('harden')
  .description('Throws faults at stored runs and trainings, and counts what is lost or wrongly taken.')
  .addArgument(new Argument('[names...]', 'kinds of faults').choices(Object.keys(faults)))
  .option('--times <n>', 'number of faults of each kind (default: a minute of them)', wholeFrom(1))
  .option('--write', `write the counts into ${countsPage}`, false);

async function main(): Promise<number> {
  program.parse();
  const { times, write } = program.opts<{ times?: number; write: boolean }>();
  let bad = 0;
  for (const name of program.args.length ? program.args : Object.keys(faults).filter((each) => !onRequest.has(each))) {
    const count = times ?? faults[name].times;
    const outcome = await faults[name].run(count);
    const line = rowOf(outcome, `npm run harden -- ${name} --times ${count}`);
    console.log(line);
    if (write) writeRow(`npm run harden -- ${name}`, line);
    bad += outcome.lost + outcome.accepted;
  }
  return bad ? 1 : 0;
}

main().then((code) => process.exit(code), fail);
