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

/** What an episode has shown so far that an answer depends on. */
export class Findings {
  private degrees: string | null = null;
  private lamp: string | null = null;
  /** What the last turn showed is new. */
  private fresh = false;
  private heard = 0;

  /** `description`: the task's, as it is shown. */
  constructor(readonly description: string) {}

  /** The world's answer, as it is shown. */
  hear(answer: string): void {
    this.heard++;
    const [, degrees] = /^the thermometer measures a temperature of (-?\d+) degrees/.exec(answer) ?? [];
    const [, lamp] = /^an? \w+ light bulb, which is (on|off)/.exec(answer) ?? [];
    this.degrees = degrees ?? this.degrees;
    this.lamp = lamp ?? this.lamp;
    this.fresh = degrees !== undefined || lamp !== undefined;
  }

  /** Before the first of these actions, all that are left; empty: nothing. */
  thought(plan: readonly string[]): string {
    const action = plan[0];
    const clauses = clausesOf(this.description);
    const chosen = clauses.find(({ box }) => plan.at(-1)!.endsWith(box));
    if (chosen) {
      if (this.fresh || plan.length === 1) return this.answer(chosen);
      return this.heard === 0 ? clauses.map(inWords).join(', ') : '';
    }
    const [wanted, box] = destination.exec(this.description) ?? [];
    return wanted && (action.startsWith('pick up') || action.endsWith(box)) ? wanted : '';
  }

  private answer(chosen: Clause): string {
    const [, thing] = /melting point of ([\w ]+), which/.exec(this.description) ?? [];
    const found = chosen.bound === undefined ? [this.lamp] : [chosen.bound, thing ?? this.degrees];
    return [...found, inWords(chosen)].filter(Boolean).join(' ');
  }
}
