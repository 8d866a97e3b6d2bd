/** Judgement of one goal: reached, not yet, or wrong. */
import {
  ACTIVE, BURNING, HAS_CONTAINER, HAS_DEVICE, DELETED, GAS, HIDDEN, LIQUID, MOVABLE, NIL, OPEN, Obj, SOLID, has,
  isNil, isOf,
} from './object';
import { List } from './list';
import { at, goalState, head, parentOf, portal, ref, setGoalState } from './arena';
import { ownerOf, terminal1, terminal2 } from './terminals';
import { lifeform, stageString } from './tables';
import { answersTo, isNamed, isPlain } from './names';
import { agentRoom, nextPortal, recursive, unique, visibleCount } from './search';
import { areConnected } from './electricity';
import { A_LOOK_AT, A_READ, A_USE } from './action-ids';
import { amount, flags, kind, listLength, listed, nameA, nameB } from './goal-records';
import * as I from './tables/ids';

export const NOT_YET: i32 = 0;
export const REACHED: i32 = 1;
export const WRONG: i32 = 2;
/** Larger than any value that a goal stores. */
export const UNSET: f64 = 1e300;

/** True if the original would throw inside a goal. */
export let threw: bool = false;

export function forgetThrow(): void {
  threw = false;
}

// ---- the room seen by goals, gathered once a tick -------------------------------------------------------------------------------

const around: List = new List();
let gathered: bool = false;
/** For each string: number of the last gathering that found an object with this raw name in the room. */
const namesSeen: StaticArray<i32> = new StaticArray<i32>(4096);
let gathering: i32 = 0;
/** True if the described name of some object differs from its raw name. */
let anyRenamed: bool = false;

export function forgetRoom(): void {
  gathered = false;
}

function gather(): void {
  if (gathered) return;
  gathered = true;
  around.length = 0;
  recursive(agentRoom(), around);
  unique(around);
  gathering++;
  anyRenamed = false;
  for (let i = 0; i < around.length; i++) {
    const o = around.get(i);
    const name = o.name;
    if (name >= namesSeen.length) anyRenamed = true;
    else namesSeen[name] = gathering;
    if (!isPlain(o) && !isOf(o, I.F_Portal)) anyRenamed = true;
  }
}

/** False only if nothing in the room answers to the string. */
function mayBeHere(id: i32): bool {
  return anyRenamed || id >= namesSeen.length || namesSeen[id] == gathering;
}

// ---- one goal ------------------------------------------------------------------------------------------------------------------

function when(yes: bool): i32 {
  return yes ? REACHED : NOT_YET;
}

function orWrong(yes: bool): i32 {
  return yes ? REACHED : WRONG;
}

function isOther(o: Obj): bool {
  return head.lastObject != 0 && head.lastObject != ref(o);
}

function named(o: Obj, id: i32): bool {
  return o.name == id && !has(o, DELETED);
}

function stateNamed(o: Obj, state: i32): bool {
  return o.mat != 0 && ((state == I.S_solid && o.state == SOLID) || (state == I.S_liquid && o.state == LIQUID)
    || (state == I.S_gas && o.state == GAS));
}

function isWithin(o: Obj, name: i32): bool {
  let up = parentOf(o);
  for (let depth = 0; depth < 20 && !isNil(up); depth++) {
    if (named(up, name)) return true;
    up = parentOf(up);
  }
  return false;
}

function judgeFocused(g: usize, o: Obj): i32 {
  switch (kind(g)) {
    case I.G_Find:
      return orWrong(named(o, nameA(g)));
    case I.G_FindAnswerBox:
      return o.cls != I.C_AnswerBox ? NOT_YET : orWrong(named(o, nameA(g)));
    case I.G_FindLivingThingStage:
      return orWrong(isOf(o, I.F_LivingThing) && lifeform(o.cls) == nameA(g) && stageString(o.stage) == nameB(g));
    case I.G_FindInclinedPlane:
      return orWrong(named(o, I.S_inclined_plane) && o.b == nameA(g));
    case I.G_FindInclinedPlaneNamed:
      return orWrong(named(o, I.S_inclined_plane) && o.a == nameA(g));
    case I.G_FocusOnLivingThing:
      return orWrong(isOf(o, I.F_LivingThing));
    case I.G_FocusOnAnimal:
      return orWrong(isOf(o, I.F_Animal));
    case I.G_FocusOnPlant:
      return orWrong(isOf(o, I.F_Plant));
    case I.G_FocusOnNonlivingThing:
      return isOf(o, I.F_LivingThing) ? WRONG : when(has(o, MOVABLE));
    case I.G_ActivateDevice:
      return when(named(o, nameA(g)) && has(o, ACTIVE));
    default:
      return isOther(o) ? NOT_YET : judgeSame(g, o);
  }
}

