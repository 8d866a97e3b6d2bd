/** Laws of a phone's layout: inside the screen, no two elements overlap, and what can be tapped is large enough. */
import { height, leastSide, width } from '../../src/worlds/phone/layout.ts';
import type { ElementSeen, PhoneView } from '../../src/worlds/phone/view-data.ts';

/** Rounding of sums of points. */
const slack = 1e-9;

const overlap = (a: ElementSeen, b: ElementSeen) =>
  a.x < b.x + b.w - slack && b.x < a.x + a.w - slack && a.y < b.y + b.h - slack && b.y < a.y + a.h - slack;

/** Breaches of the laws on a screen. */
export function layoutFaults({ elements, chrome, panel }: PhoneView): string[] {
  const all = [...elements, ...chrome];
  const outside = all.filter(({ x, y, w, h }) => x < 0 || y < 0 || x + w > width + slack || y + h > height + slack);
  const active = all.filter(({ number, kind }) => number > 0 || kind === 'key');
  const small = active.filter(({ w, h }) => w < leastSide || h < leastSide);
  const pairs = all.flatMap((a, j) => all.slice(j + 1).flatMap((b) => (overlap(a, b) ? [`${a.key} × ${b.key}`] : [])));
  const beyond = panel ? elements.filter(({ y, h }) => y < panel.y || y + h > panel.y + panel.h + slack) : [];
  return [
    ...outside.map(({ key }) => `${key} is outside the screen`),
    ...small.map(({ key }) => `${key} is too small`),
    ...pairs.map((pair) => `overlap: ${pair}`),
    ...beyond.map(({ key }) => `${key} is beyond its panel`),
  ];
}
