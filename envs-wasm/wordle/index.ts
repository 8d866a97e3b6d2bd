/**
 * Wordle: the functions that the host may call. One call carries a batch (shared/batch.ts); all text is UTF-8. The
 * numbers of a task: (0) style bits, with the tries from bit 8 and the oracle's seed from bit 16; (1) the list; (2) how
 * many of its words are in play (0: all); (3) the index of the hidden word. Input of a row: in the original's game the
 * seed, as 32-bit words, least significant first. Otherwise the indices of the words drawn for this task, two bytes each,
 * one of which is the hidden word; or nothing.
 */
import { batchCapacity, columns, endAnswer, ensureBatch, inputLengthOf, slotOf, taskNumber } from '../shared/batch';
import { clearOutput, inputBuffer, outputLength, outputPointer, putByte, putInteger } from '../shared/text';
import { NONE, sizeOf, wordOf } from './dictionary';
import {
  act, ACCEPTED, beginHidden, beginOriginal, ensureWorlds, episodeAt, guessAt, hasWorld, knowledgeOf, patternAt,
  putWord,
} from './episodes';
import { filter, filtered } from './knowledge';
import { colourIn } from './official';
import { putPlan } from './oracle';

export { batchCapacity, columns, ensureBatch, ensureWorlds, hasWorld, inputBuffer, outputLength, outputPointer };

const UPSTREAM: i32 = 1;
/** Two bits for the style of the answers. */
const WRITING_SHIFT: i32 = 1;
/** The oracle draws one of the words that may be hidden. */
const DRAWS: i32 = 8;
const TRIES_SHIFT: i32 = 8;
const SEED_SHIFT: i32 = 16;

/** Begins an episode in each of `count` slots and answers with its first observation. */
export function reset(count: i32): void {
  clearOutput();
  let text = inputBuffer(0);
  for (let b = 0; b < count; b++) {
    const before = outputLength();
    const style = taskNumber(b, 0);
    const length = inputLengthOf(b);
    const list = taskNumber(b, 1);
    const size = taskNumber(b, 2);
    const episode = episodeAt(slotOf(b));
    if (style & UPSTREAM) beginOriginal(episode, text, length >> 2);
    else
      beginHidden(
        episode, (style >> TRIES_SHIFT) & 0xff, list, size, taskNumber(b, 3), (style >> WRITING_SHIFT) & 3, text, length >> 1,
        (style & DRAWS) != 0, <u32>style >> SEED_SHIFT,
      );
    endAnswer(b, before, ACCEPTED);
    text += length;
  }
}

/**
 * Performs one guess in each of `count` slots. Flags: 1 accepted, 2 over, 4 won; from bit 8 the letters in their place
 * in the best guess; from bit 16 the number of guesses after the first that all colours before them allowed.
 */
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

/** Writes the oracle's remaining guesses, one per line. Flag 0 if there are none. */
export function oracle(count: i32): void {
  clearOutput();
  for (let b = 0; b < count; b++) {
    const before = outputLength();
    const found = putPlan(episodeAt(slotOf(b)));
    endAnswer(b, before, found ? 1 : 0);
  }
}

/** Writes the words in play, in the order of the list, one per line. */
export function writeWords(list: i32, size: i32): void {
  clearOutput();
  for (let k = 0; k < sizeOf(list, size); k++) {
    putWord(wordOf(list, size, k));
    putByte(10);
  }
}

/** Writes the words that the original's game still allows, in the order of the list, one per line. */
export function writeFiltered(slot: i32): void {
  clearOutput();
  filter(knowledgeOf(episodeAt(slot)));
  for (let k = 0; k < filtered.length; k++) {
    putWord(filtered[k]);
    putByte(10);
  }
}

/**
 * Writes the tries, over (1) or won (2), and the hidden word or nothing, one per line; then one line for each guess:
 * its colours as digits, and the word.
 */
export function writeView(slot: i32): void {
  clearOutput();
  const episode = episodeAt(slot);
  putInteger(episode.tries);
  putByte(10);
  putInteger(episode.won ? 2 : episode.done ? 1 : 0);
  putByte(10);
  if (episode.hidden != NONE) putWord(episode.hidden);
  for (let turn = 0; turn < episode.used; turn++) {
    putByte(10);
    for (let i = 0; i < 5; i++) putByte(48 + colourIn(patternAt(episode, turn), i));
    if (guessAt(episode, turn) != NONE) putWord(guessAt(episode, turn));
  }
}
