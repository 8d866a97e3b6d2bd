/**
 * Names of the policies that teach a run. Its document has `NAME` or `NAME#HASH`: a shipped agent, or a file whose
 * name has a dot; the hash identifies the weights. The run stores a copy of the policy under the name.
 */

import { teacherOf } from '../rl/algorithms/registry.ts';
import { algorithmsWithPaths, type Experiment } from './experiment.ts';
import { writePath } from './paths.ts';
import { algorithmsOf } from './sizes.ts';

type Algorithms = Pick<Experiment, 'algorithm' | 'stages'>;

/** Hexadecimal digits of a hash. */
export const hashLength = 16;

interface TeacherName {
  name: string;
  /** Null: any policy of this name. */
  hash: string | null;
}

export function readTeacherName(text: string): TeacherName {
  const at = text.length - hashLength - 1;
  return text[at] === '#' ? { name: text.slice(0, at), hash: text.slice(at + 1) } : { name: text, hash: null };
}

/** True for the name of a shipped agent; a file's name has a dot. */
export const isShipped = (name: string) => !name.includes('.');

/** Distinct teachers that a run's algorithm and stages name, as its document writes them. */
export const teacherTexts = (experiment: Algorithms): string[] => [
  ...new Set(algorithmsOf(experiment).flatMap((settings) => teacherOf(settings) ?? [])),
];

/** Name of a teacher's copy among a run's files. */
export const teacherAsset = (name: string) => `teacher-${name}`;

/** The document with some teachers under other texts. */
export function withTeacherTexts<E extends Algorithms>(experiment: E, texts: ReadonlyMap<string, string>): E {
  return algorithmsWithPaths(experiment).reduce((made, { at, each }) => {
    const text = texts.get(teacherOf(each) ?? '');
    return text === undefined ? made : writePath(made, `${at}.teacher`, text);
  }, experiment);
}

export const pinnedText = (name: string, hash: string) => `${name}#${hash}`;
