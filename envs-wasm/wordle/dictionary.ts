/**
 * Words as numbers. All words of all lists are stored once, sorted, with five bits for each letter; a list is an array
 * of their indices. Independent of the rules.
 */
import { common, further, original } from './words';

export const LETTERS: i32 = 5;
export const NONE: i32 = -1;

/** Packed words, with the first letter in the highest bits, so their order is alphabetical. */
const packed = new Array<u32>();

function packAt(text: string, at: i32): u32 {
  let word: u32 = 0;
  for (let i = 0; i < LETTERS; i++) word = (word << 5) | (<u32>text.charCodeAt(at + i) - 97);
  return word;
}

function wordsIn(text: string): i32 { return (text.length + 1) / (LETTERS + 1); }

function addWords(text: string): void {
  for (let k = 0; k < wordsIn(text); k++) packed.push(packAt(text, k * (LETTERS + 1)));
}

/** Sorts the words and removes duplicates. */
function sortAndDeduplicate(): void {
  packed.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  let kept = 0;
  for (let k = 0; k < packed.length; k++) if (k == 0 || packed[k] != packed[kept - 1]) packed[kept++] = packed[k];
  packed.length = kept;
}

addWords(original);
addWords(common);
addWords(further);
sortAndDeduplicate();

/** Index of the word, or NONE. */
export function findWord(word: u32): i32 {
  let low = 0;
  let high = packed.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (unchecked(packed[middle]) < word) low = middle + 1;
    else high = middle;
  }
  return low < packed.length && packed[low] == word ? low : NONE;
}

/** Letter `i` of a word, 0 to 25. */
export function letterOf(word: i32, i: i32): u32 {
  return (unchecked(packed[word]) >> <u32>(5 * (LETTERS - 1 - i))) & 31;
}

function listOf(text: string): Array<i32> {
  const list = new Array<i32>();
  for (let k = 0; k < wordsIn(text); k++) list.push(findWord(packAt(text, k * (LETTERS + 1))));
  return list;
}

/**
 * The lists: 0 the original's 40 words, 1 the common words, 2 the common and further words. Each keeps its own order.
 */
const lists: Array<Array<i32>> = [listOf(original), listOf(common), listOf(common).concat(listOf(further))];
lists[2].sort((a, b) => a - b);

export function listSize(list: i32): i32 { return lists[list].length; }

/** Word `k` of `size` words taken at even distances from a list; of the whole list if `size` is 0. */
export function wordOf(list: i32, size: i32, k: i32): i32 {
  const words = lists[list];
  return size == 0 || size >= words.length ? words[k] : words[<i32>((<i64>k * words.length) / size)];
}

export function sizeOf(list: i32, size: i32): i32 {
  return size == 0 ? listSize(list) : min(size, listSize(list));
}
