/**
 * `node scripts/run.mjs fuzz-search [--actions N] [--seed N]`: plays random strings as actions, including FTS5 query
 * syntax, and checks the form of every answer. Exits with 1 if an answer is malformed.
 */
import { Command } from 'commander';
import { Search } from '../../src/worlds/search/world.ts';
import { fuzzSearch } from './play-search.ts';

const options = new Command('fuzz-search')
  .description('Plays random strings of any Unicode and of FTS5 query syntax as actions in Search.')
  .option('--actions <n>', 'random actions', '200000')
  .option('--seed <n>', 'seed of the random strings', '1')
  .parse()
  .opts<{ actions: string; seed: string }>();

const world = await Search.open();
const report = await fuzzSearch(world, Number(options.actions), Number(options.seed));
await world.close();
console.log(
  `${report.actions} random actions in ${report.episodes} episodes: ${report.valid} accepted, ${report.successes} successes`,
);
for (const problem of report.problems) console.error(`malformed: ${problem}`);
console.log(report.problems.length ? 'failed' : 'no error, every answer well formed');
if (report.problems.length) process.exitCode = 1;
