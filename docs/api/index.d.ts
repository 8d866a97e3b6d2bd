/**
 * `tabgym`: an experiment in, a run out.
 *
 * @example Train TextCraft for 20 steps, and keep the run:
 * ```js
 * import { writeFileSync } from 'node:fs';
 * import { createRun, preset } from 'tabgym';
 *
 * const run = await createRun({ ...preset('textcraft-first'), steps: 20 }, { device: 'wasm' });
 * run.on('step', ({ step, metrics }) => console.log(step, metrics.success));
 * await run.train();
 * writeFileSync('run.tabgym', await run.export());
 * await run.close();
 * ```
 */

declare const suiteNames: () => string[];

/** Checks a document and fills in its defaults. Throws an ExperimentError that names the field and its bounds. */
declare function checkExperiment(document: unknown): ExperimentDocument;

/**
 * A JSON document that describes a run completely. These are the fields that most programs set; docs/experiment.md of
 * the repository lists all of them with their bounds.
 */
interface ExperimentDocument {
    name?: string;
    description?: string;
    /** Seed of the weights and of every random choice. */
    seed?: number;
    /** Number of training steps. */
    steps?: number;
    /** Policy: its kind and the settings of that kind. */
    policy?: {
        kind: string;
        [setting: string]: unknown;
    };
    /** Worlds that are trained on, with their shares and options. */
    worlds?: {
        name: string;
        weight?: number;
        options?: {
            [option: string]: unknown;
        };
        [setting: string]: unknown;
    }[];
    /** Algorithm: its name and settings. */
    algorithm?: {
        name: string;
        [setting: string]: unknown;
    };
    /** Further fields, as docs/experiment.md lists them. */
    [field: string]: unknown;
}

/** An experiment contains code, or names a judge or a teacher behind an API, that the caller has not allowed. */
declare class NotAllowedError extends Error {
    name: string;
}

/**
 * A copy of a preset, to be changed and run.
 *
 * @throws RangeError if no preset has this name.
 */
declare function preset(name: string): ExperimentDocument;

/** Names of the presets: complete experiments to start from. */
declare const presetNames: readonly string[];

/** A setting that this platform does not have. */
declare class PlatformError extends Error {
    name: string;
}

/** Settings of this machine for training: none of them changes what a run is. */
interface TrainerOptions {
    /**
     * Device that computes: `webgpu`, `wasm` (the processor), or `auto`, the faster of the two. WebGPU on Node needs the
     * optional package `webgpu`. Default: `auto`.
     */
    device?: 'auto' | 'webgpu' | 'wasm';
    /**
     * Threads of the processor. Default: by the number of cores. A page has several only if it is cross-origin isolated.
     */
    threads?: number;
    /**
     * Place of the runs: `memory`, lost at the end; `browser`, the page's IndexedDB; or the path of a folder, on Node.
     * Default: `memory`.
     */
    store?: 'memory' | 'browser' | {
        folder: string;
    };
    /** Address and token of worlds' servers, by the name of the world. */
    connect?: {
        [world: string]: {
            address?: string;
            token?: string;
        };
    };
    /** Lets experiments run their own code (typed worlds, rewards and objectives) in a sandbox. Default: false. */
    allowCode?: boolean;
    /** Address of a judge to which an experiment's episodes may be sent. Default: none. */
    allowJudge?: string;
    /** Key of the judge at `allowJudge`, in place of that address's key in `modelKeys`. */
    judgeKey?: string;
    /** Address of a teacher behind an API to which an experiment's episodes may be sent. Default: none. */
    allowTeacher?: string;
    /** Key of the teacher at `allowTeacher`, in place of that address's key in `modelKeys`. */
    teacherKey?: string;
    /** Keys of served models (judges, teachers and policies) by their address. They are held in memory and never stored. */
    modelKeys?: {
        [address: string]: string;
    };
}

/** Settings of an evaluation. */
interface EvaluateOptions {
    /**
     * Name of a suite: fixed tasks under a fixed horizon, as `suiteNames` of `tabgym` lists them; `own`: held-out tasks of
     * the run's own experiment, which must have one world and a horizon in turns. Default: `own`.
     */
    suite?: string;
    /** Attempts at each task. Default: 1. */
    samples?: number;
    /** Always the most likely token. Default: false. */
    greedy?: boolean;
    /** Sampling temperature. Default: the run's. */
    temperature?: number;
    /** Seed of the sampling. Default: 1. */
    seed?: number;
    /** Also reports success within each of these numbers of turns. */
    turns?: readonly number[];
    /** Step with a checkpoint whose policy plays. Default: the last. */
    step?: number;
}

