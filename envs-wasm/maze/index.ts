/**
 * Mazes: the functions that the host may call. One call carries a batch (shared/batch.ts); all text is UTF-8. The
 * numbers of a task: (0) style bits, with the step limit from bit 8; (1) game or seed; (2) rooms; (3) loops in percent,
 * with the nearest start in percent from bit 8.
 */
import { batchCapacity, columns, endAnswer, ensureBatch, inputLengthOf, slotOf, taskNumber } from '../shared/batch';
import { clearOutput, inputBuffer, outputLength, outputPointer, putByte, putInteger } from '../shared/text';
import {
  act, ACCEPTED, begin, ensureWorlds, Episode, episodeAt, hasWorld, moveAt, putObservation, putPlan, sizeOf,
} from './episodes';
import { draw, takeOriginal } from './grid';

export { batchCapacity, columns, ensureBatch, ensureWorlds, hasWorld, inputBuffer, outputLength, outputPointer };

const UPSTREAM: i32 = 1;
const COMPACT: i32 = 2;
const HELD_OUT: i32 = 4;
const SEEN: i32 = 8;
const LIMIT_SHIFT: i32 = 8;

/** Begins an episode in each of `count` slots and answers with its first observation. */
export function reset(count: i32): void {
  clearOutput();
  for (let b = 0; b < count; b++) {
    const before = outputLength();
    const style = taskNumber(b, 0);
    const upstream = (style & UPSTREAM) != 0;
    if (upstream) takeOriginal(taskNumber(b, 1));
    else draw(<u32>taskNumber(b, 1), taskNumber(b, 2), taskNumber(b, 3) & 255, taskNumber(b, 3) >> 8, (style & HELD_OUT) != 0);
    const episode = episodeAt(slotOf(b));
    begin(episode, style >> LIMIT_SHIFT, upstream, (style & COMPACT) != 0, (style & SEEN) != 0);
    putObservation(episode);
    endAnswer(b, before, ACCEPTED);
  }
}

/** Performs one action in each of `count` slots. Flags: 1 accepted, 2 over, 4 won. */
export function step(count: i32): void {
  clearOutput();
  let text = inputBuffer(0);
  for (let b = 0; b < count; b++) {
    const length = inputLengthOf(b);
    const before = outputLength();
    const flags = act(episodeAt(slotOf(b)), text, length);
    endAnswer(b, before, flags);
    text += length;
  }
}

/** Writes the oracle's remaining actions, one per line. Flag 0 if there are none. */
export function oracle(count: i32): void {
  clearOutput();
  for (let b = 0; b < count; b++) {
    const before = outputLength();
    const found = putPlan(episodeAt(slotOf(b)));
    endAnswer(b, before, found ? 1 : 0);
  }
}

function putLine(value: i32): void {
  putInteger(value);
  putByte(10);
}

/**
 * Writes rows, columns, start, goal, place, step limit and done, one per line; then the grid as digits, and the past
 * moves as digits.
 */
export function writeView(slot: i32): void {
  clearOutput();
  const episode: Episode = episodeAt(slot);
  putLine(episode.rows);
  putLine(episode.columns);
  putLine(episode.start);
  putLine(episode.goal);
  putLine(episode.at);
  putLine(episode.stepLimit);
  putLine(episode.done ? 1 : 0);
  for (let i = 0; i < sizeOf(episode); i++) putByte(48 + load<u8>(episode.block + i));
  putByte(10);
  for (let i = 0; i < episode.steps; i++) putByte(48 + load<u8>(moveAt(episode, i)));
}
