// What is still to explore (frontier-based exploration: Yamauchi 1997, "A frontier-based approach for autonomous
// exploration"), for a reader of the text who knows the size and the number of the level's rooms. An unseen cell of a
// room may hold an object. An unseen cell of a wall may hold the door to an unseen room, unless another door of this wall
// was seen: no wall has two. Rooms that the level has no place for, beside those seen, are no rooms.
import { columnOf, directionOf, HERE, isImpliedWall, isLine, isOnColumn, isOnRow, REACH, rowOf } from './memory';
import {
  aheadOf, asideOf, at, CELLS, idAt, isDoorLook, isReported, LOCKED, LOOK_WALL, lookAt, PAD, stateOf, STRIDE, World,
} from './world';

const OBJECT: u8 = 1;
const DOOR_TO_UNSEEN: u8 = 4;
/** Value of each unseen cell, by what it may hold. */
export const worth: usize = memory.data(CELLS);

/** True for a room of which a cell was reported; rooms are numbered from 1 in each direction. */
const isRoomSeen = new StaticArray<bool>(16);
let leftmost: i32 = 0;
let rightmost: i32 = 0;
let topmost: i32 = 0;
let lowest: i32 = 0;
/** Column or row of the room that a cell is in, or of the room right of (below) a wall: 1 to 3 inside the grid. */
@inline function roomAt(w: World, k: i32): i32 {
  return (k + 2 * (w.roomSize - 1)) / (w.roomSize - 1) - 1;
}
function noteRooms(w: World): void {
  for (let k = 0; k < 16; k++) isRoomSeen[k] = false;
  leftmost = 3;
  rightmost = 1;
  topmost = 3;
  lowest = 1;
  for (let y = 1; y < w.height - 1; y++) {
    for (let x = 1; x < w.width - 1; x++) {
      if (isLine(w, x) || isLine(w, y) || !isReported(w, at(x, y))) continue;
      const column = roomAt(w, x);
      const row = roomAt(w, y);
      isRoomSeen[row * 4 + column] = true;
      leftmost = min(leftmost, column);
      rightmost = max(rightmost, column);
      topmost = min(topmost, row);
      lowest = max(lowest, row);
    }
  }
}
/** True if the level may have a room there: the reader knows how many columns and rows it has, not which it has seen. */
function mayExist(w: World, column: i32, row: i32): bool {
  if (w.columnWallImplied && max(column, rightmost) - min(column, leftmost) >= w.cols) return false;
  return !w.rowWallImplied || max(row, lowest) - min(row, topmost) < w.rows;
}
function isUnseen(w: World, column: i32, row: i32): bool {
  if (!w.columnWallImplied || !w.rowWallImplied) return true;
  return column < 1 || row < 1 || column > 3 || row > 3 || !isRoomSeen[row * 4 + column];
}
/** True if a door of the wall that this cell is part of was seen. */
function hasDoor(w: World, x: i32, y: i32, alongX: i32, alongY: i32): bool {
  for (let sign = -1; sign <= 1; sign += 2) {
    for (let k = 1; k < w.roomSize; k++) {
      const x2 = x + alongX * k * sign;
      const y2 = y + alongY * k * sign;
      if (isLine(w, alongX ? x2 : y2) || x2 < -PAD || y2 < -PAD || x2 >= STRIDE - PAD || y2 >= STRIDE - PAD) break;
      if (isReported(w, at(x2, y2)) && isDoorLook(lookAt(w, at(x2, y2)))) return true;
    }
  }
  return false;
}
function worthOf(w: World, x: i32, y: i32): u8 {
  const onColumn = isOnColumn(w, x);
  const onRow = isOnRow(w, y);
  if (onColumn && onRow) return 0;
  const column = roomAt(w, x);
  const row = roomAt(w, y);
  if (!mayExist(w, column, row)) return 0;
  if (!onColumn && !onRow) return OBJECT;
  const column2 = onColumn ? column - 1 : column;
  const row2 = onRow ? row - 1 : row;
  if (!mayExist(w, column2, row2) || hasDoor(w, x, y, i32(onRow), i32(onColumn))) return 0;
  return isUnseen(w, column, row) || isUnseen(w, column2, row2) ? DOOR_TO_UNSEEN : 0;
}
/** Fills `worth`. */
export function judgeCells(w: World): void {
  noteRooms(w);
  for (let y = -PAD; y < STRIDE - PAD; y++) {
    for (let x = -PAD; x < STRIDE - PAD; x++) {
      store<u8>(worth + at(x, y), isReported(w, at(x, y)) ? 0 : worthOf(w, x, y));
    }
  }
}

