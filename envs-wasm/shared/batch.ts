/**
 * A batch of calls: columns of 32-bit numbers, one row for each slot of the call, read and written by host and world.
 * The texts of the rows follow one another in the buffers of text.ts. Independent of any world.
 *
 * Columns in order: slot, length of the input text in bytes, length of the answer in bytes, flags, and four numbers
 * that the task defines.
 */
import { outputLength } from './text';

const COLUMNS: i32 = 8;
let capacity: i32 = 0;
let block: usize = 0;

/** Makes room for `count` rows. The columns may move: read `columns()` again afterwards. */
export function ensureBatch(count: i32): void {
  if (count <= capacity) return;
  capacity = max(capacity, 64);
  while (capacity < count) capacity *= 2;
  block = heap.alloc(<usize>capacity * 4 * COLUMNS);
}

/** Address of the first column. Each further column begins `capacity` * 4 bytes after the previous one. */
export function columns(): usize { return block; }
export function batchCapacity(): i32 { return capacity; }

function cell(column: i32, row: i32): usize { return block + (<usize>(column * capacity + row) << 2); }

export function slotOf(row: i32): i32 { return load<i32>(cell(0, row)); }
export function inputLengthOf(row: i32): i32 { return load<i32>(cell(1, row)); }
/** Number `index` (0 to 3) of the row's task. */
export function taskNumber(row: i32, index: i32): i32 { return load<i32>(cell(4 + index, row)); }

/** Ends the answer of a row: everything written since the output had `before` bytes. */
export function endAnswer(row: i32, before: i32, flags: i32): void {
  store<i32>(cell(2, row), outputLength() - before);
  store<i32>(cell(3, row), flags);
}
