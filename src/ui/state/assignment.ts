/** The assignment that is open in the page, with the pupil's answers. */
import type { Assignment } from '../../classroom/assignment.ts';

export interface OpenAssignment {
  document: Assignment;
  /** Identity of the assignment. */
  hash: string;
  pupil: string;
  answers: { readonly [task: string]: unknown };
  /** True for the teacher's copy. */
  hasAnswers: boolean;
}

/** Fields that describe a run and change nothing in it. */
const descriptive = ['name', 'description'];

/** True if an open assignment fixes a setting, or the whole part of a document that a path names. */
export function isLocked(assignment: OpenAssignment | null, path: string): boolean {
  if (!assignment || descriptive.includes(path)) return false;
  return !assignment.document.mayChange.some(
    (each) => each.path === path || path.startsWith(`${each.path}.`) || each.path.startsWith(`${path}.`),
  );
}
