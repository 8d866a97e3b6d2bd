// The present options of the agent, from the latest view: objects in view, paths to them and the list of macro actions.
// Independent of the mission. The rules are AgentGym's, with their quirks: see docs/worlds/babyai.md.
import {
  actions, CLOSED, colorOf, isBox, isDoorLook, KEY, LOOK_WALL, MAX_ACTIONS, OPEN, PATH_BYTES, paths, stateOfLook,
  stepX, stepY, typeOf, view, World, colorOfLook,
} from './world';

// A macro action's id is 16 bits: kind, object (its look) and number. It is used everywhere, on the page too.
export const DO_LEFT: u32 = 0;
export const DO_RIGHT: u32 = 1;
export const DO_FORWARD: u32 = 2;
export const DO_PICKUP: u32 = 3;
export const DO_DROP: u32 = 4;
export const DO_GO_THROUGH: u32 = 5;
export const DO_TOGGLE_THROUGH: u32 = 6;
export const DO_TOGGLE: u32 = 7;
export const DO_GO_TO: u32 = 8;
export const DO_CHECK: u32 = 9;
export const NO_ACTION: u32 = 0xffff;
@inline export function actionId(kind: u32, name: u32 = 0, k: u32 = 0): u32 {
  return (kind << 12) | (name << 6) | k;
}

// Reasons to refuse an action.
export const OK: u8 = 0;
export const BARRIER: u8 = 1;
export const NO_PATH: u8 = 2;
export const DROP_BLOCKED: u8 = 3;
export const DROP_NOTHING: u8 = 4;
export const IS_CLOSED: u8 = 5;
export const NO_KEY: u8 = 6;
export const WRONG_KEY: u8 = 7;
export const NO_PATH_TOGGLE: u8 = 8;

// Objects in view, nearest first. The distance of a view cell never changes, so the order of cells is a table.
const order: usize = memory.data(49);
export let objectCount: i32 = 0;
/** True if an object or a wall was seen; walls are not named. */
export let sawAnything: bool = false;
/** Distance to the nearest wall or box straight ahead (0 if there is none), and its look. */
export let barrierDistance: i32 = 0;
export let barrierLook: u8 = 0;
const seenLook: usize = memory.data(64);
const seenCell: usize = memory.data(64);
const pathStart: usize = memory.data(256);
const pathLength: usize = memory.data(128);
const NONE: i32 = -1;

@inline export function lookOfSeen(k: i32): u8 {
  return load<u8>(seenLook + k);
}
/** View cell (row * 7 + column) of an object in view. */
@inline export function placeOfSeen(k: i32): i32 {
  return load<u8>(seenCell + k);
}
export function preparePlanner(): void {
  let count = 0;
  for (let distance = 0; distance <= 9; distance++) {
    for (let cell = 0; cell < 49; cell++) {
      if (6 - cell / 7 + abs((cell % 7) - 3) == distance && cell != 45) store<u8>(order + count++, u8(cell));
    }
  }
}

// The area of the search: the view and, on some sides, one more line (at most eight by eight cells).
let left: i32 = 0;
let top: i32 = 0;
let right: i32 = 0;
let bottom: i32 = 0;
function setGround(w: World): void {
  const fx = stepX(w.dir);
  const fy = stepY(w.dir);
  const ax = w.x + 6 * fx + 3 * fy;
  const ay = w.y + 6 * fy - 3 * fx;
  const bx = ax + 7 * (-fy - fx);
  const by = ay + 7 * (fx - fy);
  left = bx < ax ? bx : ax;
  right = bx < ax ? ax : bx - 1;
  top = by < ay ? by : ay;
  bottom = by < ay ? ay : by - 1;
}

// Per cell of the area (8 * row + column): blocked, the object there (index + 1), the goal reached by arriving there.
const blocked: usize = memory.data(192);
const standing: usize = blocked + 64;
const arriving: usize = blocked + 128;
// Per state (cell * 4 + direction): popped, parent.
const popped: usize = memory.data(256);
const parent: usize = memory.data(512);
const QUEUE: i32 = 65536;
const queue: usize = memory.data(65536);
let goals: i32 = 0;

