/** The assignment that is open in the page, with the pupil's answers. */
import type { Assignment } from '../../classroom/assignment.ts';
import { descriptive, rulesOn } from '../../classroom/rules.ts';

export interface OpenAssignment {
  document: Assignment;
  /** Identity of the assignment. */
  hash: string;
  pupil: string;
  answers: { readonly [task: string]: unknown };
  /** True for the teacher's copy. */
  hasAnswers: boolean;
  /** True once its file was saved in this visit. */
  handedIn?: boolean;
}

/** True if an open assignment fixes a setting, or the whole part of a document that a path names. */
export function isLocked(assignment: OpenAssignment | null, path: string): boolean {
  if (!assignment || descriptive.includes(path)) return false;
  return !rulesOn(assignment.document.mayChange, path).length;
}
