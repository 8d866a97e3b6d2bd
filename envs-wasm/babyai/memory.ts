// What an agent may keep in mind of what the text told it: things that are out of sight now, and how much of the room around it did
// not see yet. Goes by what was in view at the end of a turn, by the walls that were told of and by the level's room size; never by what is
// there unseen.
import { description, Description, hasLeaf, leaf, PUT_NEXT } from './instructions';
import { seenAt } from './steps';
import {
  ANY, at, cellOf, CELLS, colorOf, DOOR, isDoorLook, isRead, KEY, LOCKED, LOOK_WALL, lookAt, NOBODY, NOWHERE, OPEN, PAD,
  stateOf, stateOfLook, stepX, stepY, STRIDE, typeOf, World,
} from './world';

/** A wall stands here for all that was told: walls go along the whole grid, a room's size apart. */
export function isWallTold(w: World, x: i32, y: i32): bool {
  const apart = w.roomSize - 1;
  return (w.toldColumn && x % apart == 0) || (w.toldRow && y % apart == 0);
}

// Where the agent is, a cell's steps ahead of it (negative: behind) and to its right.
@inline function aheadOf(w: World, x: i32, y: i32): i32 {
  return (x - w.x) * stepX(w.dir) + (y - w.y) * stepY(w.dir);
}
@inline function asideOf(w: World, x: i32, y: i32): i32 {
  return (y - w.y) * stepX(w.dir) - (x - w.x) * stepY(w.dir);
}
@inline function columnOf(cell: usize): i32 {
  return i32(cell) % STRIDE - PAD;
}
@inline function rowOf(cell: usize): i32 {
  return i32(cell) / STRIDE - PAD;
}

// How much was not seen yet, by direction.
export const AHEAD_OF: i32 = 0;
export const RIGHT_OF: i32 = 1;
export const BEHIND_OF: i32 = 2;
export const LEFT_OF: i32 = 3;
/** Cells in each direction that can be walked to through what is known and unknown, and were not seen. */
export const unseen = new StaticArray<i32>(4);
/** Steps that are looked at in each direction. */
const REACH: i32 = 12;
const queue: usize = memory.data(CELLS * 2);
const met: usize = memory.data(CELLS);
let queued: i32 = 0;
function meet(w: World, x: i32, y: i32): void {
  if (abs(x - w.x) > REACH || abs(y - w.y) > REACH || x < 0 || y < 0 || x >= STRIDE - PAD || y >= STRIDE - PAD) return;
  const cell = at(x, y);
  if (load<u8>(met + cell) || isClosed(w, x, y)) return;
  store<u8>(met + cell, 1);
  store<u16>(queue + queued++ * 2, u16(cell));
}
/** What cannot be walked through for all that is known: a wall that was told of, a door that is not open. */
function isClosed(w: World, x: i32, y: i32): bool {
  const look = lookAt(w, at(x, y));
  if (!isRead(w, at(x, y)) || look == LOOK_WALL) return isWallTold(w, x, y);
  return isDoorLook(look) && stateOfLook(look) != OPEN;
}
function directionOf(ahead: i32, aside: i32): i32 {
  if (ahead >= abs(aside)) return AHEAD_OF;
  if (-ahead >= abs(aside)) return BEHIND_OF;
  return aside > 0 ? RIGHT_OF : LEFT_OF;
}
/** Fills `unseen`. */
export function countUnseen(w: World): void {
  memory.fill(met, 0, CELLS);
  for (let direction = 0; direction < 4; direction++) unseen[direction] = 0;
  queued = 0;
  meet(w, w.x, w.y);
  for (let k = 0; k < queued; k++) {
    const cell = usize(load<u16>(queue + k * 2));
    const x = columnOf(cell);
    const y = rowOf(cell);
    if (!isRead(w, cell)) unseen[directionOf(aheadOf(w, x, y), asideOf(w, x, y))]++;
    meet(w, x + 1, y);
    meet(w, x - 1, y);
    meet(w, x, y + 1);
    meet(w, x, y - 1);
  }
}

// Things that were seen and are out of sight.
const MOST_SHUT: i32 = 3;
const MOST_OPEN: i32 = 1;
const MOST_THINGS: i32 = 2;
/** Ids of what is remembered, the nearest of each kind first: doors that are not open, open ones, keys for known locks and what the goal names. */
export const remembered = new StaticArray<i32>(MOST_SHUT + MOST_OPEN + MOST_THINGS);
export let rememberedCount: i32 = 0;
const SHUT: i32 = 1;
const OPENED: i32 = 2;
const THING: i32 = 3;
export function aheadOfThing(w: World, id: i32): i32 {
  return aheadOf(w, columnOf(cellOf(w, id)), rowOf(cellOf(w, id)));
}
export function asideOfThing(w: World, id: i32): i32 {
  return asideOf(w, columnOf(cellOf(w, id)), rowOf(cellOf(w, id)));
}
function isInView(w: World, id: i32): bool {
  const ahead = aheadOfThing(w, id);
  const aside = asideOfThing(w, id);
  return ahead >= 0 && ahead <= 6 && abs(aside) <= 3 && seenAt(w, ahead, aside) != 0;
}
function wasRead(w: World, id: i32): bool {
  return id != w.carried && cellOf(w, id) != NOWHERE && isRead(w, cellOf(w, id));
}
/** By its words alone: which of several is meant may not be known. */
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
/** A locked door of this color was seen. */
function isLockKnown(w: World, color: u8): bool {
  for (let id = 1; id <= w.objectCount; id++) {
    if (typeOf(w, id) == DOOR && stateOf(w, id) == LOCKED && colorOf(w, id) == color && wasRead(w, id)) return true;
  }
  return false;
}
/** What a thing is remembered as; 0: it is not. */
function kindOf(w: World, id: i32): i32 {
  if (!wasRead(w, id) || isInView(w, id)) return 0;
  if (typeOf(w, id) == DOOR) return stateOf(w, id) == OPEN ? OPENED : SHUT;
  return (typeOf(w, id) == KEY && isLockKnown(w, colorOf(w, id))) || isNamed(w, id) ? THING : 0;
}
function keep(w: World, kind: i32, most: i32): void {
  let last = -1;
  for (let k = 0; k < most; k++) {
    let best = NOBODY as i32;
    let nearest = i32.MAX_VALUE;
    for (let id = 1; id <= w.objectCount; id++) {
      if (load<u8>(kinds + id) != kind) continue;
      // Of two equally far the one with the smaller id, which says nothing: ids are turned into cells.
      const rank = (abs(aheadOfThing(w, id)) + abs(asideOfThing(w, id))) * CELLS + i32(cellOf(w, id));
      if (rank <= last || rank >= nearest) continue;
      nearest = rank;
      best = id;
    }
    if (!best) return;
    last = nearest;
    remembered[rememberedCount++] = best;
  }
}
const kinds: usize = memory.data(256);
/** Fills `remembered`. */
export function remember(w: World): void {
  for (let id = 1; id <= w.objectCount; id++) store<u8>(kinds + id, u8(kindOf(w, id)));
  rememberedCount = 0;
  keep(w, SHUT, MOST_SHUT);
  keep(w, OPENED, MOST_OPEN);
  keep(w, THING, MOST_THINGS);
}
