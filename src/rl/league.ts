/**
 * Self-play in a world with seats: the other seat is played by the policy as it is at the start of the step, by one of
 * its earlier selves, or in a share of the games by the world's own player. A self is kept as its strategy, the exact
 * probability of each action by the information of a seat, so that it needs no second set of weights, and a task that
 * carries it can be played again anywhere. Selves and ratings are texts beside the weights, and are saved with them.
 *
 * Training against the average of earlier selves is fictitious play (Heinrich, Lanctot, Silver 2015,
 * https://proceedings.mlr.press/v37/heinrich15.html); ratings are Elo's. In self-play the last strategy may circle an
 * equilibrium while the mean of all strategies approaches it, so the mean is kept too, with later steps weighted more as
 * in CFR+ (Tammelin 2014, https://arxiv.org/abs/1407.5042).
 */
import type { Task, World } from '../envs/env.ts';
import {
  type Informations,
  type LeagueRules,
  meanStrategy,
  type SeatRules,
  type Strategy,
  type StrategySum,
  withStrategy,
} from '../envs/game.ts';
import { against } from '../envs/game-world.ts';
import { exp } from '../policy/elementary.ts';
import type { Learner } from '../policy/policy.ts';
import { tokenRows } from './assign-credit.ts';
import { groupBy, mean } from './common/numbers.ts';
import { below, uniform } from './common/random.ts';
import { worldNamed } from './episode/by-world.ts';
import type { Conversation } from './episode/conversation.ts';
import { gameOf } from './episode/game-measures.ts';
import { strategyOf } from './episode/seat-strategy.ts';
import type { Trajectory } from './episode/trajectory.ts';
import { contextRules } from './episode/window.ts';
import { scoreRows } from './score-rows.ts';
import type { TrainerSettings } from './settings.ts';

/** An earlier self: its strategy, the steps it had trained, and its rating. */
interface Self {
  step: number;
  rating: number;
  strategy: Strategy;
}

interface Standing {
  rating: number;
  selves: readonly Self[];
  /** The world's own player; absent: none of the games is against it. */
  own?: { name: string; rating: number };
  /** Sum of the strategies of all steps, each weighted by its step. Absent in runs from before it was kept. */
  average?: StrategySum;
}

/** Name of the text that holds ratings and earlier selves. */
const TEXT = 'league';
const STREAM = 0x6c656167;
const firstRating = 1000;
/** Elo's greatest change of a rating in a step, and the difference at which ten games are won for one lost. */
const [K, SCALE] = [16, 400];

interface Parts {
  policy: Learner;
  worlds: ReadonlyMap<string, World>;
  conversation: Conversation;
}

/** Opponent of a task: the index of an earlier self, or the world's own player. */
type Opponent = number | 'own';

/** The experiment's entry of the league's world. */
type Played = Pick<TrainerSettings['worlds'][number], 'name' | 'options'>;

export class League {
  private standing: Standing = { rating: firstRating, selves: [] };
  private informations: Informations = { lines: [] };
  /** Null: it is not known in this world. */
  private exploitability: ((strategy: Strategy) => number) | null = null;
  /** Empty in a step that needs it for nothing. */
  private strategy: Strategy = {};
  /** Player of the other seat of a task. Absent: the present policy plays it. */
  private readonly opponents = new Map<Task, Opponent>();
  private step = 0;

  private constructor(
    private readonly world: Played,
    private readonly seats: SeatRules,
    private readonly rules: LeagueRules,
    private readonly settings: Pick<TrainerSettings, 'seed' | 'sampling'>,
    private readonly parts: Parts,
  ) {}

  /** The league of the first world that has seats and is played against oneself; undefined: none. */
  static of(settings: TrainerSettings, parts: Parts): League | undefined {
    for (const world of settings.worlds) {
      const { seats } = worldNamed(parts.worlds, world.name).describe();
      const rules = seats?.league(world.options);
      if (seats && rules) return new League(world, seats, rules, settings, parts);
    }
    return undefined;
  }

