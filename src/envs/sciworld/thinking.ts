/**
 * What ScienceWorld's oracle thinks before it acts, for a policy that thinks: where an answer is due, what it found out and the words of the
 * task that say what follows. Each word of it was read before, and which of two boxes is right is one word ("above") instead of a colour.
 * From the shown text alone: the names in it are those that the agent reads.
 */

/** A condition of the task and what it asks for: "above 50.0 degrees celsius, place it in the", "red box". */
interface Clause {
  condition: string;
  words: string;
  box: string;
}

const conditions =
  /((?:above|below) -?[\d.]+ degrees celsius|electrically (?:non)?conductive), ((?:place it in|focus on) the) (\w+ box)/g;
const destination = /move it to the (\w+ box) in the [\w ]+?(?=[.,])/;

const clausesOf = (description: string): Clause[] =>
  [...description.matchAll(conditions)].map(([, condition, words, box]) => ({ condition, words, box }));

/** What an episode has shown so far that an answer depends on. */
export class Findings {
  private degrees: string | null = null;
  private lamp: string | null = null;
  /** What the last turn showed is new. */
  private fresh = false;

  /** `description`: the task's, as it is shown. */
  constructor(readonly description: string) {}

  /** The world's answer, as it is shown. */
  hear(answer: string): void {
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
    if (chosen) return this.fresh || plan.length === 1 ? this.answer(chosen) : '';
    const [wanted, box] = destination.exec(this.description) ?? [];
    return wanted && (action.startsWith('pick up') || action.endsWith(box)) ? wanted : '';
  }

  private answer({ condition, words, box }: Clause): string {
    const [, bound] = /(?:above|below) (-?[\d.]+)/.exec(condition) ?? [];
    const [, thing] = /melting point of ([\w ]+), which/.exec(this.description) ?? [];
    const found = bound === undefined ? [this.lamp] : [bound, thing ?? this.degrees];
    return [...found, `${condition}, ${words} ${box}`].filter(Boolean).join(' ');
  }
}
