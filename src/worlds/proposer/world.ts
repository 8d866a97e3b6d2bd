/** Proposer and solver as a world: the policy takes a seat, the world's own player or a strategy the other. */
import type { World } from '../../envs/env.ts';
import { GameWorld } from '../../envs/game-world.ts';
import { proposerDescription } from './description.ts';
import { walkPlay } from './games.ts';
import { ownOptions } from './options.ts';
import { ownMover } from './players.ts';
import { walkEnding } from './rules.ts';

const seats = { both: [0, 1], proposer: [0], solver: [1] } as const;

export const openProposer = (): World =>
  new GameWorld({
    description: proposerDescription,
    ...walkPlay,
    seatsOf: (options) => seats[ownOptions(options).seat],
    ending: walkEnding,
    oracle: (options) => ownMover(ownOptions(options).moves),
  });
