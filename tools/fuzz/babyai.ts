/**
 * `node scripts/run.mjs fuzz-babyai [--actions N] [--seeds N] [--seed N]`: makes many worlds of every level, then plays
 * random strings as actions and checks the form of every answer. Exits with 1 if an answer is malformed.
 */
import { Command } from 'commander';
import { BabyAi } from '../../src/worlds/babyai/world.ts';
import { fuzzBabyai, makeEveryLevel } from './play-babyai.ts';

const options = new Command('fuzz-babyai')
  .description('Makes many worlds of every level of BabyAI, then plays random strings of any Unicode as actions.')
  .option('--actions <n>', 'random actions', '200000')
  .option('--seeds <n>', 'worlds per level', '1000')
  .option('--seed <n>', 'seed of the random strings', '1')
  .parse()
  .opts<{ actions: string; seeds: string; seed: string }>();

const world = await BabyAi.open();
const times = await makeEveryLevel(world, Number(options.seeds));
const slowest = [...times].sort((a, b) => b.meanMicroseconds - a.meanMicroseconds).slice(0, 5);
console.log(`${options.seeds} worlds of each of ${times.length} levels made; the slowest:`);
for (const { level, meanMicroseconds, worstMilliseconds, worstSeed } of slowest)
  console.log(
    `  level ${level}: ${meanMicroseconds.toFixed(0)} us on average, at most ${worstMilliseconds.toFixed(1)} ms (seed ${worstSeed})`,
  );
const report = await fuzzBabyai(world, Number(options.actions), Number(options.seed));
console.log(
  `${report.actions} random actions in ${report.episodes} episodes: ${report.valid} accepted, ${report.successes} successes`,
);
for (const problem of report.problems) console.error(`malformed: ${problem}`);
console.log(report.problems.length ? 'failed' : 'no trap, every answer well formed');
if (report.problems.length) process.exitCode = 1;