declare class Run {
    private readonly parts;
    /** Id among the trainer's runs. */
    readonly id: string;
    readonly name: string;
    /** The checked experiment, with its defaults. */
    readonly experiment: ExperimentDocument;
    /** Number of committed steps. */
    step: number;
    status: RunStatus;
    private readonly listeners;
    /** Calls a function at each event of a type. Returns a function that ends this. */
    on<Type extends keyof RunEvents>(type: Type, listener: (value: RunEvents[Type]) => void): () => void;
    /**
     * Trains to the last step of the experiment, or for `steps` steps. Every step is committed before the next begins.
     * Resolves when the steps are done or the run is paused; rejects if it fails.
     */
    train(options?: {
        steps?: number;
    }): Promise<void>;
    /** Resolves `reached` at the next status of a kind; `end` stops listening. */
    private when;
    /**
     * Pauses. A step in progress that does not end at once is held, and `train` continues it with the same numbers; with
     * `afterStep` it is finished and committed first, as before the end of a program.
     */
    pause(options?: {
        afterStep?: boolean;
    }): Promise<void>;
    /** Records of the committed steps, the first (step 0) with the success before training. */
    records(): Promise<StepRecord[]>;
    /** Steps that have a checkpoint, in ascending order. */
    checkpointSteps(): Promise<number[]>;
    /** Trajectories of a step, token by token, or null if they are no longer kept. */
    trajectories(step: number): Promise<Trajectory[] | null>;
    /** Steps whose trajectories are kept, in ascending order. */
    trajectorySteps(): Promise<number[]>;
    /** States of the world along a kept trajectory, as data to draw; empty: its world cannot be replayed. */
    replay(step: number, { group, member }: {
        group: number;
        member: number;
    }): Promise<ReplayFrame[]>;
    /** Plays one episode with the last committed weights, and returns its turns. Each turn is also an event. */
    watch({ split, task, turnMs }?: WatchOptions): Promise<LiveTurn[]>;
    /** Plays a suite of tasks and reports success with 95% intervals. Pauses any training. */
    evaluate(options?: EvaluateOptions): Promise<SuiteReport>;
    /**
     * A run that begins at a step of this one, which must have a checkpoint, with some fields changed; a field that is
     * undefined is left out.
     */
    fork(step: number, changes: Partial<ExperimentDocument>): Promise<Run>;
    /** The whole run as a `.tabgym` file: experiment, records, trajectories and checkpoints. */
    export(): Promise<Uint8Array<ArrayBuffer>>;
    /** The policy as a zip of `config.json`, `model.safetensors` and `tokenizer.json`, or of an adapter in PEFT's form. */
    exportPolicy(): Promise<Uint8Array<ArrayBuffer>>;
    /** Ends the run's work here; a step in progress is dropped. The stored run remains. */
    close(): Promise<void>;
    private stepped;
    private changed;
}

type RunStatus = 'idle' | 'preparing' | 'running' | 'pausing' | 'paused' | 'finished' | 'failed';

/** Events of a run by name, with the value that each listener receives. */
interface RunEvents {
    /** A step was committed: its metrics, and its evaluation if the experiment asks for one at this step. */
    step: StepRecord;
    /** The run's state changed. `detail`: the reason of a failure, otherwise empty. */
    status: {
        status: RunStatus;
        detail: string;
    };
    /** One turn of the episode that is played live, in training or by `watch`. */
    turn: LiveTurn;
    /** Progress of work that takes over a second; null when it ends. */
    progress: Progress | null;
    /** A sentence for a person. */
    notice: {
        level: 'info' | 'warning' | 'error';
        message: string;
    };
}

/** Metrics of one step; docs/metrics.md has each name's unit and sentence. */
interface StepRecord {
    step: number;
    /** Maximum number of turns allowed at this step's stage (oraclePlus stages: the additional turns). */
    stage: number;
    /** Metric name to value, including times and rates, whose names end in Ms or PerSecond. */
    metrics: {
        [metric: string]: number;
    };
    /** Present on steps with an evaluation (step 0 is before the first update). */
    evaluation?: Evaluation;
}

interface Evaluation {
    /** Sampled at the training temperature, under this step's horizon. Keys of `strata`: for example "depth 1". */
    train: SplitEvaluation;
    test: SplitEvaluation;
}

