/** Import of a run's or a sweep's file: with progress, and nothing left behind once it is canceled. */
import { parseExperiment } from '../../experiment/experiment.ts';
import { withModelName } from '../../models/names.ts';
import { type Report, within, withRests } from '../../store/in-parts.ts';
import { StoreError } from '../../store/run.ts';
import type { RunStore } from '../../store/run-store.ts';
import type { ShareReport } from '../protocol.ts';
import { readingRunFile } from '../run-file.ts';
import { cancelable } from './canceling.ts';

/** Thrown once the caller has canceled the import. */
class ImportCanceledError extends StoreError {
  override name = 'ImportCanceledError';
}

export interface ImportOptions {
  model: string | null;
  whole: boolean;
  onProgress?: ShareReport;
}

interface Places {
  store: RunStore;
  sweeps: { import(bytes: Uint8Array, name: string, report: Report): Promise<string | null> };
}

/** Returns the id of the run, or of a sweep's first one. */
export async function importFile(
  { store, sweeps }: Places,
  file: Blob,
  name: string,
  { model, whole, onProgress }: ImportOptions,
): Promise<string> {
  const report = cancelable(onProgress, () => new ImportCanceledError(`The import of ${name} was canceled.`));
  const bytes = new Uint8Array(await file.arrayBuffer());
  const first = await sweeps.import(bytes, name, report);
  if (first) return first;
  const run = await withRests(within([0, 0.4], readingRunFile(bytes, name, { whole })), report);
  const experiment = withModelName(parseExperiment(run.experiment), model);
  const { id } = await store.create({ ...run, experiment }, (share) => report(0.4 + 0.6 * share));
  // What was canceled while it was written is deleted.
  await report(1).catch(async (error) => {
    await store.purge(id);
    throw error;
  });
  return id;
}
