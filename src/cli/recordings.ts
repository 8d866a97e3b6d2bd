/**
 * Files that an experiment refers to, of trajectories and of policies that teach, by a path relative to the
 * experiment's folder or to the working directory. The run stores the file's content under its base name, and its
 * document refers to that name.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, resolve, sep } from 'node:path';
import { algorithmsWithPaths, type Experiment } from '../experiment/experiment.ts';
import { writePath } from '../experiment/paths.ts';
import { isShipped, pinnedText, readTeacherName } from '../experiment/teacher-names.ts';
import { withTeacherFiles } from '../library/node/teachers.ts';
import { type AnyAlgorithmSettings, fileOf, teacherOf } from '../rl/algorithms/registry.ts';
import { TrajectoryFile } from '../trajectories/files/file.ts';
import { inMemory } from '../trajectories/recorded/recordings.ts';
import { CommandError } from './command-error.ts';

/** A file that an experiment refers to is missing, or two of them have the same base name. */
export class MissingFileError extends Error {
  override name = 'MissingFileError';
}

/** The experiment refers to a file outside of its folder that was not allowed. */
class OutsideFileError extends CommandError {
  override name = 'OutsideFileError';
}

const isUnder = (path: string, folder: string) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Maximum number of characters of a path in a refusal. */
const mostShown = 200;

/**
 * The file that a document names in its field `where`. It lies in the experiment's folder or in the working directory,
 * symbolic links resolved, or was allowed: the run keeps a copy, and a foreign experiment could name any file of this
 * machine.
 */
function findFile(path: string, where: string, folder: string, allowed: readonly string[]): string {
  const roots = [...new Set([resolve(folder), resolve('.')])];
  const places = [...new Set(roots.map((root) => resolve(root, path)))];
  const trusted = allowed.map((each) => resolve(each));
  const permitted = places.filter((place) => trusted.includes(place) || roots.some((root) => isUnder(place, root)));
  const place = permitted.find((each) => existsSync(each));
  const leadsOut = (found: string) => !roots.some((root) => isUnder(realpathSync(found), realpathSync(root)));
  const shown = JSON.stringify(path.slice(0, mostShown));
  if (permitted.length === 0 || (place && !trusted.includes(place) && leadsOut(place)))
    throw new OutsideFileError(
      `${where} is ${shown}, which is outside of the experiment's folder, and the run would keep a copy of it. If you trust this experiment, add --allow-file ${shown}.`,
    );
  if (!place) throw new MissingFileError(`There is no file ${shown}: looked for ${permitted.join(' and ')}.`);
  return place;
}

/** Throws TrajectoryFileError for a file that holds no trajectories, before a run keeps a copy of it. */
export async function checkRecordings(recordings: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const [name, bytes] of recordings) await (await TrajectoryFile.open(inMemory(name, bytes))).release();
}

/** A file that settings name. */
interface FileField {
  field: 'file' | 'teacher';
  path: string;
  /** Text of the field once the run has a copy of this name. */
  renamed(name: string): string;
}

/** The files that the settings of an algorithm name. */
function filesOf(settings: AnyAlgorithmSettings): FileField[] {
  const file = fileOf(settings);
  const teacher = readTeacherName(teacherOf(settings) ?? '');
  const { hash } = teacher;
  return [
    ...(file === null ? [] : [{ field: 'file' as const, path: file, renamed: (name: string) => name }]),
    ...(isShipped(teacher.name)
      ? []
      : [
          {
            field: 'teacher' as const,
            path: teacher.name,
            renamed: (name: string) => (hash === null ? name : pinnedText(name, hash)),
          },
        ]),
  ];
}

/** Returns the document as the run stores it, and the files by name: of trajectories, and of policies that teach. */
export function withRecordings(
  experiment: Experiment,
  folder: string,
  allowed: readonly string[] = [],
): { experiment: Experiment; recordings: Map<string, Uint8Array>; teachers: Map<string, Uint8Array> } {
  const found = { file: new Map<string, Uint8Array>(), teacher: new Map<string, Uint8Array>() };
  const places = new Map<string, string>();
  let changed = experiment;
  for (const { at, each } of algorithmsWithPaths(experiment)) {
    for (const { field, path, renamed } of filesOf(each)) {
      const place = findFile(path, `${at}.${field}`, folder, allowed);
      const name = basename(place);
      if ((places.get(name) ?? place) !== place)
        throw new MissingFileError(
          `Two files are named ${name}: ${places.get(name)} and ${place}. Rename one of them.`,
        );
      places.set(name, place);
      found[field].set(name, readFileSync(place));
      changed = writePath(changed, `${at}.${field}`, renamed(name));
    }
  }
  return { experiment: changed, recordings: found.file, teachers: found.teacher };
}

/**
 * Adds the files that only variants of a sweep name. A variant's changes are stored as they are, so it names a file as
 * the run does, without a folder.
 */
export async function withVariantFiles(
  runs: readonly Experiment[],
  files: ReadonlyMap<string, Uint8Array>,
  folder: string,
  allowed: readonly string[] = [],
): Promise<Map<string, Uint8Array>> {
  const all = new Map(files);
  for (const { at, each } of runs.flatMap(algorithmsWithPaths))
    for (const { field, path } of filesOf(each)) {
      if (all.has(path)) continue;
      const place = findFile(path, `${at}.${field} of a variant`, folder, allowed);
      if (basename(place) !== path)
        throw new MissingFileError(
          `A variant names the file ${JSON.stringify(path.slice(0, mostShown))}: put it into the experiment's folder and name it without a folder.`,
        );
      const bytes = readFileSync(place);
      if (field === 'file') await checkRecordings(new Map([[path, bytes]]));
      all.set(path, bytes);
    }
  return all;
}

/**
 * The document as the run stores it, with the hashes of its teachers, all files that it names, and the run's assets of
 * its teachers.
 */
export async function withFiles(
  document: Experiment,
  folder: string,
  allowed?: readonly string[],
): Promise<{ experiment: Experiment; files: Map<string, Uint8Array>; assets: { [name: string]: Uint8Array } }> {
  const { experiment, recordings, teachers } = withRecordings(document, folder, allowed);
  await checkRecordings(recordings);
  const taught = await withTeacherFiles(experiment, teachers);
  return { ...taught, files: new Map([...recordings, ...teachers]) };
}
