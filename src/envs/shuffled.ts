/** Orders drawn from a seed. Knows no world. */
import { uniformAt } from './random-player.ts';

/** Fisher and Yates, keyed by the seed. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const order = [...list];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(uniformAt(seed, 0, i) * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
