// BabyAI's forty levels in AgentGym's order: the layout and the mission of each, with every draw in the original's
// order. Independent of text.
//
// After BabyAI (BSD-3-Clause, https://arxiv.org/abs/1810.08272, https://github.com/mila-iqia/babyai), as continued in
// MiniGrid (Apache-2.0).
import { seedWords } from '../shared/pcg64';
import {
  AFTER, BEFORE, describe, description, GOTO, isValidPutNext, LEFT, leaf, ONLY, OPEN_IT, PICKUP, PUT_NEXT,
  resetVerifier, setLeaf, setMission, countWalks, hasLeaf,
} from './instructions';
import {
  addDistractors, addDoor, addObject, allReachable, buildRooms, clearFailure, clearList, colorByName, connectAll,
  doorOf, draw, drawBool, drawColor, drawListed, drawSubset, fail, failed, isRealDoor, list, listed, listedCount,
  placeAgent, placeAgentOutside, placeInRoom, removeWall, requireReachable,
} from './rooms';
import { forgetLockedRoom, levelGen, remembersLockedRoom, startAttempt, wantsANeededKey } from './levelgen';
import { look } from './steps';
import {
  ANY, BALL, BLUE, BOX, cellOf, clearCell, colorOf, createObject, DOOR, GREY, KEY, NOBODY, putObject, RED,
  rememberPositions, restyle, setContent, typeOf, World,
} from './world';

export const LEVELS: i32 = 40;
/** Room grid of each level: room size, rows, columns. */
const shapes: StaticArray<u8> = [
  8, 1, 1, 8, 1, 1, 8, 1, 1, 4, 1, 1, 8, 1, 1, 7, 3, 3, 8, 3, 3, 5, 2, 2, 8, 1, 1, 7, 3, 3,
  8, 3, 3, 8, 3, 3, 5, 1, 2, 8, 3, 3, 6, 3, 3, 6, 3, 3, 8, 3, 3, 8, 3, 3, 8, 1, 1, 7, 1, 1,
  6, 3, 3, 6, 1, 1, 7, 1, 2, 8, 3, 3, 8, 3, 3, 8, 3, 3, 6, 1, 2, 6, 1, 2, 6, 1, 3, 7, 3, 3,
  7, 3, 3, 6, 3, 3, 20, 1, 1, 8, 1, 2, 5, 2, 3, 8, 3, 3, 8, 3, 3, 5, 2, 2, 8, 3, 3, 8, 3, 3,
];
function fixedLimit(level: i32): i32 {
  switch (level) {
    case 15: case 16: return 720;
    case 21: return 288;
    case 23: return 392;
    case 28: return 576;
    case 29: case 32: return 1080;
    case 31: return 980;
    case 34: return 1024;
    default: return 0;
  }
}

// Shorthands for missions of one action.
function only(w: World, kind: u8, type: u8, color: u8, strict: bool = false): void {
  setMission(w, ONLY, false, false);
  setLeaf(w, 0, kind, strict);
  describe(w, 0, type, color);
}
function onlyThis(w: World, kind: u8, id: i32): void {
  if (!failed) only(w, kind, typeOf(w, id), colorOf(w, id));
}
function describeThis(w: World, index: i32, id: i32): void {
  if (!failed) describe(w, index, typeOf(w, id), colorOf(w, id));
}
function putNext(w: World, index: i32, moved: i32, fixed: i32): void {
  setLeaf(w, index, PUT_NEXT);
  describeThis(w, index * 2, moved);
  describeThis(w, index * 2 + 1, fixed);
}
function colorOfSafe(w: World, id: i32): u8 {
  return failed ? 0 : colorOf(w, id);
}
function fourDoors(w: World, locked: u8): void {
  for (let k = 0; k < 4; k++) list(addDoor(w, 1, 1, -1, ANY, locked));
}

