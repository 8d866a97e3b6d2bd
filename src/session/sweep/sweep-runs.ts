/**
 * The runs of a sweep in the store: creates them from its document, finds them, and adds missing ones after an
 * interruption.
 */
import { type Experiment, type SweptRun, sweptRuns } from '../../experiment/experiment.ts';
import { same } from '../../experiment/paths.ts';
import { StoreError, type SweepPlace } from '../../store/run.ts';
import type { RunStore } from '../../store/run-store.ts';
import type { RunSummary } from '../protocol.ts';
import { listRuns } from '../stored-run.ts';

/** A run that belongs to a sweep. */
export type SweepRun = RunSummary & { sweep: SweepPlace<Experiment> };

const isSwept = (run: RunSummary): run is SweepRun => run.sweep !== undefined;

/** Runs of a sweep that are not in the bin, in training order. */
export async function runsOfSweep(store: RunStore, sweepId: string): Promise<SweepRun[]> {
  const runs = (await listRuns(store)).filter(isSwept).filter(({ sweep }) => sweep.id === sweepId);
  const kept = runs.filter(({ deletedUntil }) => deletedUntil === null);
  if (!kept.length) throw new StoreError(`There is no sweep ${sweepId} here: all its runs were deleted.`);
  return kept.sort((a, b) => a.sweep.index - b.sweep.index);
}

/** Id of a sweep with the same document; null: there is none. */
export async function findSweep(store: RunStore, document: Experiment): Promise<string | null> {
  const runs = (await listRuns(store)).filter(isSwept).filter(({ deletedUntil }) => deletedUntil === null);
  return runs.find(({ sweep }) => same(sweep.document, document))?.sweep.id ?? null;
}

/** Name of a run within its sweep. */
export const sweptName = (sweep: string, { name, seed }: Pick<SweptRun, 'name' | 'seed'>) =>
  `${sweep}: ${name ? `${name}, ` : ''}seed ${seed}`.slice(0, 120);

/** The document that a run stores, and the files that it names, as its assets. */
export type Prepare = (
  experiment: Experiment,
) => Promise<{ experiment: Experiment; assets: { [name: string]: Uint8Array } }>;

const asItIs: Prepare = async (experiment) => ({ experiment, assets: {} });

/** Creates the missing runs of a sweep: all of a new one, or the rest after an interruption. */
export async function completeSweep(
  store: RunStore,
  document: Experiment,
  { id, name }: { id: string; name: string },
  prepare = asItIs,
): Promise<void> {
  const there = (await listRuns(store)).filter(isSwept).filter(({ sweep }) => sweep.id === id);
  const made = new Set(there.map(({ sweep }) => sweep.index));
  for (const [index, run] of sweptRuns(document).entries()) {
    if (made.has(index)) continue;
    const { variant, seed, experiment } = run;
    await store.create({
      name: sweptName(name, run),
      origin: { kind: 'new' },
      ...(await prepare(experiment)),
      sweep: { id, name, index, variant, variantName: run.name, seed, document },
    });
  }
}

/** Creates the runs of a new sweep. Returns its id. */
export async function createSweep(
  store: RunStore,
  document: Experiment,
  name = document.name,
  prepare = asItIs,
): Promise<string> {
  const id = crypto.randomUUID();
  await completeSweep(store, document, { id, name }, prepare);
  return id;
}
