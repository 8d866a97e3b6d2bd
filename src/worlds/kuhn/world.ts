/** Kuhn poker as a world: the policy takes a seat, and a strategy the other. */
import type { World } from '../../envs/env.ts';
import { uniformStrategy } from '../../envs/game.ts';
import { GameWorld } from '../../envs/game-world.ts';
import { seatsOf } from '../../envs/seat-options.ts';
import { kuhnDescription, ownOptions } from './description.ts';
import { kuhnEnding, kuhnEquilibrium, kuhnGame, kuhnLines } from './rules.ts';

const equilibrium = kuhnEquilibrium();
const chance = uniformStrategy(kuhnLines());

export const openKuhn = (): World =>
  new GameWorld({
    description: kuhnDescription,
    game: () => kuhnGame,
    seatsOf: (options) => seatsOf[ownOptions(options).seat],
    opponent: (options) => (ownOptions(options).opponent === 'chance' ? chance : equilibrium),
    ending: kuhnEnding,
  });
