// Memory of a reader of the text: the unseen part of the room, the doors that lead to something unseen, and objects out
// of sight. It is computed from the views at the end of each turn, the walls that the text implied and the level's room
// size, never from unseen contents.
import { description, Description, hasLeaf, leaf, PUT_NEXT } from './instructions';
import { seenAt } from './steps';
import {
  aheadOf, ANY, asideOf, at, cellOf, CELLS, colorOf, DOOR, idAt, isDoorLook, isReported, KEY, LOCKED, LOOK_WALL, lookAt,
  NOWHERE, OPEN, PAD, stateOf, stateOfLook, STRIDE, typeOf, World,
} from './world';

/** True for the columns and rows of cells along which walls run. */
@inline export function isLine(w: World, k: i32): bool {
  return k % (w.roomSize - 1) == 0;
}
@inline export function isOnColumn(w: World, x: i32): bool {
  return w.columnWallImplied && isLine(w, x);
}
@inline export function isOnRow(w: World, y: i32): bool {
  return w.rowWallImplied && isLine(w, y);
}
/** True if the text so far implies a wall here: walls cross the whole grid, one room size apart. */
export function isImpliedWall(w: World, x: i32, y: i32): bool {
  return isOnColumn(w, x) || isOnRow(w, y);
}

@inline export function columnOf(cell: usize): i32 {
  return i32(cell) % STRIDE - PAD;
}
@inline export function rowOf(cell: usize): i32 {
  return i32(cell) / STRIDE - PAD;
}
export function aheadOfThing(w: World, id: i32): i32 {
  return aheadOf(w, columnOf(cellOf(w, id)), rowOf(cellOf(w, id)));
}
export function asideOfThing(w: World, id: i32): i32 {
  return asideOf(w, columnOf(cellOf(w, id)), rowOf(cellOf(w, id)));
}
/** Place of an object in the view (numbered as in `placeOfSeen`), or -1 if it is out of sight. */
export function placeInView(w: World, id: i32): i32 {
  const ahead = aheadOfThing(w, id);
  const aside = asideOfThing(w, id);
  if (ahead < 0 || ahead > 6 || abs(aside) > 3 || !seenAt(w, ahead, aside)) return -1;
  return (6 - ahead) * 7 + 3 + aside;
}

// A walk from the agent through everything not known to be shut, nearest cells first.
export const AHEAD_OF: i32 = 0;
export const RIGHT_OF: i32 = 1;
export const BEHIND_OF: i32 = 2;
export const LEFT_OF: i32 = 3;
/**
 * Number of unseen cells of the room, by the direction in which they would come into sight; at most REACH steps to each
 * side.
 */
export const unseen = new StaticArray<i32>(4);
/**
 * Number of unseen cells behind each open door of the room, by the id of the door. A shut door behind it counts as one
 * whole room.
 */
export const unseenBehind = new StaticArray<i32>(256);
/** Cells of the room are counted up to this many steps to each side. */
export const REACH: i32 = 12;
const queue: usize = memory.data(CELLS * 2);
/** Way of the walk to a cell: 0 not reached, 1 within this room, else through a door of the room (its id + 1). */
const reachedBy: usize = memory.data(CELLS * 2);
/** Way of the walk to a cell of the agent's room. */
export const HERE: u16 = 1;
let queued: i32 = 0;
/** Doors of the room, nearest first. */
const exits = new StaticArray<i32>(256);
let exitCount: i32 = 0;

/** Visits the cell (x, y), next to a cell that was reached through the exit `from`. */
function visit(w: World, x: i32, y: i32, from: u16): void {
  if (x < 0 || y < 0 || x >= STRIDE - PAD || y >= STRIDE - PAD) return;
  if (from == HERE && (abs(x - w.x) > REACH || abs(y - w.y) > REACH)) return;
  const cell = at(x, y);
  if (load<u16>(reachedBy + cell * 2)) return;
  if (isReported(w, cell) && isDoorLook(lookAt(w, cell))) return visitDoor(w, cell, from);
  if (isImpliedWall(w, x, y)) {
    // An unseen part of a wall may have a door, except where two walls meet.
    const isShut = isReported(w, cell) ? lookAt(w, cell) == LOOK_WALL : isOnColumn(w, x) && isOnRow(w, y);
    if (isShut) return;
  }
  enter(cell, from);
}
function visitDoor(w: World, cell: usize, from: u16): void {
  const door = i32(idAt(w, cell));
  if (from == HERE) exits[exitCount++] = door;
  const way = from == HERE ? u16(door + 1) : from;
  if (stateOfLook(lookAt(w, cell)) == OPEN) return enter(cell, way);
  store<u16>(reachedBy + cell * 2, way);
  if (from != HERE) unseenBehind[i32(from) - 1] += (w.roomSize - 2) * (w.roomSize - 2);
}
function enter(cell: usize, way: u16): void {
  store<u16>(reachedBy + cell * 2, way);
  store<u16>(queue + queued++ * 2, u16(cell));
}
/**
 * A turn to the side shows cells at most three steps ahead or behind. A cell that no turn shows counts for the nearer
 * axis.
 */
