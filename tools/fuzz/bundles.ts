/**
 * `npm run fuzz:bundles [-- --mutations N] [--seed N]`: mutates the bytes and the values of a run's file, and counts
 * the results of reading it: refused by name, read with every value equal, or read with a changed value. Exits with 1
 * if any is read with a changed value, fails without a name or takes longer than two seconds. With --forged the files are
 * made by somebody who knows the format (sizes and checksums are right), and their reports are written too.
 */
import { Command } from 'commander';
import { readRunFile } from '../../src/session/run-file.ts';
import { madeBundle, mutatedBundle, verdictOn } from './bundle-files.ts';
import { forgedBundle, forgedVerdict } from './forged-bundles.ts';

const program = new Command('fuzz-bundles')
  .description("Mutates a run's file and counts how each mutation is read.")
  .option('--mutations <n>', 'number of mutations', '10000')
  .option('--forged', 'files by somebody who knows the format', false)
  .option('--seed <n>', 'seed of the mutations', '1')
  .parse();
const { mutations, seed, forged } = program.opts<{ mutations: string; seed: string; forged: boolean }>();
const slowMs = 2000;

const file = madeBundle();
const original = readRunFile(file, 'a');
const counts: { [verdict: string]: number } = {};
const faults = ['otherwise', 'unnamed', 'unescaped'];
let [slow, faulty, longestMs] = [0, 0, 0];
for (let n = 0; n < Number(mutations); n++) {
  const mutated = (forged ? forgedBundle : mutatedBundle)(file, Number(seed), n);
  const began = performance.now();
  const { verdict, message } = forged ? forgedVerdict(mutated) : { verdict: verdictOn(mutated, original), message: '' };
  const tookMs = performance.now() - began;
  longestMs = Math.max(longestMs, tookMs);
  if (tookMs > slowMs) slow++;
  counts[verdict] = (counts[verdict] ?? 0) + 1;
  if (!faults.includes(verdict)) continue;
  faulty++;
  console.log(`mutation ${n}: ${verdict} ${message.slice(0, 500)}`);
}
const counted = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`);
console.log(`${mutations} mutations: ${counted.join(', ')}; the longest took ${longestMs.toFixed(0)} ms`);
if (faulty || slow) process.exitCode = 1;
