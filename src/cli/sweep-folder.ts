/**
 * A sweep on Node, from an experiment's file to a folder: the same turn-taking between runs as in the page, with a
 * printed line per step.
 */
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Experiment, parseExperiment, sweptRuns } from '../experiment/experiment.ts';
import { MOST_RUNS, variantsOf } from '../experiment/sweep.ts';
import { variantLabels } from '../experiment/variant-labels.ts';
import type { Sweep, SweepState, SweptRun, Trainer } from '../library/index.ts';
import { pairedMarkdown, pairedText } from '../rl/evaluation/sweep-pairs.ts';
import {
  type SweepReport,
  type SweptRecords,
  sweepCsv,
  sweepMarkdown,
  sweepPlot,
  sweepReport,
  sweepText,
} from '../rl/evaluation/sweep-report.ts';
import { requireAllowances } from './allowances.ts';
import type { Connections } from './connections.ts';
import { experimentOf } from './folder-run.ts';
import { type DeviceOptions, requireDevice } from './node-device.ts';
import { formatDuration, ProgressLines } from './progress.ts';
import { withFiles, withVariantFiles } from './recordings.ts';
import { fallLines } from './report.ts';
import { onInterrupt, openFolder, readDocument, requireTraining, stepLine } from './training-run.ts';
import { writeWhole } from './whole-files.ts';

/** Settings of a sweep's trainer: the device, addresses of worlds, permission to run code. */
interface MachineOptions extends DeviceOptions {
  /** Addresses of worlds' servers; they override the environment. */
  connect?: Connections;
  /** Allows the objectives in the experiment to run. */
  allowCode?: boolean;
}

export interface SweepOptions extends MachineOptions {
  file: string;
  out?: string;
  /** Default: the seeds in the file. */
  seeds?: readonly number[];
  /** Default: the number of steps in the file. */
  steps?: number;
  /** Files outside of the experiment's folder that the runs may copy. */
  allowFile?: readonly string[];
  print(line: string): void;
}

/**
 * Returns the sweep as it will run. A document without one becomes a sweep over the given seeds, or over its own seed.
 */
export function readSweepDocument({ file, seeds, steps }: Pick<SweepOptions, 'file' | 'seeds' | 'steps'>): Experiment {
  const document = readDocument(file);
  const experiment = parseExperiment({
    ...document,
    steps: steps ?? document.steps,
    sweep: { variants: document.sweep?.variants ?? [], seeds: seeds ?? document.sweep?.seeds ?? [document.seed] },
  });
  requireTraining(experiment);
  return experiment;
}

function planLines(document: Experiment, runs: readonly SweptRun[]): string[] {
  const seeds = document.sweep!.seeds;
  const left = runs.reduce((sum, run) => sum + experimentOf(run).steps - run.step, 0);
  const labels = variantLabels(document).map(({ name, apart }) => `  ${name}${apart ? `: ${apart}` : ''}`);
  return [
    `${document.name}: ${variantsOf(document).length} variants of ${seeds.length} seeds (${seeds.join(', ')}), ${runs.length} runs of at most ${MOST_RUNS}`,
    ...labels,
    `${left} steps left`,
  ];
}

