/**
 * Trainer: one step is a rollout of groups, their advantages, and the updates. Between steps it keeps only the policy's
 * own state. Everything else is a function of (settings, step), so any step can be repeated from its checkpoint.
 *
 * Depends on the `Learner` and `World` contracts; GPU buffers, runs, checkpoints and the page are elsewhere.
 * Long because every use of a step (training, repeating, examining, scoring) shares its settings and its credit.
 */
import type { Task } from '../envs/env.ts';
import type { Counters, Learner } from '../policy/policy.ts';
import type { Algorithm, CollectedPlay, Collector, CreditInput, Needs } from './algorithms/algorithm.ts';
import { algorithmOf } from './algorithms/registry.ts';
import { scoreAlternatives } from './alternatives.ts';
import { assignCredit, type TrainingSet, tokenRows } from './assign-credit.ts';
import { playBranched } from './branch.ts';
import { awaitAll } from './common/await-all.ts';
import type { CodeRunner } from './common/code-runner.ts';
import { mean } from './common/numbers.ts';
import {
  type ComparedChoice,
  type ComparedObjective,
  type Comparing,
  compareObjectives,
  type ReferenceWeights,
} from './compare-objectives.ts';
import { creditInputOf, teach } from './credit-input.ts';
import { distil } from './distil.ts';
import {
  type DemonstrationOptions,
  demonstrate,
  type ImitationResult,
  imitate,
  policyStartIndices,
} from './episode/demonstrations.ts';
import { successRate } from './episode/players.ts';
import { returnsOf } from './episode/returns.ts';
import type { Trajectory } from './episode/trajectory.ts';
import { failureWords, noRoomWords, requireRoom } from './episode/unplayed.ts';
import type { StepRecord } from './evaluation/evaluation.ts';
import { Evaluator, Purpose, type StepOptions } from './evaluator.ts';
import { type ExaminedStep, examine } from './examine.ts';
import { type FamilyTasks, GoalsError } from './goals/families.ts';
import { Goals } from './goals/goals.ts';
import { proposable } from './goals/proposer.ts';
import { withSkills } from './goals/skilled-world.ts';
import { skillsIn } from './goals/skills.ts';
import { League } from './league.ts';
import { gameMetrics } from './metrics/game-metrics.ts';
import { costMetrics, rolloutMetrics } from './metrics/step-metrics.ts';
import { type Teachers, teacherFlops } from './policy-teacher.ts';
import { noRecordings, type OpenRecorded, type RecordedPlay } from './recorded.ts';
import { reflect } from './reflection.ts';
import { mixesSuccesses, weighted, withSuccesses } from './replay.ts';
import type { AskJudge } from './rewards/counted-judge.ts';
import { Rewarder } from './rewards/rewarder.ts';
import { isAdaptive, mostTurns, observeStage, type PlayLimit, stageNumber } from './schedule/horizon.ts';
import { learningRateAt } from './schedule/learning-rate.ts';
import { scoreRows } from './score-rows.ts';
import { type StageSettings, type TrainerSettings, trainingStageAt } from './settings.ts';
import { optimizerSettings, Updater } from './updater.ts';

/** Maximum number of turns of a demonstration if the horizon is relative to the oracle's own turns. */
const mostDemonstrationTurns = 64;

/** Episodes of a training step. */
interface TrainingPlays {
  k: number;
  tasks: readonly Task[];
  groupSize: number;
  limit: PlayLimit;
  /** Number of the first group. */
  firstGroup: number;
  settings: TrainerSettings['algorithm'];
}

/** Thrown if a step cannot be repeated from its stored trajectories alone. */
export class NotRepeatableError extends Error {
  override name = 'NotRepeatableError';
  constructor() {
    super('A step of this algorithm, with goals or in self-play, uses more than the trajectories that are stored.');
  }
}

export interface StepResult {
  record: StepRecord;
  trajectories: Trajectory[];
}

