/** Training for checks, which must not read a part of a run as a whole one. */
import { type Training, type TrainingOptions, train } from '../../src/cli/training-run.ts';

/** Trains until the run is finished or interrupted. Throws the error that stopped it. */
export async function trainWithoutError(options: TrainingOptions): Promise<Training> {
  const training = await train(options);
  const { run, error } = training;
  if (error !== null) throw new Error(`An error stopped the run after step ${run.step}: ${error}`);
  return training;
}

/** Trains until the run is finished. Throws if an error or a person stopped it. */
export async function trainToEnd(options: TrainingOptions): Promise<Training> {
  const training = await trainWithoutError(options);
  if (!training.finished) throw new Error(`The run was interrupted after step ${training.run.step}.`);
  return training;
}