/** Prints a sweep's steps, notices and progress until the returned function is called. */
function printEvents(
  sweep: Sweep,
  runs: readonly SweptRun[],
  print: (line: string) => void,
  onError: () => void,
): () => void {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const progress = new ProgressLines(print);
  let announced = 0;
  const ends = [
    sweep.on('progress', (each) => progress.take(each)),
    sweep.on('notice', ({ level, message }) => {
      if (level === 'error') onError();
      print(`${level}: ${message}`);
    }),
    sweep.on('step', ({ runId, record }) => {
      const run = byId.get(runId);
      if (!run) return;
      const { variantName, seed } = run;
      print(`${variantName || sweep.name}, seed ${seed}: ${stepLine(record, experimentOf(run).steps)}`);
    }),
    sweep.on('state', ({ remainingMs, done, total }) => {
      const tenth = Math.floor((10 * done) / total) + 1;
      // Print after the first round of steps, then at each tenth.
      if (remainingMs === null || done < runs.length || tenth === announced || done === total) return;
      announced = tenth;
      print(`${done} of ${total} steps; about ${formatDuration(remainingMs)} left at this pace`);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

export const sweptRecords = (runs: readonly SweptRun[]): SweptRecords[] =>
  runs.map(({ variant, seed, records }) => ({ variant, seed, records }));

const labelsOf = (document: Experiment) => variantLabels(document).map(({ name }) => name);

/** A sweep stored in a folder, new or resumed. */
export class SweepFolder {
  private constructor(
    private readonly trainer: Trainer,
    readonly folder: string,
    private readonly sweep: Sweep,
    readonly document: Experiment,
  ) {}

  /** Opens the folder's sweep of exactly this document, or creates one. */
  static async open(
    document: Experiment,
    folder: string,
    machine: MachineOptions,
    files: ReadonlyMap<string, Uint8Array> = new Map(),
  ): Promise<SweepFolder> {
    mkdirSync(folder, { recursive: true });
    const trainer = await openFolder(folder, machine);
    for (const [name, bytes] of files) await trainer.keepFile(name, new Uint8Array(bytes));
    return new SweepFolder(trainer, folder, await trainer.openSweep({ ...document }), document);
  }

  runs(): Promise<SweptRun[]> {
    return this.sweep.runs();
  }

  /** Estimated time of the rest in milliseconds; null: no step was trained yet. */
  async remainingMs(): Promise<number | null> {
    return (await this.sweep.state()).remainingMs;
  }

  /**
   * Trains until all runs are finished, the user interrupts, or `until` returns true. Resolves with true if an error
   * stopped the training.
   */
  async train(print: (line: string) => void, until: (state: SweepState) => boolean = () => false): Promise<boolean> {
    let failed = false;
    const end = printEvents(this.sweep, await this.runs(), print, () => {
      failed = true;
    });
    const endWatch = this.sweep.on('state', (state) => {
      if (until(state)) void this.sweep.pause();
    });
    const stop = onInterrupt(this.sweep, print);
    try {
      await this.sweep.train();
    } finally {
      for (const each of [end, endWatch, stop]) each();
    }
    return failed && !(await this.isFinished());
  }

  /** Prints the adapter. Throws CommandError if there is no device. */
  requireDevice(print: (line: string) => void): void {
    requireDevice(this.trainer.device, print);
  }

  close(): Promise<void> {
    return this.trainer.close();
  }

  async isFinished(): Promise<boolean> {
    return (await this.runs()).every((run) => run.step >= experimentOf(run).steps);
  }

  async planLines(): Promise<string[]> {
    return planLines(this.document, await this.runs());
  }

  async report(metric?: string): Promise<SweepReport> {
    return this.reportOf(sweptRecords(await this.runs()), metric);
  }

  private reportOf(records: readonly SweptRecords[], metric?: string): SweepReport {
    return sweepReport(this.document.name, labelsOf(this.document), records, metric);
  }

  /** Results as text: the table of the variants, and their differences to the first. */
  async text(): Promise<string> {
    const records = sweptRecords(await this.runs());
    const report = this.reportOf(records);
    return sweepText(report) + pairedText(report.variants, records);
  }

  /** Writes sweep.md, .csv, .svg, .json and sweep.tabgym, a single file that the page opens. Returns their paths. */
  async write(): Promise<string[]> {
    const runs = await this.runs();
    const records = sweptRecords(runs);
    const report = this.reportOf(records);
    const files: [string, string | Uint8Array][] = [
      ['sweep.md', sweepMarkdown(report) + pairedMarkdown(report.variants, records)],
      ['sweep.csv', sweepCsv(report.variants, records)],
      ['sweep.svg', sweepPlot(report)],
      ['sweep.json', `${JSON.stringify({ document: this.document, ...report }, null, 1)}\n`],
      ['sweep.tabgym', await this.sweep.export()],
    ];
    for (const [name, content] of files) writeWhole(join(this.folder, name), content);
    return files.map(([name]) => join(this.folder, name));
  }
}

/** Trains the runs in turn until all are finished or the user interrupts; the same command continues. */
export async function sweep(options: SweepOptions): Promise<{ finished: boolean; failed: boolean }> {
  const { print } = options;
  const place = dirname(options.file);
  const { experiment: document, files: own } = await withFiles(readSweepDocument(options), place, options.allowFile);
  const experiments = sweptRuns(document).map(({ experiment }) => experiment);
  const files = await withVariantFiles(experiments, own, place, options.allowFile);
  requireAllowances(experiments, { allowCode: options.allowCode });
  const folder = options.out ?? join('runs', `${basename(options.file, '.json')}-sweep`);
  const swept = await SweepFolder.open(document, folder, options, files);
  try {
    let failed = false;
    for (const line of await swept.planLines()) print(line);
    if (!(await swept.isFinished())) {
      swept.requireDevice(print);
      failed = await swept.train(print);
    }
    for (const file of await swept.write()) print(file);
    for (const { name, records } of await swept.runs())
      for (const line of fallLines(records)) print(`${name}: ${line}`);
    const finished = await swept.isFinished();
    print(finished ? `Finished.\n\n${await swept.text()}` : 'Stopped. Run the same command to continue.');
    return { finished, failed };
  } finally {
    await swept.close();
  }
}
