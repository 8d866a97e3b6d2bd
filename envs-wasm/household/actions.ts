/**
 * The actions: their preconditions and effects, as in the original's domain, and their commands in both dialects.
 *
 * An action is a verb and up to two things. Facts of the original are kept though they look odd: going to a receptacle
 * at the agent's own location is not possible, an object is examined in the hand alone (the domain's other case
 * names a type that does not exist), and lamps can be used in closed receptacles.
 */
import { putBytes, putByte, putText, startsWith } from '../shared/text';
import {
  ACTING, agentPlace, canContain, CLEAN, CLEANABLE, CLEANS, COOL, COOLABLE, COOLS, hasRole, hasStyle, HEATABLE, HEATS,
  held, hold, HOT, IS_KNIFE, isAccessible, isHere, isInside, isLying, moveAgent, nameLength, namePointer, NONE,
  objectIs, objectName, objects, OPENABLE, OPENED, PICKUPABLE, placeOf, PUT_DIALECT, receptacleIs, receptacles,
  setInside, setLying, setOpened, setSeen, setState, setTaken, SLICEABLE, SLICED, stateOf, thingInOrder, TOGGLEABLE,
  TOGGLED,
} from './house';

export const NO_VERB: i32 = -1;
export const LOOK: i32 = 0;
export const INVENTORY: i32 = 1;
export const HELP: i32 = 2;
export const EXAMINE_RECEPTACLE: i32 = 3;
export const EXAMINE_OBJECT: i32 = 4;
export const GO: i32 = 5;
export const OPEN: i32 = 6;
export const CLOSE: i32 = 7;
export const TAKE: i32 = 8;
export const PUT: i32 = 9;
export const CLEAN_IT: i32 = 10;
export const HEAT_IT: i32 = 11;
export const COOL_IT: i32 = 12;
export const USE: i32 = 13;
export const SLICE: i32 = 14;

/** The action at hand: its verb, a receptacle or an object, and for two things the receptacle or the knife. */
export let verb: i32 = NO_VERB;
export let first: i32 = 0;
export let second: i32 = 0;

export function choose(newVerb: i32, newFirst: i32, newSecond: i32): bool {
  verb = newVerb;
  first = newFirst;
  second = newSecond;
  return true;
}

function roleOf(v: i32): i32 { return v == CLEAN_IT ? CLEANS : v == HEAT_IT ? HEATS : COOLS; }
function abilityOf(v: i32): i32 { return v == CLEAN_IT ? CLEANABLE : v == HEAT_IT ? HEATABLE : COOLABLE; }

function isUsable(o: i32): bool {
  if (!objectIs(o, TOGGLEABLE)) return false;
  for (let r = 0; r < receptacles; r++) if (isHere(r) && isInside(o, r)) return true;
  return false;
}

/** True if the preconditions of an action hold. */
export function isApplicable(v: i32, a: i32, b: i32): bool {
  switch (v) {
    case LOOK: case INVENTORY: return true;
    case HELP: return !hasStyle(PUT_DIALECT);
    case EXAMINE_RECEPTACLE: return isHere(a);
    case EXAMINE_OBJECT: return held() == a;
    case GO: return placeOf(a) != NONE && !isHere(a);
    case OPEN: return isHere(a) && receptacleIs(a, OPENABLE) && !receptacleIs(a, OPENED);
    case CLOSE: return isHere(a) && receptacleIs(a, OPENABLE) && receptacleIs(a, OPENED);
    case TAKE: return objectIs(a, PICKUPABLE) && isHere(b) && isInside(a, b) && held() == NONE && isAccessible(b);
    case PUT: return held() == a && isHere(b) && isAccessible(b) && canContain(b, a);
    case CLEAN_IT: case HEAT_IT: case COOL_IT:
      return held() == a && objectIs(a, abilityOf(v)) && isHere(b) && hasRole(b, roleOf(v));
    case USE: return isUsable(a);
    case SLICE: return held() == b && objectIs(b, IS_KNIFE) && objectIs(a, SLICEABLE) && isLying(a, agentPlace());
    default: return false;
  }
}

