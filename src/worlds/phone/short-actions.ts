/**
 * Actions by the number of an element, for tiny policies: `tap 3`, `type 2 words`, with the element's name before its
 * number, `tap Wi-Fi 3`, or by a point, digit by digit, `tap 4 8 0 1 3 5`. Each stands for one of MagicGUI's.
 */
import { type Action, ActionError, type Direction } from './actions.ts';
import { type Aimed, sliding, touching, typing } from './aim.ts';
import type { Placed } from './layout.ts';
import type { Phone } from './phone.ts';

const plain: { readonly [short: string]: Action } = {
  back: { name: 'navigate_back' },
  home: { name: 'navigate_home' },
  wait: { name: 'wait' },
  enter: { name: 'enter' },
  screenshot: { name: 'screen_shot' },
  'long screenshot': { name: 'long_screen_shot' },
  finish: { name: 'finish' },
  'no answer': { name: 'no_answer' },
  'take over': { name: 'take_over', message: 'Please take over.' },
};

const verbs = { tap: 'tap', hold: 'long_press' } as const;
type Verb = keyof typeof verbs;

/** A coordinate as three digits apart, each of which is a token. */
const digitsOf = (coordinate: number) => [...String(Math.round(coordinate)).padStart(3, '0')].join(' ');
const numberOf = (digits: string) => Number(digits.replaceAll(' ', ''));

/** Middle of the screen, where a swipe begins. */
const middle = { x: 500, y: 450 };

function numbered(phone: Phone, number: string): Placed {
  const { placed } = phone.layout();
  const found = placed.find((each) => each.number === Number(number) && each.number > 0);
  if (!found) throw new ActionError('no-such-element', `There is no element ${number} on this screen.`);
  return found;
}

/** Reads a short action; null if the text is not one. Throws ActionError for an element that is not there. */
export function readShort(text: string, phone: Phone): Action | null {
  const trimmed = text.trim();
  if (Object.hasOwn(plain, trimmed)) return plain[trimmed];
  const swipe = /^scroll (up|down|left|right)$/.exec(trimmed);
  if (swipe) return { name: 'scroll', ...middle, direction: swipe[1] as Direction };
  const point = /^(tap|hold) (\d \d \d) (\d \d \d)$/.exec(trimmed);
  if (point) return { name: verbs[point[1] as Verb], x: numberOf(point[2]), y: numberOf(point[3]) };
  const touch = /^(tap|hold) (?:(.{1,200}) )?(\d{1,3})$/.exec(trimmed);
  if (touch) return touched(numbered(phone, touch[3]), touch[1] as Verb, touch[2]);
  const found = /^(type|set) (\d{1,3}) (.{1,500})$/.exec(trimmed);
  if (!found) return null;
  const placed = numbered(phone, found[2]);
  if (found[1] === 'type') return typing(placed, found[3]).action;
  return /^\d{1,3}$/.test(found[3]) ? sliding(placed, Number(found[3])).action : null;
}

function touched(placed: Placed, verb: Verb, name: string | undefined): Action {
  const { text } = placed.item;
  if (name !== undefined && name !== text)
    throw new ActionError('no-such-element', `Element ${placed.number} is "${text}".`);
  return touching(placed, verbs[verb]).action;
}

/** Writes an action in the short form: what is touched by its number, by name and number, or by its point. */
export function writeShort({ action, on, value }: Aimed, by: 'numbers' | 'names' | 'points'): string {
  const short = Object.entries(plain).find(([, each]) => each.name === action.name);
  if (short) return short[0];
  if (action.name === 'scroll') return `scroll ${action.direction}`;
  if (!on) throw new Error(`The action ${action.name} has no short form.`);
  const { number, item } = on;
  if (action.name === 'drag') return `set ${number} ${value}`;
  if (action.name === 'text') return `type ${number} ${action.text}`;
  const verb = action.name === 'tap' ? 'tap' : 'hold';
  if (by === 'points' && 'x' in action) return `${verb} ${digitsOf(action.x)} ${digitsOf(action.y)}`;
  return `${verb} ${by === 'names' ? `${item.text} ` : ''}${number}`;
}
