/** The document in focus: the run's, or the setup's where there is no run or a change waits. */
import type { Experiment } from '../../experiment/experiment.ts';
import type { State } from './state.ts';

export const inFocus = ({ run, draft }: State): Experiment | null =>
  run ? (run.sweep?.document ?? run.experiment) : draft;
