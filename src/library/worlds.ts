/**
 * `tabgym/worlds`: the worlds alone, without a policy. One world loads only its own code.
 *
 * @example Solve one task of TextCraft with its oracle:
 * ```js
 * import { createWorld } from 'tabgym/worlds';
 *
 * const world = await createWorld('textcraft', { options: { depths: [1], distractors: 3 } });
 * let { observation, done, reward } = await world.reset({ split: 'test', task: 0 });
 * while (!done) {
 *   console.log(observation);
 *   const [action] = await world.oracle();
 *   ({ observation, done, reward } = await world.step(action));
 * }
 * console.log('reward', reward);
 * await world.close();
 * ```
 */
import {
  type Feedback,
  type Split,
  type Task,
  type World,
  WorldError,
  type WorldOptions,
  type WorldView,
} from '../envs/env.ts';
import type { ConnectionSettings } from '../envs/module.ts';
import { openWorld, worldModule, worldModules } from '../worlds/registry.ts';

export type { Feedback, Split, Task, WorldOptions, WorldView };
export { WorldError };

/** A world in the list of all. */
export interface WorldInfo {
  /** Name for `createWorld` and in experiments. */
  name: string;
  title: string;
  /** One sentence for people. */
  summary: string;
  /** Instruction for a language model; empty: none. */
  instruction: string;
  /** True if it can plan its own solution. */
  hasOracle: boolean;
  /** True if its observations list the valid actions. */
  hasValidActions: boolean;
  /** Reward at which an episode counts as a success. */
  successReward: number;
  /** True if it runs on a server, whose address `createWorld` needs. */
  isRemote: boolean;
  /** Source: paper, repository, licence. */
  credit: string;
}

/** Every world, sorted by title. */
export const worlds: readonly WorldInfo[] = worldModules.map((module) => ({
  name: module.name,
  title: module.title,
  summary: module.summary,
  instruction: module.instruction,
  hasOracle: module.hasOracle,
  hasValidActions: module.hasValidActions,
  successReward: module.successReward,
  isRemote: module.connection.kind === 'http' || module.connection.kind === 'socket',
  credit: module.credit,
}));

export interface WorldSettings extends Pick<ConnectionSettings, 'address' | 'token'> {
  /** Options as in an experiment. Default: the world's own. */
  options?: WorldOptions;
}

/** A task by its split and its number in it (from 0; past the last it starts over), or itself. */
export type TaskChoice = { split?: Split; task?: number } | Task;

/** One or more worlds of a kind, each in a slot with its own episode. The slots step independently. */
export class WorldBatch {
  private readonly lists = new Map<Split, Promise<Task[]>>();

  /** @internal Use `createWorlds`. */
  constructor(
    private readonly world: World,
    private readonly options: WorldOptions,
    /** Number of slots. */
    readonly size: number,
  ) {}

  /** All tasks of a split, in the world's own order. */
  tasks(split: Split = 'train'): Promise<Task[]> {
    const known = this.lists.get(split) ?? this.world.tasks(this.options, split);
    this.lists.set(split, known);
    return known;
  }

  /** Begins an episode in each slot, or in those of `slots`; one task for each. */
  async reset(tasks: readonly TaskChoice[], slots = this.slots(tasks.length)): Promise<Feedback[]> {
    return this.world.reset(slots, await Promise.all(tasks.map((task) => this.taskOf(task))));
  }

  /** Takes an action in each slot, or in those of `slots`. */
  step(actions: readonly string[], slots = this.slots(actions.length)): Promise<Feedback[]> {
    return this.world.step(slots, actions);
  }

  /** The oracle's remaining actions in these slots; null: it has no plan. */
  oracle(slots = this.slots(this.size)): Promise<(string[] | null)[]> {
    return this.world.oracle(slots);
  }

  /** The state of a slot as data to draw, with a text for people who cannot see the picture. */
  view(slot = 0): Promise<WorldView> {
    return this.world.view(slot);
  }

  close(): Promise<void> {
    return this.world.close();
  }

  private slots(count: number): readonly number[] {
    if (count > this.size)
      throw new WorldError(`This batch has ${this.size} slots; ${count} values were given. Create a larger batch.`);
    return Array.from({ length: count }, (_, slot) => slot);
  }

  private async taskOf(choice: TaskChoice): Promise<Task> {
    if ('id' in choice) return choice;
    const { split = 'train', task = 0 } = choice;
    const tasks = await this.tasks(split);
    if (!tasks.length) throw new WorldError(`The split ${split} has no tasks under these options.`);
    return tasks[task % tasks.length];
  }
}

/** One world. */
export class SingleWorld {
  /** @internal Use `createWorld`. */
  constructor(private readonly batch: WorldBatch) {}

  /** All tasks of a split, in the world's own order. */
  tasks(split: Split = 'train'): Promise<Task[]> {
    return this.batch.tasks(split);
  }

  /** Begins an episode. Default: the first training task. */
  async reset(task: TaskChoice = {}): Promise<Feedback> {
    return (await this.batch.reset([task]))[0];
  }

  /** Takes an action. */
  async step(action: string): Promise<Feedback> {
    return (await this.batch.step([action]))[0];
  }

  /** The oracle's remaining actions; empty: it has no plan. */
  async oracle(): Promise<string[]> {
    return (await this.batch.oracle())[0] ?? [];
  }

  /** The state as data to draw. */
  view(): Promise<WorldView> {
    return this.batch.view();
  }

  close(): Promise<void> {
    return this.batch.close();
  }
}

/**
 * Opens `size` worlds of a kind that step together. They run in this thread; a page that must stay responsive opens
 * them in a worker of its own.
 *
 * @throws WorldError for an unknown name, a missing address, or an option out of range.
 */
export async function createWorlds(name: string, size: number, settings: WorldSettings = {}): Promise<WorldBatch> {
  const { options = {}, ...connection } = settings;
  worldModule(name).options(options);
  return new WorldBatch(await openWorld(name, connection), options, size);
}

/** Opens one world. */
export const createWorld = async (name: string, settings: WorldSettings = {}): Promise<SingleWorld> =>
  new SingleWorld(await createWorlds(name, 1, settings));
