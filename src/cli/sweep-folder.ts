/**
 * A sweep on Node, from an experiment's file to a folder: the same turn-taking between runs as in the page, with a
 * printed line per step.
 */
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Experiment, parseExperiment, sweptRuns } from '../experiment/experiment.ts';
import { MOST_RUNS, variantsOf } from '../experiment/sweep.ts';
import { variantLabels } from '../experiment/variant-labels.ts';
import { NodeBaseModels } from '../library/node/base-models.ts';
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
import type { SessionEvent, StepRecord, SweepState } from '../session/protocol.ts';
import { recordingsFor } from '../session/run/recording-files.ts';
import { Assembly } from '../session/service/assembly.ts';
import { SweepSession } from '../session/sweep/sweep.ts';
import { completeSweep, createSweep, findSweep, runsOfSweep, type SweepRun } from '../session/sweep/sweep-runs.ts';
import { FolderStore } from '../store/folder.ts';
import { RunStore } from '../store/run-store.ts';
import { exportSweep } from '../store/sweep-bundle.ts';
import { openSandbox } from '../workers/spawn-sandbox.ts';
import { type Connections, worldOpener } from './connections.ts';
import { type DeviceOptions, openDevice } from './node-device.ts';
import { formatDuration, ProgressLines } from './progress.ts';
import { checkRecordings, withRecordings } from './recordings.ts';
import { fallLines } from './report.ts';
import {
  CommandError,
  onInterrupt,
  readDocument,
  requireCodeAllowed,
  requireJudgesAllowed,
  requireTraining,
  stepLine,
} from './training-run.ts';
import { writeWhole } from './whole-files.ts';

/** Settings for opening engines: the device, addresses of worlds, permission to run code. */
export interface MachineOptions extends DeviceOptions {
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

export interface Swept {
  runs: { run: SweepRun; records: StepRecord[] }[];
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

function planLines(document: Experiment, runs: readonly SweepRun[]): string[] {
  const seeds = document.sweep!.seeds;
  const left = runs.reduce((sum, { step, experiment }) => sum + experiment.steps - step, 0);
  const labels = variantLabels(document).map(({ name, apart }) => `  ${name}${apart ? `: ${apart}` : ''}`);
  return [
    `${document.name}: ${variantsOf(document).length} variants of ${seeds.length} seeds (${seeds.join(', ')}), ${runs.length} runs of at most ${MOST_RUNS}`,
    ...labels,
    `${left} steps left`,
  ];
}

function listener(runs: readonly SweepRun[], print: (line: string) => void): (event: SessionEvent) => void {
  const byId = new Map(runs.map((run) => [run.id, run]));
  let announced = 0;
  const progress = new ProgressLines(print);
  return (event) => {
    if (event.type === 'progress') progress.take(event.progress);
    else if (event.type === 'step') {
      const { sweep: place, experiment } = byId.get(event.runId)!;
      print(`${place.variantName || place.name}, seed ${place.seed}: ${stepLine(event.record, experiment.steps)}`);
    } else if (event.type === 'notice') print(`${event.level}: ${event.message}`);
    else if (event.type === 'sweep') {
      const { remainingMs, done, total } = event.state;
      const tenth = Math.floor((10 * done) / total) + 1;
      // Print after the first round of steps, then at each tenth.
      if (remainingMs === null || done < runs.length || tenth === announced || done === total) return;
      announced = tenth;
      print(`${done} of ${total} steps; about ${formatDuration(remainingMs)} left at this pace`);
    }
  };
}

export const sweptRecords = (runs: Swept['runs']): SweptRecords[] =>
  runs.map(({ run, records }) => ({ variant: run.sweep.variant, seed: run.sweep.seed, records }));

const labelsOf = (document: Experiment) => variantLabels(document).map(({ name }) => name);

/** Device and worlds of a command. Nothing is opened yet. */
export const commandEngines = (options: MachineOptions): Assembly =>
  new Assembly({
    machine: { open: () => openDevice(options) },
    openWorld: worldOpener(options.connect),
    models: new NodeBaseModels(),
    openSandbox,
  });

/** Opens the device of a command. Throws CommandError if there is none. */
export async function openEngines(options: MachineOptions, print: (line: string) => void): Promise<Assembly> {
  const engines = commandEngines(options);
  const { supported, problem, adapter } = await engines.report();
  if (!supported) throw new CommandError(problem);
  print(`adapter: ${adapter.description}${adapter.isFallback ? ' (software)' : ''}`);
  return engines;
}

/** A sweep stored in a folder, new or resumed. */
export class SweepFolder {
  private constructor(
    readonly store: RunStore,
    readonly folder: string,
    private readonly id: string,
    readonly document: Experiment,
  ) {}