/** Carries out the action at hand, which must be applicable. Returns true if the state changed. */
export function apply(): bool {
  switch (verb) {
    case EXAMINE_RECEPTACLE: setSeen(first); return false;
    case GO: moveAgent(placeOf(first)); setSeen(first); return true;
    case OPEN: setOpened(first, true); setSeen(first); return true;
    case CLOSE: setOpened(first, false); return true;
    case TAKE:
      setInside(first, second, false);
      setLying(first, agentPlace(), false);
      hold(first);
      setTaken(first);
      return true;
    case PUT:
      setInside(first, second, true);
      setLying(first, agentPlace(), true);
      hold(NONE);
      return true;
    case CLEAN_IT: setState(first, stateOf(first) | CLEAN); return true;
    case HEAT_IT: setState(first, (stateOf(first) | HOT) & ~COOL); return true;
    case COOL_IT: setState(first, (stateOf(first) | COOL) & ~HOT); return true;
    case USE: setState(first, stateOf(first) | TOGGLED); return true;
    case SLICE: setState(first, stateOf(first) | SLICED); return true;
    default: return false;
  }
}

// --- commands ---------------------------------------------------------------------------------------------------------

function putName(name: i32): void { putBytes(namePointer(name), nameLength(name)); }

/** Writes the command of an action. */
export function putCommand(v: i32, a: i32, b: i32): void {
  switch (v) {
    case LOOK: putText('look'); return;
    case INVENTORY: putText('inventory'); return;
    case HELP: putText('help'); return;
    case EXAMINE_RECEPTACLE: putText('examine '); putName(a); return;
    case EXAMINE_OBJECT: putText('examine '); putName(objectName(a)); return;
    case GO: putText('go to '); putName(a); return;
    case OPEN: putText('open '); putName(a); return;
    case CLOSE: putText('close '); putName(a); return;
    case TAKE: putText('take '); putName(objectName(a)); putText(' from '); putName(b); return;
    case PUT:
      putText(hasStyle(PUT_DIALECT) ? 'put ' : 'move ');
      putName(objectName(a));
      putText(hasStyle(PUT_DIALECT) ? ' in/on ' : ' to ');
      putName(b);
      return;
    case USE: putText('use '); putName(objectName(a)); return;
    case SLICE: putText('slice '); putName(objectName(a)); putText(' with '); putName(objectName(b)); return;
    default:
      putText(v == CLEAN_IT ? 'clean ' : v == HEAT_IT ? 'heat ' : 'cool ');
      putName(objectName(a));
      putText(' with ');
      putName(b);
  }
}

function isNamed(name: i32, pointer: usize, length: i32): bool {
  return nameLength(name) == length && memory.compare(namePointer(name), pointer, length) == 0;
}

function receptacleNamed(pointer: usize, length: i32): i32 {
  for (let r = 0; r < receptacles; r++) if (isNamed(r, pointer, length)) return r;
  return NONE;
}

function objectNamed(pointer: usize, length: i32): i32 {
  for (let o = 0; o < objects; o++) if (isNamed(objectName(o), pointer, length)) return o;
  return NONE;
}

/** Chooses the action of a command with one thing, after its verb. */
function chooseOne(v: i32, thing: i32): bool { return thing != NONE && choose(v, thing, NONE); }

/** Chooses the action of a command with an object, a word between, and a receptacle (or a knife). */
function chooseTwo(v: i32, pointer: usize, length: i32, between: string): bool {
  for (let o = 0; o < objects; o++) {
    const size = nameLength(objectName(o));
    if (length <= size || memory.compare(namePointer(objectName(o)), pointer, size) != 0) continue;
    if (!startsWith(pointer + size, length - size, between)) continue;
    const rest = pointer + size + between.length;
    const left = length - size - between.length;
    const other = v == SLICE ? objectNamed(rest, left) : receptacleNamed(rest, left);
    if (other != NONE) return choose(v, o, other);
  }
  return false;
}

function chooseExamined(pointer: usize, length: i32): bool {
  const r = receptacleNamed(pointer, length);
  return r != NONE ? choose(EXAMINE_RECEPTACLE, r, NONE) : chooseOne(EXAMINE_OBJECT, objectNamed(pointer, length));
}

