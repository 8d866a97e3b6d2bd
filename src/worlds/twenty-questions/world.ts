/** Twenty questions as a world: the policy takes a seat, the world's own player the other. */
import type { World } from '../../envs/env.ts';
import { GameWorld } from '../../envs/game-world.ts';
import { twentyQuestionsDescription } from './description.ts';
import { parseTwentyQuestions } from './options.ts';
import { ownChances, roundEnding, twentyQuestions } from './rules.ts';

const seatsOf = { both: [0, 1], keeper: [0], asker: [1] } as const;

export const openTwentyQuestions = (): World =>
  new GameWorld({
    description: twentyQuestionsDescription,
    game: () => twentyQuestions,
    seatsOf: (options) => seatsOf[parseTwentyQuestions(options).seat],
    opponent: () => ownChances,
    ending: roundEnding,
    oracle: () => ownChances,
  });