  /** Reads what earlier steps committed, and computes the present strategy. */
  async begin(step: number): Promise<void> {
    if (this.informations.lines.length === 0) this.informations = await this.seats.informations(this.world.options);
    this.step = step;
    this.opponents.clear();
    const kept = this.parts.policy.texts.get(TEXT);
    this.standing = kept ? JSON.parse(kept) : { rating: firstRating, selves: [] };
    const { size, every, share, own } = this.rules;
    if (own.share > 0) this.standing = { own: { name: own.name, rating: firstRating }, ...this.standing };
    const isKept = size > 0 && (step - 1) % every === 0;
    this.exploitability ??= (await this.seats.exploitability?.()) ?? null;
    const isMeasured = this.exploitability !== null;
    const isPlayed = share < 1 || size === 0;
    this.strategy = isKept || isMeasured || isPlayed ? await this.present() : {};
    if (isMeasured) {
      const average = withStrategy(this.standing.average ?? {}, this.informations.lines, this.strategy, step);
      this.standing = { ...this.standing, average };
    }
    if (isKept) {
      const self = { step: step - 1, rating: this.standing.rating, strategy: this.strategy };
      this.standing = { ...this.standing, selves: [...this.standing.selves, self].slice(-size) };
    }
  }

  private present(): Promise<Strategy> {
    const { policy, worlds, conversation } = this.parts;
    const { temperature, maskActions } = this.settings.sampling;
    const context = contextRules(this.settings.sampling, policy.capacity.completionTokens);
    const { name, options } = this.world;
    return strategyOf({ world: name, id: 0, options, strata: {} }, this.informations.lines, {
      conversation,
      description: worldNamed(worlds, name).describe(),
      maskActions,
      ...(context && { context }),
      promptTokens: policy.capacity.promptTokens,
      score: async (trajectories) => {
        const rows = tokenRows(trajectories);
        const { logprob } = await scoreRows(policy, trajectories, rows, { temperature, weights: 'policy' });
        return trajectories.map((_, b) => logprob.subarray(rows.offsets[b], rows.offsets[b + 1]));
      },
    });
  }

  /** Gives each of a step's tasks in this world its opponent. `wave`: the round of tasks within the step. */
  oppose(tasks: readonly Task[], wave = 0): Task[] {
    return tasks.map((task, i) => {
      if (task.world !== this.world.name) return task;
      const opponent = this.opponentAt([this.settings.seed, STREAM, this.step, wave, i]);
      const opposed = opponent === 'own' ? { ...task } : this.againstSelf(task, opponent);
      if (opponent !== null) this.opponents.set(opposed, opponent);
      return opposed;
    });
  }

  /** Opponent by the keys of its draws; null: the present policy. */
  private opponentAt(keys: readonly number[]): Opponent | null {
    const { own, share } = this.rules;
    const { selves } = this.standing;
    if (uniform(...keys, 2) < own.share) return 'own';
    return selves.length > 0 && uniform(...keys, 0) < share ? below(selves.length, ...keys, 1) : null;
  }

  /** The task against an earlier self, by its index, or the present policy. */
  private againstSelf(task: Task, index: number | null): Task {
    const { partFor } = this.informations;
    const whole = index === null ? this.strategy : this.standing.selves[index].strategy;
    return against(task, partFor?.(task.id, whole) ?? whole);
  }

  /** Changes the ratings by the games of the step against earlier selves and the world's own player. */
  async observe(played: readonly Trajectory[]): Promise<void> {
    const resultOf = await this.seats.result();
    const games = played.filter(({ task, ending }) => this.opponents.has(task) && ending !== 'world-failure');
    const selves = this.standing.selves.map((self) => ({ ...self }));
    const next = { ...this.standing, selves, ...(this.standing.own && { own: { ...this.standing.own } }) };
    for (const [opponent, members] of groupBy(games, ({ task }) => this.opponents.get(task)!)) {
      const other = opponent === 'own' ? next.own! : selves[opponent];
      const result = mean(members.map((game) => resultOf(gameOf(game), game.score)));
      const change = K * (result - expected(next.rating, other.rating));
      next.rating += change;
      other.rating -= change;
    }
    this.standing = next;
  }

  /** Writes ratings and selves beside the weights. */
  commit(): void {
    this.parts.policy.texts.set(TEXT, JSON.stringify(this.standing));
  }

  metrics(): { [metric: string]: number } {
    const { rating, selves, own, average = {} } = this.standing;
    const { exploitability } = this;
    return {
      ...(exploitability && {
        exploitability: exploitability(this.strategy),
        exploitabilityOfMean: exploitability(meanStrategy(average)),
      }),
      leagueRating: rating,
      ...(selves.length > 0 && { leagueFirstRating: selves[0].rating }),
      ...(own && { leagueOwnRating: own.rating }),
      leagueSelves: selves.length,
    };
  }
}

/** Share of the games that a player with rating `own` is expected to win. */
const expected = (own: number, other: number): number => 1 / (1 + exp(((other - own) / SCALE) * Math.LN10));