interface SplitEvaluation {
    policy: Rate;
    /** Uniformly random choice among the same valid actions, on the same tasks, under the same horizon. */
    chance: Rate;
    oracle: Rate | null;
    score: number;
    /** Absent in older runs. */
    scores?: Scores;
    strata: {
        [stratum: string]: StratumEvaluation;
    };
    /** Means of the finished games' measures, by metric; absent: the worlds measure none. */
    measures?: {
        [metric: string]: Mean;
    };
    /**
     * A character for each task of the fixed list, in its order: 1 success, 0 failure, - not played. Two evaluations of a
     * run are paired by it. Absent in older runs.
     */
    outcomes?: string;
    /** Hash of the tasks in their order: outcomes are paired where it is equal. Absent in older runs. */
    tasks?: number;
}

/** Success rate with its 95% interval (Wilson). */
interface Rate {
    successes: number;
    episodes: number;
    rate: number;
    low: number;
    high: number;
}

/** Mean scores on the same tasks. For chance, each task counts once, with the mean of its plays. */
interface Scores {
    policy: Mean;
    chance: Mean;
}

/** Mean with its 95% interval (normal). For a single value `low` and `high` are the value. */
interface Mean {
    mean: number;
    low: number;
    high: number;
    episodes: number;
}

interface StratumEvaluation {
    policy: Rate;
    chance: Rate;
    scores?: Scores;
}

interface LiveTurn {
    step: number;
    group: number;
    member: number;
    turn: number;
    /** Maximum number of turns of this episode; undefined: not recorded. */
    horizon?: number;
    action: string;
    /** The policy's thought before the action, if it produces thoughts. */
    thought?: string;
    /** The complete reply of a language model that the action was found in. */
    reply?: string;
    observation: string;
    reward: number;
    done: boolean;
    view: WorldView | null;
}

/**
 * Data of a view: each kind has its own fields (`view-data.ts` in the world's folder) and an element that draws it
 * (`view/`).
 */
interface WorldView {
    kind: string;
    /** The same as text, for people who cannot see the picture. */
    text: string;
}

/** Progress of work that takes over a second. `fraction` null: not known. */
interface Progress {
    what: string;
    done: number;
    total: number | null;
    /** `slices`: micro-batches. */
    unit: 'kernels' | 'bytes' | 'episodes' | 'steps' | 'slices' | 'tokens' | 'turns';
    /** Turns taken, and tokens sampled or read, in episodes. */
    turns?: number;
    tokens?: number;
    /** Share from 0 to 1, if it is finer than done / total. */
    fraction?: number;
    elapsedMs?: number;
    /** Estimated time to the end of the task, or of the whole step after the first one; null: not known yet. */
    remainingMs?: number | null;
}

interface Trajectory {
    task: Task;
    /** Index of the group (one task) within the step, and of this trajectory within its group. */
    group: number;
    member: number;
    /** First observation. */
    prompt: string;
    /** Number of leading tokens that the whole group shares. */
    promptLength: number;
    /** (T) token ids. */
    tokens: Int32Array;
    /** (T) TokenSource of each token. */
    source: Uint8Array;
    /** (T) turn of each token; -1 in the prompt. A thought that ran out of room before its turn has the number of `turns`. */
    turnOf: Int16Array;
    /**
     * (T) log-probability when sampled, at the sampling temperature and under the mask; 0 for tokens the policy did not
     * choose.
     */
    logprob: Float32Array;
    /**
     * Allowed tokens at each position that the policy chose among several, in CSR form: row r belongs to `position[r]`.
     * Null if decoding was unconstrained. A policy token without a row was forced: one allowed token, logprob 0.
     */
    choices: {
        position: Int32Array;
        offsets: Int32Array;
        tokens: Int32Array;
    } | null;
    turns: Turn[];
    /** Member of the group whose first turns this episode repeated, and their number. Absent: it was played from the start. */
    branch?: {
        member: number;
        turns: number;
    };
    /** Windows after the first, which begins with the prompt (window.ts). Absent: each turn read the whole episode. */
    windows?: readonly Window[];
    /** The world's score: the reward of the last step, as in AgentGym-RL. */
    score: number;
    /**
     * Reward that the experiment composes, and the values of its parts before their weights; null: a part had no value.
     * Absent: the reward is the score.
     */
    rewards?: ComposedReward;
    success: boolean;
    ending: Ending;
    /** Reason, if the world failed. */
    failure?: string;
    /** Maximum number of turns allowed, and the oracle's number of turns if known. */
    horizon: number;
    oracleTurns: number | null;
    /** (K) log-probability of each trained token under a teacher; NaN: none. Absent: no teacher was asked. */
    teacher?: Float32Array;
    /** (K) a teacher's distribution at each trained token; absent: none was asked for. */
    distributions?: TokenDistributions;
    /**
     * Advantage of the episode as a whole, for display: the group's comparison, or the mean of its tokens' advantages.
     */
    advantage: number;
    /** (K) advantage of each trained token, in the order of `chosenPositions`; empty until credit is assigned. */
    advantages: Float32Array;
}

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

