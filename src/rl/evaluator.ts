/**
 * Plays without training: episodes on the experiment's tasks, watched or evaluated, with chance and the oracle beside
 * the policy. The trainer uses it to play its training episodes as well. All results are functions of (settings, step)
 * and the policy's weights.
 *
 * Depends on the `Actor` and `World` contracts only.
 */
import type { Task, World } from '../envs/env.ts';
import type { Suite } from '../envs/suite.ts';
import type { Actor, Learner } from '../policy/policy.ts';
import type { Tokenizer } from '../policy/text/tokenizer.ts';
import type { Measures } from './common/measured.ts';
import type { Elsewhere } from './elsewhere.ts';
import { tasksOf, worldNamed } from './episode/by-world.ts';
import { Conversation } from './episode/conversation.ts';
import { measuresOfAll } from './episode/game-measures.ts';
import { Players } from './episode/players.ts';
import { rememberingWorlds } from './episode/remembering-world.ts';
import { type RolloutRequest, rollout } from './episode/rollout.ts';
import type { Trajectory } from './episode/trajectory.ts';
import type { TurnEvent } from './episode/turn-event.ts';
import { failureWords, requireRoom } from './episode/unplayed.ts';
import { type ContextRules, contextRules } from './episode/window.ts';
import { type Evaluation, type SplitEvaluation, summarizePlayed } from './evaluation/evaluation.ts';
import { type ItemResult, isCounted, type OverflowRule, type Try, underRule } from './evaluation/suite-results.ts';
import { earlyStarts, mixedLimit, type PlayLimit, stageAt, suiteLimit } from './schedule/horizon.ts';
import {
  evaluationTasks,
  hashOfTasks,
  reportedStrata,
  TaskSampler,
  type TaskSource,
  taskAt,
  taskKey,
  type WatchedTask,
} from './schedule/tasks.ts';
import type { TrainerSettings } from './settings.ts';

/** Progress of a step or an evaluation. */
export interface TrainerProgress {
  what: string;
  done: number;
  total: number | null;
  /** `slices`: micro-batches of an update or a scoring. */
  unit: 'episodes' | 'steps' | 'slices';
  /** Turns taken, and tokens sampled or read, in episodes. */
  turns?: number;
  tokens?: number;
  /** Share from 0 to 1, if it is finer than done / total. */
  fraction?: number;
}

export interface StepOptions {
  signal?: AbortSignal;
  onTurn?: (event: TurnEvent & { step: number }) => void | Promise<void>;
  onProgress?: (progress: TrainerProgress | null) => void;
  /** Clock in milliseconds for the step's durations. Default: performance.now. */
  now?: () => number;
  /** Receives a notice for the person at the page or command line; `complete`: false if something is missing. */
  onNotice?: (words: string, complete: boolean) => void;
}

/**
 * Purposes of episodes. Each has its own streams of random numbers, so a step's samples differ from its evaluation's.
 */
export const Purpose = { train: 0, evaluateTrain: 1, evaluateTest: 2, watch: 3 } as const;
const purposes = 4;
/** Stream above those of all steps. */
const SUITE_STREAM = 0x7375_6974;

/** Episodes of one purpose: their tasks and how often each is played. */
interface Plays {
  step: number;
  tasks: readonly Task[];
  groupSize: number;
  limit: PlayLimit;
  /** Turns beyond the limit for a task; absent: none for any. */
  turnsBeyond?(task: Task): number;
  purpose: number;
  /** Name of the unit that progress counts. */
  what: string;
  /** Number of the first group; rows are keyed by the number of their group. */
  firstGroup?: number;
  /** Place of the members in larger groups, and turns that they repeat first (`RolloutRequest`). */
  part?: RolloutRequest['part'];
  beginningOf?: RolloutRequest['beginningOf'];
  /** Rules that end an episode. Default: the run's own rules, not those of a stage. */
  rules?: RolloutRequest['rules'];
  /** Episodes of the next step, for those who play elsewhere; null: not known yet. Absent: never known. */
  ahead?(): Plays | null;
}

