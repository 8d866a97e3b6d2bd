// The room grid: MiniGrid's rooms, doors and placement by rejection, with every draw in its order. It holds one world
// under construction, and its rooms, which are not needed afterwards. Independent of missions.
//
// AssemblyScript has no exceptions. Where the original raises RejectSampling or RecursionError, `failed` is set: from
// then on nothing is drawn or placed, every loop here ends, and `generate` (levels.ts) starts again on the same random
// stream.
//
// After MiniGrid (Apache-2.0, https://github.com/Farama-Foundation/Minigrid).
import { integers } from '../shared/pcg64';
import {
  ANY, at, BALL, BLUE, BOX, clearCell, clearGrid, CLOSED, colorOf, createObject, DOOR, GREEN, GREY, isDoorLook, KEY,
  LOCKED, lookAt, LOOK_EMPTY, LOOK_WALL, PAD, PURPLE, putObject, putWall, RED, STRIDE, stepX, stepY, typeOf, World,
  YELLOW,
} from './world';

export let failed: bool = false;
export function fail(): void {
  failed = true;
}
export function clearFailure(): void {
  failed = false;
}

// Rooms (at most nine), j * cols + i: corner, locked, and doors and door cells by side (right, down, left, up).
const NO_DOOR: i32 = 0;
/** A side without a wall counts as a door. */
const GAP: i32 = 255;
const roomTopX = new StaticArray<i32>(9);
const roomTopY = new StaticArray<i32>(9);
const roomLocked = new StaticArray<bool>(9);
const roomDoors = new StaticArray<i32>(36);
const roomDoorCells = new StaticArray<i32>(36);
/** Type and colour of all objects placed in rooms, for "unique" distractors: bit color * 3 + (type - KEY). */
let placedKinds: u32 = 0;

/** Objects that a generator listed (distractors, doors), to choose from. */
export const listed = new StaticArray<i32>(64);
export let listedCount: i32 = 0;
export function list(id: i32): void {
  listed[listedCount++] = id;
}
export function clearList(): void {
  listedCount = 0;
}

// Draws. A colour is drawn from the names in alphabetical order.
const alphabetical: StaticArray<u8> = [BLUE, GREEN, GREY, PURPLE, RED, YELLOW];
const itemTypes: StaticArray<u8> = [KEY, BALL, BOX];
export function draw(lo: i32, hi: i32): i32 {
  return failed ? lo : integers(lo, hi);
}
export function drawBool(): bool {
  return draw(0, 2) == 0;
}
export function colorByName(index: i32): u8 {
  return alphabetical[index];
}
export function drawColor(): u8 {
  return alphabetical[draw(0, 6)];
}
/** Draws a colour other than `not`, from the alphabetical list without it. */
function drawColorBut(not: u8): u8 {
  const picked = draw(0, 5);
  let index = 0;
  for (let i = 0; i < 6; i++) {
    if (alphabetical[i] == not) continue;
    if (index++ == picked) return alphabetical[i];
  }
  return not;
}
export function drawType(): u8 {
  return itemTypes[draw(0, 3)];
}
/** `_rand_subset`: moves `n` drawn entries from the first `count` of `from` to `out`. */
export function drawSubset(from: StaticArray<i32>, count: i32, n: i32, out: StaticArray<i32>): void {
  for (let k = 0; k < n; k++) {
    const picked = draw(0, count);
    out[k] = from[picked];
    for (let i = picked; i < count - 1; i++) from[i] = from[i + 1];
    count--;
  }
}
export function drawListed(): i32 {
  return listed[draw(0, listedCount)];
}

// Rooms.
export function hasNeighbor(w: World, i: i32, j: i32, side: i32): bool {
  const ni = i + stepX(side);
  const nj = j + stepY(side);
  return ni >= 0 && nj >= 0 && ni < w.cols && nj < w.rows;
}
export function roomAt(w: World, x: i32, y: i32): i32 {
  return (y / (w.roomSize - 1)) * w.cols + x / (w.roomSize - 1);
}
export function agentRoom(w: World): i32 {
  return roomAt(w, w.x, w.y);
}
export function insideRoom(w: World, room: i32, x: i32, y: i32): bool {
  const left = roomTopX[room];
  const top = roomTopY[room];
  return x >= left && y >= top && x < left + w.roomSize && y < top + w.roomSize;
}
export function doorOf(w: World, i: i32, j: i32, side: i32): i32 {
  return roomDoors[(j * w.cols + i) * 4 + side];
}
export function isRealDoor(door: i32): bool {
  return door != NO_DOOR && door != GAP;
}