interface Turn {
    /** Text of the action sent to the world. */
    action: string;
    /** Thought before the action, if the policy thinks. */
    thought?: string;
    /** Full reply of the policy, if the action was found in it. */
    reply?: string;
    /** The world's answer, as the model sees it. */
    observation: string;
    reward: number;
    valid: boolean;
    /** Half-open range of this turn's action tokens in the trajectory. */
    actionStart: number;
    /** End of the thought that begins the turn; absent: no thought. */
    thoughtEnd?: number;
    actionEnd: number;
    /** Half-open range of the observation tokens that follow (empty after the last turn). */
    observationStart: number;
    observationEnd: number;
}

/** Context of the turns from `turn` on, until the next window: a head, then the trajectory's tokens from `from` on. */
interface Window {
    turn: number;
    /**
     * Head: the task, the task and the world's memory, the answer before the kept turns, or the task with the policy's
     * summary and the last answer.
     */
    form: 'last' | 'task' | 'memory' | 'summary';
    /** Null: the trajectory's prompt. */
    head: Int32Array | null;
    from: number;
    /** Summary in the head, written at the end of the window before. */
    summary?: Summary;
}

/** Summary that the policy wrote at the end of a window, with its range of tokens. */
type Summary = {
    text: string;
    start: number;
    end: number;
};

/** Reward of an episode and its parts, by column. */
interface ComposedReward {
    total: number | null;
    parts: {
        readonly [column: string]: number | null;
    };
}

/** Ending of an episode. Each ending has its count in the metrics. */
type Ending = 'success' | 'done' | 'horizon' | 'context' | 'invalid-action' | 'world-failure';

/** Distribution of each scored row over its allowed tokens, in CSR form. */
interface TokenDistributions {
    /** (N + 1). A row has one number for each of its allowed tokens, in their order, or none if it has no distribution. */
    offsets: Int32Array;
    logprobs: Float32Array;
}

interface ReplayFrame {
    turn: number;
    action: string;
    observation: string;
    view: WorldView;
}

/** Settings of one episode that is played without training. */
interface WatchOptions {
    /** Default: `test`, the held-out tasks. */
    split?: 'train' | 'test';
    /** Number of the task in its split, from 0. Default: 0. */
    task?: number;
    /** Minimum time between two turns, in milliseconds. Default: 0. */
    turnMs?: number;
}

interface SuiteReport {
    suite: Pick<Suite, 'name' | 'label' | 'sentence' | 'standIn' | 'turns'>;
    /** Name of the policy, for the table's row. */
    policy: string;
    settings: {
        samples: number;
        temperature: number;
        greedy: boolean;
        masked: boolean;
        seed: number;
    };
    rows: SuiteRow[];
    passAtK: {
        k: number;
        estimate: Estimate;
    }[];
    againstTurns: {
        turns: number;
        estimate: Estimate;
    }[];
    published: Suite['published'] | null;
    comparison: {
        with: string;
        rows: {
            label: string;
            comparison: Comparison;
        }[];
    } | null;
    items: readonly ItemResult[];
    /** Notes on the requests to the policy, such as a setting that its server refused. Absent: none. */
    notes?: readonly string[];
}

/** Fixed tasks, of one world or of several. */
interface Suite {
    /** Name in an experiment and on the command line. */
    name: string;
    label: string;
    sentence: string;
    options: WorldOptions;
    /** Played in place of the one world with `options`: tasks of several worlds or options, each within its own turns. */
    entries?: readonly {
        name: string;
        options: WorldOptions;
        turns: SuiteTurns;
    }[];
    /** Options that belong to the policy and are taken from its run: they change the observations, not the tasks. */
    policyOptions?: readonly string[];
    /**
     * Options under which the oracle guesses the hidden answer at random. The result of this oracle is a baseline: a
     * policy that finds out the answer must do better.
     */
    guesses?: WorldOptions;
    split: Split;
    /** Tasks of the split, in this order. Default: all. */
    ids?: readonly number[];
    /** Plays at most this many of the tasks, evenly spaced. Default: all. */
    most?: number;
    /** Maximum number of turns of an episode, in the world that allows most; null: it depends on the task. */
    turns: number | null;
    /** In the order of the published table. */
    columns: readonly string[];
    columnOf(task: Task): string;
    /** Reason, if these items stand in for unknown published ones. */
    standIn?: string;
    published?: PublishedTable;
}