// Levels 1 to 11: go to.
function goToRedBall(w: World, distractors: i32, grey: bool): void {
  placeAgent(w, -1, -1);
  const ball = addObject(w, 0, 0, BALL, RED);
  addDistractors(w, -1, -1, distractors, false);
  if (failed) return;
  for (let k = 0; k < listedCount; k++) if (grey) restyle(w, listed[k], GREY, 0);
  requireReachable(w);
  onlyThis(w, GOTO, ball);
}
function goToLocal(w: World, distractors: i32, unique: bool, connected: bool, checked: bool): void {
  placeAgent(w, -1, -1);
  if (connected) connectAll(w);
  addDistractors(w, -1, -1, distractors, unique);
  if (checked) requireReachable(w);
  onlyThis(w, GOTO, drawListed());
}
/** Start of levels 7 and 24: a locked room, and its key in any room (even inside: the original's check never holds). */
let lockedI: i32 = 0;
let lockedJ: i32 = 0;
function lockRoomAndPlaceKey(w: World): i32 {
  lockedI = draw(0, w.cols);
  lockedJ = draw(0, w.rows);
  const door = addDoor(w, lockedI, lockedJ, -1, ANY, 1);
  const i = draw(0, w.cols);
  const j = draw(0, w.rows);
  addObject(w, i, j, KEY, colorOfSafe(w, door));
  return door;
}
function distractEveryRoom(w: World, n: i32): void {
  for (let i = 0; i < w.cols; i++) for (let j = 0; j < w.rows; j++) addDistractors(w, i, j, n, false);
}
function goToImpUnlock(w: World): void {
  lockRoomAndPlaceKey(w);
  connectAll(w);
  distractEveryRoom(w, 2);
  placeAgentOutside(w, lockedJ * w.cols + lockedI);
  requireReachable(w);
  clearList();
  addDistractors(w, lockedI, lockedJ, 1, false);
  onlyThis(w, GOTO, drawListed());
}
function goToRedBlueBall(w: World): void {
  placeAgent(w, -1, -1);
  addDistractors(w, -1, -1, 7, false);
  if (failed) return;
  for (let k = 0; k < listedCount; k++) {
    const color = colorOf(w, listed[k]);
    if (typeOf(w, listed[k]) == BALL && (color == RED || color == BLUE)) return fail();
  }
  const ball = addObject(w, 0, 0, BALL, draw(0, 2) == 0 ? RED : BLUE);
  requireReachable(w);
  onlyThis(w, GOTO, ball);
}
function goToDoor(w: World): void {
  fourDoors(w, ANY);
  placeAgent(w, 1, 1);
  onlyThis(w, GOTO, drawListed());
}
function goToObjDoor(w: World): void {
  placeAgent(w, 1, 1);
  addDistractors(w, 1, 1, 8, false);
  fourDoors(w, ANY);
  requireReachable(w);
  onlyThis(w, GOTO, drawListed());
}

