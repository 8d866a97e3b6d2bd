/**
 * `npm run ablation -- textcraft babyai`: what each part of an agent's recipe adds. Trains the runs of experiments/ablation-NAME.json one after
 * the other, each to its end, and writes the table. A finished run is one file in docs/ablation/NAME, and is not trained again as long as
 * its experiment is the same: so the table grows over as many sittings as it takes. A run that was killed goes on from its last step.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { deviceOptions } from '../../src/cli/node-device.ts';
import { CommandError, readDocument } from '../../src/cli/training-run.ts';
import { type Experiment, type SweptRun, sweptRuns } from '../../src/experiment/experiment.ts';
import { variantsOf } from '../../src/experiment/sweep.ts';
import { mean } from '../../src/rl/common/numbers.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { sweepReport, sweepTable } from '../../src/rl/evaluation/sweep-report.ts';
import { markdownTable, textTable } from '../../src/rl/evaluation/tables.ts';
import {
  type CellOptions,
  dropRun,
  minutesWords,
  patiently,
  storedResult,
  type TrainedCell,
  trainCell,
} from './cell-runs.ts';

interface Options extends CellOptions {
  seeds?: string;
  out: string;
  results: string;
  onlyTable: boolean;
}

/** What is kept of a finished run. */
interface Result {
  variant: string;
  seed: number;
  /** As it was run: one whose experiment has changed since is run again. */
  experiment: Experiment;
  /** Of its start and its end, with their evaluations. */
  records: StepRecord[];
  /** Of all steps, evaluations apart. */
  stepSeconds: number;
  flops: number;
}

const print = (line: string) => console.log(line);

const [device, threads] = deviceOptions('wasm');
const program = new Command('ablation')
  .description("Trains what each part of an agent's recipe adds, run by run, and writes the table.")
  .argument('<names...>', 'of experiments/ablation-NAME.json')
  .option('--seeds <list>', 'only these of the seeds in the file, with commas between')
  .option('--results <folder>', 'where finished runs are kept, a small file each', 'docs/ablation')
  .option('--out <folder>', 'where a run is while it is trained', 'runs/ablation')
  .option('--keep-runs', 'keep the run of a finished cell, about 50 MB each', false)
  .option('--only-table', 'train nothing: the table of the runs that there are', false)
  .option('--verbose', 'every step', false)
  .addOption(device)
  .addOption(threads);

const cellName = ({ name, seed }: SweptRun) => `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-seed${seed}`;

const fileOf = (name: string, run: SweptRun, { results }: Options) => join(results, name, `${cellName(run)}.json`);

function resultOf({ name, seed, experiment }: SweptRun, { training: { records } }: TrainedCell): Result {
  const sum = (metric: string) => records.reduce((total, { metrics }) => total + (metrics[metric] ?? 0), 0);
  return {
    variant: name,
    seed,
    experiment,
    records: records.filter(({ evaluation }) => evaluation),
    stepSeconds: sum('stepMs') / 1000,
    flops: sum('flops'),
  };
}

/** Null: it was interrupted; the same command goes on. */
async function run(name: string, swept: SweptRun, options: Options): Promise<Result | null> {
  const folder = join(options.out, name, cellName(swept));
  const trained = await trainCell(swept.experiment, folder, options);
  if (!trained) return null;
  const result = resultOf(swept, trained);
  mkdirSync(join(options.results, name), { recursive: true });
  writeFileSync(fileOf(name, swept, options), `${JSON.stringify(result)}\n`);
  dropRun(folder, options);
  return result;
}

function tableOf(document: Experiment, results: readonly Result[]) {
  const variants = variantsOf(document).map(({ name }) => name);
  const swept = results.map(({ variant, ...rest }) => ({ variant: variants.indexOf(variant), ...rest }));
  const { head, rows } = sweepTable(sweepReport(document.name, variants, swept));
  const meanOf = (variant: string, of: (result: Result) => number) => {
    const values = results.filter((result) => result.variant === variant).map(of);
    return values.length ? mean(values).toFixed(1) : '';
  };
  return {
    head: [...head, 'minutes of steps', 'operations, 1e12'],
    rows: rows.map((row, k) => [
      ...row.map((cell) => (row[1] === '0' && cell !== row[0] && cell !== row[1] ? '' : cell)),
      meanOf(variants[k], ({ stepSeconds }) => stepSeconds / 60),
      meanOf(variants[k], ({ flops }) => flops / 1e12),
    ]),
  };
}

const setting = (document: Experiment, results: readonly Result[], cells: number) =>
  `${document.description} ${results.length} of ${cells} runs are done; success is sampled at the training temperature under the last step's horizon, ` +
  `${document.evaluation.episodes} episodes an evaluation, and intervals are 95%, over seeds (Student).`;

/** The results of a name that are there, and what is missing. */
function look(name: string, options: Options) {
  const document = readDocument(`experiments/ablation-${name}.json`);
  if (!document.sweep) throw new CommandError(`experiments/ablation-${name}.json has no sweep.`);
  const seeds = options.seeds?.split(',').map(Number);
  const cells = sweptRuns(document).map((swept) => ({
    swept,
    result: storedResult<Result>(fileOf(name, swept, options), swept.experiment),
  }));
  return {
    document,
    done: cells.flatMap(({ result }) => result ?? []),
    missing: cells.flatMap(({ swept, result }) => (!result && (seeds?.includes(swept.seed) ?? true) ? swept : [])),
    cells: cells.length,
  };
}

/** False: interrupted, or some could not be trained. */
async function trainMissing(name: string, options: Options): Promise<boolean> {
  const { done, missing, cells } = look(name, options);
  print(`${name}: ${done.length} of ${cells} runs are done, ${missing.length} are to be trained now`);
  let failures = 0;
  for (const swept of missing) {
    const result = await patiently(`${swept.name}, seed ${swept.seed}`, () => run(name, swept, options));
    if (!result) return false;
    if (result instanceof Error) failures += 1;
    else {
      const { test } = result.records.at(-1)!.evaluation!;
      print(
        `${swept.name}, seed ${swept.seed}: held-out ${test.policy.rate.toFixed(3)}, chance ${test.chance.rate.toFixed(3)}, ${minutesWords(result.stepSeconds)} of steps`,
      );
    }
  }
  return failures === 0;
}

function writePage(options: Options): void {
  const parts = ['textcraft', 'babyai'].flatMap((name) => {
    const { document, done, cells } = look(name, options);
    if (!done.length) return [];
    const table = tableOf(document, done);
    print(`${document.name}\n${textTable(table)}\n`);
    return [`## ${document.name}\n\n${setting(document, done, cells)}\n\n${markdownTable(table)}\n`];
  });
  if (!parts.length) throw new CommandError(`${options.results} holds no finished run.`);
  const page = `# What each part of the recipe adds\n\n\`npm run ablation -- textcraft babyai\` wrote this page; [agents](../agents.md) says what it means.\n\n${parts.join('\n')}`;
  writeFileSync(join(options.results, 'README.md'), page);
}

async function main(): Promise<number> {
  program.parse();
  const options = program.opts<Options>();
  let whole = true;
  for (const name of options.onlyTable ? [] : program.args) whole = (await trainMissing(name, options)) && whole;
  // First: there may be no finished run to write of.
  if (!whole) print('Interrupted, or not all could be trained: the same command goes on.');
  writePage(options);
  return whole ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
