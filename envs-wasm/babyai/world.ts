// Memory of one world: a fixed-size arena, so that a snapshot is one copy, and its accessors. Independent of levels,
// missions and texts.
//
// Every cell has a *look* (its appearance to the agent, one byte) and an *id* (the object in it). Both grids are padded
// with seven cells of wall on each side, so that a 7x7 view never leaves them.

export const PAD: i32 = 7;
export const STRIDE: i32 = 36;
export const CELLS: i32 = STRIDE * STRIDE;
export const MAX_OBJECTS: i32 = 96;
export const MAX_ACTIONS: i32 = 120;
export const PATH_BYTES: i32 = 4096;

// Object types, as MiniGrid numbers them.
export const EMPTY: u8 = 1;
export const WALL: u8 = 2;
export const DOOR: u8 = 4;
export const KEY: u8 = 5;
export const BALL: u8 = 6;
export const BOX: u8 = 7;
/** In a description: any type, any colour. */
export const ANY: u8 = 255;

export const RED: u8 = 0;
export const GREEN: u8 = 1;
export const BLUE: u8 = 2;
export const PURPLE: u8 = 3;
export const YELLOW: u8 = 4;
export const GREY: u8 = 5;

export const OPEN: u8 = 0;
export const CLOSED: u8 = 1;
export const LOCKED: u8 = 2;

// Looks: 0 unseen, 1 empty, 2 wall, 16.. doors (color * 3 + state), 40.. keys, 48.. balls, 56.. boxes.
export const LOOK_UNSEEN: u8 = 0;
export const LOOK_EMPTY: u8 = 1;
export const LOOK_WALL: u8 = 2;
const LOOK_DOOR: u8 = 16;
const LOOK_KEY: u8 = 40;

/** Id of a cell without an object. Objects are numbered from 1. */
export const NOBODY: u8 = 0;

// Offsets of the arrays after the scalar fields.
const LOOKS: usize = 512;
const IDS: usize = LOOKS + CELLS;
/** Ids at the time of the verifier's last update: at reset and after every drop. */
const SEEN_IDS: usize = IDS + CELLS;
const OBJECTS: usize = SEEN_IDS + CELLS;
const VIEW: usize = OBJECTS + MAX_OBJECTS * 8;
/**
 * Cells that the agent has seen since the reset: bit 1 at any moment, bit 2 at the end of a turn, when the text
 * describes the view.
 */
const KNOWN: usize = VIEW + 64;
const ACTIONS: usize = KNOWN + CELLS;
const PATHS: usize = ACTIONS + MAX_ACTIONS * 6;
/** Size of a snapshot: everything except the list of actions, which follows from the view. */
export const SNAPSHOT_BYTES: usize = ACTIONS;
export const WORLD_BYTES: usize = (PATHS + PATH_BYTES + 15) & ~15;

/** Scalar fields. Instructions start at byte 128 (see instructions.ts). */
@unmanaged
export class World {
  score: f64;
  reward: f64;
  level: i32;
  upstream: bool;
  compact: bool;
  /** The text includes the memory of the room. */
  remembers: bool;
  /** The memory tells what is still to explore, by door. */
  frontier: bool;
  /** The text of this world is over: upstream answers with an error. */
  finished: bool;
  /** The last low-level step ended the episode (success or failure), or reached the step limit. */
  terminated: bool;
  truncated: bool;
  succeeded: bool;
  /** The oracle explores unseen cells, and seen cells are recorded. */
  explores: bool;
  /** The oracle uses the text alone. */
  textOnly: bool;
  /** True if the text implied a wall along a column, or along a row, of the grid. */
  columnWallImplied: bool;
  rowWallImplied: bool;
  width: i32;
  height: i32;
  roomSize: i32;
  rows: i32;
  cols: i32;
  x: i32;
  y: i32;
  dir: i32;
  carried: i32;
  stepCount: i32;
  maxSteps: i32;
  objectCount: i32;
  actionCount: i32;
  pathBytes: i32;
}
/** Byte offset of the instructions inside a world. */
export const INSTRUCTIONS: usize = 128;

