/** The runs of a sweep in a store: made of its document, found again, and made complete where something ended in between. */
import { type Experiment, type SweptRun, sweptRuns } from '../../experiment/experiment.ts';
import { StoreError, type SweepPlace } from '../../store/run.ts';
import type { RunStore } from '../../store/run-store.ts';
import type { RunSummary } from '../protocol.ts';
import { listRuns } from '../stored-run.ts';

/** A run that has its place in a sweep. */
export type SweepRun = RunSummary & { sweep: SweepPlace<Experiment> };

const isSwept = (run: RunSummary): run is SweepRun => run.sweep !== undefined;

/** Runs of a sweep that are not in the bin, in the order of their turns. */
export async function runsOfSweep(store: RunStore, sweepId: string): Promise<SweepRun[]> {
  const runs = (await listRuns(store)).filter(isSwept).filter(({ sweep }) => sweep.id === sweepId);
  const kept = runs.filter(({ deletedUntil }) => deletedUntil === null);
  if (!kept.length) throw new StoreError(`There is no sweep ${sweepId} here: all its runs were deleted.`);
  return kept.sort((a, b) => a.sweep.index - b.sweep.index);
}

/** A sweep of this very document; null: there is none. */
export async function findSweep(store: RunStore, document: Experiment): Promise<string | null> {
  const wanted = JSON.stringify(document);
  const runs = (await listRuns(store)).filter(isSwept).filter(({ deletedUntil }) => deletedUntil === null);
  return runs.find(({ sweep }) => JSON.stringify(sweep.document) === wanted)?.sweep.id ?? null;
}

/** What a run is called beside the others. */
export const sweptName = (sweep: string, { name, seed }: Pick<SweptRun, 'name' | 'seed'>) =>
  `${sweep}: ${name ? `${name}, ` : ''}seed ${seed}`.slice(0, 120);

/** Files that a run's document names, as its assets. */
export type AssetsOf = (experiment: Experiment) => Promise<{ [name: string]: Uint8Array }>;

const noAssets: AssetsOf = async () => ({});

/** Makes the runs of a sweep that are not there yet: all of a new one, the rest of one whose making was cut short. */
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

/** The runs of a new sweep. Gives back its id. */
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
