/**
 * `npm run fuzz:small -- WORLD [--actions N] [--seed N]`: plays random strings in the household, Maze or Wordle under
 * all their options, and checks the form of every answer. Exits with 1 if an answer is malformed.
 */
import { Command } from 'commander';
import { openWorld } from '../../src/worlds/registry.ts';
import { fuzzedOptions, fuzzWorld } from './play-small.ts';

const program = new Command('fuzz-small')
  .description('Plays random strings of any Unicode as actions, and checks the form of every answer.')
  .argument('<world>', `one of: ${Object.keys(fuzzedOptions).join(', ')}`)
  .option('--actions <n>', 'random actions', '100000')
  .option('--seed <n>', 'seed of the random strings', '1')
  .parse();
const [name] = program.args;
const { actions, seed } = program.opts<{ actions: string; seed: string }>();
const options = fuzzedOptions[name];
if (!options)
  program.error(`There is no world "${name}" here. Choose one of: ${Object.keys(fuzzedOptions).join(', ')}.`);

const report = await fuzzWorld(await openWorld(name), options, Number(actions), Number(seed));
for (const problem of report.problems) console.log(problem);
console.log(
  `${report.actions} random actions in ${report.episodes} episodes: ${report.valid} accepted, ${report.successes} successes, ${report.problems.length} problems`,
);
if (report.problems.length) process.exitCode = 1;
