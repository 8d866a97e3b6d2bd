/**
 * The oracle: an honest player. It knows the list and the colours shown, never the hidden word; its plan is the guesses that it
 * would make from here on until it wins. In the original's game the draws to come are played on copies.
 */
import { loadRandom } from '../shared/mt19937';
import { putByte } from '../shared/text';
import { NONE } from './dictionary';
import { drawAndLearn, Episode, generatorOf, guessAt, knowledgeOf, MOST_TRIES, patternAt, putWord, wordIn, wordsOf } from './episodes';
import { filter, filtered, KNOWLEDGE_BYTES, learn } from './knowledge';
import { addWord, beginSearch, beginWords, bestGuess, narrow, patternOf, settleWords, takeList, WON_PATTERN } from './official';

const plan = new StaticArray<i32>(MOST_TRIES);
let length: i32 = 0;

/** The list that a player knows: the words drawn for the episode, or all in play. */
function takeWords(episode: Episode): void {
  if (episode.drawn == 0) { takeList(episode.list, episode.size); return; }
  beginWords();
  for (let k = 0; k < wordsOf(episode); k++) addWord(wordIn(episode, k));
  settleWords();
}

/** Our game. Leaves `plan`; false where it would not win within the tries left. */
function planHidden(episode: Episode): bool {
  takeWords(episode);
  beginSearch();
  for (let turn = 0; turn < episode.used; turn++) narrow(guessAt(episode, turn), patternAt(episode, turn));
  while (length < episode.tries - episode.used) {
    const guess = bestGuess();
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

/** Words left after a guess, summed over what may be drawn. */
function leftBy(guess: i32): i32 {
  let sum = 0;
  for (let k = 0; k < possible.length; k++) {
    memory.copy(changetype<usize>(trial), changetype<usize>(known), KNOWLEDGE_BYTES);
    learn(changetype<usize>(trial), guess, possible[k]);
    filter(changetype<usize>(trial));
    sum += filtered.length;
  }
  return sum;
}

/** Of the words still possible, the one that leaves the fewest. */
function bestPossible(fresh: bool): i32 {
  if (fresh && opener != NONE) return opener;
  filter(changetype<usize>(known));
  possible.length = 0;
  for (let k = 0; k < filtered.length; k++) possible.push(filtered[k]);
  let best = possible[0];
  let least = i32.MAX_VALUE;
  for (let k = 0; k < possible.length; k++) {
    const left = leftBy(possible[k]);
    if (left < least) { least = left; best = possible[k]; }
  }
  if (fresh) opener = best;
  return best;
}

/** Whether the word is the only one left: it was just guessed, or before. */
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

/** The oracle's actions from here, a line each; false where it knows none. */
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
