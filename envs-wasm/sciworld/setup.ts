/**
 * Applies a task's modifiers, which are data: places its example objects in the house and breaks the things that it
 * disables.
 */
import { BROKEN, NIL, OPEN, ACTIVE, Obj, has, isNil, set, CONDUCTS, HAS_DEVICE } from './object';
import { add } from './containment';
import { at, draw, head, parentOf } from './arena';
import { makeAs } from './construction';
import { stack } from './list';
import { pool, variation } from './tables';
import { recursive } from './search';
import {
  C_InclinedPlane, C_Recipe, C_UnknownSubstanceElectricalConductivity, C_UnknownSubstanceThermal,
} from './tables/ids';

let cursor: usize = 0;

function oneByte(): i32 {
  return load<u8>(cursor++);
}

function twoBytes(): i32 {
  cursor += 2;
  return load<u16>(cursor - 2);
}

function fourBytes(): i32 {
  cursor += 4;
  return load<i32>(cursor - 4);
}

function eightBytes(): f64 {
  cursor += 8;
  return load<f64>(cursor - 8);
}

function readNode(): Obj {
  const uuid = twoBytes();
  const cls = oneByte();
  const bits = oneByte();
  const o = makeAs(cls, uuid);
  o.name = twoBytes();
  const state = oneByte();
  if (state != 255) o.state = state;
  const stage = oneByte();
  if (stage != 0) o.stage = stage;
  const genes = oneByte();
  if (oneByte()) o.genes = genes;
  const a = twoBytes();
  const b = twoBytes();
  if (bits & 1) o.temperature = eightBytes();
  if (bits & 2) set(o, OPEN, (bits & 4) != 0);
  if (has(o, HAS_DEVICE)) set(o, ACTIVE, (bits & 8) != 0);
  if (bits & 16) {
    o.angle = eightBytes();
    o.friction = eightBytes();
  }
  if (cls == C_InclinedPlane || cls == C_Recipe) {
    o.a = a;
    o.b = b;
  } else if (cls == C_UnknownSubstanceThermal) o.letter = a;
  else if (cls == C_UnknownSubstanceElectricalConductivity) set(o, CONDUCTS, a == 1);
  const parts = oneByte();
  for (let i = 0; i < parts; i++) add(o, readNode());
  return o;
}

function firstInWorld(name: i32): Obj {
  const from = stack.length;
  recursive(at(head.universe), stack);
  let found = NIL;
  for (let i = from; i < stack.length; i++) {
    const o = stack.get(i);
    if (o.name == name && (isNil(found) || o.uuid < found.uuid)) found = o;
  }
  stack.length = from;
  return found;
}

function holds(container: Obj, name: i32): bool {
  const from = stack.length;
  recursive(container, stack);
  let found = false;
  for (let i = from; i < stack.length && !found; i++) found = stack.get(i).name == name;
  stack.length = from;
  return found;
}

const places: StaticArray<i32> = new StaticArray<i32>(16);

function isPlace(name: i32, n: i32): bool {
  for (let i = 0; i < n; i++) if (places[i] == name) return true;
  return false;
}

/** Everything in `o` at every depth: hidden terminals too, but no portals. */
function everythingIn(o: Obj): void {
  for (let c = at(o.first); !isNil(c); c = at(c.next)) {
    stack.push(c);
    everythingIn(c);
  }
}

/** Shuffles everything in the room and returns the first object whose name is one of the places. */
function drawnPlace(room: Obj, n: i32): Obj {
  const from = stack.length;
  everythingIn(room);
  const count = stack.length - from;
  for (let i = 1; i < count; i++) {
    const o = stack.get(from + i);
    let j = i;
    for (; j > 0 && stack.get(from + j - 1).uuid > o.uuid; j--) stack.put(from + j, stack.get(from + j - 1));
    stack.put(from + j, o);
  }
  for (let k = count; k >= 2; k--) {
    const j = draw(k);
    const last = stack.get(from + k - 1);
    stack.put(from + k - 1, stack.get(from + j));
    stack.put(from + j, last);
  }
  let found = NIL;
  for (let i = from; i < stack.length && isNil(found); i++) if (isPlace(stack.get(i).name, n)) found = stack.get(i);
  stack.length = from;
  return found;
}

function place(): void {
  const name = twoBytes();
  const room = firstInWorld(twoBytes());
  const force = oneByte() != 0;
  const listed = oneByte();
  const n = max(listed - 1, 0);
  for (let i = 0; i < n; i++) places[i] = twoBytes();
  const node = pool + fourBytes();
  if (isNil(room)) return;
  let target = room;
  if (listed == 0) {
    if (!force && holds(room, name)) return;
  } else {
    for (let c = at(room.first); !isNil(c); c = at(c.next)) if (!force && isPlace(c.name, n) && holds(c, name)) return;
    target = drawnPlace(room, n);
    if (isNil(target)) return;
  }
  const after = cursor;
  cursor = node;
  const o = readNode();
  cursor = after;
  add(target, o);
}

function isIn(o: Obj, roomName: i32): bool {
  for (let up = parentOf(o); !isNil(up); up = parentOf(up)) if (up.name == roomName) return true;
  return false;
}

function disable(): void {
  const name = twoBytes();
  const rooms = oneByte();
  const from = stack.length;
  recursive(at(head.universe), stack);
  for (let r = 0; r < rooms; r++) {
    const room = twoBytes();
    for (let i = from; i < stack.length; i++)
      if (stack.get(i).name == name && isIn(stack.get(i), room)) stack.get(i).flags |= BROKEN;
  }
  stack.length = from;
}

export function applyModifiers(index: i32): void {
  cursor = variation(index, 0);
  const planes = oneByte();
  const n = oneByte();
  for (let i = 0; i < n; i++) {
    if (oneByte() == 1) disable();
    else place();
  }
  // The inclined-plane descriptions shuffle two names after the modifiers.
  if (planes) draw(2);
}