@inline function groundCell(x: i32, y: i32): i32 {
  return (y - top) * 8 + x - left;
}
/** Reads the view: objects nearest first, barriers, and the area of the search. */
export function readView(w: World): void {
  setGround(w);
  memory.fill(blocked, 0, 192);
  objectCount = 0;
  sawAnything = false;
  barrierDistance = 0;
  const fx = stepX(w.dir);
  const fy = stepY(w.dir);
  const seen = view(w);
  for (let k = 0; k < 48; k++) {
    const cell = i32(load<u8>(order + k));
    const what = load<u8>(seen + cell);
    if (what < LOOK_WALL) continue;
    const ahead = 6 - cell / 7;
    const aside = (cell % 7) - 3;
    const x = w.x + fx * ahead - fy * aside;
    const y = w.y + fy * ahead + fx * aside;
    if (x < 0 || y < 0) continue;
    sawAnything = true;
    if (aside == 0 && barrierDistance == 0 && (what == LOOK_WALL || isBox(what))) {
      barrierDistance = ahead;
      barrierLook = what;
    }
    const ground = groundCell(x, y);
    if (!isDoorLook(what)) store<u8>(blocked + ground, 1);
    if (what == LOOK_WALL) continue;
    store<u8>(seenLook + objectCount, what);
    store<u8>(seenCell + objectCount, u8(cell));
    store<u8>(standing + ground, u8(objectCount + 1));
    if (isDoorLook(what) && stateOfLook(what) == OPEN) store<u8>(arriving + ground, u8(objectCount + 1));
    objectCount++;
  }
}

// Paths. Entry k faces object k; entry 64 + k enters open door k.
function recordPath(w: World, entry: i32, state: i32, start: i32): void {
  let length = 0;
  for (let s = state; s != start; s = load<u16>(parent + s * 2) & 255) length++;
  if (w.pathBytes + length > PATH_BYTES) return;
  let p = paths(w) + w.pathBytes + length;
  for (let s = state; s != start; ) {
    const from = load<u16>(parent + s * 2);
    store<u8>(--p, u8(from >> 8));
    s = from & 255;
  }
  store<u16>(pathStart + entry * 2, u16(w.pathBytes));
  store<i8>(pathLength + entry, i8(length));
  w.pathBytes += length;
  goals--;
}

/**
 * One breadth-first search finds the paths to all objects. The original searches again for each, but in the same order,
 * and stops at its goal. It marks a state when it leaves the queue, so a state may be queued twice and its parent
 * overwritten until then; a path is therefore read at the moment its goal leaves the queue.
 */
function search(w: World): void {
  memory.fill(popped, 0, 256);
  memory.fill(pathLength, 0xff, 128);
  goals = objectCount;
  for (let k = 0; k < objectCount; k++) goals += i32(isDoorLook(lookOfSeen(k)) && stateOfLook(lookOfSeen(k)) == OPEN);
  const start = groundCell(w.x, w.y) * 4 + w.dir;
  let head = 0;
  let tail = 0;
  store<u8>(queue + tail++, u8(start));
  const width = right - left;
  const height = bottom - top;
  while (head < tail && goals > 0) {
    const state = i32(load<u8>(queue + head++));
    const cell = state >> 2;
    const dir = state & 3;
    store<u8>(popped + state, 1);
    const x = (cell & 7) + stepX(dir);
    const y = (cell >> 3) + stepY(dir);
    const inside = x >= 0 && y >= 0 && x <= width && y <= height;
    const front = y * 8 + x;
    if (inside) {
      const faced = i32(load<u8>(standing + front)) - 1;
      if (faced >= 0 && load<i8>(pathLength + faced) == NONE) recordPath(w, faced, state, start);
    }
    const entered = i32(load<u8>(arriving + cell)) - 1;
    if (entered >= 0 && load<i8>(pathLength + 64 + entered) == NONE) recordPath(w, 64 + entered, state, start);
    if (inside && !load<u8>(blocked + front)) tail = enqueue(front * 4 + dir, state, 2, tail);
    tail = enqueue(cell * 4 + ((dir + 3) & 3), state, 0, tail);
    tail = enqueue(cell * 4 + ((dir + 1) & 3), state, 1, tail);
  }
}
@inline function enqueue(next: i32, from: i32, action: i32, tail: i32): i32 {
  if (load<u8>(popped + next) || tail == QUEUE) return tail;
  store<u16>(parent + next * 2, u16(from | (action << 8)));
  store<u8>(queue + tail, u8(next));
  return tail + 1;
}

