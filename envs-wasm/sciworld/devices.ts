/**
 * Automatic effects of devices in each tick: basins fill and drain, the toilet flushes, pots water themselves, the
 * stopwatch counts.
 */
import { ACTIVE, IS_CONTAINER, LIQUID, Obj, OPEN, has, isNil, set } from './object';
import { add } from './containment';
import { at, head, parentOf, portal } from './arena';
import { make } from './construction';
import { firstOfClass, nextPortal } from './search';
import * as I from './tables/ids';

export const SELF_WATERING: i32 = 1;
export const TELEPORT: i32 = 2;
export const NO_ELECTRICAL: i32 = 4;
export const OPEN_DOORS: i32 = 8;
export const OPEN_CONTAINERS: i32 = 16;

function waterIfDry(container: Obj): void {
  if (isNil(firstOfClass(container, I.C_Water))) add(container, make(I.C_Water));
}

function fill(basin: Obj): void {
  // New water has the largest uuid, so it is last in its list, and it is not a container: it does not affect this loop.
  for (let c = at(basin.first); !isNil(c); c = at(c.next))
    if (has(c, IS_CONTAINER) && has(c, OPEN)) waterIfDry(c);
  waterIfDry(basin);
}

function setDrain(basin: Obj, open: bool): void {
  for (let i = nextPortal(basin, 0); i < head.portals; i = nextPortal(basin, i + 1)) set(portal(i), OPEN, open);
}

function flush(o: Obj): void {
  if (has(o, ACTIVE) && o.a == 0) {
    o.a = 1;
    setDrain(o, true);
  }
  if (o.a > 0) {
    fill(o);
    o.a++;
    if (o.a > 5) {
      set(o, ACTIVE, false);
      o.a = 0;
    }
  }
  if (o.a == 0) setDrain(o, false);
}

export function drainAway(drain: Obj): void {
  if (!has(drain, OPEN)) return;
  const basin = at(drain.a);
  const sewer = at(drain.b);
  let c = at(basin.first);
  while (!isNil(c)) {
    const next = at(c.next);
    if (c.mat != 0 && c.state == LIQUID) add(sewer, c);
    c = next;
  }
}

function sink(o: Obj): void {
  if (has(o, ACTIVE)) fill(o);
}

function spill(o: Obj): void {
  const holder = parentOf(o);
  if (isNil(holder)) return;
  while (o.first != 0) add(holder, at(o.first));
}

export function runDevice(o: Obj): void {
  switch (o.cls) {
    case I.C_Sink:
    case I.C_Bathtub:
      return sink(o);
    case I.C_Toilet:
      return flush(o);
    case I.C_Fountain:
    case I.C_SelfWateringFlowerPot:
      return waterIfDry(o);
    case I.C_FlowerPot:
      if (head.simplifications & SELF_WATERING) waterIfDry(o);
      return;
    case I.C_StopWatch:
      o.a = has(o, ACTIVE) ? o.a + 1 : 0;
      if (has(o, ACTIVE)) o.b = o.a;
      return;
    case I.C_Ground:
      return spill(o);
    case I.C_LiquidDrain:
      return drainAway(o);
    default:
      return;
  }
}

