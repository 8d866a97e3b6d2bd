/**
 * Episodes of Wordle: the guesses so far, the rules of a step, and its texts. There are two games: the usual one with a
 * hidden word, and the original's, which draws a new word at each guess (knowledge.ts).
 *
 * Memory: an episode has one block, for the state of the original's game or for its drawn words. The block is recycled
 * through a free list.
 */
import { blockClass, giveBlock, takeBlock } from '../shared/blocks';
import { loadRandom, randomBelow, RANDOM_BYTES, saveRandom, seedRandomWords } from '../shared/mt19937';
import { Slots } from '../shared/slots';
import { leadingSpace, putByte, putInteger, putText, withoutTrailingSpace } from '../shared/text';
import { findWord, LETTERS, letterOf, NONE, sizeOf, wordOf } from './dictionary';
import { clearKnowledge, colour, filter, filtered, isOriginal, KNOWLEDGE_BYTES, learn } from './knowledge';
import { colourIn, patternOf, WON_PATTERN } from './official';

export const MOST_TRIES: i32 = 12;

/** Style of the answers. */
export enum Style { full, compact, keyboard }

@unmanaged
export class Episode {
  began: bool;
  upstream: bool;
  style: Style;
  done: bool;
  won: bool;
  tries: i32;
  used: i32;
  /** Number of guesses, except the first, that all colours before them allowed. */
  possible: i32;
  /** Letters known to be absent from the word, as bits; a is bit 0. Only set in the keyboard style. */
  gray: u32;
  list: i32;
  /** Number of words of the list in play; 0 if all are. */
  size: i32;
  /** Number of words drawn for this episode, which then has no others; 0 if all words in play belong to it. */
  drawn: i32;
  /** NONE in the original's game. */
  hidden: i32;
  /** True if the oracle draws, by `seed`, one of the words that may be hidden. */
  draws: bool;
  seed: u32;
  /** Knowledge and generator of the original's game, or the drawn words (two bytes each), or 0. */
  block: usize;
  blockClass: i32;
}

const HEADER: i32 = <i32>offsetof<Episode>();
/** After the episode's fields: for each try its word (two bytes, 0xffff for none) and its pattern (one byte). */
const slots = new Slots((HEADER + 3 * MOST_TRIES + 7) & ~7);
const ORIGINAL_BYTES: i32 = KNOWLEDGE_BYTES + 2 + RANDOM_BYTES;

/**
 * Flags of a step's answer. From bit 8: the number of letters in their place in the best guess. From bit 16:
 * `possible`.
 */
export const ACCEPTED: i32 = 1;
export const DONE: i32 = 2;
export const WON: i32 = 4;
const PLACES_SHIFT: i32 = 8;
const POSSIBLE_SHIFT: i32 = 16;

export function episodeAt(slot: i32): Episode { return changetype<Episode>(slots.at(slot)); }
export function ensureWorlds(count: i32): void { slots.ensure(count); }
export function hasWorld(slot: i32): bool { return slots.has(slot) && episodeAt(slot).began; }

function wordCell(episode: Episode, turn: i32): usize { return changetype<usize>(episode) + HEADER + 2 * turn; }
function patternCell(episode: Episode, turn: i32): usize { return changetype<usize>(episode) + HEADER + 2 * MOST_TRIES + turn; }

/** The word of a try, or NONE if its text was not a word. */
export function guessAt(episode: Episode, turn: i32): i32 {
  const word = load<u16>(wordCell(episode, turn));
  return word == 0xffff ? NONE : word;
}
export function patternAt(episode: Episode, turn: i32): i32 { return load<u8>(patternCell(episode, turn)); }
export function knowledgeOf(episode: Episode): usize { return episode.block; }
/** Address of the generator: after the knowledge, aligned to four bytes. */
export function generatorOf(episode: Episode): usize { return episode.block + KNOWLEDGE_BYTES + 2; }

function begin(episode: Episode, tries: i32, list: i32, size: i32, style: Style): void {
  if (episode.block != 0) giveBlock(episode.block, episode.blockClass);
  episode.block = 0;
  episode.began = true;
  episode.upstream = episode.done = episode.won = false;
  episode.style = style;
  episode.tries = tries;
  episode.used = 0;
  episode.possible = 0;
  episode.gray = 0;
  episode.list = list;
  episode.size = size;
  episode.drawn = 0;
  episode.hidden = NONE;
  episode.draws = false;
}

function takeEpisodeBlock(episode: Episode, bytes: i32): void {
  episode.blockClass = blockClass(bytes);
  episode.block = takeBlock(episode.blockClass);
}

