/** Bargaining as a world: the policy takes a seat, the world's own player or a strategy the other. */
import type { World } from '../../envs/env.ts';
import { GameWorld } from '../../envs/game-world.ts';
import { seatsOf } from '../../envs/seat-options.ts';
import { bargainDescription } from './description.ts';
import { bargainPlay, rangeOf } from './games.ts';
import { ownOptions } from './options.ts';
import { conceding } from './players.ts';
import { bargainEnding } from './rules.ts';

export const openBargain = (): World =>
  new GameWorld({
    description: bargainDescription,
    ...bargainPlay,
    range: rangeOf,
    seatsOf: (options) => seatsOf[ownOptions(options).seat],
    ending: bargainEnding,
    oracle: (options) => conceding(ownOptions(options).turns),
  });
