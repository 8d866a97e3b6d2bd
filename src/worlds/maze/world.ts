/**
 * Client of Maze: the World interface over one WASM instance in this process. The rules are in envs-wasm/maze; this
 * file handles tasks, options and their error messages.
 */
import {
  type Feedback,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import { type BatchExports, TextBatch } from '../../envs/transport/text-batch.ts';
import { mazeDescription } from './description.ts';
import { mazeActions } from './moves.ts';
import { parseMazeOptions } from './options.ts';
import { type MazeView, parseView } from './view-data.ts';

interface Exports extends BatchExports {
  reset(count: number): void;
  step(count: number): void;
  oracle(count: number): void;
  writeView(slot: number): void;
}

// Bits of a task's first number, and of the flags of an answer, as in envs-wasm/maze/index.ts.
const Style = { upstream: 1, compact: 2, heldOut: 4, seen: 8, aboveShift: 8 } as const;
const Flag = { accepted: 1, done: 2, won: 4 } as const;

/** First id of the held-out mazes; all larger ids are held out as well. */
export const FIRST_HELD_OUT = 1_000_000;
const LAST_ID = 0x7fffffff;

// The original has one maze with 26 starts. Game 25 starts on its goal and cannot be played; negative numbers count
// from the end.
const UPSTREAM_GAMES = 25;
const UPSTREAM_LISTED = 26;
const UPSTREAM_STEPS = 50;

/** The world Maze; create it with `Maze.open()`. */
export class Maze implements World {
  /** Slots that play the original game, in which a failure is rewarded with -1. */
  private readonly upstream = new Set<number>();

  private constructor(private readonly batch: TextBatch<Exports>) {}

  static async open(): Promise<Maze> {
    return new Maze(await TextBatch.open('maze'));
  }

  describe(): WorldDescription {
    return mazeDescription;
  }

  /** Tasks of a split. The original's 25 games serve as both training and test tasks. */
  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    const filled = parseMazeOptions(options);
    if (filled.upstream) return tasksFrom(0, UPSTREAM_GAMES, filled, {});
    const { size, trainMazes, testMazes } = filled;
    return split === 'train'
      ? tasksFrom(0, trainMazes, filled, { size })
      : tasksFrom(FIRST_HELD_OUT, testMazes, filled, { size });
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    this.batch.reset(slots, tasks.map(numbersOf));
    for (const [b, slot] of slots.entries()) {
      if (parseMazeOptions(tasks[b].options).upstream) this.upstream.add(slot);
      else this.upstream.delete(slot);
    }
    this.batch.wasm.reset(slots.length);
    return this.batch.answers(slots.length, (observation) => ({
      observation,
      reward: 0,
      done: false,
      valid: true,
      validActions: mazeActions as string[],
    }));
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    this.batch.texts(slots, actions);
    this.batch.wasm.step(slots.length);
    return this.batch.answers(slots.length, (observation, flags, b) => {
      const done = (flags & Flag.done) !== 0;
      const lost = done && observation.startsWith('Failure') && this.upstream.has(slots[b]);
      const reward = flags & Flag.won ? 1 : lost ? -1 : 0;
      return { observation, reward, done, valid: (flags & Flag.accepted) !== 0, validActions: null };
    });
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    this.batch.checkWorlds(slots);
    this.batch.begin(slots);
    this.batch.wasm.oracle(slots.length);
    return this.batch.answers(slots.length, (text, found) => (found ? text.split('\n').slice(0, -1) : null));
  }

  async oracleIsListed(slots: readonly number[]): Promise<(boolean | null)[]> {
    return (await this.oracle(slots)).map((plan) => plan && true);
  }

  async view(slot: number): Promise<MazeView> {
    this.batch.checkWorlds([slot]);
    this.batch.wasm.writeView(slot);
    return parseView(this.batch.output());
  }

  async close(): Promise<void> {
    this.upstream.clear();
  }

  /** Size of the linear memory, which never shrinks: enough for the largest use so far. */
  memoryBytes(): number {
    return this.batch.memoryBytes();
  }
}

function tasksFrom(first: number, count: number, options: WorldOptions, strata: Task['strata']): Task[] {
  return Array.from({ length: count }, (_, k) => ({ world: 'maze', id: first + k, options, strata }));
}

/** Encodes a task as the instance's four numbers. */
function numbersOf({ id, options }: Task): number[] {
  const { upstream, observation, oracle, stepLimit, size, loops, nearest } = parseMazeOptions(options);
  if (upstream) return [Style.upstream | (UPSTREAM_STEPS << Style.aboveShift), gameOf(id), 0, 0];
  if (!Number.isInteger(id) || id < 0 || id > LAST_ID)
    throw new WorldError(`A maze's id must be a whole number from 0 to ${LAST_ID} (it is ${id}).`);
  const style =
    (observation === 'compact' ? Style.compact : 0) |
    (id >= FIRST_HELD_OUT ? Style.heldOut : 0) |
    (oracle === 'seen' ? Style.seen : 0);
  return [style | (stepLimit << Style.aboveShift), id, size, loops | (nearest << Style.aboveShift)];
}

/** Index of an original game. Negative numbers count from the end, as with the original's server. */
function gameOf(id: number): number {
  const game = id < 0 ? id + UPSTREAM_LISTED : id;
  if (Number.isInteger(game) && game >= 0 && game < UPSTREAM_GAMES) return game;
  throw new WorldError(
    game === UPSTREAM_GAMES
      ? `Game ${id} of the original maze cannot be played: it starts on the goal. Choose one from 0 to ${UPSTREAM_GAMES - 1}.`
      : `${id < 0 ? 'list index out of range' : `The game ${id} is not valid.`} The original maze has the games 0 to ${UPSTREAM_GAMES - 1} (it is ${id}).`,
  );
}
