/**
 * Files of trajectories stored with a run: the names in its document and in the store. A run keeps whole copies, so
 * that it can be continued, forked and moved without the original files.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import { algorithmsOf } from '../../experiment/sizes.ts';
import { readTeacherName, teacherAsset, teacherTexts } from '../../experiment/teacher-names.ts';
import { fileOf } from '../../rl/algorithms/registry.ts';
import type { RunManifest } from '../../store/run.ts';
import { assetFile, type RunStore } from '../../store/run-store.ts';
import type { ByteSource } from '../../trajectories/files/file.ts';
import { checkedSize, RecordingFileError } from '../../trajectories/files/kept-size.ts';
import { inMemory } from '../../trajectories/recorded/recordings.ts';

export const recordingAsset = (file: string) => `recording-${file}`;

/** Distinct files that a run's algorithm and stages name. */
const recordingNames = (experiment: Pick<Experiment, 'algorithm' | 'stages'>): string[] => [
  ...new Set(algorithmsOf(experiment).flatMap((settings) => fileOf(settings) ?? [])),
];

/** Files of a stored run that its engine reads: tokenizer, configuration, trajectories, teachers. null: none is stored. */
export async function runAssets(
  store: RunStore,
  runId: string,
  experiment: Pick<Experiment, 'algorithm' | 'stages'>,
): Promise<{ [name: string]: Uint8Array } | null> {
  const { files } = await store.manifest(runId);
  const recordings = recordingNames(experiment).map(recordingAsset);
  const teachers = teacherTexts(experiment).map((text) => teacherAsset(readTeacherName(text).name));
  const names = ['tokenizer.json', 'config.json', ...recordings, ...teachers].filter((name) => files[assetFile(name)]);
  if (!names.length) return null;
  const read = names.map(async (name) => [name, (await store.asset(runId, name))!] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** The files that a run's document names, as far as its assets contain them. */
export function recordingsIn(
  experiment: Pick<Experiment, 'algorithm' | 'stages'>,
  assets: { [name: string]: Uint8Array } | null,
): Map<string, ByteSource> {
  const found = recordingNames(experiment).flatMap((name) => {
    const bytes = assets?.[recordingAsset(name)];
    return bytes ? [[name, inMemory(name, bytes)] as const] : [];
  });
  return new Map(found);
}

/**
 * All files that the document names, as assets of its run. Throws RecordingFileError with the name of a file that is
 * not given.
 */
export async function recordingsFor(
  experiment: Pick<Experiment, 'algorithm' | 'stages'>,
  read: (name: string) => Promise<Uint8Array | null>,
): Promise<{ [asset: string]: Uint8Array }> {
  const assets: { [asset: string]: Uint8Array } = {};
  for (const name of recordingNames(experiment)) {
    const bytes = await read(name);
    if (!bytes)
      throw new RecordingFileError(`The experiment learns from ${name}, which is not here: choose the file again.`);
    assets[recordingAsset(name)] = checkedSize(name, bytes);
  }
  return assets;
}

/** A run's copy of a file, as an asset; null: it has none. */
export const copyIn = async (store: RunStore, manifest: RunManifest, asset: string): Promise<Uint8Array | null> =>
  manifest.files[assetFile(asset)] ? store.read(manifest, assetFile(asset)) : null;

/** Copy of a file in the latest run that has this asset. */
export async function keptCopy(store: RunStore, asset: string): Promise<Uint8Array | null> {
  for (const { id, deletedUntil } of await store.list()) {
    const found = deletedUntil === null ? await copyIn(store, await store.manifest(id), asset) : null;
    if (found) return found;
  }
  return null;
}
