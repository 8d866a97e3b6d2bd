/** The best answer to an opponent who errs: an exact search over its chances. */
import { evenlyOverLargest } from '../../envs/game.ts';
import type { Mover } from '../../envs/game-world.ts';
import { type Board, chancesOf, ticTacToe } from './rules.ts';

const known = new Map<string, number>();

/** Mean payoff of the seat from a position on, if it plays best and its opponent with this skill (`chancesOf`). */
export function bestPayoff(board: Board, seat: number, skill: number): number {
  const key = `${skill} ${seat} ${board.squares.join()}`;
  const value = known.get(key) ?? searched(board, seat, skill);
  known.set(key, value);
  return value;
}

function searched(board: Board, seat: number, skill: number): number {
  const acts = ticTacToe.toAct(board);
  if (acts === null) return ticTacToe.payoff(board, seat);
  const values = afterEach(board, seat, skill);
  if (acts === seat) return Math.max(...values);
  return chancesOf(board, acts, skill).reduce((sum, chance, a) => sum + chance * values[a], 0);
}

const afterEach = (board: Board, seat: number, skill: number): number[] =>
  ticTacToe.actions(board).map((action) => bestPayoff(ticTacToe.play(board, action), seat, skill));

/**
 * The best player against an opponent of this skill. It leaves the play that is best against a perfect opponent where this
 * one is likely to err.
 */
export const bestResponse =
  (skill: number): Mover<Board> =>
  (board, seat) =>
    evenlyOverLargest(afterEach(board, seat, skill));
