/** The twenty-seven actions: whether each may be done (its refusal), and what it does. A refused action still takes its time. */
import {
  ACTIVABLE, ACTIVE, BROKEN, CLOSABLE, EDIBLE, GAS, HAS_CONTAINER, HAS_DEVICE, HIDDEN, IS_CONTAINER, LIQUID, MOVABLE,
  NIL, OPEN, Obj, SOLID, USABLE, has, isNil, isOf, set,
} from './object';
import { add, detach, remove } from './containment';
import { at, head, parentOf, portal, ref } from './arena';
import { disconnect, isConnected, terminal1, terminal2 } from './terminals';
import { make } from './construction';
import { stack } from './list';
import {
  A_OPEN, A_CLOSE, A_GO, A_TELEPORT, A_LOOK, A_LOOK_AT, A_LOOK_IN, A_ACTIVATE, A_DEACTIVATE, A_EAT, A_MOVE, A_POUR,
  A_FOCUS, A_RESET, A_USE, A_READ, A_FLUSH, A_CONNECT, A_DISCONNECT, A_WAIT1, A_WAIT, A_INVENTORY, A_PICK_UP,
  A_PUT_DOWN, A_MIX, A_TASK, A_DUNK,
} from './action-ids';
import { putDescription, putString, stringAt, stringLength } from './tables';
import { byte, put, rounded, same as sameBytes } from './text';
import { describe, list, putName, putOwner, readDocument } from './describe';
import { agentRoom, farSide, hasPortal, nextPortal } from './search';
import { ALREADY, CAUGHT, combustionPoint, ignite } from './combustion';
import { mix } from './chemistry';
import { baseAt, baseCount, beginReferents, ensureBase } from './words';
import { wordAt, wordLength } from './interned';
import { resetGoals } from './goals';
import * as I from './tables/ids';

/** Writes `before`, the raw name, `after`. */
function say(before: string, o: Obj, after: string): void {
  put(before);
  putString(o.name);
  put(after);
}

/** While a list is made nobody reads why something may not be done. */
let silent: bool = false;

export function keepSilent(yes: bool): void {
  silent = yes;
}

/** A refusal: says why, and that it is one. */
function no(before: string, o: Obj, after: string): bool {
  if (!silent) say(before, o, after);
  return false;
}

function refuse(text: string): bool {
  if (!silent) put(text);
  return false;
}

function same(a: Obj, b: Obj): bool {
  return changetype<usize>(a) == changetype<usize>(b);
}

// ---- may it be done: writes the refusal ------------------------------------------------------------------------------------

function mayOpen(o: Obj): bool {
  if (isOf(o, I.F_Portal)) return has(o, OPEN) ? no('The ', o, ' is already open.') : true;
  if (!has(o, HAS_CONTAINER) || !has(o, CLOSABLE)) return no('The ', o, ' is not openable.');
  return has(o, OPEN) ? no('The ', o, ' is already open.') : true;
}

function mayClose(o: Obj): bool {
  if (isOf(o, I.F_Portal)) return has(o, OPEN) ? true : no('The ', o, ' is already closed.');
  if (!has(o, HAS_CONTAINER) || !has(o, CLOSABLE)) return no('The ', o, ' is not closeable.');
  return has(o, OPEN) ? true : no('The ', o, ' is already closed.');
}

function mayActivate(o: Obj, on: bool): bool {
  if (!has(o, HAS_DEVICE) || !has(o, ACTIVABLE)) return no('The ', o, ' is not something that can be activated.');
  if (has(o, ACTIVE) == on) return no('The ', o, on ? ' is already activated.' : ' is already deactivated.');
  return true;
}

function mayEnter(into: Obj): bool {
  if (!has(into, HAS_CONTAINER)) return refuse("That can't be moved there.");
  if (!has(into, OPEN)) return no("That can't be moved there, because the ", into, " isn't open.");
  return true;
}

export function mayMove(o: Obj, into: Obj): bool {
  if (!has(o, MOVABLE)) return no('The ', o, ' is not moveable.');
  if (same(o, into)) return refuse("You can't move something into itself.");
  if (o.mat != 0 && o.state == LIQUID)
    return refuse("You can't pick up a liquid directly.  Try pouring it from one container to another, or dunking empty containers into containers filled with the liquid.");
  if (o.mat != 0 && o.state == GAS) return refuse("You can't pick up a gas directly.");
  return mayEnter(into);
}