/** Judges goals about the object that satisfied the previous goal. */
function judgeSame(g: usize, o: Obj): i32 {
  switch (kind(g)) {
    case I.G_ChangeStateOfMatter:
      return when(o.mat != 0 && (stateNamed(o, nameA(g)) || ((flags(g) & 2) != 0 && has(o, BURNING))));
    case I.G_IsStateOfMatter:
      if (o.mat == 0) return NOT_YET;
      head.stateSeen = o.state;
      return REACHED;
    case I.G_IsDifferentStateOfMatter:
      return when(o.mat != 0 && head.stateSeen != o.state);
    case I.G_ObjectInContainer:
      return when(isWithin(o, nameA(g)));
    case I.G_ObjectInContainerByName:
      for (let i = 0; i < listLength(g); i++) if (isWithin(o, listed(g, i))) return WRONG;
      return when(isWithin(o, nameA(g)));
    case I.G_ContainerByTemperature: {
      const box = parentOf(o);
      if (isNil(box) || o.mat == 0) return NOT_YET;
      if (named(box, nameA(g))) return orWrong(o.temperature >= amount(g));
      return named(box, nameB(g)) ? orWrong(o.temperature <= amount(g)) : NOT_YET;
    }
    case I.G_ElectricallyConnected: {
      const start = terminal1(o);
      const found = isNil(start) ? 0 : areConnected(o, start, nameA(g), 0);
      if (found < 0) {
        threw = true;
        return NOT_YET;
      }
      return orWrong(found == 1);
    }
    case I.G_LifeStage:
      return when(isOf(o, I.F_LivingThing) && lifeform(o.cls) == nameA(g) && stageString(o.stage) == nameB(g));
    default:
      return NOT_YET;
  }
}

function changedBy(o: Obj, i: i32, by: f64): i32 {
  if (isNil(o) || o.mat == 0) return NOT_YET;
  if (goalState(i) == UNSET) {
    setGoalState(i, o.temperature);
    return NOT_YET;
  }
  return when(by > 0 ? o.temperature >= goalState(i) + by : o.temperature <= goalState(i) + by);
}

function movedAway(g: usize, i: i32): i32 {
  const room = agentRoom();
  if (nameA(g) != 0 && room.name == nameA(g)) return REACHED;
  if (goalState(i) == UNSET) {
    setGoalState(i, <f64>ref(room));
    return NOT_YET;
  }
  return when(goalState(i) != <f64>ref(room));
}

function stayed(g: usize, i: i32): i32 {
  if (!named(agentRoom(), nameA(g))) {
    setGoalState(i, 0);
    return NOT_YET;
  }
  const n = goalState(i) == UNSET ? 1.0 : goalState(i) + 1;
  setGoalState(i, n);
  return when(n >= amount(g));
}

/** Judges goals that need a look, read or use after the goal was first judged. */
function pastAction(g: usize, i: i32): i32 {
  if (goalState(i) == UNSET) {
    setGoalState(i, <f64>head.actionCount);
    return NOT_YET;
  }
  if (<f64>head.actionCount <= goalState(i)) return NOT_YET;
  const a = at(head.actionFirst);
  switch (kind(g)) {
    case I.G_PastActionExamineObject:
      return when(head.actionKind == A_LOOK_AT && answersTo(a, nameA(g)));
    case I.G_PastActionReadObject:
      return when(head.actionKind == A_READ && answersTo(a, nameA(g)));
    default:
      return when(head.actionKind == A_USE && (named(a, nameA(g)) || isNamed(at(head.actionSecond), nameB(g))));
  }
}

function openDoor(): bool {
  const room = agentRoom();
  for (let i = nextPortal(room, 0); i < head.portals; i = nextPortal(room, i + 1))
    if (portal(i).cls == I.C_Door && has(portal(i), OPEN)) return true;
  return false;
}

function isListed(g: usize, o: Obj): bool {
  for (let i = 0; i < listLength(g); i++) if (answersTo(o, listed(g, i))) return true;
  return false;
}

function holdsOnly(g: usize, box: Obj): bool {
  if (visibleCount(box) != listLength(g)) return false;
  for (let c = at(box.first); !isNil(c); c = at(c.next)) if (!has(c, HIDDEN) && !isListed(g, c)) return false;
  return true;
}

function holdsOne(g: usize, box: Obj): bool {
  if (!answersTo(box, nameA(g))) return false;
  for (let c = at(box.first); !isNil(c); c = at(c.next)) if (!has(c, HIDDEN) && isListed(g, c)) return true;
  return false;
}

