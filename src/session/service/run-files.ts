/** Files that a run keeps beside its document: of trajectories, and of policies that teach. */
import type { Experiment } from '../../experiment/experiment.ts';
import { isShipped, teacherAsset } from '../../experiment/teacher-names.ts';
import { recordingAsset, recordingsFor } from '../run/recording-files.ts';
import type { ServiceParts } from './parts.ts';
import { withTeachers } from './teacher-files.ts';

type Bytes = Uint8Array | null;

/** Places where a named file is found. */
interface FilePlaces extends Pick<ServiceParts, 'shippedAgent'> {
  /** Files that the user chose, by name. */
  chosen: ReadonlyMap<string, Uint8Array>;
  /** A stored run's copy of an asset. */
  copy(asset: string): Promise<Bytes>;
}

/** The document as a run stores it, and the files that it names, as the run's assets: chosen ones, or else copies. */
export async function withRunFiles(
  experiment: Experiment,
  { chosen, copy, shippedAgent }: FilePlaces,
): Promise<{ experiment: Experiment; assets: { [name: string]: Uint8Array } }> {
  const recordings = await recordingsFor(experiment, async (name) => chosen.get(name) ?? copy(recordingAsset(name)));
  const shipped = async (name: string) => (isShipped(name) ? ((await shippedAgent?.(name)) ?? null) : null);
  const taught = await withTeachers(
    experiment,
    async (name) => chosen.get(name) ?? (await copy(teacherAsset(name))) ?? shipped(name),
  );
  return { experiment: taught.experiment, assets: { ...recordings, ...taught.assets } };
}