/** Chooses the action that a command names. Returns false if it names none of this house. */
export function chooseNamed(p: usize, n: i32): bool {
  if (isText(p, n, 'look')) return choose(LOOK, NONE, NONE);
  if (isText(p, n, 'inventory')) return choose(INVENTORY, NONE, NONE);
  if (isText(p, n, 'help')) return choose(HELP, NONE, NONE);
  if (startsWith(p, n, 'go to ')) return chooseOne(GO, receptacleNamed(p + 6, n - 6));
  if (startsWith(p, n, 'open ')) return chooseOne(OPEN, receptacleNamed(p + 5, n - 5));
  if (startsWith(p, n, 'close ')) return chooseOne(CLOSE, receptacleNamed(p + 6, n - 6));
  if (startsWith(p, n, 'examine ')) return chooseExamined(p + 8, n - 8);
  if (startsWith(p, n, 'take ')) return chooseTwo(TAKE, p + 5, n - 5, ' from ');
  if (startsWith(p, n, 'clean ')) return chooseTwo(CLEAN_IT, p + 6, n - 6, ' with ');
  if (startsWith(p, n, 'heat ')) return chooseTwo(HEAT_IT, p + 5, n - 5, ' with ');
  if (startsWith(p, n, 'cool ')) return chooseTwo(COOL_IT, p + 5, n - 5, ' with ');
  if (startsWith(p, n, 'slice ')) return chooseTwo(SLICE, p + 6, n - 6, ' with ');
  if (startsWith(p, n, 'use ')) return chooseOne(USE, objectNamed(p + 4, n - 4));
  if (hasStyle(PUT_DIALECT)) return startsWith(p, n, 'put ') && chooseTwo(PUT, p + 4, n - 4, ' in/on ');
  return startsWith(p, n, 'move ') && chooseTwo(PUT, p + 5, n - 5, ' to ');
}

function isText(pointer: usize, length: i32, text: string): bool {
  return length == text.length && startsWith(pointer, length, text);
}

// --- the list ---------------------------------------------------------------------------------------------------------

let listed: i32 = 0;

function offer(v: i32, a: i32, b: i32): void {
  if (!isApplicable(v, a, b)) return;
  if (listed++ > 0) putByte(10);
  putCommand(v, a, b);
}

/** Offers an action with every receptacle in the order of names. */
function offerReceptacles(v: i32): void {
  for (let k = 0; k < receptacles + objects; k++) {
    const thing = thingInOrder(k);
    if (thing < receptacles) offer(v, thing, NONE);
  }
}

/** Offers an action with the held object and every receptacle. */
function offerHeld(v: i32): void {
  if (held() == NONE) return;
  for (let k = 0; k < receptacles + objects; k++) {
    const thing = thingInOrder(k);
    if (thing < receptacles) offer(v, held(), thing);
  }
}

function offerExamined(): void {
  for (let k = 0; k < receptacles + objects; k++) {
    const thing = thingInOrder(k);
    if (thing < receptacles) offer(EXAMINE_RECEPTACLE, thing, NONE);
    else offer(EXAMINE_OBJECT, thing - receptacles, NONE);
  }
}

function offerTaken(): void {
  if (held() != NONE) return;
  for (let k = 0; k < receptacles + objects; k++) {
    const object = thingInOrder(k) - receptacles;
    if (object < 0) continue;
    for (let other = 0; other < receptacles + objects; other++) {
      const receptacle = thingInOrder(other);
      if (receptacle < receptacles && isInside(object, receptacle)) offer(TAKE, object, receptacle);
    }
  }
}

function offerObjects(v: i32, b: i32): void {
  for (let k = 0; k < receptacles + objects; k++) {
    const object = thingInOrder(k) - receptacles;
    if (object >= 0) offer(v, object, b);
  }
}

/**
 * Writes the applicable commands, one per line, in the order of their bytes, as the original sorts them. Without those
 * that only inform if the style asks for it.
 */
export function putCommands(): void {
  listed = 0;
  const all = !hasStyle(ACTING);
  offerHeld(CLEAN_IT);
  offerReceptacles(CLOSE);
  offerHeld(COOL_IT);
  if (all) offerExamined();
  offerReceptacles(GO);
  offerHeld(HEAT_IT);
  if (all) {
    offer(HELP, NONE, NONE);
    offer(INVENTORY, NONE, NONE);
    offer(LOOK, NONE, NONE);
  }
  if (!hasStyle(PUT_DIALECT)) offerHeld(PUT);
  offerReceptacles(OPEN);
  if (hasStyle(PUT_DIALECT)) offerHeld(PUT);
  if (held() != NONE && objectIs(held(), IS_KNIFE)) offerObjects(SLICE, held());
  offerTaken();
  offerObjects(USE, NONE);
}
