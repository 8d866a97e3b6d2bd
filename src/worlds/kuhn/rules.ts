/**
 * Kuhn poker: three cards, each seat holds one and has put one chip in. A seat checks or bets a chip; a bet is called or
 * folded. (H. W. Kuhn, A simplified two-person poker, 1950.) Its equilibria are known: the first seat bets a jack with a
 * probability b from 0 to 1/3 and a king with 3 b, and calls with a queen with b + 1/3.
 */
import { exploitability, type Game, type SeatLine, type Strategy, seatLines } from '../../envs/game.ts';

const cards = ['jack', 'queen', 'king'] as const;

interface Deal {
  /** Cards of the first and of the second seat: larger is higher. */
  cards: readonly [number, number];
  moves: readonly string[];
}

const [check, bet, call, fold] = ['check', 'bet', 'call', 'fold'];
const words: { readonly [move: string]: string } = {
  [check]: 'the other checks',
  [bet]: 'the other bets',
  [call]: 'the other calls',
  [fold]: 'the other folds',
};

const isOver = ({ moves }: Deal): boolean =>
  moves.length >= 2 && !(moves.length === 2 && moves[0] === check && moves[1] === bet);

/** Chips that the winner takes from the loser: a called bet adds one. */
const stake = ({ moves }: Deal): number => (moves.at(-1) === call ? 2 : 1);

/** Seat that wins: the other one folded, or its card is higher. */
function winner({ cards: [first, second], moves }: Deal): number {
  if (moves.at(-1) === fold) return moves.length % 2 === 0 ? 0 : 1;
  return first > second ? 0 : 1;
}

export const kuhnGame: Game<Deal> = {
  seats: ['first', 'second'],
  deals: [0, 1, 2].flatMap((first) =>
    [0, 1, 2].flatMap((second) => (first === second ? [] : [{ cards: [first, second] as const, moves: [] }])),
  ),
  toAct: (deal) => (isOver(deal) ? null : deal.moves.length % 2),
  actions: ({ moves }) => (moves.at(-1) === bet ? [call, fold] : [check, bet]),
  play: ({ cards, moves }, action) => ({ cards, moves: [...moves, action] }),
  sees: ({ cards: held, moves }, seat) => {
    const last = moves.at(-1);
    if (moves.length >= 2) return words[last!];
    const hand = `you hold a ${cards[held[seat]]} and move ${kuhnGame.seats[seat]}`;
    return last === undefined ? hand : `${hand} . ${words[last]}`;
  },
  payoff: (deal, seat) => (winner(deal) === seat ? 1 : -1) * stake(deal),
};

/** Every information that a seat can have. */
export const kuhnLines = (): SeatLine[] => seatLines(kuhnGame);

export const kuhnExploitability = (strategy: Strategy): number => exploitability(kuhnGame, strategy);

/** Text after the last move. */
export function kuhnEnding(deal: Deal, seat: number): string {
  const last = deal.moves.at(-1)!;
  const byOther = (deal.moves.length - 1) % 2 !== seat;
  const held = last === fold ? '' : ` . the other holds a ${cards[deal.cards[1 - seat]]}`;
  const result = `you ${winner(deal) === seat ? 'win' : 'lose'} ${stake(deal)}`;
  return `${byOther ? words[last] : `you ${last}`}${held} . ${result}`;
}

/** The equilibrium in which the first seat bets a jack with probability `bluff`, from 0 to 1/3. */
export function kuhnEquilibrium(bluff = 1 / 3): Strategy {
  const third = 1 / 3;
  const betFirst = [bluff, 0, 3 * bluff];
  const callFirst = [0, bluff + third, 1];
  const betSecond = [third, 0, 1];
  const callSecond = [0, third, 1];
  const of = (seat: number) => (card: number, moves: readonly string[]) =>
    kuhnGame.sees({ cards: seat === 0 ? [card, (card + 1) % 3] : [(card + 1) % 3, card], moves }, seat);
  const [first, second] = [of(0), of(1)];
  const entries = [0, 1, 2].flatMap((card): [string, number[]][] => [
    [first(card, []), [1 - betFirst[card], betFirst[card]]],
    [`${first(card, [])}\n${check}\n${words[bet]}`, [callFirst[card], 1 - callFirst[card]]],
    [second(card, [check]), [1 - betSecond[card], betSecond[card]]],
    [second(card, [bet]), [callSecond[card], 1 - callSecond[card]]],
  ]);
  return Object.fromEntries(entries);
}
