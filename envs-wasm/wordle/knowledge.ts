/**
 * The original's knowledge of each letter, and the words that it allows: the rules of LMRL-Gym's Wordle, which has no
 * hidden word. A letter has a flag for each position. Independent of episodes.
 */
import { LETTERS, letterOf, listSize, NONE, wordOf } from './dictionary';

const POSSIBLE: u8 = 1;
const NOT_HERE: u8 = 0;
const HERE: u8 = 2;
const ALPHABET: i32 = 26;
/** List from which the original draws, and which its guesses must be in. */
export const ORIGINAL: i32 = 0;
export const KNOWLEDGE_BYTES: i32 = ALPHABET * LETTERS;

/** Colours of a letter in a guess: absent, elsewhere, in place. */
export const ABSENT: u8 = 0;
export const ELSEWHERE: u8 = 1;
export const PLACED: u8 = 2;

/** True if the original's list contains the word. */
export function isOriginal(word: i32): bool {
  for (let k = 0; k < listSize(ORIGINAL); k++) if (wordOf(ORIGINAL, 0, k) == word) return true;
  return false;
}

export function clearKnowledge(known: usize): void {
  memory.fill(known, POSSIBLE, KNOWLEDGE_BYTES);
}

function flags(known: usize, letter: u32): usize { return known + letter * LETTERS; }

function isAll(known: usize, letter: u32, flag: u8): bool {
  const at = flags(known, letter);
  for (let i = 0; i < LETTERS; i++) if (load<u8>(at + i) != flag) return false;
  return true;
}

function contains(word: i32, letter: u32): bool {
  for (let i = 0; i < LETTERS; i++) if (letterOf(word, i) == letter) return true;
  return false;
}

/** True if the knowledge of one letter allows a word. */
function letterAllows(known: usize, letter: u32, word: i32): bool {
  if (isAll(known, letter, POSSIBLE)) return true;
  if (isAll(known, letter, NOT_HERE)) return !contains(word, letter);
  if (!contains(word, letter)) return false;
  const at = flags(known, letter);
  for (let i = 0; i < LETTERS; i++) {
    const flag = load<u8>(at + i);
    if (flag == HERE && letterOf(word, i) != letter) return false;
    if (flag == NOT_HERE && letterOf(word, i) == letter) return false;
  }
  return true;
}

function allows(known: usize, word: i32): bool {
  for (let letter: u32 = 0; letter < <u32>ALPHABET; letter++) if (!letterAllows(known, letter, word)) return false;
  return true;
}

/** Words that are still possible, in the order of the list. */
export const filtered = new Array<i32>();

export function filter(known: usize): void {
  filtered.length = 0;
  for (let k = 0; k < listSize(ORIGINAL); k++) {
    const word = wordOf(ORIGINAL, 0, k);
    if (allows(known, word)) filtered.push(word);
  }
}

/** Updates the knowledge after a guess for which `target` was drawn. Later positions overwrite earlier ones. */
export function learn(known: usize, guess: i32, target: i32): void {
  for (let i = 0; i < LETTERS; i++) {
    const letter = letterOf(guess, i);
    const at = flags(known, letter);
    if (letterOf(target, i) == letter) store<u8>(at + i, HERE);
    else if (contains(target, letter)) store<u8>(at + i, NOT_HERE);
    else memory.fill(at, NOT_HERE, LETTERS);
  }
}

/**
 * Colour of position `i` of a guess, from the knowledge and not from the drawn word. NONE cannot occur for a word that
 * was learned from.
 */
export function colour(known: usize, guess: i32, i: i32): i32 {
  const letter = letterOf(guess, i);
  const flag = load<u8>(flags(known, letter) + i);
  if (flag == HERE) return PLACED;
  if (flag == POSSIBLE) return NONE;
  return isAll(known, letter, NOT_HERE) ? ABSENT : ELSEWHERE;
}