export function mayPour(o: Obj, into: Obj): bool {
  const vessel = has(o, HAS_CONTAINER) && has(o, IS_CONTAINER);
  if (!has(o, MOVABLE)) return no('The ', o, ' is not moveable.');
  if (!vessel) {
    const holder = parentOf(o);
    if (isNil(holder)) return no('The ', o, " can't be poured out because it doesn't appear to be in a container.");
    if (!has(holder, MOVABLE)) {
      say('The ', holder, ' the ');
      putString(o.name);
      return refuse(' is in is not movable.');
    }
    if (o.mat != 0 && o.state == SOLID) return refuse("I'm not sure how to pour a solid. ");
    if (o.mat != 0 && o.state == GAS) return refuse("You can't pour a gas directly. ");
  } else if (!has(o, OPEN)) return no('The ', o, " can't be poured out, because it's not open.");
  if (!has(into, HAS_CONTAINER)) return refuse("That can't be moved there, because it's not a container.");
  if (!has(into, OPEN)) return no("That can't be moved there, because the ", into, " isn't open.");
  if (vessel && o.first == 0) return no('The ', o, " is empty, so there's nothing to pour.");
  return true;
}

function isLiquid(o: Obj): bool {
  return !has(o, HIDDEN) && o.mat != 0 && o.state == LIQUID;
}

export function mayDunk(to: Obj, from: Obj): bool {
  if (same(to, from)) return refuse("You can't dunk something into itself.");
  return mayFill(to) && mayDrawFrom(from);
}

function mayFill(to: Obj): bool {
  if (!has(to, MOVABLE)) return no('The ', to, ' is not moveable.');
  if (has(to, HAS_CONTAINER) && !has(to, OPEN)) return no('The ', to, ' is not open.');
  if (!has(to, HAS_CONTAINER) || !has(to, IS_CONTAINER)) return no('The ', to, ' is not a container.');
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
  if (liquids == 0) return no('The ', from, ' does not contain any liquids to dunk into.');
  return movable > 0 ? true : no('The liquids in ', from, " aren't able to move.");
}

export let resolved: Obj = NIL;

/** The terminal a side of "connect" means: `resolved`, or a refusal. */
function resolveTerminal(o: Obj): bool {
  resolved = o;
  if (isOf(o, I.F_Terminal)) return true;
  if (isOf(o, I.F_PolarizedElectricalComponent))
    return refuse('Connections must specify specific points of contact on polarized electrical components (e.g. anode, cathode)');
  if (isOf(o, I.F_UnpolarizedElectricalComponent))
    return refuse('Connections must specify specific points of contact on unpolarized electrical components (e.g. terminal 1, terminal 2)');
  resolved = terminal1(o);
  if (isNil(resolved)) return no("It's not clear how to connect something to ", o, '');
  if (resolved.wire == 0) return true;
  resolved = terminal2(o);
  if (resolved.wire == 0) return true;
  return no('', o, ' is already connected, and must be disconnected before it can be connected to something else');
}

function sayTerminal(t: Obj): void {
  putString(t.name);
  put(' on ');
  putOwner(t);
}

function freeTerminal(t: Obj): bool {
  if (t.wire == 0) return true;
  sayTerminal(t);
  return refuse(' is already connected, and must be disconnected before it can be connected to something else');
}

