/**
 * Preconditions of the twenty-seven actions. A precondition that fails writes the refusal, unless refusals are silent.
 */
import {
  ACTIVABLE, ACTIVE, CLOSABLE, EDIBLE, GAS, HAS_CONTAINER, HAS_DEVICE, HIDDEN, IS_CONTAINER, LIQUID, MOVABLE, NIL,
  OPEN, Obj, SOLID, USABLE, has, isNil, isOf,
} from './object';
import { at, head, parentOf, portal, ref } from './arena';
import { terminal1, terminal2 } from './terminals';
import {
  A_OPEN, A_CLOSE, A_GO, A_TELEPORT, A_LOOK_IN, A_ACTIVATE, A_DEACTIVATE, A_EAT, A_MOVE, A_POUR, A_USE, A_READ,
  A_FLUSH, A_CONNECT, A_DISCONNECT, A_PICK_UP, A_PUT_DOWN, A_MIX, A_DUNK,
} from './action-ids';
import { putString, stringAt, stringLength } from './tables';
import { put, same as sameBytes } from './text';
import { putOwner } from './names';
import { agentRoom, farSide, nextPortal } from './search';
import { baseAt, baseCount, beginReferents, ensureBase } from './phrases';
import { phraseAt, phraseLength } from './interned';
import * as I from './tables/ids';

/** Writes `before`, the raw name of the object, `after`. */
export function putSentence(before: string, o: Obj, after: string): void {
  put(before);
  putString(o.name);
  put(after);
}

/** True while a list of valid actions is made, which does not need the refusals. */
let silent: bool = false;

export function setSilent(yes: bool): void {
  silent = yes;
}

/** Writes a refusal about an object; returns false. */
function refuseObject(before: string, o: Obj, after: string): bool {
  if (!silent) putSentence(before, o, after);
  return false;
}

function refuse(text: string): bool {
  if (!silent) put(text);
  return false;
}

function same(a: Obj, b: Obj): bool {
  return changetype<usize>(a) == changetype<usize>(b);
}

function mayOpen(o: Obj): bool {
  if (isOf(o, I.F_Portal)) return has(o, OPEN) ? refuseObject('The ', o, ' is already open.') : true;
  if (!has(o, HAS_CONTAINER) || !has(o, CLOSABLE)) return refuseObject('The ', o, ' is not openable.');
  return has(o, OPEN) ? refuseObject('The ', o, ' is already open.') : true;
}

function mayClose(o: Obj): bool {
  if (isOf(o, I.F_Portal)) return has(o, OPEN) ? true : refuseObject('The ', o, ' is already closed.');
  if (!has(o, HAS_CONTAINER) || !has(o, CLOSABLE)) return refuseObject('The ', o, ' is not closeable.');
  return has(o, OPEN) ? true : refuseObject('The ', o, ' is already closed.');
}

function mayActivate(o: Obj, on: bool): bool {
  if (!has(o, HAS_DEVICE) || !has(o, ACTIVABLE)) return refuseObject('The ', o, ' is not something that can be activated.');
  if (has(o, ACTIVE) == on) return refuseObject('The ', o, on ? ' is already activated.' : ' is already deactivated.');
  return true;
}

function mayEnter(into: Obj): bool {
  if (!has(into, HAS_CONTAINER)) return refuse("That can't be moved there.");
  if (!has(into, OPEN)) return refuseObject("That can't be moved there, because the ", into, " isn't open.");
  return true;
}

export function mayMove(o: Obj, into: Obj): bool {
  if (!has(o, MOVABLE)) return refuseObject('The ', o, ' is not moveable.');
  if (same(o, into)) return refuse("You can't move something into itself.");
  if (o.mat != 0 && o.state == LIQUID)
    return refuse("You can't pick up a liquid directly.  Try pouring it from one container to another, or dunking empty containers into containers filled with the liquid.");
  if (o.mat != 0 && o.state == GAS) return refuse("You can't pick up a gas directly.");
  return mayEnter(into);
}

