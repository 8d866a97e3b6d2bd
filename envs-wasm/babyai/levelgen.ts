// LevelGen: levels 8, 19 and 35 to 40, whose missions are drawn from a grammar with parameters.
//
// After BabyAI (BSD-3-Clause, https://arxiv.org/abs/1810.08272), as continued in MiniGrid (Apache-2.0).
import { nextDouble } from '../shared/pcg64';
import {
  AFTER, BEFORE, describe, Description, description, GOTO, hasLeaf, LEFT, leaf, match, NO_PLACE, ONLY, OPEN_IT,
  PICKUP, PUT_NEXT, setLeaf, setMission,
} from './instructions';
import {
  addDistractors, addDoor, addObject, colorByName, connectAll, draw, drawBool, fail, failed, hasNeighbor,
  placeAgentOutside, requireReachable,
} from './rooms';
import { ANY, BALL, BOX, colorOf, DOOR, KEY, LOCKED, stateOf, typeOf, World } from './world';

const GOTO_ONLY: i32 = 1;
const PICKUP_ONLY: i32 = 2;
class LevelGen {
  distractors: i32 = 18;
  lockProbability: f64 = 0.5;
  places: bool = true;
  unblocking: bool = true;
  implicitUnlock: bool = true;
  /** 0: all four kinds of action. */
  actions: i32 = 0;
  /** Number of kinds of instruction: 1 single actions only; 3 single actions, "and", and sequences. */
  kinds: i32 = 3;
}
const gen = new LevelGen();
function configure(level: i32): void {
  gen.distractors = level == 8 ? 4 : level == 19 ? 8 : level == 38 ? 7 : 18;
  gen.lockProbability = level == 8 || level == 19 || level == 40 ? 0 : level == 38 ? 0.25 : 0.5;
  gen.places = level != 8 && level != 35;
  gen.unblocking = level != 8 && level != 19;
  gen.implicitUnlock = level == 8 || level == 19 || level == 38 || level == 39;
  gen.actions = level == 8 ? GOTO_ONLY : level == 19 ? PICKUP_ONLY : 0;
  gen.kinds = level == 19 || level == 35 || level == 36 ? 1 : 3;
}
/**
 * The room that was locked last, or -1. The original does not clear it, so it persists over rejected attempts and even
 * over a reset, and still rules out descriptions inside it. `fresh` is true if it belongs to the present attempt.
 */
let lockedRoom: i32 = -1;
let fresh: bool = false;

function addLockedRoom(w: World): void {
  let i: i32;
  let j: i32;
  let side: i32;
  do {
    i = draw(0, w.cols);
    j = draw(0, w.rows);
    side = draw(0, 4);
    lockedRoom = j * w.cols + i;
    fresh = true;
  } while (!hasNeighbor(w, i, j, side));
  const door = addDoor(w, i, j, side, ANY, 1);
  do {
    i = draw(0, w.cols);
    j = draw(0, w.rows);
  } while (j * w.cols + i == lockedRoom);
  addObject(w, i, j, KEY, colorOf(w, door));
}
/** Draws the type of a description. `types`: 0 all, 1 not doors, 2 doors. */
function drawDescriptionType(types: i32): u8 {
  if (types == 2) return DOOR;
  const type = draw(0, types == 0 ? 4 : 3);
  return type == 0 ? BOX : type == 1 ? BALL : type == 2 ? KEY : DOOR;
}
function drawDescription(w: World, index: i32, types: i32): void {
  for (let tries = 0; tries <= 100 && !failed; tries++) {
    const drawn = draw(0, 7);
    const color = drawn == 0 ? ANY : colorByName(drawn - 1);
    const type = drawDescriptionType(types);
    const place = gen.places && drawBool() ? u8(LEFT + draw(0, 4)) : NO_PLACE;
    const d = describe(w, index, type, color, place);
    if (match(w, d) == 0) continue;
    if (!gen.implicitUnlock && lockedRoom >= 0 && match(w, d, lockedRoom) == 0) continue;
    return;
  }
  fail();
}
function drawAction(w: World, index: i32): void {
  const kind = gen.actions == 0 ? draw(0, 4) : gen.actions - 1;
  if (kind == 0) {
    setLeaf(w, index, GOTO);
    drawDescription(w, index * 2, 0);
  } else if (kind == 1) {
    setLeaf(w, index, PICKUP);
    drawDescription(w, index * 2, 1);
  } else if (kind == 2) {
    setLeaf(w, index, OPEN_IT);
    drawDescription(w, index * 2, 2);
  } else {
    setLeaf(w, index, PUT_NEXT);
    drawDescription(w, index * 2, 1);
    drawDescription(w, index * 2 + 1, 0);
  }
}
/** Draws one action, or two joined by "and" if `both` is true; returns `both`. */
function drawGroup(w: World, group: i32, both: bool): bool {
  drawAction(w, group * 2);
  if (both) drawAction(w, group * 2 + 1);
  return both;
}
function drawMission(w: World): void {
  const kind = draw(0, gen.kinds);
  if (kind < 2) {
    setMission(w, ONLY, drawGroup(w, 0, kind == 1), false);
    return;
  }
  const andA = drawGroup(w, 0, draw(0, 2) == 1);
  const andB = drawGroup(w, 1, draw(0, 2) == 1);
  setMission(w, draw(0, 2) == 0 ? BEFORE : AFTER, andA, andB);
}
export function levelGen(w: World): void {
  configure(w.level);
  if (nextDouble() < gen.lockProbability) addLockedRoom(w);
  connectAll(w);
  addDistractors(w, -1, -1, gen.distractors, false);
  placeAgentOutside(w, fresh ? lockedRoom : -1);
  if (!gen.unblocking) requireReachable(w);
  drawMission(w);
}
export function isLevelGen(level: i32): bool {
  return level == 8 || level == 19 || level >= 35;
}
/** True if the description means a key that opens a locked door. */
function wantsNeededKey(w: World, d: Description): bool {
  if (d.type != KEY || d.color == ANY) return false;
  for (let id = 1; id <= w.objectCount; id++) {
    if (typeOf(w, id) == DOOR && stateOf(w, id) == LOCKED && colorOf(w, id) == d.color) return true;
  }
  return false;
}
/** With unblocking, a mission must not ask for a key that opens a locked door. Returns true if it does. */
export function wantsANeededKey(w: World): bool {
  if (!isLevelGen(w.level) || !gen.unblocking) return false;
  for (let index = 0; index < 4; index++) {
    if (!hasLeaf(w, index)) continue;
    if (wantsNeededKey(w, description(w, index * 2))) return true;
    if (leaf(w, index).kind == PUT_NEXT && wantsNeededKey(w, description(w, index * 2 + 1))) return true;
  }
  return false;
}

// The locked room over attempts and resets.
export function forgetLockedRoom(): void {
  lockedRoom = -1;
}
export function startAttempt(): void {
  fresh = false;
}
/** A second reset can differ from the first only if the first left a locked room that descriptions depend on. */
export function remembersLockedRoom(level: i32): bool {
  return isLevelGen(level) && !gen.implicitUnlock && lockedRoom >= 0;
}
