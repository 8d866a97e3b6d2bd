/**
 * Contract of a game with two seats: who acts next, what each seat sees, what it may do, what it is paid. A game is rules
 * alone; `game-world.ts` makes a world of it, in which the policy takes one seat. Information of a seat: all that it has
 * seen and done, as its conversation holds it.
 */

export interface Game<State> {
  /** Names of the seats, in the order of their first moves. */
  seats: readonly [string, string];
  /** Beginnings of the game, each as likely as any other. */
  deals: readonly State[];
  /** Seat whose turn it is, 0 or 1; null: the game is over. */
  toAct(state: State): number | null;
  actions(state: State): readonly string[];
  play(state: State, action: string): State;
  /** New text that a seat reads at its turn, since its last action. */
  sees(state: State, seat: number): string;
  payoff(state: State, seat: number): number;
  /** True if the text of a turn holds all that matters: it alone is a seat's information, whatever led to it. */
  memoryless?: boolean;
}

/** Probability of each action, in the game's order, by the information of the seat that acts. */
export type Strategy = { readonly [information: string]: readonly number[] };

/** A turn of a seat: the text before it and the actions to choose among. */
interface SeatTurn {
  sees: string;
  offered: readonly string[];
}

/** Information before a turn: earlier turns with their actions, and the turn itself. */
export interface SeatLine {
  information: string;
  seat: number;
  before: readonly (SeatTurn & { action: string })[];
  turn: SeatTurn;
}

/** Position of a game with the information of each seat. */
export interface Position<State> {
  state: State;
  known: readonly [string, string];
}

export const opening = <State>(state: State): Position<State> => ({ state, known: ['', ''] });

/** Information of the seat that acts. */
export const informationOf = <State>(game: Game<State>, { state, known }: Position<State>, seat: number): string =>
  game.memoryless ? game.sees(state, seat) : known[seat] + game.sees(state, seat);

/** The position after an action of the seat. */
export function after<State>(game: Game<State>, at: Position<State>, seat: number, action: string): Position<State> {
  const own = `${at.known[seat]}${game.sees(at.state, seat)}\n${action}\n`;
  const known = seat === 0 ? ([own, at.known[1]] as const) : ([at.known[0], own] as const);
  return { state: game.play(at.state, action), known };
}

/** Every information that a seat can have at its turn, with the turns that led to it. Each is listed once. */
export function seatLines<State>(game: Game<State>): SeatLine[] {
  const lines = new Map<string, SeatLine>();
  const walk = (at: Position<State>, before: readonly [SeatLine['before'], SeatLine['before']]): void => {
    const seat = game.toAct(at.state);
    if (seat === null) return;
    const information = informationOf(game, at, seat);
    const turn = { sees: game.sees(at.state, seat), offered: game.actions(at.state) };
    lines.set(`${seat} ${information}`, { information, seat, before: before[seat], turn });
    for (const action of turn.offered) {
      const own = [...before[seat], { ...turn, action }];
      walk(after(game, at, seat, action), seat === 0 ? [own, before[1]] : [before[0], own]);
    }
  };
  for (const state of game.deals) walk(opening(state), [[], []]);
  return [...lines.values()];
}

/** A turn of a memoryless game, whose text alone is the information of its seat. */
export function lineAt<State>(game: Game<State>, state: State, seat: number): SeatLine {
  const sees = game.sees(state, seat);
  return { information: sees, seat, before: [], turn: { sees, offered: game.actions(state) } };
}

/** Every action with the same probability. */
export const uniformStrategy = (lines: readonly SeatLine[]): Strategy =>
  Object.fromEntries(
    lines.map(({ information, turn: { offered } }) => [information, offered.map(() => 1 / offered.length)]),
  );

const sumOver = <T>(list: readonly T[], value: (item: T, index: number) => number): number =>
  list.reduce((sum, item, index) => sum + value(item, index), 0);

/** Expected payoff of the first seat. */
export function expectedPayoff<State>(game: Game<State>, first: Strategy, second: Strategy): number {
  const value = (at: Position<State>): number => {
    const seat = game.toAct(at.state);
    if (seat === null) return game.payoff(at.state, 0);
    const chances = (seat === 0 ? first : second)[informationOf(game, at, seat)];
    return sumOver(game.actions(at.state), (action, a) => chances[a] * value(after(game, at, seat, action)));
  };
  return sumOver(game.deals, (state) => value(opening(state))) / game.deals.length;
}

interface Weighted<State> {
  at: Position<State>;
  weight: number;
}

/** Expected payoff of a seat that plays best against the other's strategy, which it knows. */
export function bestResponse<State>(game: Game<State>, other: Strategy, seat: number): number {
  /** Value from positions among which the seat cannot tell, before the other's moves. */
  const value = (positions: readonly Weighted<State>[]): number => {
    let total = 0;
    const turns = new Map<string, Weighted<State>[]>();
    const walk = ({ at, weight }: Weighted<State>): void => {
      const acts = game.toAct(at.state);
      if (acts === null) {
        total += weight * game.payoff(at.state, seat);
        return;
      }
      const information = informationOf(game, at, acts);
      if (acts === seat) {
        turns.set(information, [...(turns.get(information) ?? []), { at, weight }]);
        return;
      }
      for (const [a, action] of game.actions(at.state).entries())
        walk({ at: after(game, at, acts, action), weight: weight * other[information][a] });
    };
    positions.forEach(walk);
    for (const same of turns.values()) {
      const values = game
        .actions(same[0].at.state)
        .map((action) => value(same.map(({ at, weight }) => ({ at: after(game, at, seat, action), weight }))));
      total += Math.max(...values);
    }
    return total;
  };
  return value(game.deals.map((state) => ({ at: opening(state), weight: 1 / game.deals.length })));
}