/** Maximum number of turns, or the oracle's turns for the task plus a number. */
type SuiteTurns = number | {
    oraclePlus: number;
};

type Split = 'train' | 'test';

interface PublishedTable {
    source: string;
    /** Differences between the conditions of these results and ours. */
    differs: string;
    /** Percentages by column, then over all. */
    rows: readonly (readonly [model: string, ...numbers: number[]])[];
}

interface SuiteRow {
    /** A column's name, or "All". */
    label: string;
    items: number;
    success: Estimate;
    score: Estimate;
    chance: Estimate;
    oracle: Estimate | null;
    /** Absent: the suite has no hidden facts. */
    guess?: Estimate;
    /** Means of the finished games' measures, by metric; absent: the worlds measure none. */
    measures?: {
        [metric: string]: Estimate;
    };
}

/** Mean over items with its 95% interval. */
interface Estimate {
    mean: number;
    low: number;
    high: number;
    items: number;
}

/** Two policies on the same items. */
interface Comparison {
    /** Mean of (ours - theirs) with its interval. */
    difference: Estimate;
    /** Two-sided p value. */
    p: number;
    test: 'McNemar, exact' | 'paired bootstrap';
}

/** An item with all its tries, and the results of chance and the oracle on it. */
interface ItemResult {
    /** Name of the item: equal keys are equal tasks. */
    key: string;
    column: string;
    tries: readonly Try[];
    chance: readonly Try[];
    /** Null: the world has no oracle. */
    oracle: Try | null;
    /** Oracle that guesses hidden facts; absent: the suite has none. */
    guess?: Try;
}

/** One episode. */
interface Try {
    success: boolean;
    score: number;
    /** Turns taken. */
    turns: number;
    /** True if the episode ended for lack of room for its tokens. */
    overflowed?: boolean;
    /** True if it counts as a failure for that; else the policy's result is unknown, and the try is left out. */
    overflowFails?: boolean;
    /** Reason, if the world failed: the try shows nothing about the policy. */
    failure?: string;
    /** Measures of a finished game; absent: its world has none. */
    measures?: Measures;
    /** Its number among the item's tries, in results that are kept before all of them are played. */
    member?: number;
}

/** Numbers by name that some episodes have: the measures of a finished game. */
type Measures = {
    readonly [metric: string]: number;
};

declare class Sweep {
    private readonly parts;
    readonly id: string;
    readonly name: string;
    /** The checked document, with its defaults. */
    readonly document: ExperimentDocument;
    private readonly listeners;
    private readonly runIds;
    /** Calls a function at each event of a type. Returns a function that ends this. */
    on<Type extends keyof SweepEvents>(type: Type, listener: (value: SweepEvents[Type]) => void): () => void;
    /** Its runs, in the order of the document, with their records. */
    runs(): Promise<SweptRun[]>;
    /** Steps done and left, and the time that the rest takes as estimated from the latest steps. */
    state(): Promise<SweepState>;
    /** Trains the runs in turn until all are finished or the sweep is paused. Rejects if every run failed. */
    train(): Promise<void>;
    /** Pauses. A step in progress that takes longer than a moment is dropped and repeated by the next `train`. */
    pause(): Promise<void>;
    /** All runs as one `.tabgym` file. */
    export(): Promise<Uint8Array<ArrayBuffer>>;
    /** Pauses, and ends the events. The stored runs remain. */
    close(): Promise<void>;
    private changed;
    private opened;
}

/** Events of a sweep by name, with the value that each listener receives. */
interface SweepEvents extends Pick<RunEvents, 'progress' | 'notice'> {
    /** A step of one of its runs was committed. */
    step: {
        runId: string;
        record: StepRecord;
    };
    /** Steps done and left, the run whose turn it is, and the estimated time to the end. */
    state: SweepState;
}