/** Stores the drawn words. `numbers` has `count` indices of words in play, two bytes each. */
function keepDrawn(episode: Episode, numbers: usize, count: i32): void {
  if (count == 0) return;
  takeEpisodeBlock(episode, 2 * count);
  episode.drawn = count;
  for (let k = 0; k < count; k++)
    store<u16>(episode.block + 2 * k, <u16>wordOf(episode.list, episode.size, load<u16>(numbers + 2 * k)));
}

/** Number of words of an episode: those drawn for it, or all in play. */
export function wordsOf(episode: Episode): i32 { return episode.drawn > 0 ? episode.drawn : sizeOf(episode.list, episode.size); }
export function wordIn(episode: Episode, k: i32): i32 {
  return episode.drawn > 0 ? load<u16>(episode.block + 2 * k) : wordOf(episode.list, episode.size, k);
}

/**
 * Begins a game with a hidden word. `hidden` is its index among the episode's words. `numbers` has the indices of the
 * `count` words drawn for the episode, if any. `draws`, `seed`: the oracle's.
 */
export function beginHidden(episode: Episode, tries: i32, list: i32, size: i32, hidden: i32, style: Style, numbers: usize, count: i32, draws: bool, seed: u32): void {
  begin(episode, tries, list, size, style);
  keepDrawn(episode, numbers, count);
  episode.hidden = wordIn(episode, hidden);
  episode.draws = draws;
  episode.seed = seed;
  if (style != Style.full) { putText('guess'); return; }
  putText('Guess the hidden word of five letters. You have ');
  putInteger(tries);
  putText(tries == 1 ? ' try.' : ' tries.');
}

/** Begins the original's game. The seed is `count` 32-bit words, least significant first. */
export function beginOriginal(episode: Episode, seed: usize, count: i32): void {
  begin(episode, 6, 0, 0, Style.full);
  episode.upstream = true;
  takeEpisodeBlock(episode, ORIGINAL_BYTES);
  clearKnowledge(knowledgeOf(episode));
  seedRandomWords(seed, count);
  saveRandom(generatorOf(episode));
  putText("Let's start Wordle!");
}

// --- guesses ----------------------------------------------------------------------------------------------------------

/**
 * The word of a text without its spaces, or NONE if no list contains it. Capitals are accepted only in the game with a
 * hidden word.
 */
function readGuess(pointer: usize, length: i32, upstream: bool): i32 {
  const skipped = leadingSpace(pointer, length);
  const start = pointer + skipped;
  const size = withoutTrailingSpace(start, length - skipped);
  let word: u32 = 0;
  let letters = 0;
  for (let i = 0; i < size; i++) {
    let byte: u32 = load<u8>(start + i);
    if (byte == 32) continue;
    if (!upstream && byte - 65 < 26) byte += 32;
    if (byte - 97 >= 26 || letters == LETTERS) return NONE;
    word = (word << 5) | (byte - 97);
    letters++;
  }
  return letters == LETTERS ? findWord(word) : NONE;
}

function recordGuess(episode: Episode, word: i32, pattern: i32): void {
  store<u16>(wordCell(episode, episode.used), <u16>word);
  store<u8>(patternCell(episode, episode.used), <u8>pattern);
  episode.used++;
}

const colourNames: string = 'byg';

/** Writes colours as the original does: `b y g b b`. */
function putColours(pattern: i32): void {
  for (let i = 0; i < LETTERS; i++) {
    if (i > 0) putByte(32);
    putByte(colourNames.charCodeAt(colourIn(pattern, i)));
  }
}

export function putWord(word: i32): void {
  for (let i = 0; i < LETTERS; i++) putByte(97 + letterOf(word, i));
}

/** True if another position of the guess shows that the letter is in the word. */
function isColoured(word: i32, pattern: i32, letter: u32): bool {
  for (let i = 0; i < LETTERS; i++) if (letterOf(word, i) == letter && colourIn(pattern, i) > 0) return true;
  return false;
}

/**
 * Writes one fact for each letter, with its mark first: `at3 a` if the third letter is a; `not2 r` if there is an r,
 * but not second; `no c` if there is no c. `no` would be false for a letter that the guess has more often than the
 * word; such a letter gets `not` with its position. If `absent` is false, letters that are not in the word are left
 * out.
 */
function putFacts(word: i32, pattern: i32, absent: bool): void {
  let count = 0;
  for (let i = 0; i < LETTERS; i++) {
    const letter = letterOf(word, i);
    const kind = colourIn(pattern, i);
    if (!absent && kind == 0 && !isColoured(word, pattern, letter)) continue;
    if (count++ > 0) putByte(32);
    putText(kind == 2 ? 'at' : kind == 0 && !isColoured(word, pattern, letter) ? 'no' : 'not');
    if (kind != 0 || isColoured(word, pattern, letter)) putByte(49 + i);
    putByte(32);
    putByte(97 + letter);
  }
}

