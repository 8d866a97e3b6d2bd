/** The games of the world's options, and their informations for self-play. */
import type { Split, WorldOptions } from '../../envs/env.ts';
import type { Game, Informations, SeatLine } from '../../envs/game.ts';
import { byChance } from '../../envs/game-world.ts';
import { dealsOf } from './deals.ts';
import { ownOptions, parseBargain } from './options.ts';
import { conceding } from './players.ts';
import { bargaining, linesOf, readBargain, type Talk } from './rules.ts';

/** Deals of training and held-out deals; the held-out ones follow the others. */
const [DEALS_IN_TRAINING, DEALS_HELD_OUT] = [1000, 200];
const DEALS = DEALS_IN_TRAINING + DEALS_HELD_OUT;

/** In self-play few deals are played again and again, with other draws of the other seat. */
export function rangeOf(options: WorldOptions, split: Split) {
  const { opponent, deals } = ownOptions(options);
  if (split === 'test') return { deals: [DEALS_IN_TRAINING, DEALS] as const, games: [0, 1] as const };
  if (opponent !== 'self') return { deals: [0, DEALS_IN_TRAINING] as const, games: [0, 1] as const };
  return { deals: [0, deals] as const, games: [0, Math.ceil(DEALS_IN_TRAINING / deals)] as const };
}

/** Games by their options, because their deals are drawn once. */
const games = new Map<string, Game<Talk>>();

export function gameOf(options: WorldOptions): Game<Talk> {
  const { turns, items, discount } = ownOptions(options);
  const key = [turns, items, discount].join();
  const game = games.get(key) ?? bargaining({ turns, discount }, dealsOf(items, DEALS));
  games.set(key, game);
  return game;
}

/** Rules that a game goes on by. */
export const bargainPlay = {
  game: gameOf,
  opponent: (options: WorldOptions) => {
    const { opponent, turns } = ownOptions(options);
    return opponent === 'chance' ? byChance(gameOf(options)) : conceding(turns);
  },
  read: readBargain,
};

function linesIn(options: WorldOptions, deal: number, seat: number): SeatLine[] {
  const game = gameOf(options);
  return linesOf(game, game.deals[deal], seat, parseBargain(options).turns);
}

/** The informations of the deals of self-play. */
export function informationsOf(options: WorldOptions): Informations {
  const deals = Array.from({ length: parseBargain(options).deals }, (_, deal) => deal);
  const all = deals.flatMap((deal) => [0, 1].flatMap((seat) => linesIn(options, deal, seat)));
  return {
    // Two deals may look the same from a seat.
    lines: [...new Map(all.map((line) => [line.information, line])).values()],
    partFor: (id, strategy) => {
      const lines = linesIn(options, Math.floor(id / 2) % DEALS, 1 - (id % 2));
      return Object.fromEntries(lines.map(({ information }) => [information, strategy[information]]));
    },
  };
}