export class Trainer {
  private readonly rewarder: Rewarder;
  /** Absent: tasks come in shuffled epochs. */
  private readonly goals: Goals | undefined;
  /** Absent: the worlds' own opponents play the other seats, if there are any. */
  private readonly league: League | undefined;
  /** Failures of worlds that were reported. */
  private readonly reported = new Set<string>();

  private constructor(
    private readonly settings: TrainerSettings,
    private readonly policy: Learner,
    readonly evaluator: Evaluator,
    private readonly recordings: RecordedPlay,
    private readonly runner: CodeRunner | undefined,
    ask: AskJudge | undefined,
    invented: readonly FamilyTasks[],
    readonly teachers: Teachers,
  ) {
    this.rewarder = new Rewarder(settings.reward, { runner, ask }, policy.notes);
    const { sources } = evaluator.tasks;
    const { worlds, conversation } = evaluator;
    this.league = League.of(settings, { policy, worlds, conversation });
    if (settings.goals && this.league)
      throw new GoalsError(
        'Goals cannot be chosen in self-play: its tasks change with the opponent, so a family has no success of its own. Play against a fixed opponent, or take the rule out.',
      );
    if (settings.goals) this.goals = Goals.of(sources, settings.goals, settings.seed, policy, invented);
  }

  static async create(
    settings: TrainerSettings,
    parts: {
      policy: Learner;
      runner?: CodeRunner;
      ask?: AskJudge;
      recorded?: OpenRecorded;
      teachers?: Teachers;
    } & Parameters<typeof Evaluator.create>[1],
  ): Promise<Trainer> {
    const skills = () => skillsIn(parts.policy.texts);
    const known = settings.goals?.skills ? withSkills(parts.worlds, skills) : parts.worlds;
    const evaluator = await Evaluator.create(settings, { ...parts, worlds: known });
    const { worlds, conversation, tasks } = evaluator;
    const { promptTokens, completionTokens } = parts.policy.capacity;
    const { recorded = noRecordings } = parts;
    const recordings = recorded({
      worlds,
      conversation,
      tasks: tasks.train,
      maskActions: settings.sampling.maskActions,
      ...(evaluator.context && { context: evaluator.context }),
      seed: settings.seed,
      promptTokens,
      completionTokens,
    });
    const invented = settings.goals?.inventedShare ? await proposable(known, settings.worlds, settings.seed) : [];
    const { policy, runner, ask, teachers = new Map() } = parts;
    return new Trainer(settings, policy, evaluator, recordings, runner, ask, invented, teachers);
  }

  /** Runs step `k`, from 1: trajectories, credit, updates. Can be aborted until the first update begins. */
  async step(k: number, options: StepOptions = {}): Promise<StepResult> {
    const { now = () => performance.now() } = options;
    const started = now();
    const turns = this.evaluator.turnsAt(k);
    const stage = trainingStageAt(this.settings, k);
    const algorithm = algorithmOf(stage.algorithm);
    const before = this.counters();
    this.rewarder.begin();
    this.goals?.begin(k);
    await this.league?.begin(k);
    const played = await this.collect(k, algorithm, stage, turns, options);
    const replays = this.goals?.replays(played.played) ?? new Map<number, Trajectory>();
    await teach(this, [...played.trajectories, ...replays.values()], algorithm.needs(stage.algorithm));
    const collected = { ...played, replays };
    this.goals?.observe(collected.played);
    await this.league?.observe(collected.played);
    await this.reflect(collected.played);
    const rolledOut = now();
    const counted = this.counters();
    // Chance and the oracle use only the worlds, which are idle while the policy is trained.
    const [{ training, updates, learningRate, trained }, baselines] = await awaitAll([
      this.train(k, collected, algorithm, stage, options),
      this.baselines(collected, turns),
    ]);
    const times = { rolloutMs: rolledOut - started, trainMs: trained - rolledOut };
    const metrics: StepRecord['metrics'] = {
      ...this.taskMetrics(collected, training, stage),
      ...(await gameMetrics(this.evaluator.worlds, collected.played)),
      ...baselines,
      ...collected.metrics,
      ...training.metrics,
      ...updates,
      learningRate,
      ...costMetrics(before, counted, this.counters(), times),
    };
    observeStage(this.settings.horizon, this.policy.notes, k, metrics);
    options.onProgress?.(null);
    const record = { step: k, stage: stageNumber(turns), metrics: { ...metrics, stepMs: now() - started } };
    return { record, trajectories: collected.played.length ? collected.played : collected.trajectories };
  }