/** Writes the facts of the letters in the word, then all absent letters so far, crossed out: `not2 r xc xe xn`. */
function putKeyboard(episode: Episode, word: i32, pattern: i32): void {
  for (let i = 0; i < LETTERS; i++)
    if (!isColoured(word, pattern, letterOf(word, i))) episode.gray |= 1 << letterOf(word, i);
  putFacts(word, pattern, false);
  let needsSpace = pattern != 0;
  for (let letter = 0; letter < 26; letter++) {
    if (((episode.gray >> letter) & 1) == 0) continue;
    if (needsSpace) putByte(32);
    needsSpace = true;
    putByte(120);
    putByte(97 + letter);
  }
}

function putAnswer(episode: Episode, word: i32, pattern: i32): void {
  if (episode.style == Style.full) putColours(pattern);
  else if (episode.style == Style.compact) putFacts(word, pattern, true);
  else putKeyboard(episode, word, pattern);
}

// --- the rules --------------------------------------------------------------------------------------------------------

/** Number of letters in their place in the best guess so far. */
function bestPlaces(episode: Episode): i32 {
  let best = 0;
  for (let turn = 0; turn < episode.used; turn++) {
    let places = 0;
    for (let i = 0; i < LETTERS; i++) if (colourIn(patternAt(episode, turn), i) == 2) places++;
    best = max(best, places);
  }
  return best;
}

/** True if all colours so far allow the guess to be the word. */
function isPossible(episode: Episode, guess: i32): bool {
  for (let turn = 0; turn < episode.used; turn++)
    if (patternOf(guessAt(episode, turn), guess) != patternAt(episode, turn)) return false;
  return true;
}

function verdict(episode: Episode, accepted: i32): i32 {
  const flags = accepted | (episode.done ? DONE : 0) | (episode.won ? WON : 0);
  return flags | (bestPlaces(episode) << PLACES_SHIFT) | (episode.possible << POSSIBLE_SHIFT);
}

/** A guess at the hidden word. A text that is not a word costs no try. */
function guessHidden(episode: Episode, word: i32): i32 {
  if (word == NONE) { putText('not in the word list'); return verdict(episode, 0); }
  const pattern = patternOf(word, episode.hidden);
  if (episode.used > 0 && isPossible(episode, word)) episode.possible++;
  recordGuess(episode, word, pattern);
  putAnswer(episode, word, pattern);
  episode.won = pattern == WON_PATTERN;
  episode.done = episode.won || episode.used == episode.tries;
  if (episode.done && !episode.won && episode.style == Style.full) {
    putText('\nThe word was ');
    putWord(episode.hidden);
    putByte(46);
  }
  return verdict(episode, ACCEPTED);
}

/** True if only one word is left and it has been guessed. */
function isFound(episode: Episode): bool {
  if (filtered.length != 1) return false;
  for (let turn = 0; turn < episode.used; turn++) if (guessAt(episode, turn) == filtered[0]) return true;
  return false;
}

/**
 * One guess in the original's game, with the current generator: draws one of the possible words and learns from it.
 * Returns the pattern.
 */
export function drawAndLearn(known: usize, word: i32): i32 {
  filter(known);
  learn(known, word, filtered[randomBelow(filtered.length)]);
  filter(known);
  let pattern = 0;
  for (let i = 0; i < LETTERS; i++) pattern = pattern * 3 + colour(known, word, i);
  return pattern;
}

/** A guess in the original's game. A text that is not a word costs a try. */
function guessDrawn(episode: Episode, word: i32): i32 {
  if (word == NONE) {
    putText('invalid word');
    recordGuess(episode, word, 0);
  } else {
    loadRandom(generatorOf(episode));
    const pattern = drawAndLearn(knowledgeOf(episode), word);
    saveRandom(generatorOf(episode));
    recordGuess(episode, word, pattern);
    putColours(pattern);
    putByte(10);
    episode.won = isFound(episode);
  }
  episode.done = episode.won || episode.used == episode.tries;
  return verdict(episode, word == NONE ? 0 : ACCEPTED);
}

export function act(episode: Episode, pointer: usize, length: i32): i32 {
  if (episode.done) { putText('The episode is over.'); return DONE; }
  const word = readGuess(pointer, length, episode.upstream);
  if (!episode.upstream) return guessHidden(episode, word);
  return guessDrawn(episode, word != NONE && isOriginal(word) ? word : NONE);
}
