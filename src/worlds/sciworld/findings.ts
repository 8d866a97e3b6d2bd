/**
 * Thoughts of ScienceWorld's oracle, for policies that think. The first thought states the box for each condition of
 * the task, with the condition right before its box; when an answer is due, the thought states the finding, the
 * condition that holds, and its box. The decision is then one word ("above"), and the box can be copied from the place
 * where the same word came before. Thoughts and memory use only text that the agent has read or written, with the same
 * names.
 */

/** A condition of the task and its box: above 50 degrees, the red box. */
interface Clause {
  condition: string;
  /** Degrees; absent if the condition is not a temperature. */
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

/** Number of actions that the memory has. */
const mostDeeds = 12;

/** First words of actions after which the agent is in another room. */
const leaving = ['go to ', 'teleport '];

/** Facts of the episode so far that the answer depends on. */
export class Findings {
  private degrees: string | null = null;
  private lamp: string | null = null;
  /** State of the substance that may melt: when the agent tried to pick it up, and now. */
  private state: States | null = null;
  /** True if the last turn produced a new finding. */
  private isNew = false;
  private turns = 0;
  /** Accepted actions, without looks. */
  private readonly deeds: string[] = [];
  /** What the agent last read of the room that it is in; null: it has not looked around there. */
  private room: string | null = null;
  /** Substance whose melting point the task is about; null in other tasks. */
  private readonly melting: string | null;

  /** `description`: the task's, as shown to the agent. */
  constructor(readonly description: string) {
    this.melting = /melting point of ([\w ]+), which/.exec(description)?.[1] ?? null;
  }

  /** Records an action and the world's answer, both as shown to the agent. `valid`: the world took it. */
  record(action: string, answer: string, valid: boolean): void {
    this.turns++;
    if (valid) this.remember(action, answer);
    const [, degrees] = /^the thermometer measures a temperature of (-?\d+) degrees/.exec(answer) ?? [];
    const [, lamp] = /^an? \w+ light bulb, which is (on|off)/.exec(answer) ?? [];
    const state = this.melting === null ? null : this.stateAfter(this.melting, action, answer);
    this.degrees = degrees ?? this.degrees;
    this.lamp = lamp ?? this.lamp;
    this.state = state ?? this.state;
    this.isNew = degrees !== undefined || lamp !== undefined || state !== null;
  }

  private remember(action: string, answer: string): void {
    if (!action.startsWith('look') && action !== 'inventory') this.deeds.push(action);
    if (action === 'look around') this.room = answer;
    else if (leaving.some((word) => action.startsWith(word))) this.room = null;
  }

  /**
   * What may stand for earlier turns: the box for each condition, the room as the agent last saw it, the latest actions,
   * the last reading, the states of the lamp and of the substance, and what the agent carries.
   */
  memory(carried: string): string {
    const { degrees, lamp, state, melting, room } = this;
    return [
      clausesOf(this.description).map(inWords).join(', '),
      room,
      this.deeds.slice(-mostDeeds).join(', '),
      degrees && `the thermometer measures a temperature of ${degrees} degrees celsius`,
      lamp && `light bulb, which is ${lamp}`,
      state && `${melting} ${state.now}`,
      carried,
    ]
      .filter(Boolean)
      .join('\n');
  }

  /** Thought before the first action of the remaining plan; empty if there is none. */
  thought(plan: readonly string[]): string {
    const action = plan[0];
    const clauses = clausesOf(this.description);
    const chosen = clauses.find(({ box }) => plan.at(-1)!.endsWith(box));
    if (chosen) {
      if (plan.length === 1 || (this.isNew && this.melting === null)) return this.answer(chosen);
      if (this.isNew) return this.progressThought(chosen);
      return this.turns === 0 ? clauses.map(inWords).join(', ') : '';
    }
    const [wanted, box] = destination.exec(this.description) ?? [];
    return wanted && (action.startsWith('pick up') || action.endsWith(box)) ? wanted : '';
  }

  /**
   * State of a substance after an action, or null if the answer does not show it. Most substances lose their name when
   * they change state; food keeps it, but its description contains the state.
   */
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

  /** Intermediate thought of an experiment in progress: the bound and the last reading. */
  private progressThought({ bound }: Clause): string {
    return [bound, this.degrees ?? this.state?.now].join(' ');
  }

  private answer(chosen: Clause): string {
    const found =
      chosen.bound === undefined ? [this.lamp] : [chosen.bound, this.state?.now ?? this.melting ?? this.degrees];
    return [...found, inWords(chosen)].filter(Boolean).join(' ');
  }
}
