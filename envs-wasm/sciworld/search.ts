/** Walks over the object tree, in the order of the original's enumerations: ascending uuid. */
import { C_Terminal, F_PolarizedElectricalComponent, F_UnpolarizedElectricalComponent, F_Portal, F_Location } from './tables/ids';
import { HAS_CONTAINER, HIDDEN, NIL, OPEN, Obj, POLARIZED, PORTALED, TICKED, has, isNil, isOf } from './object';
import { List } from './list';
import { at, head, parentOf, portal, ref } from './arena';
import { isBare, terminal1, terminal2 } from './terminals';

export function agentRoom(): Obj {
  return parentOf(at(head.agent));
}

/** True if `p` is in the portal set of `o`: doors are in the sets of both rooms, drains only in that of their basin. */
export function joins(p: Obj, o: Obj): bool {
  const offset = ref(o);
  if (p.a == offset) return true;
  return p.b == offset && p.c == 0;
}

/** The far end of a portal, seen from one of its ends. */
export function farSide(p: Obj, from: Obj): Obj {
  return p.a == ref(from) ? at(p.b) : at(p.a);
}

export function hasPortal(o: Obj): bool {
  return has(o, PORTALED);
}

export function visibleCount(o: Obj): i32 {
  let n = 0;
  for (let c = at(o.first); !isNil(c); c = at(c.next)) if (!has(c, HIDDEN)) n++;
  return n;
}

/**
 * All contained objects and portals at every depth, in open and closed containers. Hidden objects are skipped with
 * their contents.
 */
export function recursive(o: Obj, into: List): void {
  const portals = hasPortal(o);
  if (!portals) {
    for (let c = at(o.first); !isNil(c); c = at(c.next)) {
      if (has(c, HIDDEN)) continue;
      into.push(c);
      recursive(c, into);
    }
    return;
  }
  let i = nextPortal(o, 0);
  let c = at(o.first);
  while (i < head.portals || !isNil(c)) {
    const p = i < head.portals ? portal(i) : NIL;
    if (isNil(c) || (!isNil(p) && p.uuid < c.uuid)) {
      into.push(p);
      recursive(p, into);
      i = nextPortal(o, i + 1);
    } else {
      if (!has(c, HIDDEN)) {
        into.push(c);
        recursive(c, into);
      }
      c = at(c.next);
    }
  }
}

/** Index of the next portal of `o` from `i` on. Portals are in uuid order. */
export function nextPortal(o: Obj, i: i32): i32 {
  if (!has(o, PORTALED)) return head.portals;
  while (i < head.portals && !joins(portal(i), o)) i++;
  return i;
}

/** Objects that can be reached in `o` through open containers. */
export function accessible(o: Obj, hidden: bool, into: List): void {
  for (let c = at(o.first); !isNil(c); c = at(c.next)) {
    if (has(c, HIDDEN) && !hidden) continue;
    into.push(c);
    const component = isOf(c, F_PolarizedElectricalComponent | F_UnpolarizedElectricalComponent);
    if (component || hidden) {
      const one = terminal1(c);
      if (!isNil(one)) {
        into.push(one);
        into.push(terminal2(c));
      }
    }
    if (has(c, HAS_CONTAINER) && has(c, OPEN)) accessible(c, hidden, into);
  }
  if (!hidden) return;
  for (let i = nextPortal(o, 0); i < head.portals; i = nextPortal(o, i + 1)) into.push(portal(i));
}

/** Like `accessible` with hidden objects, in any order, but without ordinary terminals (two objects in three). */
function withoutTerminals(o: Obj, into: List): void {
  if (!isBare(o))
    for (let c = at(o.first); !isNil(c); c = at(c.next)) {
      if (c.cls == C_Terminal) continue;
      into.push(c);
      if (has(c, POLARIZED)) {
        into.push(terminal1(c));
        into.push(terminal2(c));
      }
      if (has(c, HAS_CONTAINER) && has(c, OPEN)) withoutTerminals(c, into);
    }
  for (let i = nextPortal(o, 0); i < head.portals; i = nextPortal(o, i + 1)) into.push(portal(i));
}

/**
 * Collects the objects that a line can mention: as `collectAccessible`, with hidden objects, in any order, and with
 * ordinary terminals only if `terminals` is true. May contain duplicates.
 */