// The list. A record: id (u16), first path byte (u16), path length (u8), what follows the path (u8).
const THEN_NOTHING: u8 = 0;
const THEN_PICKUP: u8 = 1;
const THEN_TOGGLE_FORWARD: u8 = 2;
const THEN_LEFT: u8 = 3;
const THEN_RIGHT: u8 = 4;
const THEN_FORWARD: u8 = 5;
const THEN_DROP: u8 = 6;
const THEN_TOGGLE: u8 = 7;
const tails: StaticArray<u8> = [0, 0, 3, 0, 5, 2, 0, 0, 1, 0, 2, 0, 4, 0, 5, 0];
const tailLengths: StaticArray<u8> = [0, 1, 2, 1, 1, 1, 1, 1];

function offer(w: World, id: u32, then: u8, entry: i32 = -1): void {
  if (w.actionCount >= MAX_ACTIONS) return;
  const p = actions(w) + w.actionCount++ * 6;
  store<u16>(p, u16(id));
  store<u16>(p, entry < 0 ? 0 : load<u16>(pathStart + entry * 2), 2);
  store<u8>(p, entry < 0 ? 0 : load<u8>(pathLength + entry), 4);
  store<u8>(p, then, 5);
}
@inline export function offeredId(w: World, index: i32): u32 {
  return load<u16>(actions(w) + index * 6);
}
/** Index of an action in the list, or -1 if it is not offered. */
export function findOffered(w: World, id: u32): i32 {
  for (let index = 0; index < w.actionCount; index++) if (offeredId(w, index) == id) return index;
  return -1;
}
/** Number of low-level actions of a listed action. */
export function lengthOf(w: World, index: i32): i32 {
  const p = actions(w) + index * 6;
  return i32(load<u8>(p, 4)) + tailLengths[load<u8>(p, 5)];
}
export function lowLevel(w: World, index: i32, step: i32): u8 {
  const p = actions(w) + index * 6;
  const length = i32(load<u8>(p, 4));
  if (step < length) return load<u8>(paths(w) + load<u16>(p, 2) + step);
  return tails[i32(load<u8>(p, 5)) * 2 + step - length];
}

// While `examinedId` is an action, the reason for its refusal is recorded in `refusalReason` (the last one wins).
let examinedId: u32 = NO_ACTION;
let refusalReason: u8 = OK;
const refusals: usize = memory.data(256 * 4);
export let refusalCount: i32 = 0;
let collect: bool = false;
function refuse(id: u32, why: u8): void {
  if (id == examinedId) refusalReason = why;
  if (collect && refusalCount < 256) {
    store<u16>(refusals + refusalCount * 4, u16(id));
    store<u8>(refusals + refusalCount++ * 4, why, 2);
  }
}
export function refusedId(index: i32): u32 {
  return load<u16>(refusals + index * 4);
}
export function refusedWhy(index: i32): u8 {
  return load<u8>(refusals + index * 4, 2);
}
const counts: usize = memory.data(64);
@inline function countOf(what: u8): u32 {
  return load<u8>(counts + what);
}
@inline function setCount(what: u8, count: u32): void {
  store<u8>(counts + what, u8(count));
}
@inline function isReachable(k: i32): bool {
  return load<i8>(pathLength + k) != NONE;
}

