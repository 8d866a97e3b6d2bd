/**
 * Splits of Wordle's tasks. Whether a hidden word is held out depends only on the word itself, so that a word held out
 * in one list is held out in all. Also draws the word list of a task that has its own, and lists the original's items.
 * Independent of WASM.
 */
import type { Split } from '../../envs/env.ts';
import { hashText } from '../../envs/hash.ts';
import { uniformAt } from '../../envs/random-player.ts';

const HELD_OUT_IN = 5;

/** Hash of the letters, with a final mixing step. */
function hashOf(word: string): number {
  const letters = hashText(word);
  const hash = Math.imul(letters ^ (letters >>> 15), 2246822519);
  return (hash ^ (hash >>> 13)) >>> 0;
}

export const isHeldOut = (word: string): boolean => hashOf(word) % HELD_OUT_IN === 0;
export const inSplit = (word: string, split: Split): boolean => isHeldOut(word) === (split === 'test');

/**
 * Seeds of the original's game. AgentGym evaluates 25 items and trains on about 955 (judging by the sizes of its
 * files). Their seeds were not found, so these are our own.
 */
export const upstreamSeeds: Record<Split, { first: number; count: number }> = {
  test: { first: 0, count: 25 },
  train: { first: 25, count: 955 },
};

export function upstreamItems(split: Split): number[] {
  const { first, count } = upstreamSeeds[split];
  return Array.from({ length: count }, (_, k) => first + k);
}

/** Ids of tasks that draw their own word list; test tasks come first. */
export const drawnIds: Record<Split, { first: number; count: number }> = {
  test: { first: 0, count: 1000 },
  train: { first: 1000, count: 20_000 },
};

const STREAM_DRAW = 0x64726177;

export interface DrawnWords {
  /** Numbers of the drawn words, ascending. */
  drawn: number[];
  /** Index of the hidden word in `drawn`. */
  hidden: number;
}

/**
 * Draws the word list of a task: `count` words of `pool` with equal probability, one of them hidden. Depends only on
 * the arguments.
 */
export function drawWords(pool: readonly number[], count: number, id: number): DrawnWords {
  const rest = [...pool];
  for (let k = 0; k < count; k++) {
    const at = k + Math.floor(uniformAt(STREAM_DRAW, id, k) * (rest.length - k));
    [rest[k], rest[at]] = [rest[at], rest[k]];
  }
  const drawn = rest.slice(0, count).sort((a, b) => a - b);
  return { drawn, hidden: drawn.indexOf(rest[0]) };
}