/** Ends of the game that actions lead to. */
function* endsOf<State>(game: Game<State>, state: State): Generator<State> {
  if (game.toAct(state) === null) yield state;
  else for (const action of game.actions(state)) yield* endsOf(game, game.play(state, action));
}

/** Games whose payoffs are known to sum to zero at every end. */
const zeroSum = new WeakSet<object>();

/** Throws RangeError if the payoffs of a game do not sum to zero at every end. */
function requireZeroSum<State>(game: Game<State>): void {
  if (zeroSum.has(game)) return;
  for (const end of game.deals.flatMap((deal) => [...endsOf(game, deal)])) {
    const [first, second] = [game.payoff(end, 0), game.payoff(end, 1)];
    if (first + second !== 0)
      throw new RangeError(
        `Exploitability needs payoffs that sum to zero; a game here ends with ${first} and ${second}. Use bestResponse for each seat.`,
      );
  }
  zeroSum.add(game);
}

/**
 * Exploitability of a strategy for both seats: the mean payoff of a best response to it over the two seats. It is 0 for
 * an equilibrium, and positive otherwise. Throws RangeError if the payoffs of a game do not sum to zero at every end.
 */
export function exploitability<State>(game: Game<State>, strategy: Strategy): number {
  requireZeroSum(game);
  return (bestResponse(game, strategy, 0) + bestResponse(game, strategy, 1)) / 2;
}

/** Sum of strategies, each action's probability times the probability that the seat's own actions lead there. */
export type StrategySum = { readonly [information: string]: readonly number[] };

/** Probability that the seat's own actions lead to a line's information. */
function ownReach({ before }: SeatLine, strategy: Strategy): number {
  let [reach, known] = [1, ''];
  for (const { sees, offered, action } of before) {
    const information = known + sees;
    reach *= strategy[information][offered.indexOf(action)];
    known = `${information}\n${action}\n`;
  }
  return reach;
}

/** The sum with one more strategy. `weight`: its part in the mean. */
export const withStrategy = (
  sum: StrategySum,
  lines: readonly SeatLine[],
  strategy: Strategy,
  weight: number,
): StrategySum =>
  Object.fromEntries(
    lines.map((line) => {
      const part = weight * ownReach(line, strategy);
      const { information } = line;
      return [information, strategy[information].map((chance, a) => (sum[information]?.[a] ?? 0) + part * chance)];
    }),
  );

/** Strategy that plays like one of the summed strategies, drawn before each game by weight. */
export const meanStrategy = (sum: StrategySum): Strategy =>
  Object.fromEntries(
    Object.entries(sum).map(([information, parts]) => {
      const total = sumOver(parts, (part) => part);
      return [information, parts.map((part) => (total > 0 ? part / total : 1 / parts.length))];
    }),
  );

/** Opponents of a policy that plays against itself and its earlier selves. */
export interface LeagueRules {
  /** Steps between two earlier selves that are kept. */
  every: number;
  /** Number of earlier selves that are kept. */
  size: number;
  /** Share of the games against earlier selves, of those without the world's own player; the others: the present policy. */
  share: number;
  /** The world's own player, which takes part in the league, and its share of all games. */
  own: { name: string; share: number };
}

/** What a league needs to know of a game. */
export interface Informations {
  /** Every information that a seat can have at its turn. */
  lines: readonly SeatLine[];
  /** The part of a strategy that the other seat needs in the game of a task, by its id. Default: all of it. */
  partFor?(id: number, strategy: Strategy): Strategy;
}

/** A game that is over: its task, and the actions that the world took from the policy's seat. */
export interface PlayedGame {
  task: { id: number; options: { [name: string]: unknown } };
  actions: readonly string[];
}

/** Part of a world's description: the policy takes one of several seats. */
export interface SeatRules {
  /** The informations of training under these options. */
  informations(options: { [name: string]: unknown }): Promise<Informations>;
  /** Returns the function that computes the exploitability of a strategy for all seats. Absent: it is not known. */
  exploitability?(): Promise<(strategy: Strategy) => number>;
  /** Returns the function that measures a finished game, by its last state. Absent: there are no measures. */
  measures?(): Promise<(game: PlayedGame) => { [metric: string]: number }>;
  /** Returns the function that says who won a game with this score: 1: the policy's seat, 0: another, 0.5: a draw. */
  result(): Promise<(game: PlayedGame, score: number) => number>;
  /**
   * True if a strategy is a function of a turn's text alone (`Game.memoryless`): the policy must then read no more, or an
   * earlier self would meet prompts that training never showed.
   */
  memoryless?: boolean;
  /** Opponents under these options; null: the world's own opponent plays the other seat. */
  league(options: { [name: string]: unknown }): LeagueRules | null;
}

/** Each of the numbers that are largest with the same probability, and the others with none. */
export function evenlyOverLargest(numbers: readonly number[]): number[] {
  const most = Math.max(...numbers);
  const count = numbers.filter((each) => each === most).length;
  return numbers.map((each) => (each === most ? 1 / count : 0));
}
