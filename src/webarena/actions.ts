/**
 * The action grammar of WebArena's agents (create_id_based_action in browser_env/actions.py,
 * github.com/web-arena-x/webarena, Apache-2.0): `click [12]`, `type [5] [text] [1]`, `stop [answer]`. Error messages
 * match the original byte for byte. The verb is the text before the first bracket; its pattern is then searched in the
 * whole string. Independent of any page.
 */
import { decimal, repr, splitWords, strip } from '../python/text.ts';

export type Action =
  | { kind: 'none' }
  | { kind: 'click' | 'hover'; element: string }
  | { kind: 'type'; element: string; text: string }
  | { kind: 'press'; keys: string }
  | { kind: 'scroll'; direction: 'up' | 'down' }
  | { kind: 'goto'; url: string }
  /** Tab number in decimal digits, kept as text because it may exceed what a double holds. */
  | { kind: 'tab_focus'; page: string }
  | { kind: 'new_tab' | 'close_tab' | 'go_back' | 'go_forward' }
  | { kind: 'stop'; answer: string };

/**
 * An invalid action. `type` is the Python exception of the original: ActionParsingError, or the KeyError or IndexError
 * it fails with.
 */
export class ActionError extends Error {
  override name = 'ActionError';
  constructor(
    readonly type: 'ActionParsingError' | 'KeyError' | 'IndexError',
    message: string,
  ) {
    super(message);
  }
}

/** Key names by their lower-case form; a key not listed here is kept as written. */
const keyNames = new Map(
  (
    'Backquote Minus Equal Backslash Backspace Meta Tab Delete Escape ArrowDown End Enter Home Insert PageDown PageUp ' +
    'ArrowRight ArrowUp F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12'
  )
    .split(' ')
    .map((name) => [name.toLowerCase(), name]),
);

/** Throws unless every character can be typed: U+0020 to U+007F, U+0081 to U+03E7 and the newline. */
function checkTypable(text: string): void {
  for (const character of text) {
    const code = character.codePointAt(0)!;
    const known = code === 10 || (code >= 32 && code < 128) || (code >= 129 && code < 1000);
    if (!known) throw new ActionError('KeyError', repr(character));
  }
}

/** Finds the arguments of a verb in an action, or null. */
type Find = (text: string) => readonly string[] | null;

interface Verb {
  /** Absent if the verb alone is enough. */
  find?: Find;
  make(found: readonly string[], input: string): Action;
}

const expression =
  (pattern: RegExp): Find =>
  (text) =>
    pattern.exec(text)?.slice(1) ?? null;

/**
 * Finds what `/OPEN([^\n]+)\]/` finds, in linear time: if the last bracket of a line is too early for its first opening,
 * it is so for all later ones.
 */
const bracketed =
  (open: RegExp): Find =>
  (text) => {
    for (const line of text.split('\n')) {
      const found = open.exec(line);
      const [begin, end] = [found ? found.index + found[0].length : line.length, line.lastIndexOf(']')];
      if (end > begin) return [line.slice(begin, end)];
    }
    return null;
  };

/** Finds what `/type ?\[(\p{Nd}+)\] ?\[([^\n]+)\] ?\[(\p{Nd}+)\]/u` finds, in linear time as above. */
const typed: Find = (text) => {
  for (const line of text.split('\n')) {
    const found = /type ?\[(\p{Nd}+)\] ?\[/u.exec(line);
    const last = [...line.matchAll(/\](?= ?\[(\p{Nd}+)\])/gu)].at(-1);
    const begin = found ? found.index + found[0].length : line.length;
    if (found && last && last.index > begin) return [found[1], line.slice(begin, last.index), last[1]];
  }
  return null;
};

