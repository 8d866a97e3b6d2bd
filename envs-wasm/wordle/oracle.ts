/**
 * The oracle plays by the list and the colours shown and never reads the hidden word. Its plan is the guesses that it
 * would make from here until it wins. In the original's game it plays the coming draws on copies.
 */
import { loadRandom } from '../shared/mt19937';
import { putByte } from '../shared/text';
import { NONE } from './dictionary';
import {
  drawAndLearn, Episode, generatorOf, guessAt, knowledgeOf, MOST_TRIES, patternAt, putWord, wordIn, wordsOf,
} from './episodes';
import { filter, filtered, KNOWLEDGE_BYTES, learn } from './knowledge';
import {
  addWord, anyGuess, beginSearch, beginWords, bestGuess, narrow, patternOf, settleWords, takeList, WON_PATTERN,
} from './official';

const plan = new StaticArray<i32>(MOST_TRIES);
let length: i32 = 0;

/** Loads the list that a player knows: the words drawn for the episode, or all in play. */
function takeWords(episode: Episode): void {
  if (episode.drawn == 0 && !episode.draws) { takeList(episode.list, episode.size); return; }
  beginWords();
  for (let k = 0; k < wordsOf(episode); k++) addWord(wordIn(episode, k));
  if (!episode.draws) settleWords();
}

/**
 * Plans for the game with a hidden word. Fills `plan`; returns false if it would not win within the remaining tries.
 */
function planHidden(episode: Episode): bool {
  takeWords(episode);
  beginSearch();
  for (let turn = 0; turn < episode.used; turn++) narrow(guessAt(episode, turn), patternAt(episode, turn));
  while (length < episode.tries - episode.used) {
    const guess = episode.draws ? anyGuess(episode.seed, episode.used + length) : bestGuess();
    if (guess == NONE) return false;
    plan[length++] = guess;
    const pattern = patternOf(guess, episode.hidden);
    if (pattern == WON_PATTERN) return true;
    narrow(guess, pattern);
  }
  return false;
}

// --- the original's game ----------------------------------------------------------------------------------------------

const known = new StaticArray<u8>(KNOWLEDGE_BYTES);
const trial = new StaticArray<u8>(KNOWLEDGE_BYTES);
const possible = new Array<i32>();
let opener: i32 = NONE;

/** Number of words left after a guess, summed over all words that may be drawn. */
function remainingAfter(guess: i32): i32 {
  let sum = 0;
  for (let k = 0; k < possible.length; k++) {
    memory.copy(changetype<usize>(trial), changetype<usize>(known), KNOWLEDGE_BYTES);
    learn(changetype<usize>(trial), guess, possible[k]);
    filter(changetype<usize>(trial));
    sum += filtered.length;
  }
  return sum;
}

/** The possible word that leaves the fewest words. */
function bestPossible(fresh: bool): i32 {
  if (fresh && opener != NONE) return opener;
  filter(changetype<usize>(known));
  possible.length = 0;
  for (let k = 0; k < filtered.length; k++) possible.push(filtered[k]);
  let best = possible[0];
  let least = i32.MAX_VALUE;
  for (let k = 0; k < possible.length; k++) {
    const remaining = remainingAfter(possible[k]);
    if (remaining < least) { least = remaining; best = possible[k]; }
  }
  if (fresh) opener = best;
  return best;
}

/** True if only one word is left and it was just guessed, or earlier. */
function wins(episode: Episode): bool {
  if (filtered.length != 1) return false;
  for (let k = 0; k < length; k++) if (plan[k] == filtered[0]) return true;
  for (let turn = 0; turn < episode.used; turn++) if (guessAt(episode, turn) == filtered[0]) return true;
  return false;
}

function planDrawn(episode: Episode): bool {
  memory.copy(changetype<usize>(known), knowledgeOf(episode), KNOWLEDGE_BYTES);
  loadRandom(generatorOf(episode));
  while (length < episode.tries - episode.used) {
    const guess = bestPossible(episode.used + length == 0);
    plan[length++] = guess;
    drawAndLearn(changetype<usize>(known), guess);
    if (wins(episode)) return true;
  }
  return false;
}

/** Writes the oracle's actions from here, one per line. Returns false if it has no plan. */
export function putPlan(episode: Episode): bool {
  length = 0;
  if (episode.done) return false;
  const found = episode.upstream ? planDrawn(episode) : planHidden(episode);
  if (!found) return false;
  for (let k = 0; k < length; k++) {
    putWord(plan[k]);
    putByte(10);
  }
  return true;
}