  /** Counters of the policy, with the operations of its teachers. */
  private counters(): Counters {
    const own = this.policy.counters();
    return { ...own, flops: own.flops + teacherFlops(this.teachers) };
  }

  /** Credit and all updates of a step. */
  private async train(
    k: number,
    collected: CollectedPlay & { replays: ReadonlyMap<number, Trajectory> },
    algorithm: Algorithm,
    stage: ReturnType<typeof trainingStageAt>,
    { signal, onProgress, now = () => performance.now() }: StepOptions,
  ) {
    const onScored = (done: number, total: number) => onProgress?.({ what: 'scores', done, total, unit: 'slices' });
    const training = await this.credited(collected, algorithm, stage, onScored);
    signal?.throwIfAborted();
    const learningRate = learningRateAt(stage.optimizer, stage.step, stage.steps);
    const updater = new Updater(this.policy, stage, this.runner);
    const { signalEvery = 0 } = stage.evaluation;
    const signalMeasured = signalEvery > 0 && k % signalEvery === 0 ? await updater.signal(training) : {};
    const updates = await updater.update(training, learningRate, (what, done, total) =>
      onProgress?.({ what, done, total, unit: 'slices' }),
    );
    const distilled = await this.distil(stage, learningRate);
    this.rewarder.commit();
    this.goals?.commit();
    this.league?.commit();
    for (const [name, value] of Object.entries({ ...collected.memory, ...training.memory }))
      this.policy.notes.set(name, Math.fround(value));
    return { training, updates: { ...signalMeasured, ...updates, ...distilled }, learningRate, trained: now() };
  }

  /** Credit of a step's trajectories, with kept successes beside them and the weights of their families. */
  private async credited(
    { trajectories, replays }: CollectedPlay & { replays: ReadonlyMap<number, Trajectory> },
    algorithm: Algorithm,
    stage: StageSettings,
    onScored: (done: number, total: number) => void,
  ): Promise<TrainingSet> {
    const needs = algorithm.needs(stage.algorithm);
    const input = await this.creditInput(trajectories, needs, stage, onScored);
    const own = assignCredit(trajectories, algorithm, stage.algorithm, input);
    const { goals } = this.settings;
    if (!this.goals || !goals) return own;
    const mixed =
      replays.size > 0 && mixesSuccesses(algorithm, stage.algorithm)
        ? await withSuccesses(own, replays, {
            policy: this.policy,
            algorithm,
            settings: stage,
            least: goals.keptLeast,
            creditInput: (all) => this.creditInput(all, needs, stage),
          })
        : own;
    return weighted(mixed, this.goals.weightsOf(mixed.trajectories));
  }

  /** Divides failed tasks into their parts, and keeps failed episodes as successes at a part. */
  private async reflect(played: readonly Trajectory[]): Promise<void> {
    if (!this.goals) return;
    const { maskActions } = this.settings.sampling;
    const { context } = this.evaluator;
    await reflect(this.goals, played, this.evaluator, {
      maskActions,
      ...(context && { context }),
      ...this.policy.capacity,
    });
  }

  /** Update of this step on kept successes alone, if one is due. */
  private async distil(stage: StageSettings, learningRate: number): Promise<{ [metric: string]: number }> {
    const { goals } = this.settings;
    const successes = this.goals?.distilled() ?? [];
    if (!goals || successes.length === 0) return {};
    return distil(this.policy, successes, {
      goals,
      stage,
      learningRate,
      creditInput: (all, settings) =>
        this.creditInput(all, algorithmOf(settings.algorithm).needs(settings.algorithm), settings),
    });
  }

