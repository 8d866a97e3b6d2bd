/**
 * The official colours, and a player who sees them and the word list but not the hidden word. A pattern is five colours
 * as one number in base 3, with the first letter as the highest digit. Independent of episodes.
 */
import { LETTERS, letterOf, NONE, sizeOf, wordOf } from './dictionary';

export const PATTERNS: i32 = 243;
export const WON_PATTERN: i32 = PATTERNS - 1;
const taken = new StaticArray<bool>(LETTERS);
const colours = new StaticArray<u8>(LETTERS);

/**
 * Pattern of a guess. A letter is yellow at most as often as the hidden word contains it outside its green positions.
 */
export function patternOf(guess: i32, hidden: i32): i32 {
  for (let i = 0; i < LETTERS; i++) {
    const here = letterOf(guess, i) == letterOf(hidden, i);
    unchecked((taken[i] = here));
    unchecked((colours[i] = here ? 2 : 0));
  }
  let pattern = 0;
  for (let i = 0; i < LETTERS; i++) {
    if (unchecked(colours[i]) == 0) markElsewhere(i, letterOf(guess, i), hidden);
    pattern = pattern * 3 + unchecked(colours[i]);
  }
  return pattern;
}

function markElsewhere(i: i32, letter: u32, hidden: i32): void {
  for (let j = 0; j < LETTERS; j++) {
    if (unchecked(taken[j]) || letterOf(hidden, j) != letter) continue;
    unchecked((taken[j] = true));
    unchecked((colours[i] = 1));
    return;
  }
}

/** Colour `i` of a pattern: 0 absent, 1 elsewhere, 2 here. */
export function colourIn(pattern: i32, i: i32): i32 {
  for (let k = LETTERS - 1; k > i; k--) pattern /= 3;
  return pattern % 3;
}

// --- the player -------------------------------------------------------------------------------------------------------

/** The current words, and the pattern of each as a guess against each as the hidden word. */
const words = new Array<i32>();
let table: usize = 0;
let tableBytes: i32 = 0;
/** The list that the current words are, or NONE if they were added one by one. */
let tableList: i32 = NONE;
let tableSize: i32 = 0;
/** Best first guess among the current words, or NONE if it was not computed yet. */
let opener: i32 = NONE;

const candidates = new Array<i32>();
const counts = new StaticArray<i32>(PATTERNS);

function patternAt(guess: i32, hidden: i32): i32 { return load<u8>(table + guess * words.length + hidden); }

/** Makes a list current. Its table is kept until other words replace it. */
export function takeList(list: i32, size: i32): void {
  if (list == tableList && size == tableSize) return;
  beginWords();
  for (let k = 0; k < sizeOf(list, size); k++) addWord(wordOf(list, size, k));
  settleWords();
  tableList = list;
  tableSize = size;
}

/**
 * Makes the added words the current ones: call `beginWords`, `addWord` for each word, then `settleWords`, which only
 * `bestGuess` needs.
 */
export function beginWords(): void { words.length = 0; tableList = NONE; }
export function addWord(word: i32): void { words.push(word); }
export function settleWords(): void {
  const count = words.length;
  opener = NONE;
  if (count * count > tableBytes) {
    tableBytes = count * count;
    table = heap.alloc(tableBytes);
  }
  for (let guess = 0; guess < count; guess++)
    for (let hidden = 0; hidden < count; hidden++) store<u8>(table + guess * count + hidden, patternOf(words[guess], words[hidden]));
}

/** Makes all current words candidates. */
export function beginSearch(): void {
  candidates.length = 0;
  for (let k = 0; k < words.length; k++) candidates.push(k);
}

/** Keeps the candidates that would give a guess (any word) this pattern. */
export function narrow(guess: i32, pattern: i32): void {
  let kept = 0;
  for (let k = 0; k < candidates.length; k++)
    if (patternOf(guess, words[candidates[k]]) == pattern) candidates[kept++] = candidates[k];
  candidates.length = kept;
}

/**
 * Sum of the squared sizes of the candidates' groups by pattern: the mean number of candidates left after the guess,
 * times their number. Stops early above `atMost`.
 */
function remainingAfter(guess: i32, atMost: i32): i32 {
  memory.fill(changetype<usize>(counts), 0, PATTERNS * 4);
  let sum = 0;
  for (let k = 0; k < candidates.length; k++) {
    const pattern = patternAt(guess, unchecked(candidates[k]));
    // (n + 1) squared is n squared and 2n + 1.
    sum += 2 * unchecked(counts[pattern]) + 1;
    unchecked((counts[pattern] += 1));
    if (sum > atMost) return sum;
  }
  return sum;
}

function search(): i32 {
  let best = candidates[0];
  let least = i32.MAX_VALUE;
  // Candidates come first: of two guesses that leave equally many, the one that may be the word wins.
  for (let k = 0; k < candidates.length; k++) {
    const remaining = remainingAfter(candidates[k], least);
    if (remaining < least) { least = remaining; best = candidates[k]; }
  }
  for (let guess = 0; guess < words.length; guess++) {
    const remaining = remainingAfter(guess, least);
    if (remaining < least) { least = remaining; best = guess; }
  }
  return best;
}

/** A candidate that the seed draws for this turn, or NONE if there is no candidate. */
export function anyGuess(seed: u32, turn: i32): i32 {
  if (candidates.length == 0) return NONE;
  let bits = (seed + 1) * 0x9e3779b9 + <u32>turn * 0x85ebca6b;
  bits = (bits ^ (bits >> 16)) * 0x85ebca6b;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35;
  return words[candidates[<i32>((<u64>(bits ^ (bits >> 16)) * <u64>candidates.length) >> 32)]];
}

/** The guess that leaves the fewest candidates on average, or NONE if there is no candidate. */
export function bestGuess(): i32 {
  if (candidates.length == 0) return NONE;
  if (candidates.length <= 2) return words[candidates[0]];
  if (candidates.length < words.length) return words[search()];
  if (opener == NONE) opener = search();
  return words[opener];
}