function drawRoomWalls(w: World, left: i32, top: i32): void {
  const last = w.roomSize - 1;
  for (let k = 0; k <= last; k++) {
    putWall(w, at(left + k, top));
    putWall(w, at(left + k, top + last));
    putWall(w, at(left, top + k));
    putWall(w, at(left + last, top + k));
  }
}
function setDoorCell(w: World, i: i32, j: i32, side: i32, cell: usize): void {
  roomDoorCells[(j * w.cols + i) * 4 + side] = i32(cell);
  roomDoorCells[((j + stepY(side)) * w.cols + i + stepX(side)) * 4 + ((side + 2) & 3)] = i32(cell);
}
function drawDoorCells(w: World, i: i32, j: i32): void {
  const s = w.roomSize;
  const left = i * (s - 1);
  const top = j * (s - 1);
  if (i < w.cols - 1) setDoorCell(w, i, j, 0, at(left + s - 1, draw(top + 1, top + s - 1)));
  if (j < w.rows - 1) setDoorCell(w, i, j, 1, at(draw(left + 1, left + s - 1), top + s - 1));
}

/** Builds walls and door places, and puts the agent provisionally in the middle. */
export function buildRooms(w: World): void {
  const s = w.roomSize;
  clearGrid(w);
  placedKinds = 0;
  listedCount = 0;
  for (let k = 0; k < 36; k++) {
    roomDoors[k] = NO_DOOR;
    roomDoorCells[k] = 0;
  }
  for (let j = 0; j < w.rows; j++) {
    for (let i = 0; i < w.cols; i++) {
      const room = j * w.cols + i;
      roomTopX[room] = i * (s - 1);
      roomTopY[room] = j * (s - 1);
      roomLocked[room] = false;
      drawRoomWalls(w, i * (s - 1), j * (s - 1));
    }
  }
  for (let j = 0; j < w.rows; j++) for (let i = 0; i < w.cols; i++) drawDoorCells(w, i, j);
  w.x = (w.cols >> 1) * (s - 1) + (s >> 1);
  w.y = (w.rows >> 1) * (s - 1) + (s >> 1);
  w.dir = 0;
}

// Placement.
/**
 * Draws a free cell of a room's rectangle; the draw includes walls. If `apart` is true, the cell is at least two steps
 * from the agent. 0 after too many tries.
 */
function drawCell(w: World, i: i32, j: i32, apart: bool): usize {
  const s = w.roomSize;
  const left = i * (s - 1);
  const top = j * (s - 1);
  for (let tries = 0; tries <= 1000 && !failed; tries++) {
    const x = draw(left, min(left + s, w.width));
    const y = draw(top, min(top + s, w.height));
    if (lookAt(w, at(x, y)) != LOOK_EMPTY) continue;
    const distance = abs(x - w.x) + abs(y - w.y);
    if (distance == 0 || (apart && distance < 2)) continue;
    return at(x, y);
  }
  failed = true;
  return 0;
}
function kindBit(type: u8, color: u8): u32 {
  return u32(1) << (u32(color) * 3 + u32(type - KEY));
}
export function placeInRoom(w: World, i: i32, j: i32, id: i32): void {
  const cell = drawCell(w, i, j, true);
  if (failed) return;
  putObject(w, id, cell);
  placedKinds |= kindBit(typeOf(w, id), colorOf(w, id));
}
/** Adds an object to a room. With ANY, the type is drawn, then the colour. */
export function addObject(w: World, i: i32, j: i32, type: u8, color: u8): i32 {
  if (failed) return 0;
  if (type == ANY) type = drawType();
  if (color == ANY) color = drawColor();
  const id = createObject(w, type, color, 0);
  placeInRoom(w, i, j, id);
  return id;
}
/** Adds a door. `locked`: 0 no, 1 yes, ANY drawn. `side`: -1 drawn. */
export function addDoor(w: World, i: i32, j: i32, side: i32, color: u8, locked: u8): i32 {
  if (failed) return 0;
  const room = j * w.cols + i;
  if (side < 0) {
    do side = draw(0, 4);
    while (!hasNeighbor(w, i, j, side) || roomDoors[room * 4 + side] != NO_DOOR);
  }
  if (color == ANY) color = drawColor();
  if (locked == ANY) locked = u8(drawBool());
  roomLocked[room] = locked != 0;
  const door = createObject(w, DOOR, color, locked ? LOCKED : CLOSED);
  putObject(w, door, usize(roomDoorCells[room * 4 + side]));
  connect(w, i, j, side, door);
  return door;
}
function connect(w: World, i: i32, j: i32, side: i32, door: i32): void {
  roomDoors[(j * w.cols + i) * 4 + side] = door;
  roomDoors[((j + stepY(side)) * w.cols + i + stepX(side)) * 4 + ((side + 2) & 3)] = door;
}
export function removeWall(w: World, i: i32, j: i32, side: i32): void {
  const last = w.roomSize - 1;
  const left = i * last;
  const top = j * last;
  for (let k = 1; k < last; k++) {
    const x = side == 0 ? left + last : side == 2 ? left : left + k;
    const y = side == 1 ? top + last : side == 3 ? top : top + k;
    clearCell(w, at(x, y));
  }
  connect(w, i, j, side, GAP);
}

