/** Actions that a screen offers, for policies limited to valid actions. They follow from the texts alone, not the goal's meaning. */
import type { Action } from './actions.ts';
import { centreOf, type Placed } from './layout.ts';
import type { Phone } from './phone.ts';
import { dragTo } from './short-actions.ts';

const middle = { x: 500, y: 450 };
const sliderValues = Array.from({ length: 11 }, (_, k) => 10 * k);

/** Texts in quotation marks. */
export const quotedIn = (text: string): string[] => [...text.matchAll(/"([^"]+)"/g)].map(([, inside]) => inside);

function onElement(placed: Placed, texts: readonly string[]): Action[] {
  const { item } = placed;
  const [x, y] = centreOf(placed);
  if (item.kind === 'field') return texts.map((text) => ({ name: 'text', x, y, text }));
  return [
    ...(item.tap ? [{ name: 'tap' as const, x, y }] : []),
    ...(item.hold ? [{ name: 'long_press' as const, x, y }] : []),
    ...(item.set ? sliderValues.map((value) => dragTo(placed, value)) : []),
  ];
}

/** All actions that the screen offers. `texts`: what may be typed. */
export function offersOf(phone: Phone, texts: readonly string[]): Action[] {
  const { placed, scroll, lastScroll } = phone.layout();
  const { app, overlay, loading, focus } = phone.ui;
  const free = !overlay && !loading;
  const swipes = free && phone.screen().swipe ? (['left', 'right'] as const) : [];
  const plain = (name: 'wait' | 'enter' | 'navigate_back' | 'navigate_home', offered: boolean): Action[] =>
    offered ? [{ name }] : [];
  return [
    ...placed.filter(({ item, number }) => number && item.key !== 'Back').flatMap((each) => onElement(each, texts)),
    ...(free && scroll < lastScroll ? [{ name: 'scroll' as const, ...middle, direction: 'up' as const }] : []),
    ...(free && scroll > 0 ? [{ name: 'scroll' as const, ...middle, direction: 'down' as const }] : []),
    ...swipes.map((direction) => ({ name: 'scroll' as const, ...middle, direction })),
    ...plain('wait', loading),
    ...plain('enter', focus !== null),
    ...plain('navigate_back', app !== null),
    ...plain('navigate_home', app !== null),
    { name: 'screen_shot' },
    { name: 'finish' },
    { name: 'no_answer' },
    { name: 'take_over', message: 'Please take over.' },
  ];
}
