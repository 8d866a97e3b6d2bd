/**
 * `npm run test:learn`: checks that a tiny policy learns from random weights. Trains three seeds of an experiment
 * (experiments/textcraft-first.json by default) and applies the checks of checks.ts to each. Prints every result with
 * its interval and its curve, and writes the curves as CSV. An interrupted seed continues where it stopped.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import { csv, sparkline } from '../../src/cli/curves.ts';
import { type DeviceOptions, deviceOptions } from '../../src/cli/node-device.ts';
import { endsOf, reportLines } from '../../src/cli/report.ts';
import { CommandError, stepLine } from '../../src/cli/training-run.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { judge, type LearnCheck, learnChecks } from './checks.ts';
import { trainToEnd } from './trained.ts';

interface Verdict {
  ok: boolean;
  lines: string[];
}

function verdictOf(seed: number, checks: readonly LearnCheck[], records: readonly StepRecord[]): Verdict {
  const ends = endsOf(records);
  if (!ends) return { ok: false, lines: [`seed ${seed}: the run has no evaluation at its start and end`] };
  const findings = judge(checks, ends);
  return { ok: findings.every(({ ok }) => ok), lines: findings.map(({ line }) => `seed ${seed}, ${line}`) };
}

function checksOf(file: string): readonly LearnCheck[] {
  const checks = learnChecks[basename(file, '.json')];
  if (checks) return checks;
  const known = Object.keys(learnChecks).map((name) => `experiments/${name}.json`);
  throw new CommandError(`There are no checks for ${file}. Choose one of: ${known.join(', ')}.`);
}

const [device, threads] = deviceOptions('auto');
const program = new Command('test:learn')
  .option('--experiment <file>', 'experiment to train', 'experiments/textcraft-first.json')
  .option('--seeds <list>', 'seeds, separated by commas', '1,2,3')
  .option('--out <folder>', "folder for runs and curves (default: runs/learn/ and the experiment's name)")
  .addOption(device)
  .addOption(threads)
  .option('--verbose', 'print every step', false);

interface Options extends DeviceOptions {
  experiment: string;
  seeds: string;
  out?: string;
  verbose: boolean;
}

async function one(
  seed: number,
  out: string,
  { experiment: file, verbose, ...device }: Options,
): Promise<StepRecord[]> {
  const print = (line: string) => console.log(line);
  const quiet = (line: string) => (verbose || !line.startsWith('step ') ? print(line) : undefined);
  const { records } = await trainToEnd({ ...device, file, seed, out: join(out, `seed${seed}`), print: quiet });
  writeFileSync(join(out, `seed${seed}.csv`), csv(records));
  const curve = records.filter((record) => record.step > 0).map((record) => record.metrics.success);
  print(stepLine(records.at(-1)!, records.at(-1)!.step));
  print(
    `seed ${seed}: ${Math.round(stepSeconds(records))} s of steps, without evaluations; success of each step's batch:`,
  );
  print(`|${sparkline(curve)}|`);
  for (const line of reportLines(records)) print(line);
  return records;
}

const stepSeconds = (records: readonly StepRecord[]) =>
  records.reduce((sum, { metrics }) => sum + (metrics.stepMs ?? 0), 0) / 1000;

async function main(): Promise<number> {
  program.parse();
  const options = program.opts<Options>();
  const { experiment, seeds } = options;
  const checks = checksOf(experiment);
  const out = options.out ?? join('runs/learn', basename(experiment, '.json'));
  mkdirSync(out, { recursive: true });
  const verdicts: Verdict[] = [];
  for (const seed of seeds.split(',').map(Number))
    verdicts.push(verdictOf(seed, checks, await one(seed, out, options)));
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
