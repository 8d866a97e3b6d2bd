// Observations: AgentGym's, and a short form of this project with the memory of the room.
import {
  AHEAD_OF, aheadOfThing, asideOfThing, BEHIND_OF, doorsToUnseen, doorsToUnseenCount, forget, LEFT_OF, placeInView,
  remember, rememberDoor, remembered, rememberedCount, rememberThings, RIGHT_OF, unseen, unseenBehind,
} from './memory';
import { behindDoor, exitCount, exits, explore, lockCount, locks, toSee } from './frontier';
import { barrierDistance, barrierLook, lookOfSeen, objectCount, placeOfSeen, sawAnything } from './planner';
import { LOOK_WALL, lookOfObject, World } from './world';
import { COMMA, Phrase, SPACE, names, phrase, places, put, putByte, putNumber, shortPlaces } from './phrases';

const SEVERAL = phrase('In front of you in this room, you can see several objects: ');
const THERE_IS = phrase('There is a ');
const NOTHING = phrase('You cannot see any objects within sight.');
const WALLS = phrase('The room has walls around you. ');
const FACING = phrase('You are facing a ');
const AWAY = phrase(' steps away. ');
const CARRYING = phrase('You are carrying a ');
const NOT_CARRYING = phrase('You are not carrying anything.');
const WALL_WORD = phrase('wall');
const BOX_WORD = phrase('box');
export const counts: usize = memory.data(64);
export function nextCount(look: u8): i32 {
  const count = load<u8>(counts + look) + 1;
  store<u8>(counts + look, count);
  return i32(count);
}
function putBarrier(): void {
  put(barrierLook == LOOK_WALL ? WALL_WORD : BOX_WORD);
}
export function putDescription(w: World): void {
  memory.fill(counts, 0, 64);
  put(sawAnything ? SEVERAL : NOTHING);
  for (let k = 0; k < objectCount; k++) {
    const look = lookOfSeen(k);
    put(THERE_IS);
    put(names[look]);
    putByte(SPACE);
    putNumber(nextCount(look));
    put(places[placeOfSeen(k)]);
    putByte(SPACE);
  }
  put(WALLS);
  if (barrierDistance) {
    put(FACING);
    putBarrier();
    putByte(SPACE);
    putNumber(barrierDistance);
    put(AWAY);
  }
  if (!w.carried) return put(NOT_CARRYING);
  put(CARRYING);
  put(names[lookOfObject(w, w.carried)]);
  putByte(46);
}

/** The short form, for tiny policies: the same facts in a third of the length, without the list of actions. */
const SEMICOLON = phrase('; ');
const AHEAD = phrase(' ahead ');
const CARRYING_SHORT = phrase('carrying ');
const CARRYING_NOTHING = phrase('carrying nothing');
export function putShortDescription(w: World): void {
  memory.fill(counts, 0, 64);
  for (let k = 0; k < objectCount; k++) {
    const look = lookOfSeen(k);
    put(names[look]);
    putByte(SPACE);
    putNumber(nextCount(look));
    put(shortPlaces[placeOfSeen(k)]);
    put(SEMICOLON);
  }
  if (barrierDistance) {
    putBarrier();
    put(AHEAD);
    putNumber(barrierDistance);
    put(SEMICOLON);
  }
  if (!w.carried) return put(CARRYING_NOTHING);
  put(CARRYING_SHORT);
  put(names[lookOfObject(w, w.carried)]);
}

/**
 * The memory: the unseen part of the room in each direction and behind each open door, as the side of a square of that
 * many cells; then doors and objects out of sight.
 */
const TO_SEE = phrase('; to see');
const THROUGH = phrase('; through ');
const SEE = phrase(' see ');
const BEHIND_SHORT = phrase(' behind ');
const RIGHT_SHORT = phrase(' right ');
const LEFT_SHORT = phrase(' left ');
const NOT_IN_SIGHT = phrase('; not in sight ');
function putSome(words: Phrase, n: i32): void {
  if (n <= 0) return;
  put(words);
  putNumber(n);
}
@inline function sideOf(cells: i32): i32 {
  return i32(Math.ceil(Math.sqrt(f64(cells))));
}
function putPlace(w: World, id: i32): void {
  const ahead = aheadOfThing(w, id);
  const aside = asideOfThing(w, id);
  putSome(ahead > 0 ? AHEAD : BEHIND_SHORT, abs(ahead));
  putSome(aside > 0 ? RIGHT_SHORT : LEFT_SHORT, abs(aside));
}
/** Names a door by its number if it is in view, else by its place. */
function putDoor(w: World, id: i32): void {
  const look = lookOfObject(w, id);
  put(names[look]);
  const place = placeInView(w, id);
  if (place < 0) return putPlace(w, id);
  let number = 0;
  for (let k = 0; k < objectCount; k++) {
    number += i32(lookOfSeen(k) == look);
    if (placeOfSeen(k) == place) break;
  }
  putByte(SPACE);
  putNumber(number);
}
function putToSee(cells: StaticArray<i32>): void {
  if (cells[AHEAD_OF] + cells[RIGHT_OF] + cells[BEHIND_OF] + cells[LEFT_OF] == 0) return;
  put(TO_SEE);
  putSome(AHEAD, sideOf(cells[AHEAD_OF]));
  putSome(RIGHT_SHORT, sideOf(cells[RIGHT_OF]));
  putSome(BEHIND_SHORT, sideOf(cells[BEHIND_OF]));
  putSome(LEFT_SHORT, sideOf(cells[LEFT_OF]));
}
function putRemembered(w: World): void {
  for (let k = 0; k < rememberedCount; k++) {
    put(k ? COMMA : NOT_IN_SIGHT);
    put(names[lookOfObject(w, remembered[k])]);
    putPlace(w, remembered[k]);
  }
}
export function putMemory(w: World): void {
  remember(w);
  putToSee(unseen);
  for (let k = 0; k < doorsToUnseenCount; k++) {
    put(k ? COMMA : THROUGH);
    putDoor(w, doorsToUnseen[k]);
    putSome(SEE, sideOf(unseenBehind[doorsToUnseen[k]]));
  }
  putRemembered(w);
}
const MOST_EXITS: i32 = 4;
/**
 * The memory in the form with the frontier: the unseen part of the room in each direction, as above; all doors with
 * something to see behind them, closed ones too, the most first; then locked doors and objects out of sight.
 */
export function putFrontier(w: World): void {
  explore(w);
  putToSee(toSee);
  for (let k = 0; k < min(exitCount, MOST_EXITS); k++) {
    put(k ? COMMA : THROUGH);
    putDoor(w, exits[k]);
    putSome(SEE, sideOf(behindDoor[exits[k]] / 12));
  }
  forget();
  for (let k = 0; k < lockCount; k++) if (placeInView(w, locks[k]) < 0) rememberDoor(locks[k]);
  rememberThings(w);
  putRemembered(w);
}
