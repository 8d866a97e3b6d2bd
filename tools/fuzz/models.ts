/**
 * `npm run fuzz:models [-- --every N]`: opens models whose tokenizer, chat template, config, weights or adapter lie, and
 * counts how each is met: refused by name or opened. Exits with 1 if any fails without a name or takes over two seconds of the processor.
 */
import { Command } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { hostileSets, hostileVerdict } from './hostile/verdict.ts';

const program = new Command('fuzz-models')
  .description('Opens models whose files lie, and counts how each is met.')
  .option('--every <n>', 'try every nth case', wholeFrom(1), 1)
  .parse();
const { every } = program.opts<{ every: number }>();
const slowMs = 2000;

let failed = 0;
for (const [what, cases] of Object.entries(hostileSets)) {
  const counts = { refused: 0, opened: 0, unnamed: 0 };
  let [n, longestMs] = [0, 0];
  for (const [name, make] of cases()) {
    if (n++ % every) continue;
    const { verdict, message, ms } = await hostileVerdict(make);
    counts[verdict]++;
    longestMs = Math.max(longestMs, ms);
    if (verdict !== 'unnamed' && ms <= slowMs) continue;
    failed++;
    console.log(`${name}: ${verdict} after ${ms.toFixed(0)} ms. ${message.slice(0, 300)}`);
  }
  const tried = counts.refused + counts.opened + counts.unnamed;
  console.log(
    `${what}: ${tried} tried, ${counts.refused} refused by name, ${counts.opened} opened, ${counts.unnamed} without a name; ` +
      `the longest took ${longestMs.toFixed(0)} ms`,
  );
}
if (failed) process.exitCode = 1;