  /**
   * Effect of step `k` on the tokens of its stored trajectories. The policy holds the weights from before the step;
   * `loadAfter` loads those from after it.
   */
  async examine(k: number, trajectories: readonly Trajectory[], loadAfter: () => Promise<void>): Promise<ExaminedStep> {
    const stage = trainingStageAt(this.settings, k);
    const algorithm = algorithmOf(stage.algorithm);
    const needs = algorithm.needs(stage.algorithm);
    const input = await this.creditInput(trajectories, needs, stage);
    const training = assignCredit(trajectories, algorithm, stage.algorithm, input);
    const updater = new Updater(this.policy, stage, this.runner);
    const { temperature } = stage.sampling;
    return examine(training, { policy: this.policy, updater, temperature, values: needs.values ?? false, loadAfter });
  }

  /**
   * Credit and updates of step `k` on its stored trajectories, without playing. The policy holds the weights from before
   * the step and ends with those from after it. Throws NotRepeatableError if the step used more than its trajectories: what
   * the algorithm collects beside them, chosen goals, or the opponents of a league.
   */
  async repeat(k: number, trajectories: readonly Trajectory[]): Promise<void> {
    const stage = trainingStageAt(this.settings, k);
    const algorithm = algorithmOf(stage.algorithm);
    if (algorithm.collect || this.goals || this.league) throw new NotRepeatableError();
    this.rewarder.begin();
    const own = [...trajectories];
    await this.train(k, { trajectories: own, played: own, tasks: [], replays: new Map() }, algorithm, stage, {});
  }

  /**
   * Several algorithms on the stored trajectories of step `k`, under the loaded weights. `reference`: for a run that
   * holds no reference weights; absent: the policy has them, or `hasReference` is false.
   */
  compare(
    k: number,
    trajectories: readonly Trajectory[],
    choices: readonly ComparedChoice[],
    { reference, hasReference }: { reference?: ReferenceWeights; hasReference: boolean },
  ): Promise<ComparedObjective[]> {
    const stage = trainingStageAt(this.settings, k);
    const { evaluator, runner, teachers } = this;
    const creditInput: Comparing['creditInput'] = (all, needs, policy) =>
      creditInputOf({ policy, evaluator, teachers }, all, needs, { temperature: stage.sampling.temperature });
    const hasValues = algorithmOf(stage.algorithm).needs(stage.algorithm).values ?? false;
    const parts = { policy: this.policy, stage, creditInput, reference, hasReference, hasValues };
    return compareObjectives(choices, trajectories, { ...parts, ...(runner && { runner }) });
  }

  /** Log-probabilities of the tokens that could have been chosen at a position of one of step `k`'s trajectories. */
  scoreAlternatives(k: number, trajectory: Trajectory, position: number): Promise<Float64Array> {
    const { temperature } = trainingStageAt(this.settings, k).sampling;
    return scoreAlternatives(this.policy, trajectory, position, temperature);
  }

