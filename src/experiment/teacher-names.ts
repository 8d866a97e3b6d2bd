/**
 * Names of the policies that teach a run. Its document has `NAME` or `NAME#HASH`: a shipped agent, or a file whose
 * name has a dot; the hash identifies the weights. The run stores a copy of the policy under the name. A model behind an
 * API is `MODEL@ADDRESS`, and the run stores nothing of it.
 */

import { teacherOf } from '../rl/algorithms/registry.ts';
import { algorithmsWithPaths, type Experiment } from './experiment.ts';
import { writePath } from './paths.ts';
import { readServedName, type ServedName } from './served-name.ts';
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

const namesIn = (experiment: Algorithms): string[] => [
  ...new Set(algorithmsOf(experiment).flatMap((settings) => teacherOf(settings) ?? [])),
];

/** Distinct teachers of which a run keeps a copy, as its document writes them. */
export const teacherTexts = (experiment: Algorithms): string[] =>
  namesIn(experiment).filter((text) => readServedName(text) === null);

/** Distinct teachers behind an API. */
export const servedTeachers = (experiment: Algorithms): ServedName[] =>
  namesIn(experiment).flatMap((text) => readServedName(text) ?? []);

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
