/**
 * The contents of a view as lines for the host: the agent's place, the doors of the house, and everything in the room
 * with its state. The texts are not the original's, and the world does not change.
 */
import {
  ACTIVABLE, ACTIVE, BROKEN, BURNED, BURNING, CLOSABLE, DEAD, GAS, HIDDEN, LIQUID, OPEN, Obj, SICK, has, isNil, isOf,
} from './object';
import { at, head, parentOf, portal } from './arena';
import { ownerOf } from './terminals';
import { putName } from './names';
import { agentRoom } from './search';
import { putString, stageString } from './tables';
import { byte, integer, put, rounded } from './text';
import * as I from './tables/ids';

const BAR: i32 = 124;
const LINE: i32 = 10;

/**
 * Writes "room|NAME"; "focus|UUID" (0 if none); ten lines "door|FROM|TO|1 if open, else 0"; then one line for each
 * object, depth first: "thing|DEPTH|UUID|CLASS|MARKS|TENTHS OF A DEGREE or -|DETAIL|NAME". Marks are letters
 * (`putMarks`).
 */
export function putScene(): void {
  const room = agentRoom();
  put('room|');
  putString(room.name);
  byte(LINE);
  put('focus|');
  integer(head.focus == 0 ? 0 : at(head.focus).uuid);
  byte(LINE);
  for (let i = 0; i < head.portals; i++) if (portal(i).cls == I.C_Door) putDoor(portal(i));
  for (let c = at(room.first); !isNil(c); c = at(c.next)) putThing(c, 0);
}

function putDoor(door: Obj): void {
  put('door|');
  putString(at(door.a).name);
  byte(BAR);
  putString(at(door.b).name);
  put(has(door, OPEN) ? '|1\n' : '|0\n');
}

function putThing(o: Obj, depth: i32): void {
  if (has(o, HIDDEN) || depth > 20) return;
  put('thing|');
  integer(depth);
  byte(BAR);
  integer(o.uuid);
  byte(BAR);
  putKind(o);
  byte(BAR);
  putMarks(o);
  byte(BAR);
  if (o.mat == 0) byte(45);
  else integer(<i32>Math.round(o.temperature * 10));
  byte(BAR);
  putDetail(o);
  byte(BAR);
  putName(o);
  byte(LINE);
  for (let c = at(o.first); !isNil(c); c = at(c.next)) putThing(c, depth + 1);
}

function putKind(o: Obj): void {
  if (o.cls == I.C_Agent) put('agent');
  else if (o.cls == I.C_InventoryContainer) put('inventory');
  else if (o.cls == I.C_Thermometer) put('thermometer');
  else if (o.cls == I.C_StopWatch) put('stopwatch');
  else if (o.cls == I.C_Air) put('air');
  else if (isOf(o, I.F_LivingThing)) put('living');
}

/** Marks: o open, c closed; n on, f off; x broken; B on fire, b burned; S sick, D dead; l liquid, g gas. */
function putMarks(o: Obj): void {
  if (has(o, CLOSABLE)) byte(has(o, OPEN) ? 111 : 99);
  if (has(o, ACTIVABLE)) byte(has(o, ACTIVE) ? 110 : 102);
  if (has(o, BROKEN)) byte(120);
  if (has(o, BURNING)) byte(66);
  else if (has(o, BURNED)) byte(98);
  if (has(o, SICK)) byte(83);
  if (has(o, DEAD)) byte(68);
  if (o.mat != 0 && o.state == LIQUID) byte(108);
  if (o.mat != 0 && o.state == GAS) byte(103);
}

/** Detail: a stage of life, a stopwatch's time, the far end of a wire, or a place on a plane. */
function putDetail(o: Obj): void {
  if (isOf(o, I.F_Plant)) {
    putString(stageString(o.stage));
    put(' stage');
  } else if (o.cls == I.C_StopWatch) {
    integer(o.b);
    put(' ticks');
  } else if (isOf(o, I.F_Terminal)) putFarEnd(o);
  else if (isOnPlane(o)) {
    rounded(100.0 - 100.0 * o.place);
    put('% down');
  }
}

function putFarEnd(terminal: Obj): void {
  if (terminal.wire == 0) return;
  const far = at(terminal.wire);
  put('joined to ');
  putString(far.name);
  put(' of ');
  putName(ownerOf(far));
}

function isOnPlane(o: Obj): bool {
  const under = parentOf(o);
  return !isNil(under) && under.cls == I.C_InclinedPlane;
}