@inline export function at(x: i32, y: i32): usize {
  return usize((y + PAD) * STRIDE + x + PAD);
}
@inline export function lookAt(w: World, cell: usize): u8 {
  return load<u8>(changetype<usize>(w) + cell, LOOKS);
}
@inline export function idAt(w: World, cell: usize): u8 {
  return load<u8>(changetype<usize>(w) + cell, IDS);
}
@inline export function seenIdAt(w: World, cell: usize): u8 {
  return load<u8>(changetype<usize>(w) + cell, SEEN_IDS);
}
@inline export function looks(w: World): usize {
  return changetype<usize>(w) + LOOKS;
}
@inline export function view(w: World): usize {
  return changetype<usize>(w) + VIEW;
}
@inline export function actions(w: World): usize {
  return changetype<usize>(w) + ACTIONS;
}
@inline export function paths(w: World): usize {
  return changetype<usize>(w) + PATHS;
}

export const IN_PASSING: u8 = 1;
export const AT_TURNS_END: u8 = 2;
/** True if the oracle may use the cell's contents. */
@inline export function isKnown(w: World, cell: usize): bool {
  return (load<u8>(changetype<usize>(w) + cell, KNOWN) & (w.textOnly ? AT_TURNS_END : IN_PASSING)) != 0;
}
/** True if the text may have described the cell. */
@inline export function isReported(w: World, cell: usize): bool {
  return (load<u8>(changetype<usize>(w) + cell, KNOWN) & AT_TURNS_END) != 0;
}
@inline export function setKnown(w: World, cell: usize, when: u8): void {
  store<u8>(changetype<usize>(w) + cell, load<u8>(changetype<usize>(w) + cell, KNOWN) | when, KNOWN);
}
/** Marks all cells as unseen. */
export function forgetCells(w: World): void {
  memory.fill(changetype<usize>(w) + KNOWN, 0, CELLS);
  w.columnWallImplied = false;
  w.rowWallImplied = false;
}

@inline export function stepX(dir: i32): i32 {
  return dir == 0 ? 1 : dir == 2 ? -1 : 0;
}
@inline export function stepY(dir: i32): i32 {
  return dir == 1 ? 1 : dir == 3 ? -1 : 0;
}
/** Steps from the agent to a cell, ahead (negative: behind). */
@inline export function aheadOf(w: World, x: i32, y: i32): i32 {
  return (x - w.x) * stepX(w.dir) + (y - w.y) * stepY(w.dir);
}
/** Steps to the right (negative: left). */
@inline export function asideOf(w: World, x: i32, y: i32): i32 {
  return (y - w.y) * stepX(w.dir) - (x - w.x) * stepY(w.dir);
}
@inline export function frontCell(w: World): usize {
  return at(w.x + stepX(w.dir), w.y + stepY(w.dir));
}

// Looks.
export function lookOf(type: u8, color: u8, state: u8): u8 {
  if (type == DOOR) return LOOK_DOOR + color * 3 + state;
  return LOOK_KEY + (type - KEY) * 8 + color;
}
@inline export function isDoorLook(look: u8): bool {
  return look >= LOOK_DOOR && look < LOOK_KEY;
}
@inline export function isItemLook(look: u8): bool {
  return look >= LOOK_KEY;
}
export function typeOfLook(look: u8): u8 {
  if (look < LOOK_DOOR) return look;
  return look < LOOK_KEY ? DOOR : KEY + ((look - LOOK_KEY) >> 3);
}
export function colorOfLook(look: u8): u8 {
  if (look == LOOK_WALL) return GREY;
  if (look < LOOK_DOOR) return 0;
  return look < LOOK_KEY ? (look - LOOK_DOOR) / 3 : (look - LOOK_KEY) & 7;
}
export function stateOfLook(look: u8): u8 {
  return isDoorLook(look) ? (look - LOOK_DOOR) % 3 : 0;
}
@inline export function isOpaque(look: u8): bool {
  return look == LOOK_WALL || (isDoorLook(look) && (look - LOOK_DOOR) % 3 != OPEN);
}
@inline export function isBox(look: u8): bool {
  return look >= LOOK_KEY + 16;
}

