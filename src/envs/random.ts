/**
 * Random numbers from a seed, with 32-bit integer operations only, so that every engine draws the same: sfc32
 * (PractRand, public domain).
 */

/** Mixes several whole numbers into one seed (the finaliser of MurmurHash3, one round per number). */
export function mixSeeds(...parts: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const part of parts) {
    hash = Math.imul(hash ^ part, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}

export class Random {
  private a: number;
  private b: number;
  private c = 0x2545f491;
  private counter = 1;

  constructor(seed: number) {
    this.a = mixSeeds(seed, 1);
    this.b = mixSeeds(seed, 2);
    for (let k = 0; k < 12; k++) this.next();
  }

  /** A whole number from 0 to 2^32 - 1. */
  next(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A whole number from 0 to n - 1; the bias is below n / 2^32. */
  below(n: number): number {
    return Math.floor((this.next() / 0x100000000) * n);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  /** True with a probability of `percent` in a hundred. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  shuffle<T>(list: T[]): T[] {
    for (let k = list.length - 1; k > 0; k--) {
      const j = this.below(k + 1);
      [list[k], list[j]] = [list[j], list[k]];
    }
    return list;
  }
}
