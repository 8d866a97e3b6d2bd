/**
 * How well a finished game divided its pool, for both seats together. Waiting is left out: a discount changes none of
 * the measures.
 */
import type { WorldOptions } from '../../envs/env.ts';
import { type Deal, listsUpTo, TOTAL, worthOf } from './deals.ts';
import { gameOf } from './games.ts';

/** Shares of the pool's value that both seats get, each by its own values. */
type Shares = readonly [number, number];

/** Shares by every division of the pool. */
const divisionsOf = ({ counts, values }: Deal): Shares[] =>
  listsUpTo(counts).map((given) => {
    const kept = counts.map((count, kind) => count - given[kind]);
    return [worthOf(kept, values[0]) / TOTAL, worthOf(given, values[1]) / TOTAL];
  });

/** Shares of the policy's seat and the other by the text after the last turn; null: no agreement. */
function sharesIn(ending: string): Shares | null {
  const [own, other] = ending
    .split('worth ')
    .slice(1)
    .map((text) => Number.parseInt(text, 10) / TOTAL);
  return other === undefined ? null : [own, other];
}

/** Measures of a finished game, by its task and the text after its last turn. */
export function measuresOf(
  { id, options }: { id: number; options: { [name: string]: unknown } },
  ending: string,
): { [metric: string]: number } {
  const { deals } = gameOf(options as WorldOptions);
  const seat = id % 2;
  const shares = divisionsOf(deals[Math.floor(id / 2) % deals.length].deal).map(
    (both): Shares => [both[seat], both[1 - seat]],
  );
  const agreed = sharesIn(ending);
  const [own, other] = agreed ?? [0, 0];
  const best = Math.max(...shares.map(([a, b]) => a + b));
  const isDominated = shares.some(([a, b]) => a >= own && b >= other && a + b > own + other);
  return {
    agreements: agreed ? 1 : 0,
    jointValue: (own + other) / best,
    paretoOptimal: isDominated ? 0 : 1,
    nashProduct: own * other,
  };
}
