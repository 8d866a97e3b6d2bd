/**
 * A world of a game with two seats. A task names the seat of the policy and the deal; the other seat plays a strategy
 * that the task carries (`options.strategy`), or the world's own. Its moves are functions of the task, so the same
 * actions always give the same answers.
 */
import type { Feedback, Split, Task, World, WorldDescription, WorldOptions, WorldView } from './env.ts';
import { after, type Game, informationOf, opening, type Position, type Strategy } from './game.ts';
import { uniformAt } from './random-player.ts';

/** A player by the state of the game, which it sees whole: the probability of each action, in the game's order. */
type Mover<State> = (state: State, seat: number) => readonly number[];

/** A game as a world: its facts, and what its options choose. */
export interface GameRules<State> {
  description: WorldDescription;
  game: Game<State>;
  /** Seats of the policy under these options. */
  seatsOf(options: WorldOptions): readonly number[];
  /** The world's own opponent, for tasks that carry no strategy. A game with too many informations to list has a mover. */
  opponent(options: WorldOptions): Strategy | Mover<State>;
  /** Text after the last move, for the seat. */
  ending(state: State, seat: number): string;
}

/** Games of a deal and a seat, which differ in the other seat's draws. */
const GAMES_IN_TRAINING = 1000;
const GAMES_HELD_OUT = 100;
/** First game of the held-out ones. */
const FIRST_HELD_OUT = 1_000_000;
const SEATS = 2;

interface Table<State> {
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
    const { description, game, seatsOf } = this.rules;
    const deals = game.deals.length;
    const first = split === 'test' ? FIRST_HELD_OUT : 0;
    const count = split === 'test' ? GAMES_HELD_OUT : GAMES_IN_TRAINING;
    const seats = seatsOf(options);
    return Array.from({ length: count * deals }, (_, k) => k).flatMap((k) =>
      seats.map((seat) => {
        const id = (first * deals + k) * SEATS + seat;
        return { world: description.name, id, options, strata: { seat: game.seats[seat] } };
      }),
    );
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    return slots.map((slot, k) => {
      const { game, opponent } = this.rules;
      const { id, options } = tasks[k];
      const deal = Math.floor(id / SEATS) % game.deals.length;
      const strategy = strategyIn(tasks[k]) ?? opponent(options);
      const table = { at: opening(game.deals[deal]), seat: id % SEATS, strategy, id, moves: 0 };
      this.tables.set(slot, table);
      return { ...this.answer(table), valid: true };
    });
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    return slots.map((slot, k) => {
      const table = this.tables.get(slot)!;
      const { game } = this.rules;
      const isOver = game.toAct(table.at.state) === null;
      const valid = !isOver && game.actions(table.at.state).includes(actions[k]);
      if (valid) table.at = after(game, table.at, table.seat, actions[k]);
      return { ...this.answer(table), valid };
    });
  }

  /** Lets the other seat move until it is the policy's turn or the game is over. */
  private answer(table: Table<State>): Omit<Feedback, 'valid'> {
    const { game, ending } = this.rules;
    for (let acts = game.toAct(table.at.state); acts !== null; acts = game.toAct(table.at.state)) {
      const offered = game.actions(table.at.state);
      if (acts === table.seat) {
        const observation = game.sees(table.at.state, table.seat);
        return { observation, reward: 0, done: false, validActions: offered };
      }
      const { strategy, at } = table;
      const chances =
        typeof strategy === 'function' ? strategy(at.state, acts) : strategy[informationOf(game, at, acts)];
      table.at = after(game, table.at, acts, drawn(offered, chances, uniformAt(table.id, table.moves++, acts)));
    }
    const payoff = game.payoff(table.at.state);
    const reward = table.seat === 0 ? payoff : 0 - payoff;
    return { observation: ending(table.at.state, table.seat), reward, done: true, validActions: null };
  }

  async oracle(slots: readonly number[]): Promise<null[]> {
    return slots.map(() => null);
  }

  async view(slot: number): Promise<WorldView> {
    const { at, seat } = this.tables.get(slot)!;
    const { game, ending } = this.rules;
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

/** The action in whose interval a number from [0, 1) lies. */
function drawn(offered: readonly string[], chances: readonly number[], at: number): string {
  let end = 0;
  for (const [a, action] of offered.entries()) {
    end += chances[a];
    if (at < end) return action;
  }
  return offered[offered.length - 1];
}