export function mayPour(o: Obj, into: Obj): bool {
  const vessel = has(o, HAS_CONTAINER) && has(o, IS_CONTAINER);
  if (!has(o, MOVABLE)) return refuseObject('The ', o, ' is not moveable.');
  if (!vessel) {
    const holder = parentOf(o);
    if (isNil(holder)) return refuseObject('The ', o, " can't be poured out because it doesn't appear to be in a container.");
    if (!has(holder, MOVABLE)) {
      putSentence('The ', holder, ' the ');
      putString(o.name);
      return refuse(' is in is not movable.');
    }
    if (o.mat != 0 && o.state == SOLID) return refuse("I'm not sure how to pour a solid. ");
    if (o.mat != 0 && o.state == GAS) return refuse("You can't pour a gas directly. ");
  } else if (!has(o, OPEN)) return refuseObject('The ', o, " can't be poured out, because it's not open.");
  if (!has(into, HAS_CONTAINER)) return refuse("That can't be moved there, because it's not a container.");
  if (!has(into, OPEN)) return refuseObject("That can't be moved there, because the ", into, " isn't open.");
  if (vessel && o.first == 0) return refuseObject('The ', o, " is empty, so there's nothing to pour.");
  return true;
}

export function isLiquid(o: Obj): bool {
  return !has(o, HIDDEN) && o.mat != 0 && o.state == LIQUID;
}

export function mayDunk(to: Obj, from: Obj): bool {
  if (same(to, from)) return refuse("You can't dunk something into itself.");
  return mayFill(to) && mayDrawFrom(from);
}

function mayFill(to: Obj): bool {
  if (!has(to, MOVABLE)) return refuseObject('The ', to, ' is not moveable.');
  if (has(to, HAS_CONTAINER) && !has(to, OPEN)) return refuseObject('The ', to, ' is not open.');
  if (!has(to, HAS_CONTAINER) || !has(to, IS_CONTAINER)) return refuseObject('The ', to, ' is not a container.');
  return true;
}

function mayDrawFrom(from: Obj): bool {
  let liquids = 0;
  let movable = 0;
  for (let c = at(from.first); !isNil(c); c = at(c.next)) {
    if (!isLiquid(c)) continue;
    liquids++;
    if (has(c, MOVABLE)) movable++;
  }
  if (liquids == 0) return refuseObject('The ', from, ' does not contain any liquids to dunk into.');
  return movable > 0 ? true : refuseObject('The liquids in ', from, " aren't able to move.");
}

export let resolved: Obj = NIL;

/** Sets `resolved` to the terminal that a side of "connect" means, or writes a refusal. */
function resolveTerminal(o: Obj): bool {
  resolved = o;
  if (isOf(o, I.F_Terminal)) return true;
  if (isOf(o, I.F_PolarizedElectricalComponent))
    return refuse('Connections must specify specific points of contact on polarized electrical components (e.g. anode, cathode)');
  if (isOf(o, I.F_UnpolarizedElectricalComponent))
    return refuse('Connections must specify specific points of contact on unpolarized electrical components (e.g. terminal 1, terminal 2)');
  resolved = terminal1(o);
  if (isNil(resolved)) return refuseObject("It's not clear how to connect something to ", o, '');
  if (resolved.wire == 0) return true;
  resolved = terminal2(o);
  if (resolved.wire == 0) return true;
  return refuseObject('', o, ' is already connected, and must be disconnected before it can be connected to something else');
}

export function putTerminal(t: Obj): void {
  putString(t.name);
  put(' on ');
  putOwner(t);
}

function freeTerminal(t: Obj): bool {
  if (t.wire == 0) return true;
  putTerminal(t);
  return refuse(' is already connected, and must be disconnected before it can be connected to something else');
}

/**
 * Preconditions of pairs, one object at a time: the first and the second object of a two-slot action. For "connect",
 * `resolved` is the terminal that would be used, because two objects may resolve to the same one.
 */
export function mayBeFirst(action: i32, o: Obj): bool {
  switch (action) {
    case A_MOVE:
      return has(o, MOVABLE) && (o.mat == 0 || o.state == SOLID);
    case A_POUR:
      return mayPour(o, at(head.inventory));
    case A_DUNK:
      return mayFill(o);
    case A_USE:
      return mayUse(o);
    default:
      return resolveTerminal(o) && resolved.wire == 0;
  }
}

export function mayBeSecond(action: i32, o: Obj): bool {
  switch (action) {
    case A_MOVE:
    case A_POUR:
      return mayEnter(o);
    case A_DUNK:
      return mayDrawFrom(o);
    case A_USE:
      return true;
    default:
      return resolveTerminal(o) && resolved.wire == 0;
  }
}

