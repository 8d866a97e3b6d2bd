/** The open sweep, for lessons that compare its variants. */
import { msg, str } from '@lit/localize';
import { percent } from '../kit/format.ts';
import type { LessonContext, Part } from '../state/lesson.ts';
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

/** Share of the open sweep's steps that are done, in words; empty without a sweep. */
export const sweepProgress = ({ state: { sweep } }: LessonContext): string =>
  sweep ? msg(str`${percent(sweep.state.done / Math.max(1, sweep.state.total))} of the sweep’s steps are done.`) : '';

/** Help that opens the run of a variant with its groups. */
export const openVariant =
  (name: string): NonNullable<Part['help']>['act'] =>
  async (app) => {
    const run = runOfVariant(app.store.state, name);
    if (!run) return;
    await app.open(run.summary.id);
    app.navigation.select({ tab: 'group' });
    // A narrow page shows the lesson in place of the stage.
    app.layout.showPanel('stage');
  };
