/** Tic-tac-toe as a world: the policy takes a seat, an opponent of the chosen skill the other. */
import type { World } from '../../envs/env.ts';
import { GameWorld } from '../../envs/game-world.ts';
import { seatsOf } from '../../envs/seat-options.ts';
import { bestResponse } from './best-response.ts';
import { ticTacToeDescription } from './description.ts';
import { parseTicTacToe } from './options.ts';
import { chancesOf, ticTacToe, ticTacToeEnding } from './rules.ts';

export const openTicTacToe = (): World =>
  new GameWorld({
    description: ticTacToeDescription,
    game: () => ticTacToe,
    seatsOf: (options) => seatsOf[parseTicTacToe(options).seat],
    opponent: (options) => {
      const { skill } = parseTicTacToe(options);
      return (board, seat) => chancesOf(board, seat, skill);
    },
    ending: ticTacToeEnding,
    oracle: (options) => bestResponse(parseTicTacToe(options).skill),
  });
