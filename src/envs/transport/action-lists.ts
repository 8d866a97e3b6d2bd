/**
 * Lists of valid actions in a message: each different list once, as one text. Thousands of strings take ten times as long to clone as
 * the text they make, and rows, turns and steps whose lists are the same share one array: whoever remembers something of a list
 * may know it by the array.
 */
import { WorldError } from '../env.ts';

type Lists = readonly (readonly string[] | null | undefined)[];

export interface PackedLists {
  /** Each list's actions, an end mark behind each. */
  texts: string[];
  /** Which of them is a row's, or one of the two below. */
  of: Int32Array;
}

/** A row whose list is unchanged, and one whose world knows none. */
const UNCHANGED = -1;
const UNKNOWN = -2;
const END = '\0';

/** Characters of lists that are remembered: some hundred lists of ScienceWorld's longest. */
const mostCharacters = 8e6;

function textOf(actions: readonly string[]): string {
  if (actions.length === 0) return '';
  const text = `${actions.join(END)}${END}`;
  let marks = 0;
  for (let at = text.indexOf(END); at >= 0; at = text.indexOf(END, at + 1)) marks++;
  if (marks !== actions.length) throw new WorldError('A valid action holds a NUL character: leave it out of the list.');
  return text;
}

export function packLists(lists: Lists): PackedLists {
  const texts: string[] = [];
  const byText = new Map<string, number>();
  const byArray = new Map<readonly string[], number>();
  const of = new Int32Array(lists.length);
  const number = (actions: readonly string[]) => {
    const text = textOf(actions);
    const known = byText.get(text) ?? texts.push(text) - 1;
    byText.set(text, known);
    byArray.set(actions, known);
    return known;
  };
  lists.forEach((actions, row) => {
    of[row] = actions ? (byArray.get(actions) ?? number(actions)) : actions === null ? UNCHANGED : UNKNOWN;
  });
  return { texts, of };
}

/** Reads them. The arrays it gives are shared and frozen. */
export class ActionListReader {
  private readonly known = new Map<string, string[]>();
  private characters = 0;

  read({ texts, of }: PackedLists): (string[] | null | undefined)[] {
    const lists = texts.map((text) => this.list(text));
    return Array.from(of, (number) => (number >= 0 ? lists[number] : number === UNCHANGED ? null : undefined));
  }

  private list(text: string): string[] {
    const known = this.known.get(text);
    if (known) return known;
    const actions = text.split(END);
    actions.pop();
    Object.freeze(actions);
    if (this.characters + text.length > mostCharacters) this.forget();
    this.characters += text.length;
    this.known.set(text, actions);
    return actions;
  }

  private forget(): void {
    this.known.clear();
    this.characters = 0;
  }
}
