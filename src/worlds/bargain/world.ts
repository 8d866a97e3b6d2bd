/** Bargaining as a world: the policy takes a seat, the world's own player the other. */
import type { Split, World, WorldOptions } from '../../envs/env.ts';
import type { Game } from '../../envs/game.ts';
import { GameWorld } from '../../envs/game-world.ts';
import { dealsOf } from './deals.ts';
import { bargainDescription } from './description.ts';
import { parseBargain } from './options.ts';
import { byChance, conceding } from './players.ts';
import { bargainEnding, bargaining, readBargain, type Talk } from './rules.ts';

const seatsOf = { both: [0, 1], first: [0], second: [1] } as const;

/** Deals of training and held-out deals; the held-out ones follow the others. */
const [DEALS_IN_TRAINING, DEALS_HELD_OUT] = [1000, 200];
const DEALS = DEALS_IN_TRAINING + DEALS_HELD_OUT;

const range = (_: WorldOptions, split: Split) => ({
  deals: split === 'test' ? ([DEALS_IN_TRAINING, DEALS] as const) : ([0, DEALS_IN_TRAINING] as const),
  games: [0, 1] as const,
});

/** Games by their options, because their deals are drawn once. */
const games = new Map<string, Game<Talk>>();

function gameOf(options: WorldOptions): Game<Talk> {
  const { turns, items, discount } = parseBargain(options);
  const key = [turns, items, discount].join();
  const game = games.get(key) ?? bargaining({ turns, discount }, dealsOf(items, DEALS));
  games.set(key, game);
  return game;
}

export const openBargain = (): World =>
  new GameWorld({
    description: bargainDescription,
    game: gameOf,
    range,
    seatsOf: (options) => seatsOf[parseBargain(options).seat],
    opponent: (options) => {
      const { opponent, turns } = parseBargain(options);
      return opponent === 'chance' ? byChance : conceding(turns);
    },
    ending: bargainEnding,
    read: readBargain,
    oracle: (options) => conceding(parseBargain(options).turns),
  });