  /** Opens the folder's sweep of exactly this document, or creates one. */
  static async open(
    document: Experiment,
    folder: string,
    recordings = new Map<string, Uint8Array>(),
  ): Promise<SweepFolder> {
    mkdirSync(folder, { recursive: true });
    const store = new RunStore(new FolderStore(folder));
    const found = await findSweep(store, document);
    const { name } = document;
    const assetsOf = (experiment: Experiment) =>
      recordingsFor(experiment, async (file) => recordings.get(file) ?? null);
    if (found) await completeSweep(store, document, { id: found, name }, assetsOf);
    return new SweepFolder(store, folder, found ?? (await createSweep(store, document, name, assetsOf)), document);
  }

  async runs(): Promise<Swept['runs']> {
    const runs = await runsOfSweep(this.store, this.id);
    return Promise.all(runs.map(async (run) => ({ run, records: await this.store.records<StepRecord>(run.id) })));
  }

  /**
   * Trains until all runs are finished, the user interrupts, or `until` returns true. Returns the estimated remaining
   * time in milliseconds.
   */
  async train(
    engines: Assembly,
    print: (line: string) => void,
    until: (state: SweepState, event: SessionEvent) => boolean = () => false,
  ): Promise<number> {
    const runs = await this.runs();
    const printEvent = listener(
      runs.map(({ run }) => run),
      print,
    );
    const session: SweepSession = new SweepSession(this.id, runs, {
      store: this.store,
      engines,
      emit: (event) => {
        printEvent(event);
        if (until(session.state, event)) void session.pause();
      },
    });
    const stop = onInterrupt(session, print);
    try {
      await session.train();
      return session.state.remainingMs ?? 0;
    } finally {
      stop();
      await session.close();
    }
  }

  async isFinished(): Promise<boolean> {
    return (await this.runs()).every(({ run }) => run.step >= run.experiment.steps);
  }

  async planLines(): Promise<string[]> {
    return planLines(
      this.document,
      (await this.runs()).map(({ run }) => run),
    );
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
    const ids = runs.map(({ run }) => run.id);
    const files: [string, string | Uint8Array][] = [
      ['sweep.md', sweepMarkdown(report) + pairedMarkdown(report.variants, records)],
      ['sweep.csv', sweepCsv(report.variants, records)],
      ['sweep.svg', sweepPlot(report)],
      ['sweep.json', `${JSON.stringify({ document: this.document, ...report }, null, 1)}\n`],
      ['sweep.tabgym', await exportSweep(this.store, ids)],
    ];
    for (const [name, content] of files) writeWhole(join(this.folder, name), content);
    return files.map(([name]) => join(this.folder, name));
  }
}

/** Trains the runs in turn until all are finished or the user interrupts; the same command continues. */
export async function sweep(options: SweepOptions): Promise<{ finished: boolean }> {
  const { print } = options;
  const { experiment: document, recordings } = withRecordings(
    readSweepDocument(options),
    dirname(options.file),
    options.allowFile,
  );
  const experiments = sweptRuns(document).map(({ experiment }) => experiment);
  requireJudgesAllowed(experiments);
  requireCodeAllowed(experiments, options.allowCode);
  await checkRecordings(recordings);
  const folder = options.out ?? join('runs', `${basename(options.file, '.json')}-sweep`);
  const swept = await SweepFolder.open(document, folder, recordings);
  for (const line of await swept.planLines()) print(line);
  if (!(await swept.isFinished())) await swept.train(await openEngines(options, print), print);
  for (const file of await swept.write()) print(file);
  for (const { run, records } of await swept.runs())
    for (const line of fallLines(records)) print(`${run.name}: ${line}`);
  const finished = await swept.isFinished();
  print(finished ? `Finished.\n\n${await swept.text()}` : 'Stopped. Run the same command to continue.');
  return { finished };
}
