/**
 * What ScienceWorld's oracle thinks before it acts, for a policy that thinks: first which box each condition of the task asks for, with the
 * condition right before its box; later, where an answer is due, what it found out, the condition that holds and its box. So the choice is
 * one word ("above"), and the box is what followed that word before: one look. From the shown text alone: the names in it are those that
 * the agent reads.
 */

/** A condition of the task and what it asks for: above 50 degrees, the red box. */
interface Clause {
  condition: string;
  /** Degrees; absent: it is no matter of degrees. */
  bound?: string;
  box: string;
}

const conditions =
  /(?:(above|below) (-?[\d.]+) degrees celsius|electrically ((?:non)?conductive)), (?:place it in|focus on) the (\w+ box)/g;
const destination = /move it to the (\w+ box) in the [\w ]+?(?=[.,])/;

const clausesOf = (description: string): Clause[] =>
  [...description.matchAll(conditions)].map(([, side, bound, conducts, box]) => ({
    condition: side ?? conducts,
    bound,
    box,
  }));

const inWords = ({ condition, box }: Clause) => `${condition} ${box}`;

type State = 'solid' | 'liquid';

interface States {
  first: State;
  now: State;
}

/** What an episode has shown so far that an answer depends on. */
export class Findings {
  private degrees: string | null = null;
  private lamp: string | null = null;
  /** Of what may melt: when it was to be picked up, and now. */
  private state: States | null = null;
  /** What the last turn showed is new. */
  private fresh = false;
  private heard = 0;
  /** What may melt; null: the task is another. */
  private readonly melting: string | null;

  /** `description`: the task's, as it is shown. */
  constructor(readonly description: string) {
    this.melting = /melting point of ([\w ]+), which/.exec(description)?.[1] ?? null;
  }

  /** An action, as it is said, and the world's answer, as it is shown. */
  hear(action: string, answer: string): void {
    this.heard++;
    const [, degrees] = /^the thermometer measures a temperature of (-?\d+) degrees/.exec(answer) ?? [];
    const [, lamp] = /^an? \w+ light bulb, which is (on|off)/.exec(answer) ?? [];
    const state = this.melting === null ? null : this.stateAfter(this.melting, action, answer);
    this.degrees = degrees ?? this.degrees;
    this.lamp = lamp ?? this.lamp;
    this.state = state ?? this.state;
    this.fresh = degrees !== undefined || lamp !== undefined || state !== null;
  }

  /** Before the first of these actions, all that are left; empty: nothing. */
  thought(plan: readonly string[]): string {
    const action = plan[0];
    const clauses = clausesOf(this.description);
    const chosen = clauses.find(({ box }) => plan.at(-1)!.endsWith(box));
    if (chosen) {
      if (plan.length === 1 || (this.fresh && this.melting === null)) return this.answer(chosen);
      if (this.fresh) return this.soFar(chosen);
      return this.heard === 0 ? clauses.map(inWords).join(', ') : '';
    }
    const [wanted, box] = destination.exec(this.description) ?? [];
    return wanted && (action.startsWith('pick up') || action.endsWith(box)) ? wanted : '';
  }

  /** What may melt is no longer called what it was once it has changed its state; food is, and says so where it is looked at. */
  private stateAfter(thing: string, action: string, answer: string): States | null {
    if (action === `pick up ${thing}`) {
      const now = answer.startsWith("You can't pick up a liquid") ? 'liquid' : 'solid';
      return answer.startsWith('You') ? { first: now, now } : null;
    }
    const looked = action === `look at ${thing}`;
    if (!this.state || !(looked || action === `use thermometer on ${thing}`)) return null;
    const { first } = this.state;
    const other = first === 'solid' ? 'liquid' : 'solid';
    const changed = answer.startsWith('No known action') || (looked && answer.replace(thing, '').includes(other));
    return changed || looked ? { first, now: changed ? other : first } : null;
  }

  /** Of an experiment that goes on: what was read, beside the bound. */
  private soFar({ bound }: Clause): string {
    return [bound, this.degrees ?? this.state?.now].join(' ');
  }

  private answer(chosen: Clause): string {
    const found =
      chosen.bound === undefined ? [this.lamp] : [chosen.bound, this.state?.now ?? this.melting ?? this.degrees];
    return [...found, inWords(chosen)].filter(Boolean).join(' ');
  }
}
