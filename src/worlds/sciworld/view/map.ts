/**
 * ScienceWorld's house as a floor plan: ten rooms with shared walls where doors connect them, the agent, and each door
 * open or closed by its shape. The plan is the same in every variation and shows no things in rooms.
 */
import { type SVGTemplateResult, svg } from 'lit';
import type { SciWorldView } from '../view-data.ts';

type Box = readonly [x: number, y: number, width: number, height: number];

/** Rooms in units of the plan, which measures 120 by 62. */
const rooms: { [name: string]: Box } = {
  bathroom: [0, 0, 30, 20],
  kitchen: [30, 0, 32, 20],
  outside: [62, 0, 38, 20],
  foundry: [100, 0, 20, 20],
  hallway: [0, 20, 92, 16],
  greenhouse: [92, 20, 28, 42],
  'living room': [0, 36, 23, 26],
  bedroom: [23, 36, 23, 26],
  workshop: [46, 36, 23, 26],
  'art studio': [69, 36, 23, 26],
};
/** Positions of names that must avoid open doors; the other names are centred near the top of their rooms. */
const namePlaces: { [name: string]: readonly [x: number, y: number] } = {
  hallway: [20, 27],
  greenhouse: [106, 33],
};
export const planSize = { width: 120, height: 62 };

type Wall = { x: number; y: number; upright: boolean };

/** Position of the door in the wall between two rooms; null if they share no wall. */
export function wallBetween(from: string, to: string): Wall | null {
  if (!rooms[from] || !rooms[to]) return null;
  const [ax, ay, aw, ah] = rooms[from];
  const [bx, by, bw, bh] = rooms[to];
  const left = Math.max(ax, bx);
  const right = Math.min(ax + aw, bx + bw);
  const top = Math.max(ay, by);
  const bottom = Math.min(ay + ah, by + bh);
  if (left > right || top > bottom) return null;
  // Low in a side wall, below the room's name.
  return { x: (left + right) / 2, y: top + (left === right ? 0.7 : 0.5) * (bottom - top), upright: left === right };
}

/** Closed: a bar across with a knob. Open: a gap, and the leaf turned aside. */
function drawDoor({ from, to, open }: SciWorldView['doors'][number]): SVGTemplateResult | null {
  const wall = wallBetween(from, to);
  if (!wall) return null;
  const at = `translate(${wall.x} ${wall.y})${wall.upright ? ' rotate(90)' : wall.y > 20 ? ' scale(1 -1)' : ''}`;
  return svg`<g class="door ${open ? 'open' : 'closed'}" transform=${at}>
    <rect class="gap" x="-3.6" y="-1" width="7.2" height="2" />
    ${open ? svg`<path class="leaf" d="M-3.6 0L-3.6 5.4" /><path class="swing" d="M-3.6 5.4A5.4 5.4 0 0 0 3.2 0" />` : svg`<rect class="leaf" x="-3.6" y="-0.9" width="7.2" height="1.8" /><circle class="knob" cx="2" cy="0" r="0.55" />`}
  </g>`;
}

function drawRoom(name: string, here: boolean): SVGTemplateResult {
  const [x, y, width, height] = rooms[name];
  const words = width < 25 ? name.split(' ') : [name];
  const [middle, line] = namePlaces[name] ?? [x + width / 2, y + 6.5];
  return svg`<g class=${`room ${here ? 'here' : ''} ${name === 'outside' ? 'outdoors' : ''}`}>
    <rect x=${x} y=${y} width=${width} height=${height} />
    ${words.map((word, k) => svg`<text x=${middle} y=${line + 4.6 * k}>${word}</text>`)}
  </g>`;
}

/** A head and shoulders, recognisable without colour. */
function drawAgent(room: string): SVGTemplateResult | null {
  if (!rooms[room]) return null;
  const [x, y, width, height] = rooms[room];
  const down = height > 18 ? 0.68 : 0.72;
  return svg`<g class="agent" transform="translate(${x + width / 2} ${y + height * down})">
    <circle class="halo" r="4.6" cy="-0.4" /><circle cy="-1.9" r="1.7" /><path d="M-3.2 3.2A3.2 3.4 0 0 1 3.2 3.2Z" />
  </g>`;
}

export const drawPlan = ({ room, doors }: Pick<SciWorldView, 'room' | 'doors'>): SVGTemplateResult =>
  svg`${Object.keys(rooms).map((name) => drawRoom(name, name === room))}${doors.map(drawDoor)}${drawAgent(room)}`;
