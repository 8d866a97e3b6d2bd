/** `npm run study -- RESULTS.csv [--seed N]`, `npm run study -- --made N --effect POINTS --out FILE.csv` */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { CommandError, fail } from './command-error.ts';
import { wholeFrom } from './number-argument.ts';
import { analyse, madeParticipants, participantsCsv, readParticipants, type StudyResult } from './study-analysis.ts';
import { writeWhole } from './whole-files.ts';

const program = new Command('study')
  .description('Analyses a pre- and post-test of two materials (docs/study.md), or makes data to try it with.')
  .argument('[results]', 'CSV: participant,material,first,before,after[,explainedBefore,explainedAfter]')
  .option('--made <n>', 'makes this many participants instead', wholeFrom(2))
  .option('--effect <points>', 'expected difference of the gains in made data', Number, 1)
  .option('--seed <n>', 'seed of all random numbers', wholeFrom(1), 1)
  .option('--out <file>', 'file of the made data');

const points = (value: number) => value.toFixed(2);
const within = ([low, high]: readonly [number, number]) => `[${points(low)}, ${points(high)}]`;

function lines({ groups, difference }: StudyResult): string[] {
  const percent = (share: number) => `${(100 * share).toFixed(0)}%`;
  const explained = groups.flatMap(({ material, explained: each }) =>
    each
      ? `${material}: explanations by data or the model ${percent(each.before)} before, ${percent(each.after)} after; ${each.gained} changed towards them, ${each.lost} away, p = ${each.probability.toFixed(4)} (McNemar, exact)`
      : [],
  );
  const gains = groups.map(
    ({ material, count, before, after, gain, interval, normalised }) =>
      `${material}: ${count} participants, ${points(before)} before, ${points(after)} after, gain ${points(gain)} ${within(interval)}, normalised ${points(normalised)}`,
  );
  const own = [...gains, ...explained];
  if (!difference) return [...own, 'Two materials are needed for a difference.'];
  const [a, b] = groups.map(({ material }) => material);
  const { value, interval, probability } = difference;
  return [
    ...own,
    `gain of ${a} less gain of ${b}: ${points(value)} ${within(interval)}, p = ${probability.toFixed(4)} (permutation test, two-sided)`,
  ];
}

function main(): void {
  program.parse();
  const [file] = program.args;
  const { made, effect, seed, out } = program.opts<{ made?: number; effect: number; seed: number; out?: string }>();
  if (made !== undefined) {
    if (!out) throw new CommandError('Name a file for the made data: --out FILE.csv.');
    writeWhole(out, participantsCsv(madeParticipants(made, effect, seed)));
    console.log(`${out}: ${made} made participants, effect ${effect}`);
    return;
  }
  if (!file) throw new CommandError('Name the file of the results, or --made N.');
  for (const line of lines(analyse(readParticipants(readFileSync(file, 'utf8')), seed))) console.log(line);
}

try {
  main();
} catch (error) {
  fail(error as Error);
}
