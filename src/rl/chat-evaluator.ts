/**
 * Evaluations, suites and watched episodes of a policy that answers in text (a model behind an API), with chance and
 * the oracle.
 */
import type { Task, World } from '../envs/env.ts';
import type { Suite } from '../envs/suite.ts';
import { tasksOf } from './episode/by-world.ts';
import {
  type ChatEpisode,
  type ChatOptions,
  ChatPlay,
  type ChatRequest,
  type Replier,
} from './episode/chat-episode.ts';
import { Players } from './episode/players.ts';
import { failureWords, NoRoomError } from './episode/unplayed.ts';
import { type Evaluation, type SplitEvaluation, summarizePlayed } from './evaluation/evaluation.ts';
import { type ItemResult, isCounted, underRule } from './evaluation/suite-results.ts';
import { type KeptSuiteOptions, type StepOptions, type SuiteSampling, suiteTasks } from './evaluator.ts';
import { KeptTries } from './kept-tries.ts';
import { mixedLimit, type PlayLimit, stageAt, suiteLimit } from './schedule/horizon.ts';
import { evaluationTasks, hashOfTasks, reportedStrata, taskAt, type WatchedTask } from './schedule/tasks.ts';
import type { TrainerSettings } from './settings.ts';

export interface ChatParts {
  worlds: ReadonlyMap<string, World>;
  /** Returns the policy's function for these sampling settings, which the caller chooses. */
  replierWith(sampling: { temperature: number; seed: number }, onNotice?: (words: string) => void): Replier;
  /** Episodes played at once. */
  atOnce: number;
  contextTurns: number;
}

const endingOf = ({ failure }: ChatEpisode) => (failure === undefined ? ('done' as const) : ('world-failure' as const));

export class ChatEvaluator {
  private readonly players: Players;
  private readonly endOnInvalid: boolean;

  constructor(
    private readonly settings: TrainerSettings,
    private readonly parts: ChatParts,
  ) {
    this.endOnInvalid = settings.algorithm.endings.invalidAction.policy === 'end';
    this.players = new Players(parts.worlds, settings.seed, this.endOnInvalid);
  }

  private play(
    request: Pick<ChatRequest, 'tasks' | 'groupSize' | 'limit' | 'isPlayed'>,
    sampling: { temperature: number; seed: number },
    options: StepOptions & Pick<ChatOptions, 'onEpisode'>,
    what: string,
    step = 0,
  ) {
    const { signal = new AbortController().signal, onTurn, onProgress, onNotice, onEpisode } = options;
    const { worlds, replierWith, atOnce, contextTurns } = this.parts;
    const whole = { ...request, endOnInvalid: this.endOnInvalid, atOnce, contextTurns };
    const say = replierWith(sampling, (words) => onNotice?.(words, true));
    return new ChatPlay(worlds, say, whole, {
      signal,
      onTurn: onTurn && ((event) => onTurn({ ...event, step })),
      onEpisodes: (done, total) => onProgress?.({ what, done, total, unit: 'episodes' }),
      onEpisode,
    }).play();
  }

  /**
   * Plays every item of a suite. Each finished try is kept, so an interrupted evaluation continues with the others;
   * tries whose world failed are played again.
   */
  async suite(
    suite: Suite,
    sampling: SuiteSampling,
    options: StepOptions & KeptSuiteOptions = {},
  ): Promise<ItemResult[]> {
    const tasks = await suiteTasks(suite, this.parts.worlds, sampling.world);
    const tries = new KeptTries(suite, tasks, sampling.samples, {
      ...options,
      overflow: this.settings.evaluation.overflow,
    });
    const request = { tasks, groupSize: sampling.samples, limit: suiteLimit(suite), isPlayed: tries.isPlayed };
    try {
      await this.play(request, sampling, { ...options, onEpisode: tries.add }, 'episodes');
    } finally {
      await tries.written();
    }
    return tries.items(await this.players.beside(suite, tasks));
  }

  /** Success on fixed tasks of each split, under step `k`'s horizon. */
  async evaluate(k: number, options: StepOptions = {}): Promise<Evaluation> {
    const train = await this.evaluateSplit(k, 'train', 'training goals', options);
    const test = await this.evaluateSplit(k, 'test', 'held-out goals', options);
    options.onProgress?.(null);
    return { train, test };
  }

  private async evaluateSplit(
    k: number,
    split: 'train' | 'test',
    what: string,
    options: StepOptions,
  ): Promise<SplitEvaluation> {
    const { evaluation, sampling, seed } = this.settings;
    const tasks = evaluationTasks(await this.tasks(split), evaluation.episodes);
    const limit = this.turnsAt(k);
    const request = { tasks, groupSize: 1, limit };
    const { temperature } = sampling;
    const episodes = await this.play(request, { temperature, seed }, { ...options, onTurn: undefined }, what);
    const failed = episodes.map((episode) => ({ ...episode, ending: endingOf(episode) }));
    for (const words of failureWords(failed, this.parts.worlds))
      options.onNotice?.(`Evaluation on ${what}: ${words}`, false);
    if (!episodes.some(isCounted) && episodes.some(({ overflowed }) => overflowed))
      throw new NoRoomError(
        `No episode of the evaluation on ${what} fits the model's context. Give the model more context, or allow fewer turns.`,
      );
    const { chance, oracle } = await this.players.both(tasks, limit);
    const strata = reportedStrata(tasks);
    const evaluated = episodes.map(({ success, score, measures }, i) => ({
      strata: strata[i],
      success,
      score,
      chance: chance[i],
      oracle: oracle && !oracle[i].failed ? oracle[i].success : null,
      ...(measures && { measures }),
    }));
    return summarizePlayed(evaluated, hashOfTasks(tasks), (i) =>
      isCounted(underRule(episodes[i], evaluation.overflow)),
    );
  }

  /** Turn limit of step `k`. */
  private turnsAt(k: number): PlayLimit {
    const { horizon, worlds } = this.settings;
    return mixedLimit(worlds, stageAt(horizon, k).turns);
  }

  private async tasks(split: 'train' | 'test'): Promise<Task[]> {
    const asked = this.settings.worlds.filter(({ evaluated }) => evaluated !== false);
    return (await tasksOf(this.parts.worlds, asked, split)).flat();
  }

  /** Plays one episode without counting it. */
  async watch(k: number, choice: WatchedTask, options: StepOptions = {}): Promise<void> {
    const tasks = await this.tasks(choice.split);
    const task = choice.task ?? taskAt(tasks, choice.taskIndex);
    if (!task) throw new RangeError(`There is no ${choice.split} task under these options: widen them.`);
    const { sampling, seed } = this.settings;
    const limit = this.turnsAt(k);
    const { temperature } = sampling;
    await this.play({ tasks: [task], groupSize: 1, limit }, { temperature, seed }, options, 'turns', k);
  }
}
