/**
 * Lists of valid actions in messages. An action's text is sent once; later messages contain its number instead, and a
 * list is a text whose characters are numbers. Sending thousands of strings takes ten times as long to clone, and even
 * longer to look up without a hash. The reader returns equal actions of all lists as one string, and equal lists of
 * rows, turns and steps as one array, so that data about a list can be keyed by its array.
 */
import { WorldError } from '../env.ts';

type Lists = readonly (readonly string[] | null | undefined)[];

export interface PackedLists {
  /** Number of actions numbered before; 0: the numbers start again. */
  before: number;
  /** Newly numbered actions, each followed by an end mark. */
  named: string;
  /** Each different list once, one character for each action. */
  lists: string[];
  /** List of each row, or one of the two constants below. */
  of: Int32Array;
}

/** A row whose list is unchanged, and a row whose world lists none. */
const UNCHANGED = -1;
const UNKNOWN = -2;
const END = '\0';

/**
 * Count of numbered actions after which the numbers start again: small enough that each number fits into one code unit.
 */
const mostNumbered = 50_000;
/**
 * Maximum size of the cached lists, in actions: some hundreds of ScienceWorld's longest lists, at 37 to 60 bytes an
 * action with the tries that belong to them. A list costs 1,500 bytes more, whatever its length, so it counts as 40
 * actions more: counted by actions alone, lists of eight actions would take 108 MB, and now take 18.
 */
const mostListed = 500_000;
const listCost = 40;

const mostArguments = 8192;

/** Numbers are sent as code points that skip the surrogates. */
const FIRST_HALF = 0xd800;
const HALVES = 0x800;
const codeOf = (number: number) => (number < FIRST_HALF ? number : number + HALVES);
const numberOf = (code: number) => (code < FIRST_HALF ? code : code - HALVES);

/** Writes a world's lists. Each reader needs its own writer and must read everything it writes, in order. */
export class ActionListWriter {
  private readonly numbers = new Map<string, number>();
  /** Texts of lists that cannot change. */
  private known = new WeakMap<readonly string[], string>();

  write(lists: Lists): PackedLists {
    if (this.numbers.size > mostNumbered) this.forget();
    const before = this.numbers.size;
    const fresh: string[] = [];
    const texts = new Map<string, number>();
    const byArray = new Map<readonly string[], number>();
    const number = (actions: readonly string[]) => {
      const text = this.known.get(actions) ?? this.textOf(actions, fresh);
      if (Object.isFrozen(actions)) this.known.set(actions, text);
      const known = texts.get(text) ?? texts.size;
      texts.set(text, known);
      byArray.set(actions, known);
      return known;
    };
    const of = new Int32Array(lists.length);
    lists.forEach((actions, row) => {
      of[row] = actions ? (byArray.get(actions) ?? number(actions)) : actions === null ? UNCHANGED : UNKNOWN;
    });
    const named = fresh.map((action) => `${action}${END}`).join('');
    return { before, named, lists: [...texts.keys()], of };
  }

  /** `fresh` collects the actions that have no number yet. */
  private textOf(actions: readonly string[], fresh: string[]): string {
    const codes = actions.map((action) => {
      let number = this.numbers.get(action);
      if (number === undefined) {
        number = this.add(action);
        fresh.push(action);
      }
      return codeOf(number);
    });
    // Seven times as fast as one character after another. Engines limit the number of arguments, so a long list takes
    // several calls.
    let text = '';
    for (let at = 0; at < codes.length; at += mostArguments)
      text += String.fromCodePoint(...codes.slice(at, at + mostArguments));
    return text;
  }

  private add(action: string): number {
    if (action.includes(END)) {
      // The message is not sent, so the reader will not get the numbers of its new actions.
      this.forget();
      throw new WorldError('A valid action holds a NUL character: leave it out of the list.');
    }
    const number = this.numbers.size;
    this.numbers.set(action, number);
    return number;
  }

  private forget(): void {
    this.numbers.clear();
    this.known = new WeakMap();
  }
}

/** A list of actions by numbers: `actions[numbers[i]]` is its entry i. */
export interface NumberedActions {
  /**
   * All actions with these numbers. It only grows, so data about an action can be keyed by this array and the number.
   */
  actions: readonly string[];
  numbers: Int32Array;
}

const numbered = new WeakMap<readonly string[], NumberedActions>();

/** Numbers of a list that came from a worker. */
export const numberedActions = (list: readonly string[]): NumberedActions | undefined => numbered.get(list);

/** Reads the output of one writer, from its first message on. The returned arrays are shared and frozen. */
export class ActionListReader {
  private actions: string[] = [];
  private readonly known = new Map<string, string[]>();
  private listed = 0;

  read({ before, named, lists, of }: PackedLists): (string[] | null | undefined)[] {
    if (before === 0) this.begin();
    if (before !== this.actions.length)
      throw new WorldError(
        `A list of actions starts at number ${before}, but ${this.actions.length} actions are known. Restart the world.`,
      );
    for (const action of named.split(END).slice(0, -1)) this.actions.push(action);
    const arrays = lists.map((text) => this.list(text));
    return Array.from(of, (number) => (number >= 0 ? arrays[number] : number === UNCHANGED ? null : undefined));
  }

  private begin(): void {
    this.actions = [];
    this.forget();
  }

  private list(text: string): string[] {
    const known = this.known.get(text);
    if (known) return known;
    const { actions } = this;
    const list: string[] = [];
    const numbers = new Int32Array(text.length);
    for (let at = 0; at < text.length; ) {
      const code = text.codePointAt(at)!;
      numbers[list.length] = numberOf(code);
      list.push(actions[numberOf(code)]);
      at += code > 0xffff ? 2 : 1;
    }
    Object.freeze(list);
    numbered.set(list, { actions, numbers: numbers.subarray(0, list.length) });
    const cost = list.length + listCost;
    if (this.listed + cost > mostListed) this.forget();
    this.listed += cost;
    this.known.set(text, list);
    return list;
  }

  private forget(): void {
    this.known.clear();
    this.listed = 0;
  }
}
