/**
 * Client of the household: the World interface over one WASM instance in this process. The rules are in
 * envs-wasm/household; this file handles tasks, houses and options.
 */
import {
  type Feedback,
  type Json,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import { type BatchExports, TextBatch } from '../../envs/transport/text-batch.ts';
import { householdDescription } from './description.ts';
import type { House } from './house.ts';
import { type HouseNames, houseBytes, houseNames, styleBits } from './house-bytes.ts';
import { type HouseholdOptions, parseHousehold } from './options.ts';
import { OwnGames } from './own-games.ts';
import { madeHouse, madeTasks } from './tasks.ts';
import { type HouseholdView, parseView } from './view-data.ts';

interface Exports extends BatchExports {
  reset(count: number): void;
  step(count: number): void;
  oracle(count: number): void;
  writeView(slot: number): void;
}

/** Flags of an answer, as in envs-wasm/household/index.ts. */
const Flag = { accepted: 1, won: 2, listed: 4 } as const;
/** Share of the reward that subgoals give before the end. */
const partialReward = 0.5;
/** Houses that are kept ready: the episodes of a group share one. */
const mostKept = 512;

/** A house that can be played. */
interface Ready {
  house: House;
  names: HouseNames;
  /** Input of its episodes: the house, then its task's text. */
  input: Uint8Array;
  houseLength: number;
}

interface Playing {
  ready: Ready;
  partial: boolean;
  commands: readonly string[];
  reached: number;
  all: number;
  done: boolean;
}

const encoder = new TextEncoder();

function styleOf({ dialect, observation, commands, oracle }: HouseholdOptions): number {
  return (
    (dialect === 'put' ? styleBits.put : 0) |
    (observation === 'brief' ? styleBits.brief : 0) |
    (commands === 'acting' ? styleBits.acting : 0) |
    (oracle === 'explores' ? styleBits.explores : 0)
  );
}

function readyOf(house: House, style: number): Ready {
  const names = houseNames(house);
  const bytes = houseBytes(house, style, names);
  const task = encoder.encode(house.task);
  const input = new Uint8Array(bytes.length + task.length);
  input.set(bytes);
  input.set(task, bytes.length);
  return { house, names, input, houseLength: bytes.length };
}

/** The world Household; create it with `Household.open()`. */
export class Household implements World {
  private readonly playing = new Map<number, Playing>();
  private readonly ready = new Map<string, Promise<Ready>>();
  private readonly own = new OwnGames();

  private constructor(private readonly batch: TextBatch<Exports>) {}

  static async open(): Promise<Household> {
    return new Household(await TextBatch.open('household'));
  }

  describe(): WorldDescription {
    return householdDescription;
  }

  async tasks(given: WorldOptions, split: Split): Promise<Task[]> {
    const options = parseHousehold(given);
    return options.games ? this.own.tasks(options, split) : madeTasks(options, split);
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    const options = tasks.map((task) => parseHousehold(task.options));
    const ready = await Promise.all(tasks.map(({ id }, k) => this.readyFor(id, options[k])));
    return this.begin(
      slots,
      ready,
      options.map(({ partial }) => partial),
    );
  }

  /** Begins episodes in houses that are given, not made: for tests and for games. */
  async resetHouses(slots: readonly number[], houses: readonly House[], given: WorldOptions): Promise<Feedback[]> {
    const options = parseHousehold(given);
    const ready = houses.map((house) => readyOf(house, styleOf(options)));
    return this.begin(
      slots,
      ready,
      houses.map(() => options.partial),
    );
  }

  private begin(slots: readonly number[], ready: readonly Ready[], partial: readonly boolean[]): Feedback[] {
    this.batch.reset(
      slots,
      ready.map(({ houseLength }) => [houseLength]),
      ready.map(({ input }) => input),
    );
    this.batch.wasm.reset(slots.length);
    for (const [k, slot] of slots.entries())
      this.playing.set(slot, { ready: ready[k], partial: partial[k], commands: [], reached: 0, all: 1, done: false });
    return this.answers(slots);
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    this.batch.texts(slots, actions);
    this.batch.wasm.step(slots.length);
    return this.answers(slots);
  }

  private answers(slots: readonly number[]): Feedback[] {
    return this.batch.answers(slots.length, (text, flags, k) => {
      const playing = this.playing.get(slots[k])!;
      const [observation, list] = text.split('\0');
      playing.reached = (flags >> 8) & 255;
      playing.all = (flags >> 16) & 255;
      if (flags & Flag.listed) playing.commands = list ? list.split('\n') : [];
      const done = (flags & Flag.won) !== 0;
      const over = done && playing.done;
      playing.done = done;
      const share = playing.partial ? (partialReward * playing.reached) / playing.all : 0;
      return {
        observation,
        reward: over ? 0 : done ? 1 : share,
        done,
        valid: (flags & Flag.accepted) !== 0,
        validActions: flags & Flag.listed ? playing.commands : null,
      };
    });
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    this.batch.checkWorlds(slots);
    this.batch.begin(slots);
    this.batch.wasm.oracle(slots.length);
    return this.batch.answers(slots.length, (text, found) => (found ? text.split('\n').slice(0, -1) : null));
  }

  async view(slot: number): Promise<HouseholdView> {
    this.batch.checkWorlds([slot]);
    this.batch.wasm.writeView(slot);
    const { ready, commands } = this.playing.get(slot)!;
    return parseView(this.batch.output(), ready.house, ready.names, commands);
  }

  async inspect(slot: number, what: string): Promise<Json> {
    this.batch.checkWorlds([slot]);
    const { reached, all } = this.playing.get(slot)!;
    if (what === 'subgoals') return { reached, all };
    throw new WorldError(`The household has no state "${what}": ask for "subgoals".`);
  }

  async close(): Promise<void> {
    this.playing.clear();
    this.ready.clear();
    this.own.clear();
  }

  /** Size of the linear memory, which never shrinks: enough for the largest use so far. */
  memoryBytes(): number {
    return this.batch.memoryBytes();
  }

  /** House of a task and its options; a kept game of ALFWorld decides the dialect. */
  private async houseFor(id: number, options: HouseholdOptions): Promise<[House, HouseholdOptions]> {
    if (!options.games) return [madeHouse(id, options), options];
    const { house, dialect } = await this.own.game(id, options.games);
    return [house, { ...options, dialect }];
  }

  private async readyFor(id: number, options: HouseholdOptions): Promise<Ready> {
    const { receptacles, clutter, sharedPlaces, seed } = options;
    const key = [id, receptacles, clutter, sharedPlaces, seed, styleOf(options), options.games].join();
    const kept = this.ready.get(key);
    if (kept) return kept;
    // Kept before it is made, because the members of a group ask at once.
    const ready = this.houseFor(id, options).then(([house, played]) => readyOf(house, styleOf(played)));
    ready.catch(() => this.ready.delete(key));
    if (this.ready.size >= mostKept) this.ready.delete(this.ready.keys().next().value!);
    this.ready.set(key, ready);
    return ready;
  }
}