/** Progress of a sweep. */
interface SweepState {
    status: RunStatus;
    detail: string;
    /** The run that is training now. */
    turn: string | null;
    /** Committed steps of all runs. */
    done: number;
    total: number;
    /** Estimated from the latest steps; null: no step is committed yet. */
    remainingMs: number | null;
    failed: {
        runId: string;
        message: string;
    }[];
}

/** A run of a sweep. */
interface SweptRun {
    id: string;
    name: string;
    /** Its place in the order of the document, from 0. */
    index: number;
    /** Number of its variant, from 0, and the variant's name. */
    variant: number;
    variantName: string;
    seed: number;
    experiment: ExperimentDocument;
    /** Number of committed steps. */
    step: number;
    /** Their records. */
    records: StepRecord[];
}

/** What a list of runs shows of one. */
interface StoredRunInfo {
    id: string;
    name: string;
    /** Milliseconds since 1970. */
    createdAt: number;
    updatedAt: number;
    /** Number of committed steps. */
    step: number;
    /** Success rate of the last evaluation on training tasks; null: none. */
    success: number | null;
    /** Size of the stored run. */
    bytes: number;
    /** Its experiment, with the defaults of this version. */
    experiment: ExperimentDocument;
}

declare class Trainer {
    private readonly opened;
    private readonly options;
    private report;
    private readonly receivers;
    private readonly parts;
    private constructor();
    /** The device that it computes on, and whether it can. */
    get device(): TrainerDevice;
    /** A new run of an experiment, at step 0. Throws an ExperimentError that names a wrong field and its bounds. */
    createRun(experiment: ExperimentDocument): Promise<Run>;
    /** Keeps a file of trajectories under the name that experiments give it; runs created afterwards store a copy. */
    keepFile(name: string, file: Uint8Array<ArrayBuffer> | Blob): Promise<void>;
    /**
     * The sweep of a document with `sweep`: several runs, of its variants and seeds. The stored one of exactly this
     * document, or a new one.
     */
    openSweep(document: ExperimentDocument): Promise<Sweep>;
    /** A run from a `.tabgym` file, or from the zip of a policy. `name` is shown in errors. */
    importRun(file: Uint8Array<ArrayBuffer> | Blob, name?: string): Promise<Run>;
    /** A stored run by its id. */
    openRun(id: string): Promise<Run>;
    /**
     * A run that begins at a step of a stored one, which must have a checkpoint, with this experiment. The stored run is not
     * opened: it may have damaged records, which the fork leaves out.
     */
    forkRun(id: string, step: number, experiment: ExperimentDocument): Promise<Run>;
    /** The stored runs, the latest first. */
    listRuns(): Promise<StoredRunInfo[]>;
    /** Bytes that each part of a run needs on this device, and whether they fit. */
    plan(experiment: ExperimentDocument): Promise<MemoryPlanReport>;
    /** Ends all work and releases the device. */
    close(): Promise<void>;
    private add;
    private release;
    private receive;
}

/** The device of a trainer. */
interface TrainerDevice {
    /** False: nothing can be trained or played here. */
    supported: boolean;
    /** The reason, and what helps; empty if it is supported. */
    problem: string;
    /** Name of the adapter. */
    description: string;
    /** True for a GPU that the processor stands in for. */
    isSoftware: boolean;
}

/** Bytes of each part on this adapter, and whether they fit. */
interface MemoryPlanReport {
    parts: {
        name: string;
        bytes: number;
    }[];
    total: number;
    fits: boolean;
    /** The change of a setting that would make it fit. */
    advice: string;
}

/**
 * Opens a trainer: in a page a worker of its own, on Node in this thread. Programs with one run need only `createRun`.
 *
 * @throws PlatformError if an option does not exist here, or the worker cannot be loaded.
 */
declare function openTrainer(options?: TrainerOptions): Promise<Trainer>;

/** Creates a run with a trainer of its own. */
declare const createRun: (experiment: ExperimentDocument, options?: TrainerOptions) => Promise<Run>;

/** Opens the run of a `.tabgym` file, or of a policy's zip, with a trainer of its own. */
declare const importRun: (file: Uint8Array<ArrayBuffer> | Blob, { name, ...options }?: TrainerOptions & {
    name?: string;
}) => Promise<Run>;

export { EvaluateOptions, ExperimentDocument, NotAllowedError, PlatformError, Run, RunEvents, StoredRunInfo, Sweep, SweepEvents, SweepState, SweptRun, Trainer, TrainerDevice, TrainerOptions, WatchOptions, checkExperiment, createRun, importRun, openTrainer, preset, presetNames, suiteNames };
