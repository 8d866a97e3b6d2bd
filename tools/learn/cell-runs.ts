/**
 * Trains one cell of a table to its end, with retries, continuing from the last step after an interruption. Independent
 * of the quantities that the table compares.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceOptions } from '../../src/cli/node-device.ts';
import type { Training } from '../../src/cli/training-run.ts';
import type { Experiment } from '../../src/experiment/experiment.ts';
import { trainWithoutError } from './trained.ts';

/** Attempts at a cell before moving to the next one. */
const mostAttempts = 6;
/** A background process on a busy machine may wait long for processor time. */
const patienceMs = 300_000;

export interface CellOptions extends DeviceOptions {
  /** Keeps the run of a finished cell, about 50 MB each. */
  keepRuns: boolean;
  verbose: boolean;
}

export interface TrainedCell {
  training: Training;
  /** Duration including evaluations. */
  seconds: number;
}

const print = (line: string) => console.log(line);

/** Trains the experiment in its own folder. Returns null if interrupted; the same call continues. */
export async function trainCell(
  experiment: Experiment,
  folder: string,
  { device, threads, verbose }: Omit<CellOptions, 'keepRuns'>,
): Promise<TrainedCell | null> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'experiment.json');
  writeFileSync(file, JSON.stringify(experiment, null, 2));
  const quiet = (line: string) => (verbose || line.startsWith('error') ? print(`  ${line}`) : undefined);
  const started = performance.now();
  const training = await trainWithoutError({
    file,
    out: join(folder, 'run'),
    device,
    threads,
    patienceMs,
    print: quiet,
  });
  return training.finished ? { training, seconds: (performance.now() - started) / 1000 } : null;
}

/** Stored result of a finished cell, which contains its experiment; null if missing or of another experiment. */
export function storedResult<R extends { experiment: Experiment }>(file: string, experiment: Experiment): R | null {
  if (!existsSync(file)) return null;
  const result = JSON.parse(readFileSync(file, 'utf8')) as R;
  return JSON.stringify(result.experiment) === JSON.stringify(experiment) ? result : null;
}

/** Deletes the run of a cell whose result is written. */
export function dropRun(folder: string, { keepRuns }: Pick<CellOptions, 'keepRuns'>): void {
  if (!keepRuns) rmSync(join(folder, 'run'), { recursive: true });
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Runs with retries: a world's timeout on a busy machine is not a failure of the cell, which continues from its last
 * step.
 */
export async function withRetries<T>(name: string, run: () => Promise<T>): Promise<T | Error> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      print(`  ${name}, attempt ${attempt}: ${(error as Error).message}`);
      if (attempt === mostAttempts) return error as Error;
      await sleep(attempt * 10_000);
    }
  }
}

export const formatMinutes = (seconds: number) => `${Math.max(1, Math.round(seconds / 60))} min`;
