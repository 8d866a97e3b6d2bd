/**
 * `npm run test:learn`: does a tiny policy learn TextCraft from nothing? Three seeds of experiments/textcraft-first.json;
 * each must end at least 0.5 above chance on training goals and 0.2 above it on held-out goals. Prints every result with
 * its interval and its curve, and writes the curves as CSV.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Rate, StepRecord } from '../rl/evaluation.ts';
import { csv, sparkline } from './curves.ts';
import { endsOf, reportLines } from './report.ts';
import { stepLine, train } from './training.ts';

const BOUNDS = { train: 0.5, test: 0.2 } as const;
const WORDS = { train: 'training goals', test: 'held-out goals' } as const;

const three = (value: number) => value.toFixed(3);

interface Verdict {
  seed: number;
  ok: boolean;
  lines: string[];
}

function verdictOf(seed: number, records: readonly StepRecord[], print: (line: string) => void): Verdict {
  const ends = endsOf(records);
  if (!ends) return { seed, ok: false, lines: [`seed ${seed}: the run has no evaluation at its start and end`] };
  const result = (split: 'train' | 'test') => {
    const { policy, chance } = ends.end[split];
    const needed = chance.rate + BOUNDS[split];
    const interval = ({ low, high }: Rate) => `[${three(low)}, ${three(high)}]`;
    const ok = policy.rate >= needed;
    const words = `chance ${three(chance.rate)} start ${three(ends.start[split].policy.rate)} end ${three(policy.rate)} ${interval(policy)} of ${policy.episodes}`;
    return {
      ok,
      line: `seed ${seed}, ${WORDS[split]}: ${words}; needed ${three(needed)}: ${ok ? 'ok' : 'NOT REACHED'}`,
    };
  };
  for (const line of reportLines(records)) print(line);
  const [onTrain, onTest] = [result('train'), result('test')];
  return { seed, ok: onTrain.ok && onTest.ok, lines: [onTrain.line, onTest.line] };
}

const program = new Command('test:learn')
  .option('--experiment <file>', 'which experiment', 'experiments/textcraft-first.json')
  .option('--seeds <list>', 'which seeds', '1,2,3')
  .option('--out <folder>', 'where runs and curves are written', 'runs/learn')
  .option('--verbose', 'every step', false);

async function one(file: string, seed: number, out: string, verbose: boolean): Promise<Verdict> {
  const print = (line: string) => console.log(line);
  const quiet = (line: string) => (verbose || !line.startsWith('step ') ? print(line) : undefined);
  const started = Date.now();
  const { records } = await train({ file, seed, out: join(out, `seed${seed}`), print: quiet });
  writeFileSync(join(out, `seed${seed}.csv`), csv(records));
  const curve = records.filter((record) => record.step > 0).map((record) => record.metrics.success);
  print(stepLine(records.at(-1)!, records.at(-1)!.step));
  print(`seed ${seed} took ${Math.round((Date.now() - started) / 1000)} s; success of each step's batch:`);
  print(`|${sparkline(curve)}|`);
  return verdictOf(seed, records, print);
}

async function main(): Promise<number> {
  program.parse();
  const { experiment, seeds, out, verbose } = program.opts<{
    experiment: string;
    seeds: string;
    out: string;
    verbose: boolean;
  }>();
  mkdirSync(out, { recursive: true });
  const verdicts: Verdict[] = [];
  for (const seed of seeds.split(',').map(Number)) verdicts.push(await one(experiment, seed, out, verbose));
  console.log('');
  for (const { lines } of verdicts) for (const line of lines) console.log(line);
  const passed = verdicts.filter(({ ok }) => ok).length;
  console.log(`learnt with ${passed} of ${verdicts.length} seeds`);
  return passed === verdicts.length ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
