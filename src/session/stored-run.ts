/**
 * Runs from the store with their experiments and their sweeps' documents converted to the current form, so that an old
 * run opens like any other.
 */
import { type Experiment, ExperimentError, parseExperiment } from '../experiment/experiment.ts';
import type { StoredRun } from '../store/run.ts';
import type { RunStore } from '../store/run-store.ts';

/** An experiment that the current schema rejects is returned unchanged; opening its run reports the error. */
function today(experiment: Experiment): Experiment {
  try {
    return parseExperiment(experiment);
  } catch (error) {
    if (error instanceof ExperimentError) return experiment;
    throw error;
  }
}

const storedRun = ({ sweep, ...run }: StoredRun<Experiment>): StoredRun<Experiment> => ({
  ...run,
  experiment: today(run.experiment),
  ...(sweep && { sweep: { ...sweep, document: today(sweep.document) } }),
});

export const getRun = async (store: RunStore, id: string): Promise<StoredRun<Experiment>> =>
  storedRun(await store.get<Experiment>(id));

export const listRuns = async (store: RunStore): Promise<StoredRun<Experiment>[]> =>
  (await store.list<Experiment>()).map(storedRun);
