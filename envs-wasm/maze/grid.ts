/**
 * Mazes: the original's, and mazes drawn from a seed. A maze of n by n rooms is a grid of 2n + 1 by 2n + 1 cells: rooms
 * are at odd rows and columns, and the cell between two rooms is free if they are connected. Independent of episodes.
 */
import { randomBelow, seedRandom } from '../shared/mt19937';

export const MOST_ROOMS: i32 = 20;
export const MOST_CELLS: i32 = (2 * MOST_ROOMS + 1) * (2 * MOST_ROOMS + 1);

/** The current maze: `rows` by `columns` bytes; 1 is a wall. */
export const cells = new StaticArray<u8>(MOST_CELLS);
export let rows: i32 = 0;
export let columns: i32 = 0;
export let goal: i32 = 0;
export let start: i32 = 0;

/** Change of a cell's index by a move (0 left, 1 right, 2 up, 3 down) in a grid of `width` columns. */
export function stepOf(move: i32, width: i32): i32 {
  return move == 0 ? -1 : move == 1 ? 1 : move == 2 ? -width : width;
}

/**
 * Distances from a cell in moves; -1 if unreachable. `queue` contains the cells in the order in which they were
 * reached.
 */
export const distance = new StaticArray<i32>(MOST_CELLS);
const queue = new StaticArray<i32>(MOST_CELLS);

/** Breadth-first search over the free cells of a grid. Returns the distance of the farthest cell. */
export function measure(grid: usize, width: i32, size: i32, from: i32): i32 {
  for (let i = 0; i < size; i++) unchecked((distance[i] = -1));
  unchecked((distance[from] = 0));
  unchecked((queue[0] = from));
  let length = 1;
  for (let k = 0; k < length; k++) {
    const at = unchecked(queue[k]);
    for (let move = 0; move < 4; move++) {
      const next = at + stepOf(move, width);
      if (load<u8>(grid + next) != 0 || unchecked(distance[next]) >= 0) continue;
      unchecked((distance[next] = distance[at] + 1));
      unchecked((queue[length++] = next));
    }
  }
  return unchecked(distance[queue[length - 1]]);
}

// --- the original's ---------------------------------------------------------------------------------------------------

const ORIGINAL_ROWS: i32 = 10;
const ORIGINAL_COLUMNS: i32 = 13;
const original: string =
  '1111111111111' + '1000001000001' + '1110111110111' + '1110111110111' + '1110111110111' +
  '1110000000111' + '1111110111111' + '1111110111111' + '1111110111111' + '1111111111111';

/**
 * Row and column of the start of each game, in the order of their ids. The last one is the goal and cannot be played.
 */
const originalStarts: StaticArray<u8> = [
  1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 7, 1, 8, 1, 9, 1, 10, 1, 11, 2, 3, 3, 3, 4, 3, 5, 3, 5, 4, 5, 5, 5, 6, 6, 6, 7, 6, 5, 7,
  5, 8, 5, 9, 4, 9, 3, 9, 2, 9,
];
export const ORIGINAL_GAMES: i32 = 25;

/** Loads game `id` (0 to 24) of the original. All games have the same grid. */
export function takeOriginal(id: i32): void {
  rows = ORIGINAL_ROWS;
  columns = ORIGINAL_COLUMNS;
  for (let i = 0; i < rows * columns; i++) cells[i] = original.charCodeAt(i) == 49 ? 1 : 0;
  goal = 8 * columns + 6;
  start = originalStarts[2 * id] * columns + originalStarts[2 * id + 1];
}

// --- mazes from a seed ------------------------------------------------------------------------------------------------

/** One layout in this many is held out, chosen by the hash of its walls. */
const HELD_OUT_IN: u32 = 5;
const path = new StaticArray<i32>(MOST_ROOMS * MOST_ROOMS);
const choices = new StaticArray<i32>(4);
const walls = new StaticArray<i32>(2 * MOST_ROOMS * MOST_ROOMS);

/** Cell of the neighbouring room in the direction of a move, two cells away, or -1 outside the grid. */
function roomBeyond(room: i32, move: i32): i32 {
  const row = room / columns + (move == 2 ? -2 : move == 3 ? 2 : 0);
  const column = (room % columns) + (move == 0 ? -2 : move == 1 ? 2 : 0);
  return row > 0 && row < rows && column > 0 && column < columns ? row * columns + column : -1;
}

/**
 * Random depth-first walk through all rooms. It connects each room to the one from which it was first entered, so there
 * are no loops and paths are long.
 */
function carve(rooms: i32): void {
  for (let i = 0; i < rows * columns; i++) cells[i] = 1;
  const first = (2 * randomBelow(rooms) + 1) * columns + 2 * randomBelow(rooms) + 1;
  cells[first] = 0;
  path[0] = first;
  let length = 1;
  while (length > 0) {
    const room = path[length - 1];
    let open = 0;
    for (let move = 0; move < 4; move++) {
      const beyond = roomBeyond(room, move);
      if (beyond >= 0 && cells[beyond] != 0) choices[open++] = move;
    }
    if (open == 0) { length--; continue; }
    const move = choices[randomBelow(open)];
    const beyond = roomBeyond(room, move);
    cells[room + stepOf(move, columns)] = 0;
    cells[beyond] = 0;
    path[length++] = beyond;
  }
}

/** Removes `percent` of the remaining walls between two rooms. */
function addLoops(percent: i32): void {
  let count = 0;
  for (let row = 1; row < rows - 1; row++)
    for (let column = 1; column < columns - 1; column++) {
      const at = row * columns + column;
      if ((row + column) % 2 == 1 && cells[at] != 0) walls[count++] = at;
    }
  for (let open = (count * percent) / 100; open > 0; open--) {
    const k = randomBelow(count);
    cells[walls[k]] = 0;
    walls[k] = walls[--count];
  }
}

/** FNV-1a over the walls. */
function layoutHash(): u32 {
  let hash: u32 = 2166136261;
  for (let i = 0; i < rows * columns; i++) hash = (hash ^ <u32>cells[i]) * 16777619;
  hash ^= hash >> 15;
  return hash * 2246822519 ^ (hash >> 13);
}

/**
 * Places the goal in any room, and the start in another room whose distance is at least `nearest` percent of the
 * farthest one's.
 */
function placeEnds(rooms: i32, nearest: i32): void {
  goal = (2 * randomBelow(rooms) + 1) * columns + 2 * randomBelow(rooms) + 1;
  // Rooms are at even distances, but the farthest cell may lie between two rooms, on a loop.
  const farthest = measure(changetype<usize>(cells), columns, rows * columns, goal) & ~1;
  do {
    start = (2 * randomBelow(rooms) + 1) * columns + 2 * randomBelow(rooms) + 1;
  } while (start == goal || 100 * distance[start] < nearest * farthest);
}

/**
 * Draws a maze from a seed: `rooms` by `rooms` rooms (3 to 20). `loops` percent (0 to 50) of the walls that remain in a
 * maze without loops are removed; `nearest` (0 to 100) is explained at `placeEnds`. The walls alone decide whether a
 * layout is held out, so no held-out maze occurs in training: layouts of the other kind are drawn again. (Even 3 by 3
 * rooms have enough layouts of both kinds for this to end soon.)
 */
export function draw(seed: u32, rooms: i32, loops: i32, nearest: i32, heldOut: bool): void {
  rows = columns = 2 * rooms + 1;
  seedRandom(seed);
  do {
    carve(rooms);
    addLoops(loops);
  } while ((layoutHash() % HELD_OUT_IN == 0) != heldOut);
  placeEnds(rooms, nearest);
}
