/**
 * `tabgym`: an experiment in, a run out.
 *
 * @example Train TextCraft for 20 steps, and keep the run:
 * ```js
 * import { writeFileSync } from 'node:fs';
 * import { createRun, preset } from 'tabgym';
 *
 * const run = await createRun({ ...preset('textcraft-first'), steps: 20 }, { device: 'wasm' });
 * run.on('step', ({ step, metrics }) => console.log(step, metrics.success));
 * await run.train();
 * writeFileSync('run.tabgym', await run.export());
 * await run.close();
 * ```
 */
import type { ExperimentDocument } from './experiment.ts';
import type { TrainerOptions } from './options.ts';
import type { Run } from './run.ts';
import { Trainer } from './trainer.ts';

export { suiteNames } from '../session/evaluation/suite-evaluation.ts';
export { checkExperiment, type ExperimentDocument, NotAllowedError, preset, presetNames } from './experiment.ts';
export { PlatformError, type TrainerOptions } from './options.ts';
export type { EvaluateOptions, Run, RunEvents, WatchOptions } from './run.ts';
export type { Sweep, SweepEvents, SweepState, SweptRun } from './sweep.ts';
export type { StoredRunInfo, Trainer, TrainerDevice } from './trainer.ts';

/**
 * Opens a trainer: in a page a worker of its own, on Node in this thread. Programs with one run need only `createRun`.
 *
 * @throws PlatformError if an option does not exist here, or the worker cannot be loaded.
 */
export async function openTrainer(options: TrainerOptions = {}): Promise<Trainer> {
  return (await Trainer.open(options)).trainer;
}

/** The run of a trainer of its own, which is closed with it. */
async function alone(options: TrainerOptions, make: (trainer: Trainer) => Promise<Run>): Promise<Run> {
  const trainer = await openTrainer(options);
  try {
    const run = await make(trainer);
    run.close = () => trainer.close();
    return run;
  } catch (error) {
    await trainer.close();
    throw error;
  }
}

/** Creates a run with a trainer of its own. */
export const createRun = (experiment: ExperimentDocument, options: TrainerOptions = {}): Promise<Run> =>
  alone(options, (trainer) => trainer.createRun(experiment));

/** Opens the run of a `.tabgym` file, or of a policy's zip, with a trainer of its own. */
export const importRun = (
  file: Uint8Array<ArrayBuffer> | Blob,
  { name, ...options }: TrainerOptions & { name?: string } = {},
): Promise<Run> => alone(options, (trainer) => trainer.importRun(file, name));
