/**
 * `npm run fuzz:policies [-- --mutations N] [--seed N]`: mutates a policy's zip, its bytes, tensors and JSON, and counts
 * how each is imported: refused by name or opened. Exits with 1 if any fails without a name or takes over two seconds.
 */
import { Command } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { mutatedPolicy, type PolicyVerdict, policyVerdict, sources } from './policy-files.ts';

const program = new Command('fuzz-policies')
  .description("Mutates a policy's zip and counts how each mutation is imported.")
  .option('--mutations <n>', 'number of mutations', wholeFrom(1), 1000)
  .option('--seed <n>', 'seed of the mutations', wholeFrom(0), 1)
  .parse();
const { mutations, seed } = program.opts<{ mutations: number; seed: number }>();
const slowMs = 2000;

const all = sources();
const counts: { [verdict in PolicyVerdict]: number } = { refused: 0, opened: 0, unnamed: 0 };
let [slow, longestMs] = [0, 0];
for (let n = 0; n < mutations; n++) {
  const mutated = mutatedPolicy(all.file, seed, n);
  const began = performance.now();
  const { verdict, message } = policyVerdict(mutated, all);
  const tookMs = performance.now() - began;
  longestMs = Math.max(longestMs, tookMs);
  if (tookMs > slowMs) slow++;
  counts[verdict]++;
  if (verdict === 'unnamed') console.log(`mutation ${n}: ${message.slice(0, 300)}`);
}
console.log(
  `${mutations} mutations: ${counts.refused} refused by name, ${counts.opened} opened, ${counts.unnamed} without a name; ` +
    `the longest took ${longestMs.toFixed(0)} ms`,
);
if (counts.unnamed || slow) process.exitCode = 1;