function offerEach(w: World, kind: u32, then: u8, doors: bool): void {
  memory.fill(counts, 0, 64);
  for (let k = 0; k < objectCount; k++) {
    const what = lookOfSeen(k);
    if (!doors && isDoorLook(what)) continue;
    const next = countOf(what) + 1;
    if (!isReachable(k)) {
      refuse(actionId(kind, what, next), NO_PATH);
      continue;
    }
    setCount(what, next);
    offer(w, actionId(kind, what, next), then, k);
  }
}
/** True if a seen object other than a door is directly in front. */
function isFrontTaken(w: World): bool {
  const front = load<u8>(view(w) + 38);
  return front >= LOOK_WALL && !isDoorLook(front) && w.x + stepX(w.dir) >= 0 && w.y + stepY(w.dir) >= 0;
}
function offerDrop(w: World): void {
  if (!w.carried) refuse(actionId(DO_DROP), DROP_NOTHING);
  else if (isFrontTaken(w)) refuse(actionId(DO_DROP), DROP_BLOCKED);
  else offer(w, actionId(DO_DROP), THEN_DROP);
}
function offerOpenDoor(w: World, k: i32, what: u8, count: u32): void {
  const id = actionId(DO_GO_THROUGH, what, count);
  if (load<i8>(pathLength + 64 + k) == NONE) refuse(id, NO_PATH);
  else offer(w, id, THEN_NOTHING, 64 + k);
}
function offerShutDoor(w: World, k: i32, what: u8, count: u32): void {
  const id = actionId(DO_TOGGLE_THROUGH, what, count);
  if (stateOfLook(what) == CLOSED) refuse(actionId(DO_GO_THROUGH, what, count), IS_CLOSED);
  else if (!w.carried || typeOf(w, w.carried) != KEY) return refuse(id, NO_KEY);
  else if (colorOf(w, w.carried) != colorOfLook(what)) return refuse(id, WRONG_KEY);
  if (!isReachable(k)) return refuse(id, NO_PATH_TOGGLE);
  offer(w, id, THEN_TOGGLE_FORWARD, k);
  if (load<i8>(pathLength + k) == 0) offer(w, actionId(DO_TOGGLE), THEN_TOGGLE);
}
function offerDoors(w: World): void {
  memory.fill(counts, 0, 64);
  for (let k = 0; k < objectCount; k++) {
    const what = lookOfSeen(k);
    if (!isDoorLook(what)) continue;
    const count = countOf(what) + 1;
    setCount(what, count);
    if (stateOfLook(what) == OPEN) offerOpenDoor(w, k, what, count);
    else offerShutDoor(w, k, what, count);
  }
}
/** Opening a box: only in level 26, where the key is in a box, and not in upstream mode, which has no action for it. */
function offerOpenBox(w: World): void {
  if (!w.upstream && w.level == 26 && isBox(load<u8>(view(w) + 38))) offer(w, actionId(DO_TOGGLE), THEN_TOGGLE);
}

/** Rebuilds the list of actions from the latest view. */
export function listActions(w: World): void {
  readView(w);
  w.actionCount = 0;
  w.pathBytes = 0;
  if (objectCount) search(w);
  offer(w, actionId(DO_LEFT), THEN_LEFT);
  offer(w, actionId(DO_RIGHT), THEN_RIGHT);
  if (barrierDistance == 1) refuse(actionId(DO_FORWARD), BARRIER);
  else offer(w, actionId(DO_FORWARD), THEN_FORWARD);
  if (!w.carried) offerEach(w, DO_PICKUP, THEN_PICKUP, false);
  offerDrop(w);
  offerDoors(w);
  offerOpenBox(w);
  offerEach(w, DO_GO_TO, THEN_NOTHING, true);
  offer(w, actionId(DO_CHECK), THEN_NOTHING);
}
/** Reason to refuse an action that is not in the list; OK if the action does not exist at all. */
export function whyRefused(w: World, id: u32): u8 {
  examinedId = id;
  refusalReason = OK;
  listActions(w);
  examinedId = NO_ACTION;
  return refusalReason;
}
/** Collects all refusals of the present view, for replays. */
export function collectRefusals(w: World): void {
  collect = true;
  refusalCount = 0;
  listActions(w);
  collect = false;
}
