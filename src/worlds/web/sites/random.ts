/** Random numbers for sites and tasks: one stream per (seed, purpose), the same in every engine (integer hashing). */

import { hashText } from '../../../envs/hash.ts';

function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

export class Random {
  private counter = 0;
  private readonly key: number;

  constructor(seed: number, purpose: string) {
    this.key = mix(hashText(purpose) ^ mix(seed + 0x9e3779b9));
  }

  /** A whole number from 0 to n - 1. */
  below(n: number): number {
    this.counter++;
    return Math.floor((mix(this.key + Math.imul(this.counter, 0x9e3779b1)) / 4294967296) * n);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)];
  }

  shuffle<T>(from: readonly T[]): T[] {
    const all = [...from];
    for (let k = all.length - 1; k > 0; k--) {
      const other = this.below(k + 1);
      [all[k], all[other]] = [all[other], all[k]];
    }
    return all;
  }

  /** `count` distinct elements in random order. */
  some<T>(from: readonly T[], count: number): T[] {
    return this.shuffle(from).slice(0, count);
  }
}
