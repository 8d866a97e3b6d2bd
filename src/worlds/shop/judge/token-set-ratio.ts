/**
 * Similarity of two texts by their sets of words, from 0 to 100: `token_set_ratio` of thefuzz 0.19.0
 * (github.com/seatgeek/thefuzz, MIT), with both of its back ends. WebShop pins thefuzz without python-Levenshtein, so
 * that Python's difflib compares; AgentGym's server adds python-Levenshtein. `npm run test:shop-reference` compares both
 * with the originals.
 */
import { strip } from '../../../envs/reply.ts';

/** Back ends of thefuzz: Python's difflib, or python-Levenshtein. */
export type Matcher = 'difflib' | 'levenshtein';

/** Characters that thefuzz removes before it splits a text into words. */
const highLatin = /[\u0080-\u00ff]/g;
/** Characters that are no part of a word for Python's `\w`. */
const noWord = /[^\p{L}\p{N}_]/gu;

const processed = (text: string): string => strip(text.replace(highLatin, '').replace(noWord, ' ').toLowerCase());

/** Order of Python's `sorted`: by code points. JavaScript's own order is by UTF-16 units. */
function byCodePoints(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let k = 0; k < Math.min(left.length, right.length); k++) {
    const difference = left[k].codePointAt(0)! - right[k].codePointAt(0)!;
    if (difference) return difference;
  }
  return left.length - right.length;
}

const joined = (words: Iterable<string>): string => [...words].sort(byCodePoints).join(' ');

/** Python's `round`: a half goes to the even neighbour. */
export function roundHalfEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

/** Length of the longest common subsequence. */
function commonSubsequence(a: readonly string[], b: readonly string[]): number {
  let before = new Uint32Array(b.length + 1);
  let row = new Uint32Array(b.length + 1);
  for (const each of a) {
    for (let k = 0; k < b.length; k++) row[k + 1] = each === b[k] ? before[k] + 1 : Math.max(before[k + 1], row[k]);
    [before, row] = [row, before];
  }
  return before[b.length];
}

/** From this length of the second text on, difflib leaves out characters that are in more than 1% of it. */
const popularFrom = 200;

function placesOf(b: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [k, each] of b.entries()) {
    const list = places.get(each);
    if (list) list.push(k);
    else places.set(each, [k]);
  }
  if (b.length < popularFrom) return places;
  const most = Math.floor(b.length / 100) + 1;
  for (const [each, list] of places) if (list.length > most) places.delete(each);
  return places;
}

/** A part of both texts: from a start (inclusive) to an end (exclusive) in each. */
type Part = readonly [aFrom: number, aTo: number, bFrom: number, bTo: number];

/** Longest block of a part that is equal in both, earliest in `a`, then in `b`: its start in each, and its length. */
function longestBlock(a: readonly string[], b: readonly string[], places: Map<string, number[]>, part: Part) {
  const [aFrom, aTo, bFrom, bTo] = part;
  let [bestA, bestB, size] = [aFrom, bFrom, 0];
  let lengths = new Map<number, number>();
  for (let i = aFrom; i < aTo; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i]) ?? []) {
      if (j < bFrom) continue;
      if (j >= bTo) break;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > size) [bestA, bestB, size] = [i - length + 1, j - length + 1, length];
    }
    lengths = next;
  }
  // Characters that were left out as popular extend a block, but never begin one.
  while (bestA > aFrom && bestB > bFrom && a[bestA - 1] === b[bestB - 1])
    [bestA, bestB, size] = [bestA - 1, bestB - 1, size + 1];
  while (bestA + size < aTo && bestB + size < bTo && a[bestA + size] === b[bestB + size]) size++;
  return { bestA, bestB, size };
}

/** Number of characters in difflib's matching blocks: the longest one, then those on both sides of it. */
function blockCharacters(a: readonly string[], b: readonly string[]): number {
  const places = placesOf(b);
  const parts: Part[] = [[0, a.length, 0, b.length]];
  let sum = 0;
  for (let part = parts.pop(); part; part = parts.pop()) {
    const { bestA, bestB, size } = longestBlock(a, b, places, part);
    if (size === 0) continue;
    sum += size;
    const [aFrom, aTo, bFrom, bTo] = part;
    if (aFrom < bestA && bFrom < bestB) parts.push([aFrom, bestA, bFrom, bestB]);
    if (bestA + size < aTo && bestB + size < bTo) parts.push([bestA + size, aTo, bestB + size, bTo]);
  }
  return sum;
}

/** Similarity of two texts from 0 to 1. */
function similarity(left: string, right: string, matcher: Matcher): number {
  const [a, b] = [[...left], [...right]];
  const length = a.length + b.length;
  if (matcher === 'difflib') return (2 * blockCharacters(a, b)) / length;
  // The order of these operations is that of rapidfuzz, which python-Levenshtein calls: it decides the last bit.
  return 1 - (length - 2 * commonSubsequence(a, b)) / length;
}

/** Similarity from 0 to 100 of two texts as they are. */
function ratio(a: string, b: string, matcher: Matcher): number {
  if (a === b) return 100;
  if (!a || !b) return 0;
  return roundHalfEven(100 * similarity(a, b, matcher));
}

export function tokenSetRatio(a: string, b: string, matcher: Matcher): number {
  const [left, right] = [processed(a), processed(b)];
  if (!left || !right) return 0;
  const words = (text: string) => new Set(text.split(' ').filter((word) => word));
  const [mine, theirs] = [words(left), words(right)];
  const common = joined([...mine].filter((word) => theirs.has(word)));
  const with1 = `${common} ${joined([...mine].filter((word) => !theirs.has(word)))}`.trim();
  const with2 = `${common} ${joined([...theirs].filter((word) => !mine.has(word)))}`.trim();
  return Math.max(ratio(common, with1, matcher), ratio(common, with2, matcher), ratio(with1, with2, matcher));
}
