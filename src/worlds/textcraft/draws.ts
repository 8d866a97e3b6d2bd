/**
 * Sequence of random numbers from one seed, for made-up lists.
 */
import { uniformAt } from '../../envs/random-player.ts';

export class Draws {
  private count = 0;

  constructor(private readonly seed: number) {}

  /** In [0, 1). */
  next(): number {
    return uniformAt(this.seed, 0x6d616465, this.count++);
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  /** One of the values, with probability proportional to its weight. */
  weighted<T>(table: readonly (readonly [T, number])[]): T {
    let left = this.next() * table.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [value, weight] of table) {
      left -= weight;
      if (left < 0) return value;
    }
    return table[table.length - 1][0];
  }

  /** A copy of the list in random order. */
  shuffled<T>(list: readonly T[]): T[] {
    const order = [...list];
    for (let i = order.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}
