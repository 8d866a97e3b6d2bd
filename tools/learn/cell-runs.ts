/** How a cell of a table is trained: to its end, patiently, from its last step where it was killed. Knows nothing of what a table compares. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceOptions } from '../../src/cli/node-device.ts';
import { type Training, train } from '../../src/cli/training-run.ts';
import type { Experiment } from '../../src/experiment/experiment.ts';

/** Of a cell, before the next one's turn. */
const mostAttempts = 6;
/** A background process among many waits long for a turn of the processor. */
const patienceMs = 300_000;

export interface CellOptions extends DeviceOptions {
  /** Keep the run of a finished cell, about 50 MB each. */
  keepRuns: boolean;
  verbose: boolean;
}

export interface TrainedCell {
  training: Training;
  /** Evaluations included. */
  seconds: number;
}

const print = (line: string) => console.log(line);

/** Trains the experiment in a folder of its own. Null: it was interrupted; the same call goes on. */
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
  const training = await train({ file, out: join(folder, 'run'), device, threads, patienceMs, print: quiet });
  return training.finished ? { training, seconds: (performance.now() - started) / 1000 } : null;
}

/** A finished cell's result, which holds the experiment as it was run; null: there is none of this very experiment. */
export function storedResult<R extends { experiment: Experiment }>(file: string, experiment: Experiment): R | null {
  if (!existsSync(file)) return null;
  const result = JSON.parse(readFileSync(file, 'utf8')) as R;
  return JSON.stringify(result.experiment) === JSON.stringify(experiment) ? result : null;
}

/** What is left of a cell when its result is written. */
export function dropRun(folder: string, { keepRuns }: Pick<CellOptions, 'keepRuns'>): void {
  if (!keepRuns) rmSync(join(folder, 'run'), { recursive: true });
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A world that a busy machine lets wait too long is no verdict on a cell: it goes on from its last step. */
export async function patiently<T>(name: string, run: () => Promise<T>): Promise<T | Error> {
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

export const minutesWords = (seconds: number) => `${Math.max(1, Math.round(seconds / 60))} min`;
