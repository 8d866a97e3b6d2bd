/**
 * Tic-tac-toe: two seats put their marks in turn on nine squares; three in a line win. Played perfectly it is a draw.
 * All 5,478 positions can be searched, so a perfect player is exact.
 */
import { evenlyOverLargest, type Game } from '../../envs/game.ts';

/** Squares of the board in order: the seat that marked it, or null. */
export interface Board {
  squares: readonly (number | null)[];
  /** Square of the last mark; null: none yet. */
  last: number | null;
}

const marks = ['x', 'o'] as const;
const lines = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
] as const;

/** Seat with three marks in a line; null: none. */
function winner({ squares }: Board): number | null {
  const line = lines.find(([a, b, c]) => squares[a] !== null && squares[a] === squares[b] && squares[a] === squares[c]);
  return line ? squares[line[0]] : null;
}

const free = ({ squares }: Board): number[] => [...squares.keys()].filter((square) => squares[square] === null);

/** Seat whose turn follows the marks on the board. */
const seatAfter = (board: Board): number => (9 - free(board).length) % 2;

const actionOf = (square: number) => `mark ${square + 1}`;
const squareOf = (action: string) => Number(action.slice('mark '.length)) - 1;

/** The board row by row: a mark, or the number of a free square. */
const rows = ({ squares }: Board): string =>
  [0, 3, 6]
    .map((first) =>
      [0, 1, 2]
        .map((k) => {
          const seat = squares[first + k];
          return seat === null ? String(first + k + 1) : marks[seat];
        })
        .join(' '),
    )
    .join('\n');

export const ticTacToe: Game<Board> = {
  seats: ['first', 'second'],
  deals: [{ squares: new Array<null>(9).fill(null), last: null }],
  toAct: (board) => (winner(board) !== null || free(board).length === 0 ? null : seatAfter(board)),
  actions: (board) => free(board).map(actionOf),
  play: (board, action) => {
    const square = squareOf(action);
    return { squares: board.squares.with(square, seatAfter(board)), last: square };
  },
  sees: (board, seat) => `${rows(board)}\nyou play ${marks[seat]}`,
  payoff: (board, seat) => {
    const won = winner(board);
    return won === null ? 0 : won === seat ? 1 : -1;
  },
};

/** Text after the last mark. */
export function ticTacToeEnding(board: Board, seat: number): string {
  const won = winner(board);
  return `${rows(board)}\n${won === null ? 'a draw' : won === seat ? 'you win' : 'you lose'}`;
}

const values = new Map<string, number>();

/** Payoff of the first seat if both play perfectly from here. */
export function payoffOf(board: Board): number {
  const key = board.squares.join();
  const known = values.get(key);
  if (known !== undefined) return known;
  const seat = ticTacToe.toAct(board);
  const after = () => ticTacToe.actions(board).map((action) => payoffOf(ticTacToe.play(board, action)));
  const value = seat === null ? ticTacToe.payoff(board, 0) : seat === 0 ? Math.max(...after()) : Math.min(...after());
  values.set(key, value);
  return value;
}

/**
 * Probability of each free square for a player who takes one of the best squares with probability `skill`, and any
 * square otherwise.
 */
export function chancesOf(board: Board, seat: number, skill: number): number[] {
  const sign = seat === 0 ? 1 : -1;
  const worth = ticTacToe.actions(board).map((action) => sign * payoffOf(ticTacToe.play(board, action)));
  return evenlyOverLargest(worth).map((best) => (1 - skill) / worth.length + skill * best);
}
