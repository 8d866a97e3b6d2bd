/**
 * `npm run fuzz:tools -- [WORLD ...] [--actions N] [--seed N] [--oracle N]`: plays random calls and texts in the worlds
 * of tools; with `--oracle`, lets the oracle solve N instances of each template instead. Exits with 1 after a problem.
 */
import { Command } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import type { World } from '../../src/envs/env.ts';
import { openWorld, worldModules } from '../../src/worlds/registry.ts';
import { fuzzTools } from './play-tools.ts';
import { oracleReward } from './solve.ts';

const known = worldModules.filter(({ view }) => view === 'tools').map(({ name }) => name);
const program = new Command('fuzz-tools')
  .description('Plays random calls and texts in the worlds of tools, and checks every answer.')
  .argument('[worlds...]', `some of: ${known.join(', ')}`)
  .option('--actions <n>', 'random actions a world', wholeFrom(1), 20_000)
  .option('--seed <n>', 'seed of the random actions', wholeFrom(0), 1)
  .option('--oracle <n>', 'instances of each template that the oracle solves instead', wholeFrom(1))
  .parse();
const { actions, seed, oracle } = program.opts<{ actions: number; seed: number; oracle?: number }>();

/** Number of tasks that the oracle does not solve. */
async function unsolved(world: World, each: number): Promise<{ tasks: number; failed: number }> {
  const half = Math.ceil(each / 2);
  const tasks = [
    ...(await world.tasks({ instances: half }, 'train')),
    ...(await world.tasks({ testInstances: half }, 'test')),
  ];
  let failed = 0;
  for (const task of tasks) {
    if ((await oracleReward(world, task)) !== 1) failed++;
  }
  return { tasks: tasks.length, failed };
}

for (const name of program.args.length ? program.args : known) {
  const world = await openWorld(name);
  if (oracle) {
    const { tasks, failed } = await unsolved(world, oracle);
    console.log(`${name}: the oracle solves ${tasks - failed} of ${tasks} tasks`);
    if (failed) process.exitCode = 1;
    continue;
  }
  const report = await fuzzTools(world, actions, seed);
  for (const problem of report.problems) console.log(problem);
  console.log(
    `${name}: ${report.actions} actions in ${report.episodes} episodes: ${report.valid} accepted, ${report.successes} successes, slowest step ${report.slowestMs.toFixed(1)} ms, ${report.problems.length} problems`,
  );
  if (report.problems.length) process.exitCode = 1;
}
