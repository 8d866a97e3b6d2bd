/**
 * Policies that teach a run, from the file of a run or of a policy. The run stores the policy's files alone, and its
 * document the hash of these.
 */
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import {
  pinnedText,
  readTeacherName,
  teacherAsset,
  teacherTexts,
  withTeacherTexts,
} from '../../experiment/teacher-names.ts';
import { NotARunError, readAdapter, readPolicy, writePolicy } from '../../store/bundle.ts';
import { checkedSize } from '../../trajectories/files/kept-size.ts';
import { lastFinite } from '../finite-weights.ts';
import type { NamedFiles } from '../policies/kind.ts';
import { hashOfPolicy } from '../run/policy-hash.ts';
import { readRunFile } from '../run-file.ts';
import { keptPolicy, policyFiles } from './policy-files.ts';

/** A teacher that is missing, is another policy than the one that the experiment names, or cannot be read. */
class TeacherFileError extends Error {
  override name = 'TeacherFileError';
}

/** The policy of a run's last finite checkpoint; null: the zip is no run. */
function policyOfRun(bytes: Uint8Array, name: string): NamedFiles | null {
  try {
    const run = readRunFile(bytes, name);
    const last = lastFinite(run.checkpoints);
    return policyFiles(parseExperiment(run.experiment).policy, keptPolicy(last?.bytes, run.assets ?? {}));
  } catch (error) {
    if (error instanceof NotARunError) return null;
    throw error;
  }
}

/** The policy's files of a run's or a policy's zip. Throws TeacherFileError. */
export function teacherFiles(bytes: Uint8Array, name: string): NamedFiles {
  try {
    const ofRun = policyOfRun(bytes, name);
    const zip = ofRun ? writePolicy(ofRun) : bytes;
    return readAdapter(zip) ?? readPolicy(zip);
  } catch (error) {
    throw new TeacherFileError(`The policy ${name} cannot teach: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The document with the hash of each of its teachers, and their copies as assets of its run. `read` returns null for a
 * policy that is not given. Throws TeacherFileError with the name of a teacher that is missing or another policy.
 */
export async function withTeachers<E extends Pick<Experiment, 'algorithm' | 'stages'>>(
  experiment: E,
  read: (name: string) => Promise<Uint8Array | null>,
): Promise<{ experiment: E; assets: NamedFiles }> {
  const assets: NamedFiles = {};
  const texts = new Map<string, string>();
  for (const text of teacherTexts(experiment)) {
    const { name, hash } = readTeacherName(text);
    const bytes = await read(name);
    if (!bytes)
      throw new TeacherFileError(
        `The experiment learns from the policy ${name}, which is not here: choose the teacher again.`,
      );
    const files = teacherFiles(bytes, name);
    const own = hashOfPolicy(files);
    if (hash !== null && hash !== own)
      throw new TeacherFileError(
        `The policy ${name} is not the teacher of this experiment: its files have the hash ${own}, and the experiment names ${hash}. Choose that policy, or choose the teacher anew.`,
      );
    texts.set(text, pinnedText(name, own));
    assets[teacherAsset(name)] = checkedSize(name, writePolicy(files));
  }
  return { experiment: withTeacherTexts(experiment, texts), assets };
}
