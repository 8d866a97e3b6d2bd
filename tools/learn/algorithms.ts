/**
 * `npm run test:algorithms`: checks that every algorithm learns. Trains each algorithm of the registry with each seed
 * in one setting (experiments/textcraft-first.json, 230 steps) and prints its gain over chance beside GRPO's. Prints an
 * estimate of the duration first. The result of each cell is a separate file in `--out`; an interrupted cell continues
 * from its run's last step.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { sparkline } from '../../src/cli/curves.ts';
import { deviceOptions } from '../../src/cli/node-device.ts';
import { endsOf } from '../../src/cli/report.ts';
import { CommandError, readDocument } from '../../src/cli/training-run.ts';
import {
  type CellOptions,
  dropRun,
  formatMinutes,
  storedResult,
  type TrainedCell,
  trainCell,
  withRetries,
} from './cell-runs.ts';
import { algorithmNames, type Cell, type CellResult, cellOf, cellsOf } from './cells.ts';
import { judgeTable, markdown, rowLine, rowsOf } from './gains.ts';

interface Options extends CellOptions {
  experiment: string;
  algorithms?: string;
  seeds: string;
  steps: string;
  out: string;
  markdown?: string;
  onlyTable: boolean;
}

const print = (line: string) => console.log(line);

const [device, threads] = deviceOptions('wasm');
const program = new Command('test:algorithms')
  .description('Trains every algorithm in one setting and makes the table of what each gained over chance.')
  .option('--algorithms <list>', 'names of algorithms, separated by commas (default: all)')
  .option('--seeds <list>', 'seeds, separated by commas', '1,2,3')
  .option('--experiment <file>', 'experiment with the setting', 'experiments/textcraft-first.json')
  .option('--steps <n>', 'steps of each cell', '230')
  .option('--out <folder>', 'folder of cells and the table', 'runs/algorithms')
  .option('--markdown <file>', 'also write the page to this file, for example docs/algorithms-table.md')
  .option('--keep-runs', 'keep the run of a finished cell, about 50 MB each', false)
  .option('--only-table', 'only write the table of the finished cells', false)
  .option('--verbose', 'print every step', false)
  .addOption(device)
  .addOption(threads);

const folderOf = ({ out }: Options, { algorithm, seed }: Cell) => join(out, algorithm, `seed${seed}`);

/** Stored result of a finished cell with the same experiment, or null. */
const stored = (options: Options, cell: Cell): CellResult | null =>
  storedResult(join(folderOf(options, cell), 'result.json'), cell.experiment);

function resultOf({ algorithm, seed, experiment }: Cell, { training: { records }, seconds }: TrainedCell): CellResult {
  const ends = endsOf(records);
  if (!ends) throw new CommandError(`The run of ${algorithm}, seed ${seed}, has no evaluation at its start and end.`);
  const steps = records.filter(({ step }) => step > 0).map(({ metrics }) => metrics);
  const explained = steps.flatMap(({ explainedVariance }) => explainedVariance ?? []);
  return {
    algorithm,
    seed,
    experiment,
    ...ends,
    success: steps.map(({ success }) => success ?? null),
    ...(explained.length ? { explainedVariance: explained } : {}),
    stepSeconds: steps.reduce((sum, { stepMs }) => sum + (stepMs ?? 0), 0) / 1000,
    seconds,
  };
}

/** Trains one cell. Returns null if interrupted; the same command continues. */
async function run(cell: Cell, options: Options): Promise<CellResult | null> {
  const folder = folderOf(options, cell);
  const trained = await trainCell(cell.experiment, folder, options);
  if (!trained) return null;
  const result = resultOf(cell, trained);
  writeFileSync(join(folder, 'result.json'), JSON.stringify(result));
  dropRun(folder, options);
  return result;
}