export function directionOf(ahead: i32, aside: i32): i32 {
  const side = aside > 0 ? RIGHT_OF : LEFT_OF;
  if (aside != 0 && abs(ahead) <= 3) return side;
  if (abs(aside) <= 3 || abs(ahead) >= abs(aside)) return ahead > 0 ? AHEAD_OF : BEHIND_OF;
  return side;
}
/** Fills `unseen`, `unseenBehind` and the doors of the room. */
function countUnseen(w: World): void {
  memory.fill(reachedBy, 0, CELLS * 2);
  for (let direction = 0; direction < 4; direction++) unseen[direction] = 0;
  for (let id = 0; id < 256; id++) unseenBehind[id] = 0;
  exitCount = 0;
  queued = 0;
  enter(at(w.x, w.y), HERE);
  for (let k = 0; k < queued; k++) {
    const cell = usize(load<u16>(queue + k * 2));
    const x = columnOf(cell);
    const y = rowOf(cell);
    const way = load<u16>(reachedBy + cell * 2);
    if (!isReported(w, cell)) {
      if (way == HERE) unseen[directionOf(aheadOf(w, x, y), asideOf(w, x, y))]++;
      else unseenBehind[i32(way) - 1]++;
      if (isImpliedWall(w, x, y)) continue;
    }
    visit(w, x + 1, y, way);
    visit(w, x - 1, y, way);
    visit(w, x, y + 1, way);
    visit(w, x, y - 1, way);
  }
}

// Contents of the memory.
const MOST_DOORS: i32 = 3;
const MOST_THINGS: i32 = 2;
/** Open doors of the room with unseen cells behind them, nearest first. */
export const doorsToUnseen = new StaticArray<i32>(MOST_DOORS);
export let doorsToUnseenCount: i32 = 0;
/** Out of sight: shut doors of the room, then keys for known locks and objects that the goal names; nearest first. */
export const remembered = new StaticArray<i32>(MOST_DOORS + MOST_THINGS);
export let rememberedCount: i32 = 0;

function wasReported(w: World, id: i32): bool {
  return id != w.carried && cellOf(w, id) != NOWHERE && isReported(w, cellOf(w, id));
}
/** True if the description's type and colour fit. The text does not show which of several fitting objects is meant. */
function fits(d: Description, w: World, id: i32): bool {
  return (d.type == ANY || d.type == typeOf(w, id)) && (d.color == ANY || d.color == colorOf(w, id));
}
function isNamed(w: World, id: i32): bool {
  for (let index = 0; index < 4; index++) {
    if (!hasLeaf(w, index)) continue;
    if (fits(description(w, index * 2), w, id)) return true;
    if (leaf(w, index).kind == PUT_NEXT && fits(description(w, index * 2 + 1), w, id)) return true;
  }
  return false;
}
/** True if a locked door of this color was seen. */
function isLockKnown(w: World, color: u8): bool {
  for (let id = 1; id <= w.objectCount; id++) {
    if (typeOf(w, id) == DOOR && stateOf(w, id) == LOCKED && colorOf(w, id) == color && wasReported(w, id)) return true;
  }
  return false;
}
function isWorthRemembering(w: World, id: i32): bool {
  if (!wasReported(w, id) || placeInView(w, id) >= 0) return false;
  return (typeOf(w, id) == KEY && isLockKnown(w, colorOf(w, id))) || isNamed(w, id);
}
function isRemembered(id: i32): bool {
  for (let k = 0; k < rememberedCount; k++) if (remembered[k] == id) return true;
  return false;
}
function rememberDoors(w: World): void {
  for (let k = 0; k < exitCount; k++) {
    const door = exits[k];
    if (stateOf(w, door) == OPEN) {
      if (unseenBehind[door] > 0 && doorsToUnseenCount < MOST_DOORS) doorsToUnseen[doorsToUnseenCount++] = door;
    } else if (placeInView(w, door) < 0) rememberDoor(door);
  }
}
export function rememberThings(w: World): void {
  for (let k = 0; k < MOST_THINGS; k++) {
    let best = 0;
    let nearest = i32.MAX_VALUE;
    for (let id = 1; id <= w.objectCount; id++) {
      if (!isWorthRemembering(w, id) || isRemembered(id)) continue;
      // Among equally far objects, the one in the first cell is taken.
      const rank = (abs(aheadOfThing(w, id)) + abs(asideOfThing(w, id))) * CELLS + i32(cellOf(w, id));
      if (rank >= nearest) continue;
      nearest = rank;
      best = id;
    }
    if (!best) return;
    remembered[rememberedCount++] = best;
  }
}
/** Puts one more door into `remembered`. */
export function rememberDoor(door: i32): void {
  if (rememberedCount < MOST_DOORS) remembered[rememberedCount++] = door;
}
export function forget(): void {
  doorsToUnseenCount = 0;
  rememberedCount = 0;
}
/** Fills `unseen`, `unseenBehind`, `doorsToUnseen` and `remembered`. */
export function remember(w: World): void {
  countUnseen(w);
  forget();
  rememberDoors(w);
  rememberThings(w);
}