// An object, eight bytes: type, color, state, content, cell (u16, 0xffff outside the grid), look.
@inline function object(w: World, id: i32): usize {
  return changetype<usize>(w) + OBJECTS + usize(id) * 8;
}
@inline export function typeOf(w: World, id: i32): u8 {
  return load<u8>(object(w, id));
}
@inline export function colorOf(w: World, id: i32): u8 {
  return load<u8>(object(w, id), 1);
}
@inline export function stateOf(w: World, id: i32): u8 {
  return load<u8>(object(w, id), 2);
}
@inline export function contentOf(w: World, id: i32): i32 {
  return load<u8>(object(w, id), 3);
}
@inline export function cellOf(w: World, id: i32): usize {
  return load<u16>(object(w, id), 4);
}
@inline export function lookOfObject(w: World, id: i32): u8 {
  return load<u8>(object(w, id), 6);
}
export const NOWHERE: usize = 0xffff;

export function createObject(w: World, type: u8, color: u8, state: u8): i32 {
  const id = ++w.objectCount;
  assert(id < MAX_OBJECTS);
  const p = object(w, id);
  store<u8>(p, type);
  store<u8>(p, color, 1);
  store<u8>(p, state, 2);
  store<u8>(p, 0, 3);
  store<u16>(p, u16(NOWHERE), 4);
  store<u8>(p, lookOf(type, color, state), 6);
  return id;
}
export function setContent(w: World, box: i32, content: i32): void {
  store<u8>(object(w, box), u8(content), 3);
}
/** Changes the colour or door state of an object, in its record and in its cell. */
export function restyle(w: World, id: i32, color: u8, state: u8): void {
  const p = object(w, id);
  store<u8>(p, color, 1);
  store<u8>(p, state, 2);
  const look = lookOf(load<u8>(p), color, state);
  store<u8>(p, look, 6);
  const cell = load<u16>(p, 4);
  if (cell != u16(NOWHERE)) store<u8>(looks(w) + cell, look);
}
export function putObject(w: World, id: i32, cell: usize): void {
  store<u8>(changetype<usize>(w) + cell, u8(id), IDS);
  store<u8>(looks(w) + cell, lookOfObject(w, id));
  store<u16>(object(w, id), u16(cell), 4);
}
/** Empties a cell; its object is then outside the grid. */
export function clearCell(w: World, cell: usize): void {
  const id = idAt(w, cell);
  if (id) store<u16>(object(w, id), u16(NOWHERE), 4);
  store<u8>(changetype<usize>(w) + cell, NOBODY, IDS);
  store<u8>(looks(w) + cell, LOOK_EMPTY);
}
export function putWall(w: World, cell: usize): void {
  store<u8>(looks(w) + cell, LOOK_WALL);
}
/** Clears the grid: wall outside, empty inside, no objects. */
export function clearGrid(w: World): void {
  memory.fill(looks(w), LOOK_WALL, CELLS);
  for (let y = 0; y < w.height; y++) memory.fill(looks(w) + at(0, y), LOOK_EMPTY, w.width);
  memory.fill(changetype<usize>(w) + IDS, NOBODY, CELLS);
  w.objectCount = 0;
}
/** Updates the positions that the verifier uses. */
export function rememberPositions(w: World): void {
  memory.copy(changetype<usize>(w) + SEEN_IDS, changetype<usize>(w) + IDS, CELLS);
}