/** A policy that plays; its notes, if it learns too, tell which stages of the horizon began early. */
type NotedActor = Actor & Partial<Pick<Learner, 'notes'>>;

/** Sampling of a suite. Temperature 0 is greedy; one sample is then enough. */
export interface SuiteSampling {
  world: string;
  samples: number;
  temperature: number;
  seed: number;
}

/** Results kept while a suite is played, so that an interrupted evaluation continues. */
export interface KeptSuiteOptions {
  /** Results of the first items, from an earlier attempt. */
  kept?: readonly ItemResult[];
  /** Receives all results so far, after each piece. */
  onItems?(items: readonly ItemResult[]): void | Promise<void>;
}

/** Episodes of a suite in one piece: enough for every row of a batch, few enough that an interruption loses little. */
const EPISODES_A_PIECE = 200;

/** Tasks of a suite, in its own order; `name`: the world of a suite that has one. */
export async function suiteTasks(
  { options, entries, split, ids, most }: Suite,
  worlds: ReadonlyMap<string, World>,
  name: string,
): Promise<Task[]> {
  const all = (await tasksOf(worlds, entries ?? [{ name, options }], split)).flat();
  if (!ids) return most === undefined ? all : evaluationTasks(all, most);
  const byId = new Map(all.map((task) => [task.id, task]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const triedOnce = (
  { success, score, turns, ending, failure }: Trajectory,
  rule?: OverflowRule,
  measures?: Measures,
): Try =>
  underRule(
    {
      success,
      score,
      turns: turns.length,
      overflowed: ending === 'context',
      ...(ending === 'world-failure' && { failure: failure ?? '' }),
      ...(measures && { measures }),
    },
    rule,
  );

/** Items from an earlier attempt that need not be played again: up to the first one in which the world failed. */
function keptItems(kept: readonly ItemResult[]): ItemResult[] {
  const failed = kept.findIndex(({ tries }) => tries.some(({ failure }) => failure !== undefined));
  return kept.slice(0, failed < 0 ? kept.length : failed);
}

export class Evaluator {
  readonly players: Players;

  private constructor(
    private readonly settings: TrainerSettings,
    private readonly policy: NotedActor,
    readonly worlds: ReadonlyMap<string, World>,
    readonly conversation: Conversation,
    readonly tasks: { sampler: TaskSampler; sources: readonly TaskSource[]; train: Task[]; test: Task[] },
    /** Place where training episodes are played; null: here. */
    private readonly elsewhere: Elsewhere | null,
  ) {
    const endOnInvalid = settings.algorithm.endings.invalidAction.policy === 'end';
    this.players = new Players(worlds, settings.seed, endOnInvalid);
  }

  /** Requests the tasks from the worlds. Default conversation: that of a tiny policy. */
  static async create(
    settings: TrainerSettings,
    parts: {
      policy: NotedActor;
      worlds: ReadonlyMap<string, World>;
      tokenizer: Tokenizer;
      conversation?: Conversation;
      elsewhere?: Elsewhere;
    },
  ): Promise<Evaluator> {
    const worlds = settings.sampling.context === 'memory' ? rememberingWorlds(parts.worlds) : parts.worlds;
    const train = await tasksOf(worlds, settings.worlds, 'train');
    const test = await tasksOf(worlds, settings.worlds, 'test');
    const sources = settings.worlds.map(({ name, weight, options }, i) => {
      const drawn = worldNamed(worlds, name).describe().drawing?.(options);
      return { weight, tasks: train[i], ...(drawn && { drawn }) };
    });
    const sampler = new TaskSampler(sources, settings.seed);
    const evaluated = (lists: Task[][]) => lists.filter((_, i) => settings.worlds[i].evaluated !== false).flat();
    const tasks = { sampler, sources, train: evaluated(train), test: evaluated(test) };
    const conversation = parts.conversation ?? new Conversation(parts.tokenizer);
    return new Evaluator(settings, parts.policy, worlds, conversation, tasks, parts.elsewhere ?? null);
  }

  /** Rules of each turn's context; undefined: a turn reads the whole episode. */
  get context(): ContextRules | undefined {
    return contextRules(this.settings.sampling, this.policy.capacity.completionTokens);
  }

  private requestOf(plays: Plays) {
    const { step, tasks, groupSize, limit, turnsBeyond, purpose, firstGroup = 0, part, beginningOf, rules } = plays;
    const { seed, sampling, algorithm } = this.settings;
    const { context } = this;
    const request: RolloutRequest = {
      tasks,
      groupSize,
      firstGroup,
      part,
      beginningOf,
      limit,
      turnsBeyond,
      temperature: sampling.temperature,
      maskActions: sampling.maskActions,
      maxTokensPerTurn: sampling.maxTokensPerTurn,
      thoughts: sampling.thoughts,
      ...(context && { context }),
      rules: rules ?? { invalidAction: algorithm.endings.invalidAction.policy },
      seed,
      stream: step * purposes + purpose,
    };
    return request;
  }

  private aheadOf({ ahead }: Plays): RolloutRequest | null {
    const plays = ahead?.();
    return plays ? this.requestOf(plays) : null;
  }

  /** Plays episodes. Returns trajectories by group, then member. */
  play(plays: Plays, options: StepOptions): Promise<Trajectory[]> {
    const { step, purpose, what } = plays;
    const request = this.requestOf(plays);
    const parts = { policy: this.policy, worlds: this.worlds, conversation: this.conversation };
    if (this.elsewhere && purpose === Purpose.train)
      return this.elsewhere.play({ step, request, ahead: this.aheadOf(plays) }, parts, options.signal);
    return rollout(parts, request, {
      signal: options.signal,
      onTurn: options.onTurn && ((event) => options.onTurn!({ ...event, step })),
      onRound: (progress) => options.onProgress?.({ what, ...progress, unit: 'episodes' }),
    });
  }

  /** Plays the episodes of a request that another machine made. */
  playRequest(request: RolloutRequest, signal?: AbortSignal): Promise<Trajectory[]> {
    return rollout({ policy: this.policy, worlds: this.worlds, conversation: this.conversation }, request, { signal });
  }

  /**
   * Success after `k` updates, on fixed tasks of each split, sampled at the training temperature under step k's
   * horizon.
   */
  async evaluate(k: number, options: StepOptions = {}): Promise<Evaluation> {
    const train = await this.evaluateSplit(k, this.tasks.train, Purpose.evaluateTrain, 'training goals', options);
    const test = await this.evaluateSplit(k, this.tasks.test, Purpose.evaluateTest, 'held-out goals', options);
    options.onProgress?.(null);
    return { train, test };
  }

  private async evaluateSplit(
    k: number,
    all: readonly Task[],
    purpose: number,
    what: string,
    options: StepOptions,
  ): Promise<SplitEvaluation> {
    const { episodes: most, overflow } = this.settings.evaluation;
    const tasks = evaluationTasks(all, most);
    const turns = this.turnsAt(k);
    const trajectories = await this.play(
      { step: k, tasks, groupSize: 1, limit: turns, purpose, what },
      { ...options, onTurn: undefined },
    );
    requireRoom(trajectories, this.policy.capacity, `of the evaluation on ${what}`);
    for (const words of failureWords(trajectories, this.worlds))
      options.onNotice?.(`Evaluation on ${what}: ${words}`, false);
    const { chance, oracle } = await this.players.both(tasks, turns);
    const strata = reportedStrata(tasks);
    const measures = await measuresOfAll(this.worlds, trajectories);
    const episodes = trajectories.map((trajectory, i) => ({
      strata: strata[i],
      success: trajectory.success,
      score: trajectory.score,
      chance: chance[i],
      oracle: oracle && !oracle[i].failed ? oracle[i].success : null,
      ...(measures[i] && { measures: measures[i] }),
    }));
    return summarizePlayed(episodes, hashOfTasks(tasks), (i) => isCounted(triedOnce(trajectories[i], overflow)));
  }

  /**
   * Plays every item of a suite `samples` times, with chance and the oracle beside it, under the suite's own settings.
   * The suite is played in fixed pieces of whole items; items that an earlier attempt kept are not played again.
   */
  async suite(
    suite: Suite,
    sampling: SuiteSampling,
    options: StepOptions & KeptSuiteOptions = {},
  ): Promise<ItemResult[]> {
    const tasks = await suiteTasks(suite, this.worlds, sampling.world);
    const piece = Math.max(1, Math.ceil(EPISODES_A_PIECE / sampling.samples));
    const items = keptItems(options.kept ?? []).slice(0, tasks.length);
    while (items.length < tasks.length) {
      // An earlier attempt may have kept an incomplete piece.
      const first = items.length - (items.length % piece);
      items.length = first;
      items.push(...(await this.pieceOf(suite, sampling, tasks, { first, count: piece }, options)));
      await options.onItems?.(items);
    }
    return items;
  }

  private async pieceOf(
    suite: Suite,
    { temperature, seed, samples }: SuiteSampling,
    all: readonly Task[],
    { first, count }: { first: number; count: number },
    options: StepOptions,
  ): Promise<ItemResult[]> {
    options.signal?.throwIfAborted();
    const tasks = all.slice(first, first + count);
    const parts = { policy: this.policy, worlds: this.worlds, conversation: this.conversation };
    const { maskActions, maxTokensPerTurn, thoughts } = this.settings.sampling;
    const { overflow } = this.settings.evaluation;
    const rules = { invalidAction: this.settings.algorithm.endings.invalidAction.policy };
    const limit = suiteLimit(suite);
    const stream = SUITE_STREAM;
    const request = { tasks, groupSize: samples, firstGroup: first, limit, temperature, seed, stream };
    const total = all.length * samples;
    const trajectories = await rollout(
      parts,
      { ...request, maskActions, maxTokensPerTurn, thoughts, rules, ...(this.context && { context: this.context }) },
      {
        signal: options.signal,
        onRound: ({ done, turns, tokens, fraction }) => {
          const played = first * samples;
          const share = (played + fraction * count * samples) / total;
          const progress = {
            what: 'episodes',
            done: played + done,
            total,
            turns,
            tokens,
            fraction: Math.min(1, share),
          };
          options.onProgress?.({ ...progress, unit: 'episodes' });
        },
      },
    );
    if (first === 0) requireRoom(trajectories, this.policy.capacity, 'of the suite');
    const measures = await measuresOfAll(this.worlds, trajectories);
    const tries = trajectories.map((each, i) => triedOnce(each, overflow, measures[i]));
    const beside = await this.players.beside(suite, tasks);
    return tasks.map((task, i) => ({
      key: taskKey(task),
      column: suite.columnOf(task),
      tries: tries.slice(i * samples, (i + 1) * samples),
      ...beside[i],
    }));
  }

  /** Turn limit of step `k`. */
  turnsAt(k: number): PlayLimit {
    const { horizon, worlds } = this.settings;
    const { turns } = stageAt(horizon, k, earlyStarts(horizon, this.policy.notes ?? new Map()));
    return mixedLimit(worlds, turns);
  }

  /** Plays one episode under step `k`'s horizon, without training. */
  async watch(k: number, choice: WatchedTask, options: StepOptions = {}): Promise<Trajectory> {
    const tasks = this.tasks[choice.split];
    const task = choice.task ?? taskAt(tasks, choice.taskIndex);
    if (!task) throw new RangeError(`There is no ${choice.split} task under these options: widen them.`);
    const turns = this.turnsAt(k);
    const [trajectory] = await this.play(
      { step: k, tasks: [task], groupSize: 1, limit: turns, purpose: Purpose.watch, what: 'turns' },
      options,
    );
    return trajectory;
  }
}