// Python's `.` excludes only the newline, and its \d matches any decimal digit.
const verbs: { [verb: string]: Verb } = {
  click: { find: expression(/click ?\[(\p{Nd}+)\]/u), make: ([element]) => ({ kind: 'click', element }) },
  hover: { find: expression(/hover ?\[(\p{Nd}+)\]/u), make: ([element]) => ({ kind: 'hover', element }) },
  type: {
    find: typed,
    make: ([element, text, enter]) => makeType(element, enter === '1' ? `${text}\n` : text),
  },
  press: {
    find: bracketed(/press ?\[/),
    make: ([keys]) => ({ kind: 'press', keys: keys.split('+').map(keyName).join('+') }),
  },
  scroll: {
    find: expression(/scroll ?\[?(up|down)\]?/u),
    make: ([direction]) => ({ kind: 'scroll', direction: direction as 'up' | 'down' }),
  },
  goto: { find: bracketed(/goto ?\[/), make: ([url]) => ({ kind: 'goto', url }) },
  tab_focus: {
    find: expression(/tab_focus ?\[(\p{Nd}+)\]/u),
    make: ([page]) => ({ kind: 'tab_focus', page: decimal(page) }),
  },
  new_tab: { make: () => ({ kind: 'new_tab' }) },
  close_tab: { make: () => ({ kind: 'close_tab' }) },
  go_back: { make: () => ({ kind: 'go_back' }) },
  go_forward: { make: () => ({ kind: 'go_forward' }) },
  stop: { make: (_, input) => ({ kind: 'stop', answer: answerOf(input)?.[0] ?? '' }) },
};

const answerOf = bracketed(/stop ?\[/);

const keyName = (key: string) => keyNames.get(key.toLowerCase()) ?? key;

function makeType(element: string, text: string): Action {
  checkTypable(text);
  return { kind: 'type', element, text };
}

function verbOf(text: string): string {
  if (text.includes('[')) return strip(text.slice(0, text.indexOf('[')));
  const [first] = splitWords(text);
  if (first === undefined) throw new ActionError('IndexError', 'list index out of range');
  return first;
}

/** Parses an action; throws ActionError. A `type` action presses Enter after the text unless it ends in [0]. */
export function parseAction(input: string): Action {
  let text = strip(input);
  const name = verbOf(text);
  if (!Object.hasOwn(verbs, name)) throw new ActionError('ActionParsingError', `Invalid action ${text}`);
  const verb = verbs[name];
  if (name === 'type' && !text.endsWith('[0]') && !text.endsWith('[1]')) text += ' [1]';
  const found = verb.find ? verb.find(text) : [];
  if (!found) throw new ActionError('ActionParsingError', `Invalid ${name} action ${text}`);
  return verb.make(found, text);
}

/** An action as a prompt's history prints it. `line` is the printed line of its element without the id. */
function actionText(action: Action, line: string): string {
  if (action.kind === 'type')
    return `type [${action.element}] [${action.text.replaceAll('\n', ' ')}] where [${action.element}] is ${line}`;
  if ('element' in action) return `${action.kind} [${action.element}] where [${action.element}] is ${line}`;
  if (action.kind === 'scroll') return `scroll [${action.direction}]`;
  if (action.kind === 'press') return `press [${action.keys}]`;
  if (action.kind === 'goto') return `goto [${action.url}]`;
  if (action.kind === 'tab_focus') return `page_focus [${action.page}]`;
  if (action.kind === 'stop') return `stop [${action.answer}]`;
  return action.kind;
}

/** One entry of a prompt's action history. `lineOf` returns the printed line of an element, id included. */
export function describeAction(action: Action, lineOf: (element: string) => string | undefined, raw: string): string {
  if (action.kind === 'none')
    return (
      `The previous prediction you issued was "${raw}". However, the format was incorrect. Ensure that the action is wrapped inside ` +
      'a pair of ``` and enclose arguments within [] as follows: ```action [arg] ...```.'
    );
  if (!('element' in action)) return actionText(action, '');
  const line = lineOf(action.element);
  if (line === undefined)
    return `Attempt to perfom "${action.kind}" on element "[${action.element}]" but no matching element found. Please check the observation more carefully.`;
  return actionText(action, splitWords(line).slice(1).join(' '));
}

/** True if both actions are the same; the text of `type` is ignored. */
export function isEquivalent(a: Action, b: Action): boolean {
  if (a.kind !== b.kind) return false;
  const key = (action: Action) => {
    if ('element' in action) return action.element;
    const { kind: _, ...rest } = action;
    return JSON.stringify(rest);
  };
  return key(a) === key(b);
}

export interface StopThresholds {
  parsingFailure: number;
  repeatingAction: number;
}

/**
 * Reason for which the original's runner stops an episode at this point, or null. Repeated `type` actions are counted
 * over the whole episode; other repetitions must be consecutive.
 */
export function earlyStop(actions: readonly Action[], maxSteps: number, thresholds: StopThresholds): string | null {
  if (actions.length >= maxSteps) return `Reach max steps ${maxSteps}`;
  const { parsingFailure, repeatingAction } = thresholds;
  const lasts = (count: number, holds: (action: Action) => boolean) =>
    actions.length >= count && actions.slice(-count).every(holds);
  if (lasts(parsingFailure, ({ kind }) => kind === 'none'))
    return `Failed to parse actions for ${parsingFailure} times`;
  const last = actions.at(-1);
  if (!last) return null;
  const same = (action: Action) => isEquivalent(action, last);
  if (last.kind !== 'type') return lasts(repeatingAction, same) ? `Same action for ${repeatingAction} times` : null;
  return actions.filter(same).length >= repeatingAction ? `Same typing action for ${repeatingAction} times` : null;
}
