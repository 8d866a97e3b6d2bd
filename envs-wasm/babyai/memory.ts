// What an agent may keep in mind of what the text told it: how much of the room it did not see yet, behind which doors there is more to
// see, and what is out of sight. Goes by what was in view at the end of a turn, by the walls that were told of and by the level's room size;
// never by what is there unseen.
import { description, Description, hasLeaf, leaf, PUT_NEXT } from './instructions';
import { seenAt } from './steps';
import {
  aheadOf, ANY, asideOf, at, cellOf, CELLS, colorOf, DOOR, idAt, isDoorLook, isRead, KEY, LOCKED, LOOK_WALL, lookAt,
  NOWHERE, OPEN, PAD, stateOf, stateOfLook, STRIDE, typeOf, World,
} from './world';

@inline function isOnColumn(w: World, x: i32): bool {
  return w.toldColumn && x % (w.roomSize - 1) == 0;
}
@inline function isOnRow(w: World, y: i32): bool {
  return w.toldRow && y % (w.roomSize - 1) == 0;
}
/** A wall stands here for all that was told: walls go along the whole grid, a room's size apart. */
export function isWallTold(w: World, x: i32, y: i32): bool {
  return isOnColumn(w, x) || isOnRow(w, y);
}

@inline function columnOf(cell: usize): i32 {
  return i32(cell) % STRIDE - PAD;
}
@inline function rowOf(cell: usize): i32 {
  return i32(cell) / STRIDE - PAD;
}
export function aheadOfThing(w: World, id: i32): i32 {
  return aheadOf(w, columnOf(cellOf(w, id)), rowOf(cellOf(w, id)));
}
export function asideOfThing(w: World, id: i32): i32 {
  return asideOf(w, columnOf(cellOf(w, id)), rowOf(cellOf(w, id)));
}
/** Where the thing is in the view (as `placeOfSeen` numbers it); -1: out of sight. */
export function placeInView(w: World, id: i32): i32 {
  const ahead = aheadOfThing(w, id);
  const aside = asideOfThing(w, id);
  if (ahead < 0 || ahead > 6 || abs(aside) > 3 || !seenAt(w, ahead, aside)) return -1;
  return (6 - ahead) * 7 + 3 + aside;
}

// A walk from the agent through all that is not known to be shut, the nearest cells first.
export const AHEAD_OF: i32 = 0;
export const RIGHT_OF: i32 = 1;
export const BEHIND_OF: i32 = 2;
export const LEFT_OF: i32 = 3;
/** Cells of the room that were not seen, by the direction in which they would come in sight; a walk's worth to each side. */
export const unseen = new StaticArray<i32>(4);
/** Cells that were not seen behind each open door of the room, by its id; a room's worth for each shut door there. */
export const unseenBehind = new StaticArray<i32>(256);
/** Steps to each side that the room's cells are counted in. */
const REACH: i32 = 12;
const queue: usize = memory.data(CELLS * 2);
/** 0: not met; 1: in this room; else one more than the id of the room's door that leads there first. */
const by: usize = memory.data(CELLS * 2);
const HERE: u16 = 1;
let queued: i32 = 0;
/** Doors of the room, the nearest first. */
const exits = new StaticArray<i32>(256);
let exitCount: i32 = 0;

