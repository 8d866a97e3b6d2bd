/**
 * `npm run fuzz:trajectories [-- --mutations N] [--seed N]`: mutates a file of every trajectory format and checks the
 * accepted records against a second implementation. Exits with 1 if reading crashes, accepts an invalid record or
 * refuses a valid one.
 */
import { Command } from 'commander';
import { trajectoryFormats } from '../../src/trajectories/files/registry.ts';
import { faultOf, made, mutated, textOf } from './trajectory-files.ts';

const program = new Command('fuzz-trajectories')
  .description('Mutates files of trajectories and checks how they are read.')
  .option('--mutations <n>', 'mutations per format', '10000')
  .option('--seed <n>', 'seed of the mutations', '1')
  .parse();
const { mutations, seed } = program.opts<{ mutations: string; seed: string }>();

let faults = 0;
for (const format of trajectoryFormats) {
  const text = textOf(
    format,
    Array.from({ length: 6 }, (_, n) => made[format.name](n)),
  );
  let found = 0;
  for (let n = 0; n < Number(mutations); n++) {
    const fault = await faultOf(mutated(text, Number(seed), n), format);
    if (!fault) continue;
    if (found++ < 5) console.log(`${format.name}, mutation ${n}: ${fault}`);
  }
  faults += found;
  console.log(`${format.name}: ${mutations} mutations, ${found} faults`);
}
if (faults) process.exitCode = 1;
