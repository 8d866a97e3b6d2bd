/** Inclined planes: objects slide down by the angle of the plane and the friction of its surface. */
import { GAS, HIDDEN, LIQUID, Obj, has, isNil } from './object';
import { at } from './arena';

const STEP: f64 = 0.10000000149011612;

export function slide(plane: Obj): void {
  const step = STEP * Math.sin((plane.angle / 180.0) * Math.PI) * (1.0 - plane.friction);
  for (let c = at(plane.first); !isNil(c); c = at(c.next)) {
    if (has(c, HIDDEN)) continue;
    if (c.mat != 0 && c.state == LIQUID) c.place = 0;
    else if (c.mat != 0 && c.state == GAS) c.place = 1;
    else if (c.place > 0) c.place = Math.max(c.place - step, 0);
  }
}
