/**
 * A world of a game with two seats. A task names the seat of the policy and the deal; the other seat plays a strategy
 * that the task carries (`options.strategy`), or the world's own. Its moves are functions of the task, so the same
 * actions always give the same answers.
 */
import type { Feedback, Split, Task, World, WorldDescription, WorldOptions, WorldView } from './env.ts';
import { after, type Game, informationOf, opening, type PlayedGame, type Position, type Strategy } from './game.ts';
import { uniformAt } from './random-player.ts';

/** A player by the state of the game, which it sees whole: the probability of each action, in the game's order. */
export type Mover<State> = (state: State, seat: number) => readonly number[];

/** A player who takes every action with the same probability. */
export const byChance =
  <State>(game: Game<State>): Mover<State> =>
  (state) => {
    const actions = game.actions(state);
    return actions.map(() => 1 / actions.length);
  };

/** A game as a world: its facts, and what its options choose. */
export interface GameRules<State> {
  description: WorldDescription;
  game(options: WorldOptions): Game<State>;
  /** Deals and games of a split's tasks. Default: all deals, with other games in each split. */
  range?(options: WorldOptions, split: Split): TaskRange;
  /** Seats of the policy under these options. */
  seatsOf(options: WorldOptions): readonly number[];
  /** The world's own opponent, for tasks that carry no strategy. A game with too many informations to list has a mover. */
  opponent(options: WorldOptions): Strategy | Mover<State>;
  /** Text after the last move, for the seat. */
  ending(state: State, seat: number): string;
  /** The action that a text names, or why there is none. Default: an offered action, letter by letter. */
  read?(state: State, text: string): Reading;
  /** A player for the policy's seat, which sees what the seat sees. Its most probable action is the oracle's. */
  oracle?(options: WorldOptions): Mover<State>;
}

/** Part of the rules that a game goes on by. */
type PlayRules<State> = Pick<GameRules<State>, 'game' | 'opponent' | 'read'>;

/** An action that the game offers, or the answer to a text that names none. */
type Reading = { action: string } | { refusal: string };

/** From the first number to below the second. Games of a deal and a seat differ in the other seat's draws. */
interface TaskRange {
  deals: readonly [number, number];
  games: readonly [number, number];
}

/** Games of each deal and seat, if a world gives no range. */
const GAMES = { train: [0, 1000], test: [1_000_000, 1_000_100] } as const;
const SEATS = 2;

interface Table<State> {
  game: Game<State>;
  options: WorldOptions;
  at: Position<State>;
  seat: number;
  strategy: Strategy | Mover<State>;
  id: number;
  moves: number;
}

/** The strategy that a task carries for the other seats; absent: the world's own opponent plays. */
export const strategyIn = ({ options }: Pick<Task, 'options'>): Strategy | undefined =>
  options.strategy as Strategy | undefined;

/** The task, with the other seats played by this strategy. */
export const against = (task: Task, strategy: Strategy): Task => ({
  ...task,
  options: { ...task.options, strategy: strategy as unknown as WorldOptions },
});

export class GameWorld<State> implements World {
  private readonly tables = new Map<number, Table<State>>();

  constructor(private readonly rules: GameRules<State>) {}

