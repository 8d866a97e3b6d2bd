/**
 * `npm run fuzz:worlds [-- --mutations N] [--seed N]`: mutates the source of the templates of typed worlds, plays each
 * mutation beside an intact world, and counts the outcomes. Exits with 1 if a failure has no name, another world
 * answers otherwise, or the interpreter breaks.
 */
import { Command } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { worldTemplates } from '../../src/worlds/registry.ts';
import { WorldFuzz, type WorldVerdict } from './play-worlds.ts';
import { mutatedSource } from './world-code.ts';

const program = new Command('fuzz-worlds')
  .description('Mutates the source of the templates of typed worlds and plays each mutation beside an intact world.')
  .option('--mutations <n>', 'number of mutations', wholeFrom(1), 20_000)
  .option('--first <n>', 'number of the first mutation', wholeFrom(0), 0)
  .option('--seed <n>', 'seed of the mutations', wholeFrom(0), 1)
  .parse();
const { mutations, first, seed } = program.opts<{ mutations: number; first: number; seed: number }>();

const templates = await worldTemplates();
const names = Object.keys(templates);
const fuzz = new WorldFuzz(templates.nim);
const counts: { [verdict in WorldVerdict | 'escaped']: number } = { refused: 0, failed: 0, played: 0, escaped: 0 };
let longest = { ms: 0, n: 0 };
for (let n = first; n < first + mutations; n++) {
  const code = mutatedSource(templates[names[n % names.length]], seed, n);
  const began = performance.now();
  try {
    counts[await fuzz.play(code)]++;
  } catch (error) {
    counts.escaped++;
    if (counts.escaped <= 20) console.log(`mutation ${n}: ${(error as Error).name}: ${(error as Error).message}`);
  }
  const ms = performance.now() - began;
  if (ms > longest.ms) longest = { ms, n };
  if ((n + 1 - first) % 1000 === 0) console.log(`${n + 1 - first}: ${JSON.stringify(counts)}`);
}
await fuzz.close();
console.log(
  `${mutations} mutations: ${counts.refused} refused by name, ${counts.failed} failed by name, ${counts.played} played, ` +
    `${counts.escaped} escaped; the longest, ${longest.n}, took ${(longest.ms / 1000).toFixed(1)} s`,
);
process.exit(counts.escaped ? 1 : 0);
