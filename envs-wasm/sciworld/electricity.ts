/**
 * Circuits: generators set voltages, each visit of a conductor passes nine volts on by one object, and a component
 * turns on where ground and voltage meet.
 */
import { ACTIVE, CONDUCTS, HAS_CONTAINER, NIL, OPEN, Obj, POLARIZED, TERMINALS, has, isNil, isOf, set } from './object';
import { at, parentOf } from './arena';
import { ownerOf, terminal1, terminal2 } from './terminals';
import * as I from './tables/ids';

const NONE: u8 = 0;
const GROUND: u8 = 1;
const NINE: u8 = 2;

function connectsToVoltage(t: Obj): bool {
  return t.wire != 0 && at(t.wire).volts == NINE;
}

/** The other end of a polarized part, or nil for an open switch. */
function otherEnd(part: Obj, t: Obj): Obj {
  if (part.cls == I.C_Switch && !has(part, ACTIVE)) return NIL;
  const one = terminal1(part);
  return changetype<usize>(one) == changetype<usize>(t) ? terminal2(part) : one;
}

function connectsToGround(t: Obj, steps: i32): bool {
  if (t.wire == 0) return false;
  const c = at(t.wire);
  const part = ownerOf(c);
  if (isOf(part, I.F_Generator)) return c.volts == GROUND;
  if (!has(part, POLARIZED)) {
    if (!has(part, TERMINALS)) return false;
    if (!isOf(part, I.F_UnpolarizedElectricalComponent) && (part.mat == 0 || !has(part, CONDUCTS))) return false;
  }
  const other = otherEnd(part, c);
  return !isNil(other) && steps > 0 && connectsToGround(other, steps - 1);
}

/** Updates an ordinary object or a wire: passes nine volts from one end to the other. */
export function updatePassive(o: Obj, activates: bool): void {
  if (!has(o, TERMINALS)) return;
  // The terminals of an insulator never have a voltage.
  if (!isOf(o, I.F_UnpolarizedElectricalComponent) && (o.mat == 0 || !has(o, CONDUCTS))) return;
  const one = terminal1(o);
  const two = terminal2(o);
  if (activates) set(o, ACTIVE, false);
  if (one.wire == 0 || two.wire == 0) return;
  if (connectsToVoltage(two) && connectsToGround(one, 10)) one.volts = NINE;
  else if (connectsToVoltage(one) && connectsToGround(two, 10)) two.volts = NINE;
  else return;
  if (activates) set(o, ACTIVE, true);
}

export function updatePolarized(o: Obj): void {
  if (isOf(o, I.F_Generator)) return updateGenerator(o);
  if (o.cls == I.C_Switch) return;
  const anode = terminal1(o);
  const on = connectsToVoltage(terminal2(o)) && connectsToGround(anode, 10);
  set(o, ACTIVE, on);
  if (on) anode.volts = NINE;
}

function underTheSky(o: Obj): bool {
  let here = parentOf(o);
  for (let depth = 0; depth < 10 && !isNil(here); depth++) {
    if (here.cls == I.C_Outside) return true;
    if (!has(here, HAS_CONTAINER) || !has(here, OPEN)) return false;
    here = parentOf(here);
  }
  return false;
}

function updateGenerator(o: Obj): void {
  if (isOf(o, I.F_RenewableOutdoorGenerator)) set(o, ACTIVE, underTheSky(o));
  const on = has(o, ACTIVE);
  terminal1(o).volts = on ? NINE : NONE;
  terminal2(o).volts = on ? GROUND : NONE;
}

/**
 * For goals: 1 if a walk from the part's first terminal reaches an object of this name, 0 if not, -1 where the original
 * throws.
 */
export function areConnected(part: Obj, start: Obj, name: i32, depth: i32): i32 {
  const other = otherEnd(part, start);
  if (isNil(other)) return -1;
  if (other.wire == 0) return 0;
  const next = at(other.wire);
  const owner = ownerOf(next);
  if (owner.name == name) return 1;
  return depth >= 9 ? 0 : areConnected(owner, next, name, depth + 1);
}
