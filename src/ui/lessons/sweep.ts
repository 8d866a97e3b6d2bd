/** The open sweep, for lessons that compare its variants. */
import type { LessonContext } from '../state/lesson.ts';
import type { State } from '../state/state.ts';

/** Run of a variant in the open sweep. */
export function runOfVariant({ sweep }: State, name: string) {
  const at = sweep?.document.sweep?.variants.findIndex((each) => each.name === name);
  return sweep?.runs.find(({ summary }) => summary.sweep?.variant === at);
}

/** True if all runs of the open sweep are trained, and it is of an experiment with this name. */
export const isSweepTrained = ({ state: { sweep } }: LessonContext, { name }: { name: string }): boolean =>
  sweep !== null && sweep.document.name === name && sweep.state.total > 0 && sweep.state.done >= sweep.state.total;

/** Held-out success of a variant in its last evaluation; null before it. */
export const heldOutOf = ({ state }: LessonContext, variant: string): number | null =>
  runOfVariant(state, variant)?.records.findLast(({ evaluation, step }) => evaluation && step > 0)?.evaluation?.test
    .policy.rate ?? null;
