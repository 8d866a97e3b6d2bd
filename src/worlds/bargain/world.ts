/** Bargaining as a world: the policy takes a seat, the world's own player or a strategy the other. */
import type { World } from '../../envs/env.ts';
import { GameWorld } from '../../envs/game-world.ts';
import { seatsOf } from '../../envs/seat-options.ts';
import { bargainDescription } from './description.ts';
import { gameOf, rangeOf } from './games.ts';
import { ownOptions } from './options.ts';
import { byChance, conceding } from './players.ts';
import { bargainEnding, readBargain } from './rules.ts';

export const openBargain = (): World =>
  new GameWorld({
    description: bargainDescription,
    game: gameOf,
    range: rangeOf,
    seatsOf: (options) => seatsOf[ownOptions(options).seat],
    opponent: (options) => {
      const { opponent, turns } = ownOptions(options);
      return opponent === 'chance' ? byChance : conceding(turns);
    },
    ending: bargainEnding,
    read: readBargain,
    oracle: (options) => conceding(ownOptions(options).turns),
  });
