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

/** Part that every view of a run reads and its experiment lacks; null: it has them all. */
function lackingPart({ experiment }: StoredRun<Experiment>): string | null {
  const parts = ['policy', 'algorithm', 'sampling', 'optimizer', 'evaluation'] as const;
  const { worlds } = experiment;
  const hasWorlds = Array.isArray(worlds) && worlds.length > 0 && worlds.every(isObject);
  return parts.find((part) => !isObject(experiment[part])) ?? (hasWorlds ? null : 'worlds');
}

/** Throws a CorruptError for a run whose experiment lacks a part. */
export function requireParts(run: StoredRun<Experiment>): void {
  const part = lackingPart(run);
  if (part === null) return;
  throw new CorruptError(
    `Run "${run.name}" cannot be opened: "${part}" of its stored experiment is damaged. Import an exported copy.`,
  );
}

export const getRun = async (store: RunStore, id: string): Promise<StoredRun<Experiment>> =>
  storedRun(await store.get<Experiment>(id));

/** Runs that can be shown: without those whose experiment lacks a part. */
export const listRuns = async (store: RunStore): Promise<StoredRun<Experiment>[]> =>
  (await store.list<Experiment>()).map(storedRun).filter((run) => lackingPart(run) === null);

/** Number of stored runs that `listRuns` leaves out. */
export async function unlistedRuns(store: RunStore): Promise<number> {
  const read = await store.list<Experiment>();
  return (await store.unreadable()) + read.filter((run) => lackingPart(storedRun(run)) !== null).length;
}
