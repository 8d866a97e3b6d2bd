/**
 * `npm run fuzz:bundles [-- --mutations N] [--seed N]`: mutates the bytes and the values of a run's file, and counts
 * the results of reading it: refused by name, read with every value equal, or read with a changed value. Exits with 1
 * if any is read with a changed value, fails without a name or takes longer than two seconds.
 */
import { Command } from 'commander';
import { readRunFile } from '../../src/session/run-file.ts';
import { madeBundle, mutatedBundle, type Verdict, verdictOn } from './bundle-files.ts';

const program = new Command('fuzz-bundles')
  .description("Mutates a run's file and counts how each mutation is read.")
  .option('--mutations <n>', 'number of mutations', '10000')
  .option('--seed <n>', 'seed of the mutations', '1')
  .parse();
const { mutations, seed } = program.opts<{ mutations: string; seed: string }>();
const slowMs = 2000;

const file = madeBundle();
const original = readRunFile(file, 'a');
const counts: { [verdict in Verdict]: number } = { refused: 0, equal: 0, otherwise: 0, unnamed: 0 };
let [slow, longestMs] = [0, 0];
for (let n = 0; n < Number(mutations); n++) {
  const mutated = mutatedBundle(file, Number(seed), n);
  const began = performance.now();
  const verdict = verdictOn(mutated, original);
  const tookMs = performance.now() - began;
  longestMs = Math.max(longestMs, tookMs);
  if (tookMs > slowMs) slow++;
  counts[verdict]++;
  if (verdict === 'otherwise' || verdict === 'unnamed') console.log(`mutation ${n}: ${verdict}`);
}
console.log(
  `${mutations} mutations: ${counts.refused} refused by name, ${counts.equal} equal, ${counts.otherwise} otherwise, ` +
    `${counts.unnamed} without a name; the longest took ${longestMs.toFixed(0)} ms`,
);
if (counts.otherwise || counts.unnamed || slow) process.exitCode = 1;
