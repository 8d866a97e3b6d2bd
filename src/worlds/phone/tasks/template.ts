/** A template of tasks: what it draws from, and what it makes. */
import type { Draw } from '../data.ts';
import type { Column } from '../options.ts';
import type { Catalogue, PhoneState } from '../state.ts';
import type { Step, Subgoal } from './skills.ts';

/** Actions that end an episode. */
export const ends = ['finish', 'no_answer', 'take_over'] as const;
export type End = (typeof ends)[number];

/** What a template draws from; it may change both before the episode begins. */
export interface Context extends Draw {
  data: Catalogue;
  state: PhoneState;
}

export interface Made {
  goal: string;
  subgoals: Subgoal[];
  /** The right end; `finish` by default. */
  end?: End;
  /** Where an agent sees that the goal cannot be reached, or is reached already: the way, and the place it leads to. */
  look?: { steps: Step[]; place: string };
  /** App that an offer covers when it opens. */
  offer?: string;
  /** Way to the screen on which the episode begins; the home screen by default. */
  start?: Step[];
  /** Place in which the phone must be at the end: the way, and the place that it leads to. */
  arrive?: { steps: Step[]; place: string };
}

export interface Template {
  name: string;
  column: Column;
  /** True if only held-out tasks use it. */
  heldOut?: boolean;
  make(context: Context): Made;
}