/**
 * Pairs, told apart: what a first and a second object of a two-slot action must be by themselves. For "connect" the answer is
 * the terminal that would be used, as two objects may resolve to one.
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

let endA: Obj = NIL;
let endB: Obj = NIL;

export function mayConnect(a: Obj, b: Obj): bool {
  if (!resolveTerminal(a)) return false;
  endA = resolved;
  if (!resolveTerminal(b)) return false;
  endB = resolved;
  if (same(endA, endB)) return refuse("Something can't be connected to itself.");
  return freeTerminal(endA) && freeTerminal(endB);
}

function mayUse(o: Obj): bool {
  if (!has(o, HAS_DEVICE) || !has(o, USABLE)) return no("I'm not sure how to use the ", o, '. ');
  return true;
}

function mayFlush(o: Obj): bool {
  if (o.cls != I.C_Toilet) return refuse("It's not clear how to flush that.");
  return has(o, ACTIVE) || o.a > 0 ? refuse('That is already flushing.') : true;
}

function mayLookIn(o: Obj): bool {
  if (!has(o, HAS_CONTAINER)) return refuse("It's not clear how to look inside of that.");
  if (!has(o, OPEN)) return no('The ', o, " isn't open, so you can't see inside.");
  return true;
}

// ---- going -------------------------------------------------------------------------------------------------------------------

/** The portal of the agent's room whose far side answers to the location's name. */
function wayTo(location: Obj): Obj {
  const room = agentRoom();
  beginReferents(room, false, true);
  for (let i = nextPortal(room, 0); i < head.portals; i = nextPortal(room, i + 1)) {
    const far = farSide(portal(i), room);
    ensureBase(far);
    for (let k = 0; k < baseCount(far); k++) {
      const word = load<i32>(baseAt(far) + (k << 2));
      if (wordLength(word) == stringLength(location.name) && sameBytes(wordAt(word), stringAt(location.name), wordLength(word)))
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
  if (!isOf(o, I.F_Location)) return no('Its not clear how to go to/through a ', o, '.');
  const way = wayTo(o);
  if (isNil(way)) return refuse("It's not clear how to get there from here.");
  return has(way, OPEN) ? true : refuse('The door is not open.');
}

function mayTeleport(o: Obj): bool {
  if (isOf(o, I.F_Location) && o.cls != I.C_Universe) return true;
  return no('Its not clear how to go to ', o, '.');
}

// ---- the test behind both execution and the list of valid actions; with `listing` two more tests --------------------------------

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
      return has(a, EDIBLE) ? true : no('The ', a, ' is not edible.');
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

// ---- doing --------------------------------------------------------------------------------------------------------------------

function unplug(o: Obj, newline: bool): void {
  if (!isConnected(o)) return;
  say('(disconnecting ', o, ')');
  if (newline) byte(10);
  disconnect(o);
}

function move(o: Obj, into: Obj): void {
  unplug(o, false);
  add(into, o);
  say('You move the ', o, ' to the ');
  putString(into.name);
  byte(46);
}

function pour(o: Obj, into: Obj): void {
  if (!has(o, IS_CONTAINER)) {
    unplug(o, true);
    add(into, o);
    say('You pour the ', o, ' into the ');
  } else {
    let c = at(o.first);
    while (!isNil(c)) {
      const next = at(c.next);
      if (has(c, MOVABLE)) {
        unplug(c, true);
        add(into, c);
      }
      c = next;
    }
    say('You pour the contents of the ', o, ' into the ');
  }
  putString(into.name);
  byte(46);
}

function dunk(to: Obj, from: Obj): void {
  const first = stack.length;
  for (let c = at(from.first); !isNil(c); c = at(c.next)) if (isLiquid(c) && has(c, MOVABLE)) stack.push(c);
  for (let i = first; i < stack.length; i++) unplug(stack.get(i), false);
  say('You dunk the ', to, ' in the ');
  putString(from.name);
  put(', moving the liquids (');
  for (let i = first; i < stack.length; i++) {
    if (i > first) put(', ');
    putString(stack.get(i).name);
    add(to, stack.get(i));
  }
  put(') to the ');
  putString(to.name);
  byte(46);
  stack.length = first;
}

function lookIn(o: Obj): void {
  if (o.first == 0) return say('There is nothing in the ', o, '.');
  say('Inside the ', o, ' is: \n');
  list(o, true, 0, false);
  byte(10);
  if (!hasPortal(o)) return;
  put(' You also see: ');
  let n = 0;
  for (let i = nextPortal(o, 0); i < head.portals; i = nextPortal(o, i + 1)) {
    if (n++ > 0) put(', ');
    describe(portal(i), 0, o);
  }
  byte(46);
}

function useLighter(o: Obj): void {
  if (o.mat == 0) return put("It's not clear how to use those items together.");
  if (combustionPoint(o) <= 2200) {
    say('The ', o, '');
    const result = ignite(o);
    return put(result == CAUGHT ? ' catches fire.' : result == ALREADY ? ' is already on fire.' : ' is not flammable.');
  }
  o.temperature += Math.min(Math.max(2200 - o.temperature, 0), 10);
  say('The lighter heats up the ', o, ' a small amount.');
}

function useThermometer(o: Obj): void {
  if (o.mat == 0) return put("That thing doesn't appear to have a temperature that the thermometer can read. ");
  put('the thermometer measures a temperature of ');
  rounded(o.temperature);
  put(' degrees celsius');
}

function useShovel(o: Obj): bool {
  if (o.cls != I.C_Ground || o.parent == 0) return false;
  add(parentOf(o), make(I.C_Hole));
  const soil = make(I.C_Soil);
  soil.temperature = 10;
  add(parentOf(o), soil);
  put('You dig a hole in the ground, and place the soil nearby.');
  return true;
}

function useAxe(o: Obj): bool {
  if (isOf(o, I.F_Tree | I.F_FruitingTree)) {
    if (o.stage == I.STAGE_seed) {
      put("You can't chop a seed.");
      return true;
    }
    put('You chop down the ');
    putName(o);
    put(', creating wood.');
    const wood = make(I.C_Wood);
    if (o.parent != 0) add(parentOf(o), wood);
    remove(o, true);
    return true;
  }
  if (!has(o, HAS_DEVICE)) return false;
  o.flags |= BROKEN;
  say('You hit the ', o, ' with the axe, causing it to break.');
  return true;
}

function use(tool: Obj, o: Obj): void {
  let done = true;
  switch (tool.cls) {
    case I.C_Lighter:
      useLighter(o);
      break;
    case I.C_Thermometer:
      useThermometer(o);
      break;
    case I.C_Shovel:
      done = useShovel(o);
      break;
    case I.C_Axe:
      done = useAxe(o);
      break;
    default:
      done = false;
  }
  if (!done) put("I'm not sure how to use those two things together.");
}

function activate(o: Obj, on: bool): void {
  if (has(o, BROKEN)) return say('The ', o, " appears broken, and can't be activated or deactivated.");
  set(o, ACTIVE, on);
  say('The ', o, on ? ' is now activated.' : ' is now deactivated.');
}

function go(o: Obj): void {
  const agent = at(head.agent);
  const room = agentRoom();
  if (o.cls == I.C_Door) {
    const far = farSide(o, room);
    add(far, agent);
    return say('You move through the door to the ', far, '.');
  }
  add(farSide(wayTo(o), room), agent);
  say('You move to the ', o, '.');
}

function connect(): void {
  endA.wire = ref(endB);
  endB.wire = ref(endA);
  sayTerminal(endA);
  put(' is now connected to ');
  sayTerminal(endB);
}

export function putInventory(): void {
  put('In your inventory, you see:\n');
  list(at(head.inventory), true, 1, false);
}

export function putTask(heading: string): void {
  put(heading);
  putDescription(head.variation);
}

function remember(kind: i32, a: Obj, b: Obj): void {
  head.actionKind = kind;
  head.actionFirst = ref(a);
  head.actionSecond = ref(b);
  head.actionCount++;
}

/** Was the last action done, rather than refused. */
export let accepted: bool = false;

export function forgetAccepted(): void {
  accepted = false;
}

export function execute(action: i32, a: Obj, b: Obj): void {
  if (action == A_LOOK_AT || action == A_READ || action == A_USE) remember(action, a, b);
  else remember(0, NIL, NIL);
  if (!may(action, a, b, false)) return;
  accepted = true;
  switch (action) {
    case A_OPEN:
    case A_CLOSE:
      set(a, OPEN, action == A_OPEN);
      return say('The ', a, action == A_OPEN ? ' is now open.' : ' is now closed.');
    case A_GO:
      return go(a);
    case A_TELEPORT:
      add(a, at(head.agent));
      return say('You teleport to the ', a, '.');
    case A_LOOK:
      return describe(agentRoom(), 1, NIL);
    case A_LOOK_AT:
      if (has(a, HIDDEN)) return put('<ERROR: Could not retrieve object description>');
      return describe(a, 1, agentRoom());
    case A_LOOK_IN:
      return lookIn(a);
    case A_ACTIVATE:
    case A_DEACTIVATE:
      return activate(a, action == A_ACTIVATE);
    case A_EAT:
      detach(a);
      return say('The ', a, ' was delicious.');
    case A_MOVE:
      return move(a, b);
    case A_PICK_UP:
      return move(a, at(head.inventory));
    case A_PUT_DOWN:
      return move(a, agentRoom());
    case A_POUR:
      return pour(a, b);
    case A_FOCUS:
      head.focus = ref(a);
      put('You focus on the ');
      putName(a);
      return byte(46);
    case A_RESET:
      resetGoals();
      head.focus = 0;
      return put('You reset the goal progress and focus.');
    case A_USE:
      return use(a, b);
    case A_READ:
      return readDocument(a);
    case A_FLUSH:
      set(a, ACTIVE, true);
      return put('The toilet is now flushing.');
    case A_CONNECT:
      return connect();
    case A_DISCONNECT:
      disconnect(a);
      return say('', a, ' has been disconnected');
    case A_WAIT1:
      head.waiting = 1;
      return put('You decide to wait for 1 iterations.');
    case A_WAIT:
      head.waiting = 10;
      return put('You decide to wait for 10 iterations.');
    case A_INVENTORY:
      return putInventory();
    case A_MIX:
      if (a.first != 0 && at(a.first).next != 0) mix(a);
      return;
    case A_TASK:
      return putTask('Task Description:\n');
    default:
      return dunk(a, b);
  }
}

