/**
 * `npm run ablation -- textcraft babyai`: measures what each part of an agent's recipe adds. Trains the runs of
 * experiments/ablation-NAME.json one after the other and writes the table. A finished run is one file in
 * docs/ablation/NAME and is not repeated while its experiment is the same, so the table can grow over several sittings.
 * An interrupted run continues from its last step.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
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
  formatMinutes,
  storedResult,
  type TrainedCell,
  trainCell,
  withRetries,
} from './cell-runs.ts';

interface Options extends CellOptions {
  seeds?: string;
  out: string;
  results: string;
  onlyTable: boolean;
}

/** Stored result of a finished run. */
interface Result {
  variant: string;
  seed: number;
  /** The experiment of the run. If it has changed since, the run is repeated. */
  experiment: Experiment;
  /** Records with evaluations, at the start and the end. */
  records: StepRecord[];
  /** Total of all steps, without evaluations. */
  stepSeconds: number;
  flops: number;
}

const print = (line: string) => console.log(line);

const [device, threads] = deviceOptions('wasm');
const program = new Command('ablation')
  .description("Measures what each part of an agent's recipe adds, run by run, and writes the table.")
  .argument('<names...>', 'NAME of experiments/ablation-NAME.json')
  .option('--seeds <list>', 'only these seeds of the file, separated by commas')
  .option('--results <folder>', 'folder of finished runs, a small file each', 'docs/ablation')
  .option('--out <folder>', 'folder of runs during training', 'runs/ablation')
  .option('--keep-runs', 'keep the run of a finished cell, about 50 MB each', false)
  .option('--only-table', 'only write the table of the finished runs', false)
  .option('--verbose', 'print every step', false)
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

/** Trains one run. Returns null if interrupted; the same command continues. */
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

/** The finished and the missing runs of a name. */
function progressOf(name: string, options: Options) {
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

/** Trains the missing runs. Returns false if interrupted or if some could not be trained. */
async function trainMissing(name: string, options: Options): Promise<boolean> {
  const { done, missing, cells } = progressOf(name, options);
  print(`${name}: ${done.length} of ${cells} runs are done, ${missing.length} remain to be trained`);
  let failures = 0;
  for (const swept of missing) {
    const result = await withRetries(`${swept.name}, seed ${swept.seed}`, () => run(name, swept, options));
    if (!result) return false;
    if (result instanceof Error) failures += 1;
    else {
      const { test } = result.records.at(-1)!.evaluation!;
      print(
        `${swept.name}, seed ${swept.seed}: held-out ${test.policy.rate.toFixed(3)}, chance ${test.chance.rate.toFixed(3)}, ${formatMinutes(result.stepSeconds)} of steps`,
      );
    }
  }
  return failures === 0;
}

function writePage(options: Options): void {
  const names = ['textcraft', 'babyai'].filter((name) => existsSync(`experiments/ablation-${name}.json`));
  const parts = names.flatMap((name) => {
    const { document, done, cells } = progressOf(name, options);
    if (!done.length) return [];
    const table = tableOf(document, done);
    print(`${document.name}\n${textTable(table)}\n`);
    return [`## ${document.name}\n\n${setting(document, done, cells)}\n\n${markdownTable(table)}\n`];
  });
  if (!parts.length) throw new CommandError(`${options.results} contains no finished run: train one first.`);
  const page = `# What each part of the recipe adds\n\n\`npm run ablation -- textcraft babyai\` wrote this page; [agents](../agents.md) explains it.\n\n${parts.join('\n')}`;
  writeFileSync(join(options.results, 'README.md'), page);
}

async function main(): Promise<number> {
  program.parse();
  const options = program.opts<Options>();
  let complete = true;
  for (const name of options.onlyTable ? [] : program.args) complete = (await trainMissing(name, options)) && complete;
  // Printed first, because writePage throws if no run is finished.
  if (!complete) print('Interrupted, or some runs failed. Run the same command to continue.');
  writePage(options);
  return complete ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