/** Estimates the seconds of a cell before any was run, from two steps and two evaluations in this setting. */
async function measureCell(options: Options, steps: number): Promise<number> {
  const out = join(options.out, 'measure');
  rmSync(out, { recursive: true, force: true });
  const { experiment } = cellOf(readDocument(options.experiment), 'grpo', 1, 2);
  const trained = await trainCell(experiment, out, { ...options, verbose: false });
  if (!trained) throw new CommandError('Interrupted while the duration of a cell was measured; no cell has started.');
  const { training, seconds } = trained;
  rmSync(out, { recursive: true });
  const step = (training.records.at(-1)!.metrics.stepMs ?? 0) / 1000;
  return seconds + step * (steps - 2);
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Estimates the seconds of all cells, from the same algorithm's other seeds, else from all finished cells, else from a
 * measurement.
 */
async function estimate(cells: readonly Cell[], done: readonly CellResult[], options: Options): Promise<number> {
  const usual = done.length
    ? average(done.map(({ seconds }) => seconds))
    : await measureCell(options, Number(options.steps));
  const of = (name: string) => done.filter(({ algorithm }) => algorithm === name).map(({ seconds }) => seconds);
  return cells.reduce((sum, { algorithm }) => sum + (of(algorithm).length ? average(of(algorithm)) : usual), 0);
}

function writeTable(results: readonly CellResult[], options: Options): boolean {
  const rows = rowsOf(results);
  const findings = judgeTable(rows);
  writeFileSync(join(options.out, 'table.json'), JSON.stringify({ steps: Number(options.steps), rows }, null, 2));
  const [{ experiment }] = results;
  const { groups, groupSize } = experiment.algorithm;
  const page = markdown(rows, { steps: experiment.steps, episodes: groups * groupSize });
  for (const file of [join(options.out, 'table.md'), ...(options.markdown ? [options.markdown] : [])])
    writeFileSync(file, page);
  for (const row of rows) print(rowLine(row));
  for (const { line } of findings) print(line);
  return findings.every(({ ok }) => ok);
}

/** Runs the cells in order. Returns false if interrupted or if some failed. */
async function runAll(cells: readonly Cell[], done: CellResult[], options: Options): Promise<boolean> {
  let failures = 0;
  for (const [index, cell] of cells.entries()) {
    const result = await withRetries(`${cell.algorithm}, seed ${cell.seed}`, () => run(cell, options));
    if (!result) return false;
    if (result instanceof Error) {
      failures += 1;
      continue;
    }
    done.push(result);
    print(`|${sparkline(result.success.map((value) => value ?? 0))}|  ${formatMinutes(result.seconds)}`);
    print(
      rowLine(rowsOf(done.filter(({ seed }) => seed === cell.seed)).find((row) => row.algorithm === cell.algorithm)!),
    );
    const left = cells.slice(index + 1);
    if (left.length) print(`${left.length} cells left, about ${formatMinutes(await estimate(left, done, options))}`);
  }
  return failures === 0;
}

async function main(): Promise<number> {
  program.parse();
  const options = program.opts<Options>();
  const base = readDocument(options.experiment);
  const seeds = options.seeds.split(',').map(Number);
  mkdirSync(options.out, { recursive: true });
  const cells = cellsOf(base, algorithmNames(options.algorithms), seeds, Number(options.steps));
  const done = cells.flatMap((cell) => stored(options, cell) ?? []);
  const missing = options.onlyTable ? [] : cells.filter((cell) => !stored(options, cell));
  if (missing.length) {
    const seconds = await estimate(missing, done, options);
    print(
      `${cells.length} cells, ${done.length} done in ${options.out}; the other ${missing.length} take about ${formatMinutes(seconds)} here`,
    );
  }
  if (!(await runAll(missing, done, options))) {
    print(
      `Interrupted, or some cells failed. Run the same command to continue. ${done.length} of ${cells.length} cells are done.`,
    );
    return 1;
  }
  if (done.length === 0) throw new CommandError(`${options.out} contains no finished cell: run one first.`);
  return writeTable(done, options) ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
