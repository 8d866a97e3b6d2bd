/**
 * `tabgym/files`: files of trajectories in the formats of the field, read and written, and runs' files.
 *
 * @example Turn a run's last step into OpenAI's messages:
 * ```js
 * import { readFileSync, writeFileSync } from 'node:fs';
 * import { readRun, writeTrajectories } from 'tabgym/files';
 *
 * const run = readRun(readFileSync('run.tabgym'));
 * const last = run.trajectorySteps.at(-1);
 * writeFileSync('messages.jsonl', writeTrajectories(run.trajectories(last), 'openai-messages'));
 * ```
 */

interface Message {
    role: 'system' | 'user' | 'assistant' | 'tool';
    content: string;
    /** True if imitation trains on it; null: the file does not specify. */
    trained: boolean | null;
    /** Reasoning before the answer, if it is a separate field. */
    reasoning: string | null;
    /** Original object and its form, so that writing in the same form restores it. */
    source: Source | null;
}

/** Object of a file, with all its fields. */
interface Source {
    form: string;
    fields: JsonObject;
}

type JsonObject = {
    [key: string]: Json;
};

/** A value that survives JSON. */
type Json = null | boolean | number | string | Json[] | {
    [key: string]: Json;
};

interface PolicyFiles {
    [name: string]: Uint8Array;
}

/** One record that was passed over. */
interface RecordProblem {
    /** Line, from 1. */
    line: number;
    message: string;
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

interface TrajectoryRecord {
    /** Id in the file ("textcraft_12"); null: none. */
    itemId: string | null;
    /** World and item number, if the id contains them. */
    world: string | null;
    item: number | null;
    /** Null: the file lists tasks without episodes. */
    messages: Message[] | null;
    reward: number | null;
    success: boolean | null;
    /** Training step, if the file has it. */
    step?: number;
    source: Source | null;
}

/** A file or a record does not have the form that it claims. */
declare class TrajectoryFileError extends Error {
    name: string;
    /** A message may quote the file, so it is cut. */
    constructor(message: string);
}

/** A format of trajectory files. */
interface FormatInfo {
    /** Name for `writeTrajectories`. */
    name: string;
    label: string;
    /** One sentence: the program that writes it and where it is described. */
    summary: string;
}

/** Every format, in the order in which a record is recognized. */
declare const formats: readonly FormatInfo[];

/** The records of a file. */
interface ReadTrajectories {
    /** Name of the format of most records. */
    format: string;
    records: TrajectoryRecord[];
    /** Records that were passed over, by line. */
    problems: readonly RecordProblem[];
}

/**
 * Reads a file of trajectories in any of the formats, also compressed (gzip) or as Parquet.
 *
 * @param name appears in errors.
 * @throws TrajectoryFileError if no record can be read.
 */
declare function readTrajectories(file: Uint8Array | Blob, name?: string): Promise<ReadTrajectories>;

/** Text of a file with these records. `format`: a name of `formats`. */
declare function writeTrajectories(records: Iterable<TrajectoryRecord>, format: string): string;

/** Parts of a record that a format cannot hold, as sentences; empty: none. */
declare const losses: (record: TrajectoryRecord, format: string) => string[];

/** The contents of a run's file. */
interface RunFile {
    name: string;
    /** The document as it was stored; `checkExperiment` of `tabgym` reads documents of earlier versions. */
    experiment: ExperimentDocument;
    /** Records of the committed steps. */
    records: StepRecord[];
    /** Steps whose trajectories the file has. */
    trajectorySteps: number[];
    /** Trajectories of a step as records; empty: the file has none of this step. */
    trajectories(step: number): TrajectoryRecord[];
    /** The same, token by token. */
    tokens(step: number): Trajectory[];
}

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

/**
 * Reads a `.tabgym` file without opening the run.
 *
 * @throws BundleError if the file is damaged or is no run.
 */
declare function readRun(file: Uint8Array, fileName?: string): RunFile;

/**
 * Reads the policy of a run's file after its last step, or of a policy's zip, as the files of its Hugging Face layout:
 * `config.json`, `model.safetensors` and `tokenizer.json`, or an adapter in PEFT's form with its tokenizer.
 *
 * @param name appears in errors.
 * @throws BundleError if the file contains no policy.
 */
declare const readPolicy: (file: Uint8Array, name?: string) => Promise<PolicyFiles>;

/** The zip of a policy's files, which `importRun` and `loadPolicy` open. */
declare const writePolicy: (files: {
    readonly [name: string]: Uint8Array;
}) => Uint8Array<ArrayBuffer>;

/** Writes a run as one HTML page that opens anywhere: settings, curves, evaluations, episodes and numbers. */
declare const writeReport: (run: RunFile) => Promise<string>;

export { FormatInfo, Message, PolicyFiles, ReadTrajectories, RecordProblem, RunFile, Trajectory, TrajectoryFileError, TrajectoryRecord, formats, losses, readPolicy, readRun, readTrajectories, writePolicy, writeReport, writeTrajectories };
