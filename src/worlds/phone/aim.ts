/** Actions aimed at an element of the screen: what the oracle takes and a screen offers, before they are written. */
import type { Action, Direction } from './actions.ts';
import { centreOf, type Placed } from './layout.ts';
import { sliderPosition } from './phone.ts';

export interface Aimed {
  action: Action;
  /** Element at which it is aimed. */
  on?: Placed;
  /** Value that a slider gets. */
  value?: number;
}

export function touching(on: Placed, name: 'tap' | 'long_press'): Aimed {
  const [x, y] = centreOf(on);
  return { action: { name, x, y }, on };
}

export function typing(on: Placed, text: string): Aimed {
  const [x, y] = centreOf(on);
  return { action: { name: 'text', x, y, text }, on };
}

/** Scroll from the middle of the screen. */
export const scrolling = (direction: Direction): Aimed => ({
  action: { name: 'scroll', x: 500, y: 450, direction },
});

/** Drag of a slider to a value. */
export function sliding(on: Placed, value: number): Aimed {
  const [, y] = centreOf(on);
  const x1 = sliderPosition(on, Number(on.item.state));
  return { action: { name: 'drag', x1, y1: y, x2: sliderPosition(on, value), y2: y }, on, value };
}
