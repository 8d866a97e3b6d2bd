/**
 * `tabgym/element`: the element `<tab-gym>`, which shows an agent in any page. Importing this entry defines it.
 *
 * @example
 * ```html
 * <script type="module" src="/tabgym/web/element.js"></script>
 * <tab-gym src="experiment.json" view="curves" controls></tab-gym>
 * ```
 */

/** Events of the element, all bubbling, with their `detail`. */
interface TabGymEvents {
    /** The file of `src` is loaded. */
    'tabgym-ready': CustomEvent<{
        name: string;
    }>;
    /** A step was committed. */
    'tabgym-step': CustomEvent<StepRecord>;
    'tabgym-status': CustomEvent<{
        status: RunStatus | 'recorded';
    }>;
    /** Something failed; the element shows the message, too. */
    'tabgym-error': CustomEvent<{
        message: string;
    }>;
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

type RunStatus = 'idle' | 'preparing' | 'running' | 'pausing' | 'paused' | 'finished' | 'failed';

type ViewName = (typeof viewNames)[number];

declare const viewNames: readonly ['watch', 'group', 'trajectory', 'curves', 'evaluate', 'play'];

/**
 * Attributes: `src` (address of an experiment or of a run, not of a sweep), `fallback` (address of a recorded run, where
 * the page may not train), `view` (`watch`, `group`, `trajectory`, `curves`, `evaluate` or `play`; another name: `watch`),
 * `step`, `group`, `member`, `turn` and `token` (place of the shown episode; all but the step from 0), `controls`, `tabs`
 * (the reader may change the view), `autoplay` (a recorded episode is played again and again), `task` (held-out task that
 * the policy plays), `theme` (`light` or `dark`; default: the reader's), `page` (address of "Open in Tabgym"), `lang`.
 */
declare class TabGymElement extends Base {
    static readonly observedAttributes: string[];
    private layout;
    private source;
    private run;
    private loading;
    private listening;
    private status;
    private message;
    private recorded;
    private turns;
    private episodes;
    private evaluated;
    private played;
    private waiting;
    private readonly replay;
    /** The shown view. */
    get view(): ViewName;
    set view(name: ViewName);
    /** Trains until the experiment's last step or `pause`. Other elements of the page pause meanwhile. */
    train(): Promise<void>;
    /** Pauses the training. */
    pause(): Promise<void>;
    /** Plays one held-out task with the policy as it is now. */
    playEpisode(): Promise<void>;
    /** Records of the committed steps that are shown. */
    get steps(): readonly StepRecord[];
    /** The run as a `.tabgym` file: what was trained here, else the file of `src`; null: an experiment without a run. */
    export(): Promise<Uint8Array<ArrayBuffer> | null>;
    /** Trajectories of a step; default: the last whose trajectories are kept. Empty: none are kept. */
    trajectories(step?: number): Promise<TrajectoryRecord[]>;
    private load;
    /** Shows what a source has recorded. */
    private show;
    /** Loads what the shown view needs. */
    private openView;
    /** Plays the best episode of the step, unless the policy plays. */
    private playRecorded;
    /** A trained policy of which no episode is kept plays a task. */
    private autoplayWithout;
    private get isBusy();
    /** The run in the page's trainer; null: the page may not train, and a recorded run is shown. */
    private openRun;
    private fallBack;
    private listen;
    private stepped;
    private openPlay;
    private act;
    private evaluate;
    /** Does something, draws the result, and shows an error as a sentence. */
    private attempt;
    private fail;
    private change;
    private send;
    /** Ends everything that the element holds; the shared trainer remains for the others. */
    private release;
    /** Draws once after the current work, however often it is called during it. */
    private draw;
    /** Texts in its own language, or that of the page. */
    private get texts();
    /** Whole number of an attribute; null: it has none. */
    private whole;
    private header;
    private tabs;
    private buttons;
    private pictured;
    private body;
    private episodeView;
    /** Changes the attributes of the shown place. */
    private go;
}

/** On a server there are no elements; the class is then only a type. */
declare const Base: {
    new (): HTMLElement;
    prototype: HTMLElement;
};

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

export { TabGymElement, TabGymEvents, ViewName };