  /** Collects a step's trajectories as the algorithm defines. Default: groups of the step's tasks. */
  private async collect(
    k: number,
    algorithm: Algorithm,
    { algorithm: settings, step: stageStep, sampling: { temperature } }: StageSettings,
    limit: PlayLimit,
    options: StepOptions,
  ): Promise<CollectedPlay> {
    const { sampler } = this.evaluator.tasks;
    const { worlds, conversation, context } = this.evaluator;
    const { maskActions } = this.settings.sampling;
    const playTasks = (tasks: readonly Task[], groupSize: number, wave = 0) =>
      this.playTasks({ k, tasks, groupSize, limit, firstGroup: wave * tasks.length, settings }, options);
    const collecting: Collector = {
      tasks: (groups, wave = 0, siblings = 1) => {
        const tasks = this.goals?.tasks(groups, wave, siblings) ?? sampler.step(k, groups, wave, siblings);
        return this.league?.oppose(tasks, wave) ?? tasks;
      },
      play: async (tasks, groupSize, wave = 0) =>
        this.rewarder.give(await playTasks(tasks, groupSize, wave), options.signal),
      recorded: async (file, count) => this.rewarder.give(await this.recorded(file, k, count, options), options.signal),
      fixedTasks: (count) => sampler.fixed(count),
      share: (tasks, count) => sampler.share(tasks, stageStep, count),
      oracleLoss: (tasks) => this.oracleLoss(collecting, tasks, temperature),
      stageStep,
      memory: Object.fromEntries(this.policy.notes),
      demonstrate: async (tasks, { dagger = 0, ...shown } = {}) => {
        const keys = { seed: this.settings.seed, step: k };
        const policyTurns = await this.playPolicyTurns(
          playTasks,
          tasks,
          policyStartIndices(dagger, tasks.length, keys),
        );
        return demonstrate({ worlds, conversation }, tasks, {
          maskActions,
          ...(context && { context }),
          ...this.policy.capacity,
          ...shown,
          ...keys,
          ...this.teaching(limit),
          ...(dagger > 0 && { policyTurns }),
        });
      },
    };
    if (algorithm.collect) return algorithm.collect(collecting, settings);
    const tasks = collecting.tasks(settings.groups);
    const trajectories = await collecting.play(tasks, settings.groupSize);
    return { trajectories, played: trajectories, tasks };
  }

  /** Plays each task `groupSize` times with the policy, as step `k` does. */
  private async playTasks({ k, settings, ...plays }: TrainingPlays, options: StepOptions): Promise<Trajectory[]> {
    const rules = { invalidAction: settings.endings.invalidAction.policy };
    const purpose = Purpose.train;
    const turnsBeyond = (task: Task) => this.goals?.turnsBeyond(task) ?? 0;
    const ahead = () => this.ahead(k + 1);
    const request = { step: k, ...plays, turnsBeyond, purpose, what: 'episodes', rules, ahead };
    const { seed, sampling } = this.settings;
    const { branchedEpisodes = 0, branchAt: at = 'entropy', temperature } = sampling;
    const branched = Math.min(branchedEpisodes, plays.groupSize - 1);
    const played = branched
      ? await playBranched({
          ...{ groupSize: plays.groupSize, branched, at, temperature, keys: [seed, k], policy: this.policy },
          play: (part) => this.evaluator.play({ ...request, ...part }, options),
        })
      : await this.evaluator.play(request, options);
    this.requirePlayable(played, k, options);
    return played;
  }

  /** Episodes of step `k`, if they follow from the settings alone. */
  private ahead(k: number) {
    const { horizon, steps } = this.settings;
    if (this.goals || this.league || isAdaptive(horizon) || k > steps) return null;
    const { algorithm: settings } = trainingStageAt(this.settings, k);
    if (algorithmOf(settings).collect) return null;
    const tasks = this.evaluator.tasks.sampler.step(k, settings.groups);
    const limit = this.evaluator.turnsAt(k);
    const rules = { invalidAction: settings.endings.invalidAction.policy };
    return { step: k, tasks, groupSize: settings.groupSize, limit, purpose: Purpose.train, what: 'episodes', rules };
  }

  /** Step `k`'s share of a file of trajectories. */
  private recorded(
    file: string,
    k: number,
    count: number,
    { signal, onProgress, onNotice }: StepOptions,
  ): Promise<Trajectory[]> {
    return this.recordings.take(file, k, count, {
      signal,
      onProgress: (done, total) => onProgress?.({ what: 'trajectories', done, total, unit: 'episodes' }),
      onMapped: onNotice,
    });
  }

  /** Mean negative log-probability of the oracle's play, over its trained tokens. */
  private async oracleLoss({ demonstrate }: Collector, tasks: readonly Task[], temperature: number): Promise<number> {
    const { trajectories } = await demonstrate(tasks);
    const { logprob } = await scoreRows(this.policy, trajectories, tokenRows(trajectories), {
      temperature,
      weights: 'policy',
      values: false,
    });
    return -mean(Array.from(logprob));
  }

