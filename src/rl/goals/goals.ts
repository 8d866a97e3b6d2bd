/**
 * Choice of training goals: a rule gives each family its share of a step's draws from the run's experience, which is
 * kept among the policy's notes and so part of every checkpoint. A step's draws are a function of settings, seed, step
 * and notes.
 */
import type { Task } from '../../envs/env.ts';
import { mean } from '../common/numbers.ts';
import { permutation, uniform } from '../common/random.ts';
import type { Trajectory } from '../episode/trajectory.ts';
import { goalMetric } from '../metrics/metrics.ts';
import { type TaskSource, taskKey } from '../schedule/tasks.ts';
import { type Draw, type FamilyTasks, familiesOf, isSameDraw } from './families.ts';
import { Levels } from './levels.ts';
import type { Notes } from './note-list.ts';
import { type GoalsSettings, ruleOf } from './registry.ts';
import { Retries } from './retries.ts';
import type { Family } from './rule.ts';

const STREAM_SHARE = 0x676f7368;
const STREAM_MIX = 0x676f6d78;

/** Factor of the newest change in the moving average of a family's progress (alpha of arXiv 1707.00183). */
const newest = 0.3;

const counts = ['draws', 'tries', 'successes', 'progress'] as const;

/** Episodes of one draw: the groups of all its tasks. */
interface Outcome {
  draw: Draw;
  successes: number;
  scores: number[];
}

export class Goals {
  private families: Family[];
  private readonly rule: ReturnType<typeof ruleOf>;
  private readonly retries: Retries;
  private readonly levels: Levels | null;
  /** Draws of the step by the keys of their tasks. */
  private drawn = new Map<string, Draw>();
  private counted = { drawn: 0, repeated: 0 };
  private shares: number[] = [];
  private step = 0;

  private constructor(
    private readonly tasksOf: readonly FamilyTasks[],
    private readonly settings: GoalsSettings,
    private readonly seed: number,
    private readonly notes: Notes,
  ) {
    this.rule = ruleOf(settings);
    this.retries = new Retries(settings, notes);
    const replay = this.rule.replay?.(settings);
    this.levels = replay ? new Levels(replay, notes, seed) : null;
    this.families = tasksOf.map((each) => ({ ...unknown, name: each.name, weight: each.weight }));
  }

  /** Throws GoalsError if the tasks have no such families. */
  static of(sources: readonly TaskSource[], settings: GoalsSettings, seed: number, notes: Notes): Goals {
    return new Goals(familiesOf(sources, settings.by, seed), settings, seed, notes);
  }

  /** Begins a step from what the steps before it committed. */
  begin(step: number): void {
    this.step = step;
    this.drawn = new Map();
    this.counted = { drawn: 0, repeated: 0 };
    this.families = this.tasksOf.map(({ name, weight }) => {
      const note = (what: string) => this.notes.get(`goals.${what}.${name}`);
      const known = Object.fromEntries(counts.map((what) => [what, note(what) ?? 0])) as Pick<
        Family,
        (typeof counts)[number]
      >;
      return { name, weight, ...known, last: note('last') ?? null };
    });
    this.retries.begin();
    this.levels?.begin();
    this.shares = normalised(this.rule.shares(this.families, this.settings, step), this.families);
  }

  /** Tasks of the step's `groups` groups. If a world draws instances, each draw has `siblings` groups. */
  tasks(groups: number, wave = 0, siblings = 1): Task[] {
    const each = this.tasksOf.some(({ isDrawn }) => isDrawn) ? siblings : 1;
    const number = groups / each;
    const due = wave === 0 ? this.retries.due(this.step, number) : [];
    const kept = this.levels?.repeated(this.step, number - due.length, wave) ?? [];
    const repeats = [...due, ...kept.filter((draw) => !due.some((each) => isSameDraw(each, draw)))];
    const draws = [...this.newDraws(number - repeats.length, wave), ...repeats];
    this.counted.drawn += draws.length;
    this.counted.repeated += repeats.length;
    // Minibatches are cut in the order of the groups: each has its share of the families.
    const order = permutation(draws.length, this.seed, STREAM_MIX, this.step, wave);
    return Array.from(order).flatMap((i) =>
      Array.from({ length: each }, (_, member) => this.task(draws[i], each, member)),
    );
  }