@inline function isFreeAhead(look: u8): bool {
  return look == LOOK_EMPTY || look == LOOK_WALL;
}
/** True if the room has a cell and a direction in which the agent may stand. */
function hasStandingPlace(w: World, i: i32, j: i32): bool {
  const s = w.roomSize;
  for (let y = j * (s - 1); y < j * (s - 1) + s; y++) {
    for (let x = i * (s - 1); x < i * (s - 1) + s; x++) {
      if (lookAt(w, at(x, y)) != LOOK_EMPTY) continue;
      for (let dir = 0; dir < 4; dir++) if (isFreeAhead(lookAt(w, at(x + stepX(dir), y + stepY(dir))))) return true;
    }
  }
  return false;
}
/**
 * Places the agent in a room (-1: drawn), not directly in front of an object. If every pose in the room faces an object
 * (level 35, seed 5139), the original never returns; here the attempt is rejected.
 */
export function placeAgent(w: World, i: i32, j: i32): void {
  if (i < 0) i = draw(0, w.cols);
  if (j < 0) j = draw(0, w.rows);
  for (let tries = 1; !failed; tries++) {
    if (tries % 256 == 0 && !hasStandingPlace(w, i, j)) return fail();
    w.x = -1;
    w.y = -1;
    const cell = i32(drawCell(w, i, j, false));
    if (failed) return;
    w.x = (cell % STRIDE) - PAD;
    w.y = cell / STRIDE - PAD;
    w.dir = draw(0, 4);
    if (isFreeAhead(lookAt(w, at(w.x + stepX(w.dir), w.y + stepY(w.dir))))) return;
  }
}

/** Places the agent in any room but one. */
export function placeAgentOutside(w: World, room: i32): void {
  do placeAgent(w, -1, -1);
  while (!failed && agentRoom(w) == room);
}

function countReachableRooms(w: World): i32 {
  let reached: i32 = 1 << agentRoom(w);
  let count = 0;
  for (let changed = true; changed; ) {
    changed = false;
    count = 0;
    for (let room = 0; room < w.rows * w.cols; room++) {
      if (!((reached >> room) & 1)) continue;
      count++;
      for (let side = 0; side < 4; side++) {
        if (roomDoors[room * 4 + side] == NO_DOOR) continue;
        const next = 1 << (room + stepX(side) + stepY(side) * w.cols);
        if (reached & next) continue;
        reached |= next;
        changed = true;
      }
    }
  }
  return count;
}
/** Adds unlocked doors until every room can be reached. Colours are drawn without `not` (ANY: from all). */
export function connectAll(w: World, not: u8 = ANY): void {
  let reachable = countReachableRooms(w);
  for (let iteration = 0; !failed; iteration++) {
    if (iteration > 5000) return fail();
    if (reachable == w.rows * w.cols) return;
    const i = draw(0, w.cols);
    const j = draw(0, w.rows);
    const side = draw(0, 4);
    const room = j * w.cols + i;
    if (!hasNeighbor(w, i, j, side) || roomDoors[room * 4 + side] != NO_DOOR) continue;
    if (roomLocked[room] || roomLocked[room + stepX(side) + stepY(side) * w.cols]) continue;
    addDoor(w, i, j, side, not == ANY ? drawColor() : drawColorBut(not), 0);
    reachable = countReachableRooms(w);
  }
}

/** Adds `n` objects of drawn colour and type and lists them, in room (i, j) or, with -1, each in a drawn room. */
export function addDistractors(w: World, i: i32, j: i32, n: i32, unique: bool): void {
  let kinds = placedKinds;
  while (n > 0 && !failed) {
    const color = drawColor();
    const type = drawType();
    const bit = kindBit(type, color);
    if (unique && kinds & bit) continue;
    const roomI = i < 0 ? draw(0, w.cols) : i;
    const roomJ = j < 0 ? draw(0, w.rows) : j;
    list(addObject(w, roomI, roomJ, type, color));
    kinds |= bit;
    n--;
  }
}

const reachMark: usize = memory.data(1296);
const reachStack: usize = memory.data(1296 * 8);
/**
 * True if a flood fill from the agent reaches every object. It does not pass through objects, but through doors of any
 * state.
 */
export function allReachable(w: World): bool {
  memory.fill(reachMark, 0, 1296);
  let top = 0;
  store<u16>(reachStack, u16(at(w.x, w.y)));
  top = 1;
  while (top > 0) {
    const cell = usize(load<u16>(reachStack + --top * 2));
    if (load<u8>(reachMark + cell)) continue;
    store<u8>(reachMark + cell, 1);
    const look = lookAt(w, cell);
    if (look != LOOK_EMPTY && !isDoorLook(look)) continue;
    store<u16>(reachStack + top++ * 2, u16(cell + 1));
    store<u16>(reachStack + top++ * 2, u16(cell - 1));
    store<u16>(reachStack + top++ * 2, u16(cell + STRIDE));
    store<u16>(reachStack + top++ * 2, u16(cell - STRIDE));
  }
  for (let y = 0; y < w.height; y++) {
    for (let x = 0; x < w.width; x++) {
      const look = lookAt(w, at(x, y));
      if (look > LOOK_WALL && !load<u8>(reachMark + at(x, y))) return false;
    }
  }
  return true;
}
/** Rejects a world with an object that cannot be reached without moving another. */
export function requireReachable(w: World): void {
  if (!failed && !allReachable(w)) failed = true;
}