export let endA: Obj = NIL;

export let endB: Obj = NIL;

export function mayConnect(a: Obj, b: Obj): bool {
  if (!resolveTerminal(a)) return false;
  endA = resolved;
  if (!resolveTerminal(b)) return false;
  endB = resolved;
  if (same(endA, endB)) return refuse("Something can't be connected to itself.");
  return freeTerminal(endA) && freeTerminal(endB);
}

function mayUse(o: Obj): bool {
  if (!has(o, HAS_DEVICE) || !has(o, USABLE)) return refuseObject("I'm not sure how to use the ", o, '. ');
  return true;
}

function mayFlush(o: Obj): bool {
  if (o.cls != I.C_Toilet) return refuse("It's not clear how to flush that.");
  return has(o, ACTIVE) || o.a > 0 ? refuse('That is already flushing.') : true;
}

function mayLookIn(o: Obj): bool {
  if (!has(o, HAS_CONTAINER)) return refuse("It's not clear how to look inside of that.");
  if (!has(o, OPEN)) return refuseObject('The ', o, " isn't open, so you can't see inside.");
  return true;
}

/** The portal of the agent's room whose far side answers to the location's name, or nil. */
export function wayTo(location: Obj): Obj {
  const room = agentRoom();
  beginReferents(room, false, true);
  for (let i = nextPortal(room, 0); i < head.portals; i = nextPortal(room, i + 1)) {
    const far = farSide(portal(i), room);
    ensureBase(far);
    for (let k = 0; k < baseCount(far); k++) {
      const phrase = load<i32>(baseAt(far) + (k << 2));
      if (phraseLength(phrase) == stringLength(location.name) && sameBytes(phraseAt(phrase), stringAt(location.name), phraseLength(phrase)))
        return portal(i);
    }
  }
  return NIL;
}

function mayGo(o: Obj): bool {
  const room = agentRoom();
  if (o.cls == I.C_Door) {
    if (!has(o, OPEN)) return refuse('The door is not open.');
    const offset = ref(room);
    return o.a == offset || o.b == offset ? true : refuse("The door doesn't appear to go anywhere.");
  }
  if (!isOf(o, I.F_Location)) return refuseObject('Its not clear how to go to/through a ', o, '.');
  const way = wayTo(o);
  if (isNil(way)) return refuse("It's not clear how to get there from here.");
  return has(way, OPEN) ? true : refuse('The door is not open.');
}

function mayTeleport(o: Obj): bool {
  if (isOf(o, I.F_Location) && o.cls != I.C_Universe) return true;
  return refuseObject('Its not clear how to go to ', o, '.');
}

export function may(action: i32, a: Obj, b: Obj, listing: bool): bool {
  switch (action) {
    case A_OPEN:
      return mayOpen(a);
    case A_CLOSE:
      return mayClose(a);
    case A_GO:
      return mayGo(a);
    case A_TELEPORT:
      return mayTeleport(a);
    case A_LOOK_IN:
      return mayLookIn(a);
    case A_ACTIVATE:
      return mayActivate(a, true);
    case A_DEACTIVATE:
      return mayActivate(a, false);
    case A_EAT:
      return has(a, EDIBLE) ? true : refuseObject('The ', a, ' is not edible.');
    case A_MOVE:
      return mayMove(a, b);
    case A_POUR:
      if (!listing && same(a, b)) return mayPour(a, b) && refuse("You can't move something into itself.");
      return mayPour(a, b);
    case A_USE:
      return mayUse(a);
    case A_READ:
      return isOf(a, I.F_Document) ? true : refuse("It's not clear how to read that.");
    case A_FLUSH:
      return mayFlush(a);
    case A_CONNECT:
      return mayConnect(a, b);
    case A_DISCONNECT:
      if (!isOf(a, I.F_Terminal)) return true;
      put('You must disconnect entire objects (such as ');
      putOwner(a);
      return refuse(') instead of just single terminals');
    case A_PICK_UP:
      if (listing && a.parent == head.inventory) return false;
      return mayMove(a, at(head.inventory));
    case A_PUT_DOWN:
      if (listing && a.parent != head.inventory) return false;
      return mayMove(a, agentRoom());
    case A_DUNK:
      return mayDunk(a, b);
    case A_MIX:
      return !listing || (a.first != 0 && at(a.first).next != 0);
    default:
      return true;
  }
}
