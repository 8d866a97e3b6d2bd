/** Readings of the state that name what is in focus. */
import type { Experiment } from '../../experiment/experiment.ts';
import type { State } from './state.ts';

/** Document in focus: the run's, or the setup's draft if there is no run. */
export const focusedDocument = ({ run, draft }: State): Experiment | null =>
  run ? (run.sweep?.document ?? run.experiment) : draft;

/** Step whose episodes are shown: the selected one, or the newest that trained. */
export function shownStep(state: State): number | null {
  if (state.selection.step !== null) return state.selection.step;
  const last = state.records[state.records.length - 1];
  return last && last.step > 0 ? last.step : null;
}

/** Names the selected token of the shown step; null if none is selected. */
export function tokenKey(state: State): string | null {
  const { group, member, token } = state.selection;
  const step = shownStep(state);
  return !state.run || step === null || token === null ? null : `${state.run.id}/${step}/${group}/${member}/${token}`;
}
