/** Actions that a screen offers, for policies limited to valid actions. They follow from the texts alone, not the goal's meaning. */
import type { Action } from './actions.ts';
import { type Aimed, scrolling, sliding, touching, typing } from './aim.ts';
import type { Placed } from './layout.ts';
import type { Phone } from './phone.ts';

const sliderValues = Array.from({ length: 11 }, (_, k) => 10 * k);

/** Texts in quotation marks. */
export const quotedIn = (text: string): string[] => [...text.matchAll(/"([^"]+)"/g)].map(([, inside]) => inside);

/** Actions on an element. */
export function onElement(placed: Placed, texts: readonly string[]): Aimed[] {
  const { item } = placed;
  if (item.kind === 'field') return texts.map((text) => typing(placed, text));
  return [
    ...(item.tap ? [touching(placed, 'tap')] : []),
    ...(item.hold ? [touching(placed, 'long_press')] : []),
    ...(item.set ? sliderValues.map((value) => sliding(placed, value)) : []),
  ];
}

/** Elements of the screen that can be acted on. The way back has its own action. */
export const activeOn = (phone: Phone): Placed[] =>
  phone.layout().placed.filter(({ item, number }) => number > 0 && item.key !== 'Back');

/** All actions that the screen offers. `texts`: what may be typed. */
export function offersOf(phone: Phone, texts: readonly string[]): Aimed[] {
  const { scroll, lastScroll } = phone.layout();
  const { app, overlay, loading, focus } = phone.ui;
  const free = !overlay && !loading;
  const swipes = free && phone.screen().swipe ? (['left', 'right'] as const) : [];
  const plain = (name: 'wait' | 'enter' | 'navigate_back' | 'navigate_home', offered: boolean): Action[] =>
    offered ? [{ name }] : [];
  const others: Action[] = [
    ...plain('wait', loading),
    ...plain('enter', focus !== null),
    ...plain('navigate_back', app !== null),
    ...plain('navigate_home', app !== null),
    { name: 'screen_shot' },
    { name: 'finish' },
    { name: 'no_answer' },
    { name: 'take_over', message: 'Please take over.' },
  ];
  return [
    ...activeOn(phone).flatMap((each) => onElement(each, texts)),
    ...(free && scroll < lastScroll ? [scrolling('up')] : []),
    ...(free && scroll > 0 ? [scrolling('down')] : []),
    ...swipes.map(scrolling),
    ...others.map((action) => ({ action })),
  ];
}