// A walk from the agent through all that may be passed, nearest cells first, through closed doors too.
/** Sum of `worth` over the unseen cells of the room, by the direction in which they would come into sight. */
export const toSee = new StaticArray<i32>(4);
/** Sum of `worth` behind each door of the room that is not locked, each cell divided by the doors on the way, in twelfths. */
export const behindDoor = new StaticArray<i32>(256);
/** Doors with something to see behind them, the most first. */
export const exits = new StaticArray<i32>(256);
export let exitCount: i32 = 0;
/** Locked doors of the room, nearest first. */
export const locks = new StaticArray<i32>(256);
export let lockCount: i32 = 0;
const queue: usize = memory.data(CELLS * 2);
/** The door of the room on the way to each cell: 0 not reached, 1 none, else the door's id + 1. */
const wayTo: usize = memory.data(CELLS * 2);
/** Number of doors on the way. */
const doorsTo: usize = memory.data(CELLS);
let queued: i32 = 0;

function enter(cell: usize, way: u16, doors: u8): void {
  store<u16>(wayTo + cell * 2, way);
  store<u8>(doorsTo + cell, doors);
  store<u16>(queue + queued++ * 2, u16(cell));
}
function visit(w: World, x: i32, y: i32, way: u16, doors: u8): void {
  if (x < 0 || y < 0 || x >= STRIDE - PAD || y >= STRIDE - PAD) return;
  if (way == HERE && (abs(x - w.x) > REACH || abs(y - w.y) > REACH)) return;
  const cell = at(x, y);
  if (load<u16>(wayTo + cell * 2)) return;
  const look = isReported(w, cell) ? lookAt(w, cell) : 0;
  if (isDoorLook(look)) {
    const door = i32(idAt(w, cell));
    const isLocked = stateOf(w, door) == LOCKED;
    if (way == HERE) {
      if (isLocked) locks[lockCount++] = door;
      else exits[exitCount++] = door;
    }
    if (isLocked) store<u16>(wayTo + cell * 2, HERE);
    else enter(cell, way == HERE ? u16(door + 1) : way, doors + 1);
    return;
  }
  // A wall that was seen has no door here.
  if (isImpliedWall(w, x, y) && (look == LOOK_WALL || (isOnColumn(w, x) && isOnRow(w, y)))) return;
  enter(cell, way, doors);
}
function walk(w: World): void {
  memory.fill(wayTo, 0, CELLS * 2);
  for (let direction = 0; direction < 4; direction++) toSee[direction] = 0;
  for (let id = 0; id < 256; id++) behindDoor[id] = 0;
  exitCount = 0;
  lockCount = 0;
  queued = 0;
  enter(at(w.x, w.y), HERE, 0);
  for (let k = 0; k < queued; k++) {
    const cell = usize(load<u16>(queue + k * 2));
    const x = columnOf(cell);
    const y = rowOf(cell);
    const way = load<u16>(wayTo + cell * 2);
    const doors = load<u8>(doorsTo + cell);
    if (!isReported(w, cell)) {
      const value = i32(load<u8>(worth + cell));
      if (way == HERE) toSee[directionOf(aheadOf(w, x, y), asideOf(w, x, y))] += value;
      else behindDoor[i32(way) - 1] += value * 12 / max(i32(doors), 1);
      if (isImpliedWall(w, x, y)) continue;
    }
    visit(w, x + 1, y, way, doors);
    visit(w, x - 1, y, way, doors);
    visit(w, x, y + 1, way, doors);
    visit(w, x, y - 1, way, doors);
  }
}
/** Sorts `exits` by what is behind them, the most first and equal ones as they were, and leaves out those with nothing. */
function sortExits(): void {
  let kept = 0;
  for (let k = 0; k < exitCount; k++) {
    const door = exits[k];
    if (behindDoor[door] < 12) continue;
    let place = kept++;
    for (; place > 0 && behindDoor[exits[place - 1]] < behindDoor[door]; place--) exits[place] = exits[place - 1];
    exits[place] = door;
  }
  exitCount = kept;
}
/** Fills `toSee`, `behindDoor`, `exits` and `locks`. */
export function explore(w: World): void {
  judgeCells(w);
  walk(w);
  sortExits();
}
