/**
 * Judgement of an episode by the difference of two states: what had to change, and what must not. Also false completion
 * and unexpected side effects, as MobileGym measures them (arXiv 2605.26114).
 */
import { type Difference, differences, leafAt, type PhoneState } from './state.ts';
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

  constructor(
    private readonly initial: PhoneState,
    private readonly subgoals: readonly Subgoal[],
    private readonly rightEnd: End,
    /** Place in which the phone must be at the end, if any. */
    private readonly place?: string,
  ) {
    const state = structuredClone(initial);
    this.changes = subgoals.map(({ change }) => {
      const before = structuredClone(state);
      change(state);
      return differences(before, state);
    });
    this.wanted = differences(initial, state);
  }

  /** True for each subgoal whose changes are in the state. */
  reached(state: PhoneState): boolean[] {
    return this.changes.map(
      (list, k) =>
        list.every(({ path, after }) => leafAt(state, path) === after) || Boolean(this.subgoals[k].passed?.(state)),
    );
  }

  /** `place`: where the phone is. */
  judge(state: PhoneState, end: End, place: string): Judgement {
    const lacks = this.wanted.flatMap(({ path, after }) => {
      const before = leafAt(state, path);
      return before === after ? [] : [{ path, before, after }];
    });
    const away = this.place !== undefined && this.place !== place;
    const missing = [...lacks, ...(away ? [{ path: 'place', before: place, after: this.place! }] : [])];
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