export function collectMentionable(root: Obj, terminals: bool, into: List): void {
  into.push(root);
  for (let i = nextPortal(root, 0); i < head.portals; i = nextPortal(root, i + 1)) {
    into.push(portal(i));
    into.push(farSide(portal(i), root));
  }
  if (terminals) accessible(root, true, into);
  else withoutTerminals(root, into);
}

/**
 * Collects the room itself, its portals and the objects on their far sides, then everything accessible. May contain
 * duplicates.
 */
export function collectAccessible(root: Obj, into: List): void {
  into.push(root);
  for (let i = nextPortal(root, 0); i < head.portals; i = nextPortal(root, i + 1)) {
    into.push(portal(i));
    into.push(farSide(portal(i), root));
  }
  const from = into.length;
  accessible(root, false, into);
  mergeSort(into.items + (from << 2), into.length - from);
}

/** Collects everything, in closed containers too. May contain duplicates. */
export function collectAll(root: Obj, hidden: bool, into: List): void {
  into.push(root);
  for (let i = nextPortal(root, 0); i < head.portals; i = nextPortal(root, i + 1)) {
    into.push(portal(i));
    into.push(farSide(portal(i), root));
  }
  let i = nextPortal(root, 0);
  let c = at(root.first);
  while (i < head.portals || !isNil(c)) {
    const p = i < head.portals ? portal(i) : NIL;
    if (isNil(c) || (!isNil(p) && p.uuid < c.uuid)) {
      collectAll(p, hidden, into);
      i = nextPortal(root, i + 1);
    } else {
      if (hidden || !has(c, HIDDEN)) collectAll(c, hidden, into);
      c = at(c.next);
    }
  }
}

/** Removes duplicates in place; the first one stays. Uses the tick flag, which every tick clears before it starts. */
export function unique(list: List): void {
  let n = 0;
  for (let i = 0; i < list.length; i++) list.get(i).flags &= ~TICKED;
  for (let i = 0; i < list.length; i++) {
    const o = list.get(i);
    if (has(o, TICKED)) continue;
    o.flags |= TICKED;
    list.put(n++, o);
  }
  list.length = n;
  for (let i = 0; i < n; i++) list.get(i).flags &= ~TICKED;
}

/** Sorts by uuid (merge sort: lists have several hundred objects, mostly in runs). */
export function sortByUuid(list: List): void {
  mergeSort(list.items, list.length);
}

let spare: usize = 0;
let spareItems: i32 = 0;

function mergeSort(items: usize, n: i32): void {
  if (n < 2) return;
  if (n > spareItems) {
    spareItems = n * 2;
    spare = heap.alloc(<usize>spareItems * 4);
  }
  for (let width = 1; width < n; width *= 2) {
    for (let left = 0; left < n; left += 2 * width) mergeRuns(items, left, min(left + width, n), min(left + 2 * width, n));
    memory.copy(items, spare, <usize>n * 4);
  }
}

function mergeRuns(items: usize, left: i32, middle: i32, right: i32): void {
  let i = left;
  let j = middle;
  for (let k = left; k < right; k++) {
    const takeLeft = i < middle && (j >= right || uuidAt(items, i) <= uuidAt(items, j));
    store<i32>(spare + (k << 2), load<i32>(items + ((takeLeft ? i++ : j++) << 2)));
  }
}

// @ts-ignore: decorator
@inline
function uuidAt(items: usize, i: i32): i32 {
  return at(load<i32>(items + (i << 2))).uuid;
}

/** The nearest Location above, through open containers. */
export function openLocation(o: Obj): Obj {
  let here = o;
  for (let depth = 0; depth < 64; depth++) {
    const up = parentOf(here);
    if (isNil(up)) return NIL;
    if (isOf(up, F_Location)) return up;
    if (!has(here, HAS_CONTAINER) || !has(here, OPEN)) return NIL;
    here = up;
  }
  return NIL;
}

export function isPortal(o: Obj): bool {
  return isOf(o, F_Portal);
}

export function firstNamed(container: Obj, name: i32): Obj {
  for (let c = at(container.first); !isNil(c); c = at(c.next)) if (c.name == name) return c;
  return NIL;
}

export function firstOfClass(container: Obj, cls: i32): Obj {
  for (let c = at(container.first); !isNil(c); c = at(c.next)) if (c.cls == cls) return c;
  return NIL;
}