// Levels 12 to 16: open.
function open(w: World): void {
  placeAgent(w, -1, -1);
  connectAll(w);
  addDistractors(w, -1, -1, 18, false);
  requireReachable(w);
  if (failed) return;
  clearList();
  for (let i = 0; i < w.cols; i++) {
    for (let j = 0; j < w.rows; j++) {
      for (let side = 0; side < 4; side++) if (isRealDoor(doorOf(w, i, j, side))) list(doorOf(w, i, j, side));
    }
  }
  onlyThis(w, OPEN_IT, drawListed());
}
function openRedDoor(w: World): void {
  addDoor(w, 0, 0, 0, RED, 0);
  placeAgent(w, 0, 0);
  only(w, OPEN_IT, DOOR, RED);
}
const pickFrom = new StaticArray<i32>(16);
const picked = new StaticArray<i32>(16);
function drawColors(n: i32): void {
  for (let k = 0; k < 6; k++) pickFrom[k] = i32(colorByName(k));
  drawSubset(pickFrom, 6, n, picked);
}
function openDoorLoc(w: World): void {
  drawColors(4);
  for (let k = 0; k < 4; k++) list(addDoor(w, 1, 1, k, u8(picked[k]), 0));
  const place = u8(LEFT + draw(0, 4));
  placeAgent(w, 1, 1);
  only(w, OPEN_IT, DOOR, ANY);
  description(w, 0).place = place;
}
function openRedBlueDoors(w: World): void {
  drawColors(2);
  addDoor(w, 1, 1, 2, RED, 0);
  addDoor(w, 1, 1, 0, BLUE, 0);
  placeAgent(w, 1, 1);
  setMission(w, BEFORE, false, false);
  setLeaf(w, 0, OPEN_IT, true);
  describe(w, 0, DOOR, RED);
  setLeaf(w, 2, OPEN_IT, false);
  describe(w, 4, DOOR, BLUE);
}
function openDoorsOrder(w: World): void {
  drawColors(4);
  for (let k = 0; k < 4; k++) list(addDoor(w, 1, 1, -1, u8(picked[k]), 0));
  placeAgent(w, 1, 1);
  if (failed) return;
  drawSubset(listed, 4, 2, picked);
  const mode = draw(0, 3);
  setMission(w, mode == 0 ? ONLY : mode == 1 ? BEFORE : AFTER, false, false);
  setLeaf(w, 0, OPEN_IT, true);
  describeThis(w, 0, picked[0]);
  setLeaf(w, 2, OPEN_IT, true);
  describeThis(w, 4, picked[1]);
}

// Levels 17 to 23: pick up, put next to.
function pickup(w: World): void {
  placeAgent(w, -1, -1);
  connectAll(w);
  addDistractors(w, -1, -1, 18, false);
  requireReachable(w);
  onlyThis(w, PICKUP, drawListed());
}
function unblockPickup(w: World): void {
  placeAgent(w, -1, -1);
  connectAll(w);
  addDistractors(w, -1, -1, 20, false);
  if (!failed && allReachable(w)) fail();
  onlyThis(w, PICKUP, drawListed());
}
function pickupDist(w: World): void {
  addDistractors(w, -1, -1, 5, true);
  placeAgent(w, 0, 0);
  const id = drawListed();
  const by = draw(0, 3);
  if (failed) return;
  only(w, PICKUP, by == 1 ? ANY : typeOf(w, id), by == 0 ? ANY : colorOf(w, id), true);
}
function pickupAbove(w: World): void {
  const id = addObject(w, 1, 0, ANY, ANY);
  addDoor(w, 1, 1, 3, ANY, 0);
  placeAgent(w, 1, 1);
  connectAll(w);
  onlyThis(w, PICKUP, id);
}
function putNextLocal(w: World): void {
  placeAgent(w, -1, -1);
  addDistractors(w, -1, -1, 4, true);
  requireReachable(w);
  if (failed) return;
  drawSubset(listed, 4, 2, picked);
  setMission(w, ONLY, false, false);
  putNext(w, 0, picked[0], picked[1]);
}
/** The object that the agent of level 23 carries from the start. */
let carriedFromStart: i32 = NOBODY;
function putNextCarrying(w: World): void {
  placeAgent(w, 0, 0);
  addDistractors(w, 0, 0, 4, true);
  addDistractors(w, 1, 0, 4, true);
  removeWall(w, 0, 0, 0);
  if (failed) return;
  let moved = listed[draw(0, 4)];
  let fixed = listed[4 + draw(0, 4)];
  if (drawBool()) {
    const other = moved;
    moved = fixed;
    fixed = other;
  }
  setMission(w, ONLY, false, false);
  putNext(w, 0, moved, fixed);
  carriedFromStart = moved;
}