function wiredTo(t: Obj): Obj {
  return isNil(t) || t.wire == 0 ? NIL : ownerOf(at(t.wire));
}

function endOn(o: Obj, which: i32): bool {
  const far = wiredTo(which == 1 ? terminal1(o) : terminal2(o));
  return !isNil(far) && far.cls == I.C_Wire;
}

const OBJECT: i32 = 1;
const SOURCE: i32 = 2;
const BULB: i32 = 4;

/** Bits for the things that one end of a wire reaches. */
function reaches(t: Obj, object: i32, source: i32): i32 {
  const far = wiredTo(t);
  if (isNil(far)) return 0;
  let bits = 0;
  if (object != 0 && answersTo(far, object)) bits |= OBJECT;
  if (isOf(far, I.F_Generator) && (source == 0 || answersTo(far, source))) bits |= SOURCE;
  if (far.cls == I.C_LightBulb) bits |= BULB;
  return bits;
}

function wireJoins(wire: Obj, g: usize): bool {
  if (wire.cls != I.C_Wire) return false;
  const k = kind(g);
  const source = k == I.G_WireConnectsObjectAndAnyPowerSource ? nameB(g) : 0;
  const one = reaches(terminal1(wire), nameA(g), source);
  const two = reaches(terminal2(wire), nameA(g), source);
  const x = k == I.G_WireConnectsPowerSourceAndAnyLightBulb ? SOURCE : OBJECT;
  const y = k == I.G_WireConnectsObjectAndAnyPowerSource ? SOURCE : BULB;
  return ((one | two) & x) != 0 && ((one | two) & y) != 0;
}

function fits(g: usize, o: Obj): bool {
  switch (kind(g)) {
    case I.G_InRoomWithObject:
      return answersTo(o, nameA(g));
    case I.G_ObjectsInSingleContainer:
      return holdsOnly(g, o);
    case I.G_SpecificObjectInDirectContainer:
      return holdsOne(g, o);
    case I.G_ActivateDeviceWithName:
      return has(o, HAS_DEVICE) && has(o, ACTIVE) && answersTo(o, nameA(g));
    case I.G_DeactivateDeviceWithName:
      return has(o, HAS_DEVICE) && !has(o, ACTIVE) && answersTo(o, nameA(g));
    case I.G_TemperatureOnFire:
      return has(o, BURNING) && answersTo(o, nameA(g));
    case I.G_ContainerOpen:
      return has(o, HAS_CONTAINER) && has(o, OPEN) && answersTo(o, nameA(g));
    case I.G_ObjectConnectedToWire:
      return answersTo(o, nameA(g)) && endOn(o, <i32>amount(g));
    case I.G_LifeStageAnywhere:
      return isOf(o, I.F_LivingThing) && lifeform(o.cls) == nameA(g) && stageString(o.stage) == nameB(g);
    default:
      return wireJoins(o, g);
  }
}

/** True for goals that only an object with the name `nameA` can reach. */
function needsName(k: i32): bool {
  switch (k) {
    case I.G_InRoomWithObject:
    case I.G_SpecificObjectInDirectContainer:
    case I.G_ActivateDeviceWithName:
    case I.G_DeactivateDeviceWithName:
    case I.G_TemperatureOnFire:
    case I.G_ContainerOpen:
    case I.G_ObjectConnectedToWire:
      return true;
    default:
      return false;
  }
}

function inRoom(g: usize): i32 {
  gather();
  if (needsName(kind(g)) && !mayBeHere(nameA(g))) return NOT_YET;
  let missing = kind(g) == I.G_LifeStageAnywhere ? <i32>amount(g) : 1;
  for (let i = 0; i < around.length; i++) if (fits(g, around.get(i)) && --missing == 0) return REACHED;
  return NOT_YET;
}

export function judge(g: usize, o: Obj, i: i32): i32 {
  const k = kind(g);
  if (k <= I.G_LifeStage) return isNil(o) ? NOT_YET : judgeFocused(g, o);
  switch (k) {
    case I.G_MoveToLocation:
      return when(named(agentRoom(), nameA(g)));
    case I.G_MoveToNewLocation:
      return movedAway(g, i);
    case I.G_InRoomWithOpenDoor:
      return when(openDoor());
    case I.G_StayInLocation:
      return stayed(g, i);
    case I.G_TemperatureIncrease:
      return changedBy(o, i, amount(g));
    case I.G_TemperatureDecrease:
      return changedBy(o, i, -amount(g));
    case I.G_PastActionExamineObject:
    case I.G_PastActionReadObject:
    case I.G_PastActionUseObjectOnObject:
      return pastAction(g, i);
    default:
      return inRoom(g);
  }
}
