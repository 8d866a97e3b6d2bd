/**
 * What a lesson is: a live experiment, things to do that the page recognises by itself, and two questions. A lesson is one file beside
 * this one, with its texts in it, and a line in `registry.ts`.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { StepRecord } from '../../session/protocol.ts';
import { type Place, placeOf } from './place.ts';
import type { Selection } from './selection.ts';
import { metricNames } from './series.ts';
import type { LearnTab, NarrowPanel, State } from './state.ts';

/** Where something is to be done. */
export interface Where {
  panel: NarrowPanel;
  tab?: Selection['tab'];
  learn?: LearnTab;
}

/** What a lesson may do for a reader. */
export interface Helped {
  drafting: { edit(path: string, value: unknown): void };
  library: { openShipped(path: string, name: string): Promise<void> };
}

/** Something to do. */
export interface Part {
  id: string;
  title(): string;
  /** What to do, and why: a paragraph a line. */
  text(): readonly string[];
  where?: Where;
  /** What the page does for the reader, with the button's words. */
  help?: { label(): string; act(app: Helped): void | Promise<void> };
  /** Another experiment in the setup. It is put there when its part comes up. */
  experiment?: unknown;
  /** Whether it is done, by what the page knows. Once done it stays done. */
  done(seen: Seen): boolean;
  /** Live numbers that say how far it is; empty: nothing to say. */
  far?(seen: Seen): string;
}

export interface Choice {
  text(): string;
  right?: boolean;
  /** Why it is right, or why not. */
  feedback(): string;
}

export interface Question {
  id: string;
  text(): string;
  choices: readonly Choice[];
}

export interface Lesson {
  id: string;
  title(): string;
  /** What is understood at the end, in a sentence. */
  aim(): string;
  minutes: number;
  /** What the setup shows when it begins; absent: nothing is trained. */
  experiment?: unknown;
  /** Where it begins. */
  start: Where;
  parts: readonly Part[];
  questions: readonly [Question, Question];
}

/** What a lesson's conditions read. */
export interface Seen {
  state: State;
  /** Steps that trained, of the run in focus. */
  trained: readonly StepRecord[];
  place: Place;
}

export const seenOf = (state: State): Seen => ({
  state,
  trained: state.run ? state.records.filter(({ step }) => step > 0) : [],
  place: placeOf(state),
});

/** Mean of a metric over the last steps; null: there are none. */
export function meanOf(records: readonly StepRecord[], metric: string, last = records.length): number | null {
  const values = records
    .slice(-last)
    .flatMap(({ metrics }) => (Number.isFinite(metrics[metric]) ? [metrics[metric]] : []));
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** How far success is above chance over the last steps; null: too few steps. */
export function overChance(trained: readonly StepRecord[], last = 8): number | null {
  if (trained.length < last) return null;
  const [success, chance] = [meanOf(trained, metricNames.success, last), meanOf(trained, metricNames.chance, last)];
  return success === null || chance === null ? null : success - chance;
}

/** The newest evaluation after training began. */
export const evaluated = (trained: readonly StepRecord[]) =>
  trained.findLast(({ evaluation }) => evaluation)?.evaluation ?? null;

/** An episode was played to its end without training, by the policy as it is. */
export const watchedOne = ({ state }: Seen): boolean =>
  state.run !== null &&
  state.recorded === null &&
  !['running', 'preparing', 'pausing'].includes(state.status) &&
  state.live.at(-1)?.done === true;

/** The trajectory that is open in the reader. */
export const reads = ({ state, place }: Seen): Trajectory | null =>
  state.selection.tab === 'trajectory' ? place.trajectory : null;

export const ofPolicy = ({ place }: Seen): boolean => place.facts?.source === 'policy';

/** The name of the experiment that the run in focus is of. */
export const runs = ({ state }: Seen, experiment: unknown): boolean =>
  state.run?.experiment.name === (experiment as Experiment).name;
