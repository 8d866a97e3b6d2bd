/**
 * Trajectory files that an experiment refers to, by a path relative to the experiment's folder or to the working
 * directory. The run stores the file's content under its base name, and its document refers to that name.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Experiment } from '../experiment/experiment.ts';
import { writePath } from '../experiment/paths.ts';
import { fileOf } from '../rl/algorithms/registry.ts';

/** A file that an experiment refers to is missing, or two of them have the same base name. */
export class MissingFileError extends Error {
  override name = 'MissingFileError';
}

function findFile(path: string, folder: string): string {
  const places = [resolve(folder, path), resolve(path)];
  const place = places.find((each) => existsSync(each));
  if (!place) throw new MissingFileError(`There is no file ${path}: looked for ${[...new Set(places)].join(' and ')}.`);
  return place;
}

/** Returns the document as the run stores it, and the files by name. */
export function withRecordings(
  experiment: Experiment,
  folder: string,
): { experiment: Experiment; recordings: Map<string, Uint8Array> } {
  const recordings = new Map<string, Uint8Array>();
  const places = new Map<string, string>();
  const paths = ['algorithm', ...(experiment.stages ?? []).map((_, i) => `stages.${i}.algorithm`)];
  const all = [experiment.algorithm, ...(experiment.stages ?? []).map(({ algorithm }) => algorithm)];
  let changed = experiment;
  for (const [i, settings] of all.entries()) {
    const named = fileOf(settings);
    if (named === null) continue;
    const place = findFile(named, folder);
    const name = basename(place);
    if ((places.get(name) ?? place) !== place)
      throw new MissingFileError(`Two files are named ${name}: ${places.get(name)} and ${place}. Rename one of them.`);
    places.set(name, place);
    recordings.set(name, readFileSync(place));
    changed = writePath(changed, `${paths[i]}.file`, name);
  }
  return { experiment: changed, recordings };
}
