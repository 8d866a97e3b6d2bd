/**
 * Judgement of an episode by the difference of two states: what had to change, and what must not. Also false completion
 * and unexpected side effects, as MobileGym measures them (arXiv 2605.26114).
 */
import { type Difference, differences, leavesOf, type PhoneState } from './state.ts';
import type { Subgoal } from './tasks/skills.ts';
import type { End } from './tasks/template.ts';

export interface Judgement {
  success: boolean;
  /** The agent said that it had finished, and it had not. */
  falseCompletion: boolean;
  /** Changes that are missing or have another value. */
  missing: Difference[];
  /** Changes that nobody asked for. */
  sideEffects: Difference[];
  /** The right end of the episode. */
  rightEnd: End;
}

export class Judge {
  /** Changes of the goal. */
  readonly wanted: readonly Difference[];
  private readonly changes: readonly (readonly Difference[])[];
  readonly expected: PhoneState;

  constructor(
    private readonly initial: PhoneState,
    private readonly subgoals: readonly Subgoal[],
    private readonly rightEnd: End,
  ) {
    const state = structuredClone(initial);
    this.changes = subgoals.map(({ change }) => {
      const before = structuredClone(state);
      change(state);
      return differences(before, state);
    });
    this.expected = state;
    this.wanted = differences(initial, state);
  }

  /** True for each subgoal whose changes are in the state. */
  reached(state: PhoneState): boolean[] {
    const leaves = leavesOf(state);
    return this.changes.map(
      (list, k) =>
        list.every(({ path, after }) => (leaves.get(path) ?? null) === after) ||
        Boolean(this.subgoals[k].passed?.(state)),
    );
  }

  judge(state: PhoneState, end: End): Judgement {
    const missing = differences(state, this.expected).filter(({ path }) =>
      this.wanted.some((each) => each.path === path),
    );
    const sideEffects = differences(this.initial, state).filter(
      ({ path }) => !this.wanted.some((each) => each.path === path),
    );
    const reached = missing.length === 0;
    return {
      success: end === this.rightEnd && reached && sideEffects.length === 0,
      falseCompletion: end === 'finish' && !(reached && this.rightEnd === 'finish'),
      ...{ missing, sideEffects, rightEnd: this.rightEnd },
    };
  }
}