  /**
   * Throws if the first step has nothing to learn from. Reports the worlds that failed in some episodes, and a later step
   * whose tasks happen to be too long, which changes nothing; each once.
   */
  private requirePlayable(played: readonly Trajectory[], k: number, { onNotice }: StepOptions): void {
    if (k === 1) requireRoom(played, this.policy.capacity, 'of step 1');
    const noRoom = noRoomWords(played, this.policy.capacity, 'of this step');
    for (const words of [...(noRoom ? [noRoom] : []), ...failureWords(played, this.evaluator.worlds)]) {
      const reason = words.replace(/\d+/g, '');
      if (!this.reported.has(reason)) onNotice?.(`Step ${k}: ${words}`, false);
      this.reported.add(reason);
    }
  }

  /** First turns of the policy on the tasks at these indices. Demonstrations on these tasks continue from there. */
  private async playPolicyTurns(
    playTasks: (tasks: readonly Task[], groupSize: number) => Promise<Trajectory[]>,
    tasks: readonly Task[],
    places: readonly number[],
  ): Promise<Map<number, Trajectory['turns']>> {
    if (places.length === 0) return new Map();
    const played = await playTasks(
      places.map((place) => tasks[place]),
      1,
    );
    return new Map(played.map(({ turns }, k) => [places[k], turns]));
  }

  /** Requests the oracle's action and thought before every turn, if the policy thinks. */
  private teaching(limit: PlayLimit): Pick<DemonstrationOptions, 'teaching'> {
    if (!this.settings.sampling.thoughts) return {};
    return { teaching: { turns: mostTurns(limit) ?? mostDemonstrationTurns } };
  }

  /** Inputs of credit beside the trajectories. */
  private creditInput(
    trajectories: readonly Trajectory[],
    needs: Needs,
    { sampling: { temperature } }: TrainerSettings,
    onScored?: (done: number, total: number) => void,
  ): Promise<Partial<CreditInput>> {
    const { policy, evaluator, teachers } = this;
    return creditInputOf({ policy, evaluator, teachers }, trajectories, needs, { temperature, onScored });
  }

  /**
   * Runs step `k` of imitation, from 1: the oracle plays training tasks, and one update raises the probability of its
   * play.
   */
  imitate(
    k: number,
    { episodes, learningRate }: { episodes: number; learningRate?: number },
  ): Promise<ImitationResult> {
    const { optimizer, sampling } = this.settings;
    const { worlds, conversation, context } = this.evaluator;
    const parts = { policy: this.policy, worlds, conversation };
    return imitate(parts, this.evaluator.tasks.sampler.step(k, episodes), {
      maskActions: sampling.maskActions,
      ...(context && { context }),
      aggregation: 'token-mean',
      optimizer: optimizerSettings(optimizer, learningRate ?? optimizer.learningRate),
    });
  }

  /** Rates of the policy's episodes; none in a step of imitation only. */
  private taskMetrics(
    { played, trajectories }: CollectedPlay,
    training: TrainingSet,
    { algorithm }: TrainerSettings,
  ): { [metric: string]: number } {
    if (played.length === 0) return {};
    // Returns of all played episodes, not only of those that were kept.
    const returns = played === trajectories ? training.returns : returnsOf(played, algorithm.endings);
    return {
      ...rolloutMetrics(played, { ...training, returns }),
      ...this.rewarder.metrics(played),
      ...this.goals?.metrics(),
      ...this.league?.metrics(),
    };
  }

  /** Success and score of chance and the oracle on the step's tasks. */
  private async baselines({ played, tasks }: CollectedPlay, limit: PlayLimit): Promise<{ [metric: string]: number }> {
    if (played.length === 0) return {};
    const { players } = this.evaluator;
    const both = await players.both(tasks, limit);
    const chance = both.chance.flat();
    const oracle = both.oracle?.filter(({ failed }) => !failed) ?? [];
    return {
      ...(chance.length > 0 && { chance: successRate(chance) }),
      ...(oracle.length > 0 && { oracle: successRate(oracle) }),
    };
  }
}
