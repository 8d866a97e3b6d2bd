/**
 * How well a finished game divided its pool, for both seats together. Waiting is left out: a discount changes none of
 * the measures.
 */
import type { PlayedGame } from '../../envs/game.ts';
import { stateAfter } from '../../envs/game-world.ts';
import { type Deal, TOTAL, worthOf } from './deals.ts';
import { bargainPlay } from './games.ts';
import { offeredTo, offersIn, restOf, type Talk } from './rules.ts';

/** Shares of the pool's value that the seats get, each by its own values. */
type Shares = readonly [number, number];

const divisions = new WeakMap<Deal, readonly Shares[]>();
/** Shares by every division of the pool. */
function divisionsOf(deal: Deal): readonly Shares[] {
  const { values } = deal;
  const known =
    divisions.get(deal) ??
    [...offersIn(deal).values()].map(
      (given): Shares => [worthOf(restOf(deal, given), values[0]) / TOTAL, worthOf(given, values[1]) / TOTAL],
    );
  divisions.set(deal, known);
  return known;
}

/** Shares that the seats have agreed on; without an agreement nothing. */
const agreedOn = (talk: Talk): Shares =>
  talk.accepted ? [offeredTo(talk, 0)! / TOTAL, offeredTo(talk, 1)! / TOTAL] : [0, 0];

/** A game is won by the seat that got more of the pool's value, each by its own values. */
export function resultOf(played: PlayedGame): number {
  const { state, seat } = stateAfter(bargainPlay, played);
  const shares = agreedOn(state);
  return (Math.sign(shares[seat] - shares[1 - seat]) + 1) / 2;
}

/** Measures of a finished game. */
export function measuresOf(played: PlayedGame): { [metric: string]: number } {
  const talk = stateAfter(bargainPlay, played).state;
  const [first, second] = agreedOn(talk);
  const shares = divisionsOf(talk.deal);
  const best = Math.max(...shares.map(([a, b]) => a + b));
  const isDominated = shares.some(([a, b]) => a >= first && b >= second && a + b > first + second);
  return {
    agreements: talk.accepted ? 1 : 0,
    jointValue: (first + second) / best,
    paretoOptimal: isDominated ? 0 : 1,
    nashProduct: first * second,
  };
}