  describe(): WorldDescription {
    return this.rules.description;
  }

  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    const { description, seatsOf, range } = this.rules;
    const game = this.rules.game(options);
    const all = game.deals.length;
    const { deals, games } = range?.(options, split) ?? { deals: [0, all], games: GAMES[split] };
    const seats = seatsOf(options);
    const task = (number: number, deal: number, seat: number): Task => ({
      world: description.name,
      id: (number * all + deal) * SEATS + seat,
      options,
      strata: { seat: game.seats[seat] },
    });
    const both = (number: number, deal: number) => seats.map((seat) => task(number, deal, seat));
    // An evaluation takes evenly spaced tasks: the games of a deal stand together, so that each deal has its share.
    return split === 'test'
      ? numbers(deals).flatMap((deal) => numbers(games).flatMap((number) => both(number, deal)))
      : numbers(games).flatMap((number) => numbers(deals).flatMap((deal) => both(number, deal)));
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    return slots.map((slot, k) => {
      const table = tableOf(this.rules, tasks[k]);
      this.tables.set(slot, table);
      return { ...this.answer(table), valid: true };
    });
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    return slots.map((slot, k) => {
      const table = this.tables.get(slot)!;
      const read = this.read(table, actions[k]);
      // A refusal pays nothing, after the end either.
      if ('refusal' in read) return { ...this.answer(table), valid: false, reward: 0, observation: read.refusal };
      take(table, read.action);
      return { ...this.answer(table), valid: true };
    });
  }

  private read(table: Table<State>, text: string): Reading {
    const { game, at, seat } = table;
    return game.toAct(at.state) === null
      ? { refusal: this.rules.ending(at.state, seat) }
      : readAt(this.rules, table, text);
  }

  /** The policy's next information or the end. */
  private answer({ game, at: { state }, seat }: Table<State>): Omit<Feedback, 'valid'> {
    if (game.toAct(state) !== null)
      return { observation: game.sees(state, seat), reward: 0, done: false, validActions: game.actions(state) };
    return {
      observation: this.rules.ending(state, seat),
      reward: game.payoff(state, seat),
      done: true,
      validActions: null,
    };
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    const { oracle } = this.rules;
    return slots.map((slot) => {
      const table = this.tables.get(slot)!;
      return oracle ? planOf({ ...table }, oracle(table.options)) : null;
    });
  }

  async view(slot: number): Promise<WorldView> {
    const { game, at, seat } = this.tables.get(slot)!;
    const { ending } = this.rules;
    const acts = game.toAct(at.state);
    return {
      kind: 'text',
      text: at.known[seat] + (acts === null ? ending(at.state, seat) : game.sees(at.state, seat)),
    };
  }

  async close(): Promise<void> {
    this.tables.clear();
  }
}

const numbers = ([first, end]: readonly [number, number]): number[] =>
  Array.from({ length: end - first }, (_, k) => first + k);

/** The game of a task, after the moves before the policy's first turn. */
function tableOf<State>(rules: PlayRules<State>, task: Pick<Task, 'id' | 'options'>): Table<State> {
  const { id, options } = task;
  const game = rules.game(options);
  const at = opening(game.deals[Math.floor(id / SEATS) % game.deals.length]);
  const strategy = strategyIn(task) ?? rules.opponent(options);
  const table = { game, options, at, seat: id % SEATS, strategy, id, moves: 0 };
  letOtherMove(table);
  return table;
}

/** The action that a text names at the policy's turn. */
function readAt<State>({ read }: PlayRules<State>, { game, at, seat }: Table<State>, text: string): Reading {
  if (read) return read(at.state, text);
  return game.actions(at.state).includes(text) ? { action: text } : { refusal: game.sees(at.state, seat) };
}

/** Takes an action of the policy, and the other seat's moves after it. */
function take<State>(table: Table<State>, action: string): void {
  table.at = after(table.game, table.at, table.seat, action);
  letOtherMove(table);
}

/**
 * State of a task's game after these actions of the policy's seat, which the world took: its last state after an
 * episode. `seat`: the policy's. It is the same state as in the world, because the other seat's moves are functions of
 * the task.
 */
export function stateAfter<State>(
  rules: PlayRules<State>,
  { task, actions }: PlayedGame,
): { state: State; seat: number } {
  const table = tableOf(rules, task as Pick<Task, 'id' | 'options'>);
  for (const text of actions) {
    const reading = readAt(rules, table, text);
    if ('action' in reading) take(table, reading.action);
  }
  return { state: table.at.state, seat: table.seat };
}

/** Lets the other seat move until it is the policy's turn or the game is over. */
function letOtherMove<State>(table: Table<State>): void {
  const { game, strategy } = table;
  for (let acts = game.toAct(table.at.state); acts !== null; acts = game.toAct(table.at.state)) {
    if (acts === table.seat) return;
    const { at } = table;
    const chances = typeof strategy === 'function' ? strategy(at.state, acts) : strategy[informationOf(game, at, acts)];
    const chosen = drawn(game.actions(at.state), chances, uniformAt(table.id, table.moves++, acts));
    table.at = after(game, at, acts, chosen);
  }
}

/** Actions of the policy's seat up to the end, if this player takes it. Changes the table. */
function planOf<State>(table: Table<State>, player: Mover<State>): string[] {
  const { game, seat } = table;
  const plan: string[] = [];
  while (game.toAct(table.at.state) === seat) {
    const chances = player(table.at.state, seat);
    const action = game.actions(table.at.state)[chances.indexOf(Math.max(...chances))];
    plan.push(action);
    take(table, action);
  }
  return plan;
}

/** The action in whose interval a number from [0, 1) lies. */
function drawn(offered: readonly string[], chances: readonly number[], at: number): string {
  let end = 0;
  for (const [a, action] of offered.entries()) {
    end += chances[a];
    if (at < end) return action;
  }
  return offered[offered.length - 1];
}