/** Takes a step of the walk from a cell that was met by way of `from`. */
function meet(w: World, x: i32, y: i32, from: u16): void {
  if (x < 0 || y < 0 || x >= STRIDE - PAD || y >= STRIDE - PAD) return;
  if (from == HERE && (abs(x - w.x) > REACH || abs(y - w.y) > REACH)) return;
  const cell = at(x, y);
  if (load<u16>(by + cell * 2)) return;
  if (isRead(w, cell) && isDoorLook(lookAt(w, cell))) return meetDoor(w, cell, from);
  if (isWallTold(w, x, y)) {
    // A wall that was not seen may have a door in it, but where two walls meet.
    const isShut = isRead(w, cell) ? lookAt(w, cell) == LOOK_WALL : isOnColumn(w, x) && isOnRow(w, y);
    if (isShut) return;
  }
  enter(cell, from);
}
function meetDoor(w: World, cell: usize, from: u16): void {
  const door = i32(idAt(w, cell));
  if (from == HERE) exits[exitCount++] = door;
  const way = from == HERE ? u16(door + 1) : from;
  if (stateOfLook(lookAt(w, cell)) == OPEN) return enter(cell, way);
  store<u16>(by + cell * 2, way);
  if (from != HERE) unseenBehind[i32(from) - 1] += (w.roomSize - 2) * (w.roomSize - 2);
}
function enter(cell: usize, way: u16): void {
  store<u16>(by + cell * 2, way);
  store<u16>(queue + queued++ * 2, u16(cell));
}
/** A turn to the side shows what is at most three steps ahead or behind; what no turn shows counts for the nearer axis. */
function directionOf(ahead: i32, aside: i32): i32 {
  const side = aside > 0 ? RIGHT_OF : LEFT_OF;
  if (aside != 0 && abs(ahead) <= 3) return side;
  if (abs(aside) <= 3 || abs(ahead) >= abs(aside)) return ahead > 0 ? AHEAD_OF : BEHIND_OF;
  return side;
}
/** Fills `unseen`, `unseenBehind` and the room's doors. */
function countUnseen(w: World): void {
  memory.fill(by, 0, CELLS * 2);
  for (let direction = 0; direction < 4; direction++) unseen[direction] = 0;
  for (let id = 0; id < 256; id++) unseenBehind[id] = 0;
  exitCount = 0;
  queued = 0;
  enter(at(w.x, w.y), HERE);
  for (let k = 0; k < queued; k++) {
    const cell = usize(load<u16>(queue + k * 2));
    const x = columnOf(cell);
    const y = rowOf(cell);
    const way = load<u16>(by + cell * 2);
    if (!isRead(w, cell)) {
      if (way == HERE) unseen[directionOf(aheadOf(w, x, y), asideOf(w, x, y))]++;
      else unseenBehind[i32(way) - 1]++;
      if (isWallTold(w, x, y)) continue;
    }
    meet(w, x + 1, y, way);
    meet(w, x - 1, y, way);
    meet(w, x, y + 1, way);
    meet(w, x, y - 1, way);
  }
}

// What to tell of it.
const MOST_DOORS: i32 = 3;
const MOST_THINGS: i32 = 2;
/** Open doors of the room with something to see behind them, the nearest first. */
export const leading = new StaticArray<i32>(MOST_DOORS);
export let leadingCount: i32 = 0;
/** Out of sight: doors of the room that are shut, then keys for known locks and what the goal names; the nearest first. */
export const remembered = new StaticArray<i32>(MOST_DOORS + MOST_THINGS);
export let rememberedCount: i32 = 0;

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
function isThing(w: World, id: i32): bool {
  if (!wasRead(w, id) || placeInView(w, id) >= 0) return false;
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
      if (unseenBehind[door] > 0 && leadingCount < MOST_DOORS) leading[leadingCount++] = door;
    } else if (placeInView(w, door) < 0 && rememberedCount < MOST_DOORS) remembered[rememberedCount++] = door;
  }
}
function rememberThings(w: World): void {
  for (let k = 0; k < MOST_THINGS; k++) {
    let best = 0;
    let nearest = i32.MAX_VALUE;
    for (let id = 1; id <= w.objectCount; id++) {
      if (!isThing(w, id) || isRemembered(id)) continue;
      // Of two equally far the one in the cell that comes first.
      const rank = (abs(aheadOfThing(w, id)) + abs(asideOfThing(w, id))) * CELLS + i32(cellOf(w, id));
      if (rank >= nearest) continue;
      nearest = rank;
      best = id;
    }
    if (!best) return;
    remembered[rememberedCount++] = best;
  }
}
/** Fills `unseen`, `unseenBehind`, `leading` and `remembered`. */
export function remember(w: World): void {
  countUnseen(w);
  leadingCount = 0;
  rememberedCount = 0;
  rememberDoors(w);
  rememberThings(w);
}
