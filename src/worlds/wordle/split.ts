/**
 * Which hidden words are held out: a fact of the word itself, so that a word held out of one list is held out of all. Which
 * words a task draws, where it has a list of its own. And the original's items. Knows words, no WASM.
 */
import type { Split } from '../../envs/env.ts';
import { uniformAt } from '../../envs/random-player.ts';

const HELD_OUT_IN = 5;

/** FNV-1a over the letters, mixed. */
function hashOf(word: string): number {
  let hash = 2166136261;
  for (const letter of word) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822519);
  return (hash ^ (hash >>> 13)) >>> 0;
}

export const isHeldOut = (word: string): boolean => hashOf(word) % HELD_OUT_IN === 0;
export const inSplit = (word: string, split: Split): boolean => isHeldOut(word) === (split === 'test');

/**
 * Seeds of the original's game. AgentGym evaluates 25 items and trains on about 955 (from the sizes of its files); which ones
 * they are was not found, so these are our own.
 */
export const upstreamSeeds: Record<Split, { first: number; count: number }> = {
  test: { first: 0, count: 25 },
  train: { first: 25, count: 955 },
};

export function upstreamItems(split: Split): number[] {
  const { first, count } = upstreamSeeds[split];
  return Array.from({ length: count }, (_, k) => first + k);
}

/** Ids of the tasks that have a list of words of their own; those to test on first. */
export const drawnIds: Record<Split, { first: number; count: number }> = {
  test: { first: 0, count: 1000 },
  train: { first: 1000, count: 20_000 },
};

const STREAM_DRAW = 0x64726177;

export interface DrawnWords {
  /** Numbers of words, ascending. */
  drawn: number[];
  /** Which of them is hidden. */
  hidden: number;
}

/** The words of one task: `count` of the `pool`, each as likely as any other, and one of them hidden. A function of the id. */
export function drawWords(pool: readonly number[], count: number, id: number): DrawnWords {
  const rest = [...pool];
  for (let k = 0; k < count; k++) {
    const at = k + Math.floor(uniformAt(STREAM_DRAW, id, k) * (rest.length - k));
    [rest[k], rest[at]] = [rest[at], rest[k]];
  }
  const drawn = rest.slice(0, count).sort((a, b) => a - b);
  return { drawn, hidden: drawn.indexOf(rest[0]) };
}