// Levels 24 to 29: locks and keys.
function unlock(w: World): void {
  const door = lockRoomAndPlaceKey(w);
  if (drawBool()) connectAll(w, colorOfSafe(w, door));
  else connectAll(w);
  distractEveryRoom(w, 3);
  placeAgentOutside(w, lockedJ * w.cols + lockedI);
  requireReachable(w);
  onlyThis(w, OPEN_IT, door);
}
function unlockLocal(w: World): void {
  const door = addDoor(w, 1, 1, -1, ANY, 1);
  addObject(w, 1, 1, KEY, colorOfSafe(w, door));
  addDistractors(w, 1, 1, 3, true);
  placeAgent(w, 1, 1);
  only(w, OPEN_IT, DOOR, ANY);
}
function keyInBox(w: World): void {
  const door = addDoor(w, 1, 1, -1, ANY, 1);
  if (failed) return;
  const key = createObject(w, KEY, colorOf(w, door), 0);
  const box = createObject(w, BOX, drawColor(), 0);
  setContent(w, box, key);
  placeInRoom(w, 1, 1, box);
  placeAgent(w, 1, 1);
  only(w, OPEN_IT, DOOR, ANY);
}
function unlockPickup(w: World): void {
  const box = addObject(w, 1, 0, BOX, ANY);
  const door = addDoor(w, 0, 0, 0, ANY, 1);
  addObject(w, 0, 0, KEY, colorOfSafe(w, door));
  addDistractors(w, -1, -1, 4, true);
  placeAgent(w, 0, 0);
  onlyThis(w, PICKUP, box);
}
function blockedUnlockPickup(w: World): void {
  addObject(w, 1, 0, BOX, ANY);
  const door = addDoor(w, 0, 0, 0, ANY, 1);
  if (failed) return;
  putObject(w, createObject(w, BALL, drawColor(), 0), cellOf(w, door) - 1);
  addObject(w, 0, 0, KEY, colorOf(w, door));
  placeAgent(w, 0, 0);
  only(w, PICKUP, BOX, ANY);
}
function unlockToUnlock(w: World): void {
  drawColors(2);
  addDoor(w, 0, 0, 0, u8(picked[0]), 1);
  addObject(w, 2, 0, KEY, u8(picked[0]));
  addDoor(w, 1, 0, 0, u8(picked[1]), 1);
  addObject(w, 1, 0, KEY, u8(picked[1]));
  addObject(w, 0, 0, BALL, ANY);
  placeAgent(w, 1, 0);
  only(w, PICKUP, BALL, ANY);
}

// Levels 30 to 34.
function actionObjDoor(w: World): void {
  addDistractors(w, 1, 1, 5, true);
  fourDoors(w, 0);
  placeAgent(w, 1, 1);
  const id = drawListed();
  if (failed) return;
  const isDoor = typeOf(w, id) == DOOR;
  onlyThis(w, drawBool() ? GOTO : isDoor ? OPEN_IT : PICKUP, id);
}
function findObj(w: World): void {
  const i = draw(0, w.rows);
  const j = draw(0, w.cols);
  const id = addObject(w, i, j, ANY, ANY);
  placeAgent(w, 1, 1);
  connectAll(w);
  if (!failed) only(w, PICKUP, typeOf(w, id), ANY);
}
function keyCorridor(w: World): void {
  removeWall(w, 1, 1, 3);
  removeWall(w, 1, 2, 3);
  const k = draw(0, 3);
  const door = addDoor(w, 2, k, 2, ANY, 1);
  addObject(w, 2, k, BALL, ANY);
  addObject(w, 0, draw(0, 3), KEY, colorOfSafe(w, door));
  placeAgent(w, 1, 1);
  connectAll(w);
  only(w, PICKUP, BALL, ANY);
}
function oneRoom(w: World): void {
  addObject(w, 0, 0, BALL, ANY);
  placeAgent(w, -1, -1);
  only(w, PICKUP, BALL, ANY);
}
function moveTwoAcross(w: World): void {
  placeAgent(w, 0, 0);
  addDistractors(w, 0, 0, 9, true);
  addDistractors(w, 1, 0, 9, true);
  removeWall(w, 0, 0, 0);
  if (failed) return;
  for (let k = 0; k < 9; k++) pickFrom[k] = listed[9 + k];
  drawSubset(listed, 9, 2, picked);
  const left0 = picked[0];
  const left1 = picked[1];
  drawSubset(pickFrom, 9, 2, picked);
  setMission(w, BEFORE, false, false);
  putNext(w, 0, left0, picked[0]);
  putNext(w, 2, picked[1], left1);
}

