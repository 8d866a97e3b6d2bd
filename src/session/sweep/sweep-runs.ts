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

/** Files that a run's document names, as its assets. */
export type AssetsOf = (experiment: Experiment) => Promise<{ [name: string]: Uint8Array }>;

const noAssets: AssetsOf = async () => ({});

/** Creates the missing runs of a sweep: all of a new one, or the rest after an interruption. */
export async function completeSweep(
  store: RunStore,
  document: Experiment,
  { id, name }: { id: string; name: string },
  assetsOf = noAssets,
): Promise<void> {
  const there = (await listRuns(store)).filter(isSwept).filter(({ sweep }) => sweep.id === id);
  const made = new Set(there.map(({ sweep }) => sweep.index));
  for (const [index, run] of sweptRuns(document).entries()) {
    if (made.has(index)) continue;
    const { variant, seed, experiment } = run;
    await store.create({
      name: sweptName(name, run),
      experiment,
      origin: { kind: 'new' },
      assets: await assetsOf(experiment),
      sweep: { id, name, index, variant, variantName: run.name, seed, document },
    });
  }
}

/** Creates the runs of a new sweep. Returns its id. */
export async function createSweep(
  store: RunStore,
  document: Experiment,
  name = document.name,
  assetsOf = noAssets,
): Promise<string> {
  const id = crypto.randomUUID();
  await completeSweep(store, document, { id, name }, assetsOf);
  return id;
}
