/** The world's own players. Each knows what its seat sees: the pool, its own values and the offers. */
import { evenlyOverLargest } from '../../envs/game.ts';
import type { Mover } from '../../envs/game-world.ts';
import { TOTAL, worthOf } from './deals.ts';
import { offeredTo, offersIn, type Talk } from './rules.ts';

/** Shares of the whole value that a conceding player wants at the first and at the last turn of a game. */
const [firstWish, lastWish] = [0.9, 0.3];

/** Value that a conceding player wants at a turn, from 0 on: it falls evenly. */
export const wishAt = (turn: number, turns: number): number =>
  TOTAL * (firstWish + ((lastWish - firstWish) * turn) / (turns - 1));

/**
 * A player who wants less with every turn: it accepts an offer that is worth its wish, and else makes one of the most
 * generous offers, by the number of goods, that leave it as much.
 */
export const conceding =
  (turns: number): Mover<Talk> =>
  (talk, seat) => {
    const { deal, offers } = talk;
    const wish = wishAt(offers.length, turns);
    const own = deal.values[seat];
    const generosity = [...offersIn(deal).values()].map((given) =>
      TOTAL - worthOf(given, own) >= wish ? given.reduce((sum, count) => sum + count, 0) : -1,
    );
    const offered = offeredTo(talk, seat);
    const isEnough = offered !== null && offered >= wish;
    const weights = offered === null ? generosity : [...generosity, isEnough ? Number.POSITIVE_INFINITY : -1];
    return evenlyOverLargest(weights);
  };
