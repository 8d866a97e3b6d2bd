/**
 * Runs from the store with their experiments and their sweeps' documents converted to the current form, so that an old
 * run opens like any other.
 */
import { type Experiment, ExperimentError, parseExperiment } from '../experiment/experiment.ts';
import { CorruptError, type StoredRun } from '../store/run.ts';
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

const isObject = (value: unknown) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Throws a CorruptError for a run whose experiment lacks a part that every view of a run reads. */
export function requireParts({ name, experiment }: StoredRun<Experiment>): void {
  const parts = ['policy', 'algorithm', 'sampling', 'optimizer', 'evaluation'] as const;
  const wrong = parts.find((part) => !isObject(experiment[part]));
  const { worlds } = experiment;
  const hasWorlds = Array.isArray(worlds) && worlds.length > 0 && worlds.every(isObject);
  if (wrong !== undefined || !hasWorlds)
    throw new CorruptError(
      `Run "${name}" cannot be opened: "${wrong ?? 'worlds'}" of its stored experiment is damaged. Import an exported copy.`,
    );
}

export const getRun = async (store: RunStore, id: string): Promise<StoredRun<Experiment>> =>
  storedRun(await store.get<Experiment>(id));

export const listRuns = async (store: RunStore): Promise<StoredRun<Experiment>[]> =>
  (await store.list<Experiment>()).map(storedRun);
