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

/** Result of `reset` and of `step`. */
interface Feedback {
    /** Text of the world, exactly as the model sees it. */
    observation: string;
    reward: number;
    done: boolean;
    /** False if the world refused the action. True on reset. */
    valid: boolean;
    /**
     * The valid actions that the text offers; null: unchanged since the last feedback; undefined: the world lists none.
     */
    validActions?: readonly string[] | null;
    /** Reason, if the world itself failed (trap, hang, lost server). Such an episode ends as `world-failure`. */
    failure?: string;
    /** The world's memory of the episode, if it was asked for. */
    memory?: string;
}

type Split = 'train' | 'test';

/** A task: its world, item and options. The same task always gives the same world. */
interface Task {
    world: string;
    /** Id of the item in its world (TextCraft: index into the list of goals). */
    id: number;
    options: WorldOptions;
    /** Groups by which success is reported (TextCraft: `{depth: 1}`). */
    strata: {
        [name: string]: number | string;
    };
}

/** Options of a world, as an experiment states them (TextCraft: `{depths, distractors, listSeed}`). */
type WorldOptions = {
    [key: string]: Json;
};

/** A value that survives JSON. */
type Json = null | boolean | number | string | Json[] | {
    [key: string]: Json;
};

/**
 * Data of a view: each kind has its own fields (`view-data.ts` in the world's folder) and an element that draws it
 * (`view/`).
 */
interface WorldView {
    kind: string;
    /** The same as text, for people who cannot see the picture. */
    text: string;
}

/** A named error of this layer. Its message contains what happened, the values, and what to do. */
declare class WorldError extends Error {
    name: string;
}

/** A world in the list of all. */
interface WorldInfo {
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
declare const worlds: readonly WorldInfo[];

interface WorldSettings extends Pick<ConnectionSettings, 'address' | 'token'> {
    /** Options as in an experiment. Default: the world's own. */
    options?: WorldOptions;
}

interface ConnectionSettings {
    address?: string;
    token?: string;
    /** True until the person allows the experiment to use a server; until then no request is sent. */
    withheld?: boolean;
    /** Hashes of the code that a typed world may run; absent: any. */
    allowedCode?: readonly string[];
}

/** A task by its split and its number in it (from 0; past the last it starts over), or itself. */
type TaskChoice = {
    split?: Split;
    task?: number;
} | Task;

/** One or more worlds of a kind, each in a slot with its own episode. The slots step independently. */
declare class WorldBatch {
    private readonly world;
    private readonly options;
    /** Number of slots. */
    readonly size: number;
    private readonly lists;
    /** All tasks of a split, in the world's own order. */
    tasks(split?: Split): Promise<Task[]>;
    /** Begins an episode in each slot, or in those of `slots`; one task for each. */
    reset(tasks: readonly TaskChoice[], slots?: readonly number[]): Promise<Feedback[]>;
    /** Takes an action in each slot, or in those of `slots`. */
    step(actions: readonly string[], slots?: readonly number[]): Promise<Feedback[]>;
    /** The oracle's remaining actions in these slots; null: it has no plan. */
    oracle(slots?: readonly number[]): Promise<(string[] | null)[]>;
    /** The state of a slot as data to draw, with a text for people who cannot see the picture. */
    view(slot?: number): Promise<WorldView>;
    close(): Promise<void>;
    private slots;
    private taskOf;
}

/** One world. */
declare class SingleWorld {
    private readonly batch;
    /** All tasks of a split, in the world's own order. */
    tasks(split?: Split): Promise<Task[]>;
    /** Begins an episode. Default: the first training task. */
    reset(task?: TaskChoice): Promise<Feedback>;
    /** Takes an action. */
    step(action: string): Promise<Feedback>;
    /** The oracle's remaining actions; empty: it has no plan. */
    oracle(): Promise<string[]>;
    /** The state as data to draw. */
    view(): Promise<WorldView>;
    close(): Promise<void>;
}

/**
 * Opens `size` worlds of a kind that step together. They run in this thread; a page that must stay responsive opens
 * them in a worker of its own.
 *
 * @throws WorldError for an unknown name, a missing address, or an option out of range.
 */
declare function createWorlds(name: string, size: number, settings?: WorldSettings): Promise<WorldBatch>;

/** Opens one world. */
declare const createWorld: (name: string, settings?: WorldSettings) => Promise<SingleWorld>;

export { Feedback, SingleWorld, Split, Task, TaskChoice, WorldBatch, WorldError, WorldInfo, WorldOptions, WorldSettings, WorldView, createWorld, createWorlds, worlds };
