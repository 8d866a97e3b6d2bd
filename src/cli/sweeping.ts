/** A sweep on Node, from an experiment's file to a folder: the same turns as in the page, with a line a step. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { variantLabels } from '../experiment/difference-words.ts';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { MOST_RUNS, variantsOf } from '../experiment/sweep.ts';
import {
  type SweepReport,
  type SweptRecords,
  sweepCsv,
  sweepMarkdown,
  sweepPlot,
  sweepReport,
  sweepText,
} from '../rl/evaluation/sweep-report.ts';
import { Assembly } from '../session/assemble.ts';
import type { SessionEvent, StepRecord } from '../session/protocol.ts';
import { SweepSession } from '../session/sweep.ts';
import { completeSweep, createSweep, findSweep, runsOfSweep, type SweepRun } from '../session/sweep-runs.ts';
import { FolderStore } from '../store/folder.ts';
import { RunStore } from '../store/run-store.ts';
import { exportSweep } from '../store/sweep-bundle.ts';
import { openGuardedWorld } from '../workers/spawn-world.ts';
import { NodeBaseModels } from './base-models.ts';
import { type DeviceOptions, openDevice } from './node-device.ts';
import { fallLines } from './report.ts';
import { CommandError, onInterrupt, readDocument, requireTraining, stepLine } from './training.ts';

export interface SweepingOptions extends DeviceOptions {
  file: string;
  out?: string;
  /** Instead of the seeds in the file. */
  seeds?: readonly number[];
  /** Instead of the number of steps in the file. */
  steps?: number;
  print(line: string): void;
}

export interface Swept {
  store: RunStore;
  runs: { run: SweepRun; records: StepRecord[] }[];
  report: SweepReport;
  folder: string;
  finished: boolean;
}

/** 95 minutes are "1 h 35 min". */
export function durationWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'under a minute';
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The sweep as it will run. A document without one is a sweep of its one seed where no others are named. */
export function readSweepDocument({
  file,
  seeds,
  steps,
}: Pick<SweepingOptions, 'file' | 'seeds' | 'steps'>): Experiment {
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
    `${left} steps to go`,
  ];
}

function listener(runs: readonly SweepRun[], print: (line: string) => void): (event: SessionEvent) => void {
  const byId = new Map(runs.map((run) => [run.id, run]));
  let announced = 0;
  return (event) => {
    if (event.type === 'step') {
      const run = byId.get(event.runId)!;
      print(
        `${run.sweep.variantName || run.sweep.name}, seed ${run.sweep.seed}: ${stepLine(event.record, run.experiment.steps)}`,
      );
    } else if (event.type === 'notice') print(`${event.level}: ${event.message}`);
    else if (event.type === 'sweep') {
      const { remainingMs, done, total } = event.state;
      const tenth = Math.floor((10 * done) / total) + 1;
      // After the first round of steps, then at each tenth.
      if (remainingMs === null || done < runs.length || tenth === announced || done === total) return;
      announced = tenth;
      print(`${done} of ${total} steps; at this pace ${durationWords(remainingMs)} to go`);
    }
  };
}

async function withRecords(store: RunStore, id: string): Promise<Swept['runs']> {
  const runs = await runsOfSweep(store, id);
  return Promise.all(runs.map(async (run) => ({ run, records: await store.records<StepRecord>(run.id) })));
}

export const sweptRecords = (runs: Swept['runs']): SweptRecords[] =>
  runs.map(({ run, records }) => ({ variant: run.sweep.variant, seed: run.sweep.seed, records }));

const labelsOf = (document: Experiment) => variantLabels(document).map(({ name }) => name);

/** sweep.md, .csv, .svg, .json and, as one file for the page, sweep.tabgym. */
async function writeSweep(swept: Omit<Swept, 'finished'>, document: Experiment): Promise<string[]> {
  const { store, runs, report, folder } = swept;
  const files: [string, string | Uint8Array][] = [
    ['sweep.md', sweepMarkdown(report)],
    ['sweep.csv', sweepCsv(labelsOf(document), sweptRecords(runs))],
    ['sweep.svg', sweepPlot(report)],
    ['sweep.json', `${JSON.stringify({ document, ...report }, null, 1)}\n`],
    [
      'sweep.tabgym',
      await exportSweep(
        store,
        runs.map(({ run }) => run.id),
      ),
    ],
  ];
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
  return files.map(([name]) => join(folder, name));
}

/** Trains every run in turn until all are finished, or interrupted; the same command goes on. */
export async function sweep(options: SweepingOptions): Promise<Swept> {
  const { print } = options;
  const document = readSweepDocument(options);
  const folder = options.out ?? join('runs', `${basename(options.file, '.json')}-sweep`);
  mkdirSync(folder, { recursive: true });
  const store = new RunStore(new FolderStore(folder));
  const found = await findSweep(store, document);
  if (found) await completeSweep(store, document, found, document.name);
  const id = found ?? (await createSweep(store, document));
  await trainSweep(store, id, document, options);
  const runs = await withRecords(store, id);
  const report = sweepReport(document.name, labelsOf(document), sweptRecords(runs));
  const finished = runs.every(({ run }) => run.step >= run.experiment.steps);
  const swept = { store, runs, report, folder };
  for (const file of await writeSweep(swept, document)) print(file);
  for (const { run, records } of runs) for (const line of fallLines(records)) print(`${run.name}: ${line}`);
  print(finished ? `Finished.\n\n${sweepText(report)}` : 'Stopped; the same command goes on.');
  return { ...swept, finished };
}

async function trainSweep(store: RunStore, id: string, document: Experiment, options: SweepingOptions): Promise<void> {
  const { print } = options;
  const runs = await withRecords(store, id);
  for (const line of planLines(
    document,
    runs.map(({ run }) => run),
  ))
    print(line);
  if (runs.every(({ run }) => run.step >= run.experiment.steps)) return;
  const engines = new Assembly({
    machine: { open: () => openDevice(options) },
    openWorld: openGuardedWorld,
    models: new NodeBaseModels(),
  });
  const { supported, problem, adapter } = await engines.report();
  if (!supported) throw new CommandError(problem);
  print(`adapter: ${adapter.description}${adapter.isFallback ? ' (software)' : ''}`);
  const session = new SweepSession(id, runs, {
    store,
    engines,
    emit: listener(
      runs.map(({ run }) => run),
      print,
    ),
  });
  const stop = onInterrupt(session, print);
  try {
    await session.train();
  } finally {
    stop();
    await session.close();
  }
}
