/**
 * Actions by the number of an element, for tiny policies: `tap 3`, `type 2 words`, or with the element's name before its
 * number, `tap Wi-Fi 3`. Each stands for one of MagicGUI's.
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
  const touch = /^(tap|hold) (?:(.{1,200}) )?(\d{1,3})$/.exec(trimmed);
  if (touch) return touched(numbered(phone, touch[3]), touch[1], touch[2]);
  const found = /^(type|set) (\d{1,3}) (.{1,500})$/.exec(trimmed);
  if (!found) return null;
  const placed = numbered(phone, found[2]);
  if (found[1] === 'type') return typing(placed, found[3]).action;
  return /^\d{1,3}$/.test(found[3]) ? sliding(placed, Number(found[3])).action : null;
}

function touched(placed: Placed, verb: string, name: string | undefined): Action {
  const { text } = placed.item;
  if (name !== undefined && name !== text)
    throw new ActionError('no-such-element', `Element ${placed.number} is "${text}".`);
  return touching(placed, verb === 'tap' ? 'tap' : 'long_press').action;
}

/** Writes an action in the short form. `named`: with the name of what is touched. */
export function writeShort({ action, on, value }: Aimed, named: boolean): string {
  const short = Object.entries(plain).find(([, each]) => each.name === action.name);
  if (short) return short[0];
  if (action.name === 'scroll') return `scroll ${action.direction}`;
  if (!on) throw new Error(`The action ${action.name} has no short form.`);
  const { number, item } = on;
  if (action.name === 'drag') return `set ${number} ${value}`;
  if (action.name === 'text') return `type ${number} ${action.text}`;
  return `${action.name === 'tap' ? 'tap' : 'hold'} ${named ? `${item.text} ` : ''}${number}`;
}
