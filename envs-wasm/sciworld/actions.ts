/** Effects of the twenty-seven actions. A refused action (preconditions.ts) takes time as well. */
import {
  ACTIVE, BROKEN, HAS_DEVICE, HIDDEN, IS_CONTAINER, MOVABLE, NIL, OPEN, Obj, has, isNil, isOf, set,
} from './object';
import { add, detach, remove } from './containment';
import { at, head, parentOf, portal, ref } from './arena';
import { disconnect, isConnected } from './terminals';
import { make } from './construction';
import { stack } from './list';
import {
  A_OPEN, A_CLOSE, A_GO, A_TELEPORT, A_LOOK, A_LOOK_AT, A_LOOK_IN, A_ACTIVATE, A_DEACTIVATE, A_EAT, A_MOVE, A_POUR,
  A_FOCUS, A_RESET, A_USE, A_READ, A_FLUSH, A_CONNECT, A_DISCONNECT, A_WAIT1, A_WAIT, A_INVENTORY, A_PICK_UP,
  A_PUT_DOWN, A_MIX, A_TASK,
} from './action-ids';
import { putDescription, putString } from './tables';
import { byte, put, rounded } from './text';
import { describe, list } from './describe';
import { putName } from './names';
import { readDocument } from './documents';
import { agentRoom, farSide, hasPortal, nextPortal } from './search';
import { ALREADY, CAUGHT, combustionPoint, ignite } from './combustion';
import { mix } from './chemistry';
import { resetGoals } from './goals';
import { endA, endB, isLiquid, may, putSentence, putTerminal, wayTo } from './preconditions';
import * as I from './tables/ids';

function unplug(o: Obj, newline: bool): void {
  if (!isConnected(o)) return;
  putSentence('(disconnecting ', o, ')');
  if (newline) byte(10);
  disconnect(o);
}

function move(o: Obj, into: Obj): void {
  unplug(o, false);
  add(into, o);
  putSentence('You move the ', o, ' to the ');
  putString(into.name);
  byte(46);
}

function pour(o: Obj, into: Obj): void {
  if (!has(o, IS_CONTAINER)) {
    unplug(o, true);
    add(into, o);
    putSentence('You pour the ', o, ' into the ');
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
    putSentence('You pour the contents of the ', o, ' into the ');
  }
  putString(into.name);
  byte(46);
}

function dunk(to: Obj, from: Obj): void {
  const first = stack.length;
  for (let c = at(from.first); !isNil(c); c = at(c.next)) if (isLiquid(c) && has(c, MOVABLE)) stack.push(c);
  for (let i = first; i < stack.length; i++) unplug(stack.get(i), false);
  putSentence('You dunk the ', to, ' in the ');
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
  if (o.first == 0) return putSentence('There is nothing in the ', o, '.');
  putSentence('Inside the ', o, ' is: \n');
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
    putSentence('The ', o, '');
    const result = ignite(o);
    return put(result == CAUGHT ? ' catches fire.' : result == ALREADY ? ' is already on fire.' : ' is not flammable.');
  }
  o.temperature += Math.min(Math.max(2200 - o.temperature, 0), 10);
  putSentence('The lighter heats up the ', o, ' a small amount.');
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
  putSentence('You hit the ', o, ' with the axe, causing it to break.');
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
  if (has(o, BROKEN)) return putSentence('The ', o, " appears broken, and can't be activated or deactivated.");
  set(o, ACTIVE, on);
  putSentence('The ', o, on ? ' is now activated.' : ' is now deactivated.');
}

function go(o: Obj): void {
  const agent = at(head.agent);
  const room = agentRoom();
  if (o.cls == I.C_Door) {
    const far = farSide(o, room);
    add(far, agent);
    return putSentence('You move through the door to the ', far, '.');
  }
  add(farSide(wayTo(o), room), agent);
  putSentence('You move to the ', o, '.');
}

function connect(): void {
  endA.wire = ref(endB);
  endB.wire = ref(endA);
  putTerminal(endA);
  put(' is now connected to ');
  putTerminal(endB);
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

/** True if the last action was done, not refused. */
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
      return putSentence('The ', a, action == A_OPEN ? ' is now open.' : ' is now closed.');
    case A_GO:
      return go(a);
    case A_TELEPORT:
      add(a, at(head.agent));
      return putSentence('You teleport to the ', a, '.');
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
      return putSentence('The ', a, ' was delicious.');
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
      return putSentence('', a, ' has been disconnected');
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
