/**
 * `npm run fuzz:small -- WORLD [--actions N] [--seed N] [--write]`: plays random strings in any world that is played here, under
 * random options (all variants of the household, Maze and Wordle are listed), and checks every answer. With
 * --write puts the count into docs/hardening.md. Exits with 1 if an answer is wrong.
 */
import { Command } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { openWorld, worldModule, worldModules } from '../../src/worlds/registry.ts';
import { countsPage, rowOf, writeRow } from '../hardening/outcome.ts';
import { fuzzAnyWorld, isFuzzable } from './play-any.ts';
import { fuzzedOptions, fuzzWorld } from './play-small.ts';

const known = worldModules.filter(isFuzzable).map(({ name }) => name);
const program = new Command('fuzz-small')
  .description('Plays random strings of any Unicode as actions, and checks every answer.')
  .argument('<world>', `one of: ${known.join(', ')}`)
  .option('--actions <n>', 'random actions', wholeFrom(1), 100_000)
  .option('--seed <n>', 'seed of the random strings', wholeFrom(0), 1)
  .option('--write', `write the count into ${countsPage}`, false)
  .parse();
const [name] = program.args;
const { actions, seed, write } = program.opts<{ actions: number; seed: number; write: boolean }>();
if (!known.includes(name))
  program.error(`There is no world "${name}" that is played here. Choose one of: ${known.join(', ')}.`);

/** Seconds of the processor so far: the rate must not depend on other work on the machine. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const world = await openWorld(name);
const began = processorSeconds();
const listed = fuzzedOptions[name];
const report = await (listed
  ? fuzzWorld(world, listed, actions, seed)
  : fuzzAnyWorld(worldModule(name), world, actions, seed));
const rate = report.actions / (processorSeconds() - began);
for (const problem of report.problems) console.log(problem);
console.log(
  `${report.actions} random actions in ${report.episodes} episodes: ${report.valid} accepted, ${report.successes} successes, ${report.problems.length} problems, ${rate.toFixed(0)} actions a second of the processor`,
);
if (write) {
  const what = `fuzzed action in *${worldModule(name).title}* (${rate.toFixed(0)} a second of the processor)`;
  const outcome = { what, tried: report.actions, lost: 0, accepted: report.problems.length };
  writeRow(`npm run fuzz:small -- ${name}`, rowOf(outcome, `npm run fuzz:small -- ${name} --actions ${actions}`));
}
if (report.problems.length) process.exitCode = 1;