// Generation.
function layOut(w: World): void {
  switch (w.level) {
    case 1: return goToRedBall(w, 7, true);
    case 2: return goToRedBall(w, 7, false);
    case 3: return goToRedBall(w, 0, false);
    case 4: return goToLocal(w, 1, true, false, false);
    case 5: return goToLocal(w, 7, false, false, true);
    case 6: return goToLocal(w, 1, false, true, true);
    case 7: return goToImpUnlock(w);
    case 9: return goToRedBlueBall(w);
    case 10: return goToDoor(w);
    case 11: return goToObjDoor(w);
    case 12: return open(w);
    case 13: return openRedDoor(w);
    case 14: return openDoorLoc(w);
    case 15: return openRedBlueDoors(w);
    case 16: return openDoorsOrder(w);
    case 17: return pickup(w);
    case 18: return unblockPickup(w);
    case 20: return pickupDist(w);
    case 21: return pickupAbove(w);
    case 22: return putNextLocal(w);
    case 23: return putNextCarrying(w);
    case 24: return unlock(w);
    case 25: return unlockLocal(w);
    case 26: return keyInBox(w);
    case 27: return unlockPickup(w);
    case 28: return blockedUnlockPickup(w);
    case 29: return unlockToUnlock(w);
    case 30: return actionObjDoor(w);
    case 31: return findObj(w);
    case 32: return keyCorridor(w);
    case 33: return oneRoom(w);
    case 34: return moveTwoAcross(w);
    default: return levelGen(w);
  }
}
function isValid(w: World): bool {
  for (let index = 0; index < 4; index++) {
    if (hasLeaf(w, index) && leaf(w, index).kind == PUT_NEXT && !isValidPutNext(w, index)) return false;
  }
  return !wantsANeededKey(w);
}
/** Number of attempts of the last `generate`, for the bench. */
export let attempts: i32 = 0;

function generateOnce(w: World, seed: usize, words: i32): void {
  seedWords(seed, words);
  attempts = 0;
  for (;;) {
    attempts++;
    startAttempt();
    clearFailure();
    w.carried = NOBODY;
    buildRooms(w);
    layOut(w);
    if (!failed && isValid(w)) break;
  }
  resetVerifier(w);
}
/** Generates level `w.level` from a seed, as AgentGym does: a new environment, reset twice with the same seed. */
export function generate(w: World, seed: usize, words: i32): void {
  const shape = (w.level - 1) * 3;
  w.roomSize = shapes[shape];
  w.rows = shapes[shape + 1];
  w.cols = shapes[shape + 2];
  w.width = (w.roomSize - 1) * w.cols + 1;
  w.height = (w.roomSize - 1) * w.rows + 1;
  w.stepCount = 0;
  w.reward = 0;
  w.score = 0;
  w.terminated = false;
  w.truncated = false;
  w.succeeded = false;
  w.finished = false;
  forgetLockedRoom();
  carriedFromStart = NOBODY;
  generateOnce(w, seed, words);
  if (remembersLockedRoom(w.level)) generateOnce(w, seed, words);
  const limit = fixedLimit(w.level);
  w.maxSteps = limit ? limit : countWalks(w) * w.roomSize * w.roomSize * w.rows * w.cols;
  rememberPositions(w);
  look(w);
  // Level 23 gives the agent the object after the first look, which still shows it on the floor.
  if (w.level == 23) {
    clearCell(w, cellOf(w, carriedFromStart));
    w.carried = carriedFromStart;
  }
}