  /** Takes the step's episodes. Those in which the world failed, and those of other tasks, do not count. */
  observe(trajectories: readonly Trajectory[]): void {
    const outcomes = new Map<string, Outcome>();
    for (const { task, success, score, ending } of trajectories) {
      const draw = this.drawn.get(taskKey(task));
      if (!draw || ending === 'world-failure') continue;
      const key = `${draw.family} ${draw.before}`;
      const outcome = outcomes.get(key) ?? { draw, successes: 0, scores: [] };
      if (success) outcome.successes++;
      outcome.scores.push(score);
      outcomes.set(key, outcome);
    }
    for (const { draw, successes, scores } of outcomes.values()) {
      this.retries.observe(draw, this.step, successes > 0);
      this.levels?.observe(draw, this.step, spread(scores));
    }
    this.families.forEach((family, index) => {
      const own = [...outcomes.values()].filter(({ draw }) => draw.family === index);
      if (own.length) this.learn(family, own);
    });
  }

  /** Success and share of each family, and the counts of repeated tasks. */
  metrics(): { [metric: string]: number } {
    const ofFamilies = this.families.flatMap(({ name, tries, successes, draws }, i) => [
      ...(tries > 0 ? [[goalMetric('success', name), successes / tries]] : []),
      [goalMetric('share', name), this.shares[i]],
      [goalMetric('draws', name), draws],
    ]);
    return {
      ...Object.fromEntries(ofFamilies),
      ...(this.counted.drawn > 0 && { goalsRepeated: this.counted.repeated / this.counted.drawn }),
      goalsWaiting: this.retries.size,
      goalsSolvedLater: this.retries.solved,
      goalsGivenUp: this.retries.givenUp,
    };
  }

  /** Keeps the step's experience among the policy's notes. */
  commit(): void {
    for (const family of this.families) {
      for (const what of counts) this.notes.set(`goals.${what}.${family.name}`, Math.fround(family[what]));
      if (family.last !== null) this.notes.set(`goals.last.${family.name}`, Math.fround(family.last));
    }
    this.retries.commit();
    this.levels?.commit();
  }

  /**
   * Draws at even distances along the cumulative shares: each family's number differs from its share by less than one.
   */
  private newDraws(number: number, wave: number): Draw[] {
    const offset = uniform(this.seed, STREAM_SHARE, this.step, wave);
    const last = this.shares.findLastIndex((share) => share > 0);
    let family = 0;
    let below = this.shares[0];
    return Array.from({ length: number }, (_, i) => {
      const place = (i + offset) / number;
      while (place >= below && family < last) below += this.shares[++family];
      return { family, before: this.families[family].draws++ };
    });
  }

  private task(draw: Draw, siblings: number, member: number): Task {
    const task = this.tasksOf[draw.family].task(draw.before, siblings, member);
    this.drawn.set(taskKey(task), draw);
    return task;
  }

  private learn(family: Family, outcomes: readonly Outcome[]): void {
    const tries = outcomes.reduce((sum, { scores }) => sum + scores.length, 0);
    const successes = outcomes.reduce((sum, each) => sum + each.successes, 0);
    const rate = successes / tries;
    const { memory } = this.settings;
    family.tries = memory * family.tries + tries;
    family.successes = memory * family.successes + successes;
    family.progress += newest * (rate - (family.last ?? rate) - family.progress);
    family.last = rate;
  }
}

const unknown = { draws: 0, tries: 0, successes: 0, last: null, progress: 0 };

/** Shares that sum to 1; the families' weights if all are 0. */
function normalised(shares: readonly number[], families: readonly Family[]): number[] {
  const total = shares.reduce((sum, each) => sum + each, 0);
  return total > 0 ? shares.map((each) => each / total) : families.map(({ weight }) => weight);
}

/** Mean distance from the mean. */
function spread(scores: readonly number[]): number {
  const middle = mean(scores);
  return mean(scores.map((each) => Math.abs(each - middle)));
}
