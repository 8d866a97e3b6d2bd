/** Touches of a group's episodes on one screen: where they are, and what they hit. */
import type { PhoneView, ScreenSeen } from '../view-data.ts';

interface Point {
  x: number;
  y: number;
}

/** An element that was touched, and by how many episodes; `text` is null for touches beside all elements. */
interface Touched {
  text: string | null;
  episodes: number;
}

export interface GroupTaps {
  points: Point[];
  /** Episodes that touched this screen. */
  episodes: number;
  /** Elements by the number of episodes that touched them, the most first. */
  touched: Touched[];
}

const isIn = ({ x, y }: Point, [left, top, right, bottom]: readonly number[]) =>
  x >= left && x < right && y >= top && y < bottom;

/** `views`: each episode's view after its last turn. Touches that were refused count too: they are part of the spread. */
export function groupTapsOn({ place, elements, chrome }: ScreenSeen, views: readonly PhoneView[]): GroupTaps {
  const taps = views.map(({ turns }) =>
    turns.flatMap((turn) => (turn.place === place && turn.point ? turn.point : [])),
  );
  // What is drawn last is on top: an overlay covers the screen.
  const drawn = [...elements, ...chrome].reverse();
  const hitBy = (point: Point) => drawn.find(({ box }) => isIn(point, box))?.text ?? null;
  const counts = new Map<string | null, number>();
  for (const points of taps)
    for (const text of new Set(points.map(hitBy))) counts.set(text, (counts.get(text) ?? 0) + 1);
  return {
    points: taps.flat().map(({ x, y }) => ({ x, y })),
    episodes: taps.filter(({ length }) => length > 0).length,
    touched: [...counts].map(([text, episodes]) => ({ text, episodes })).sort((a, b) => b.episodes - a.episodes),
  };
}
