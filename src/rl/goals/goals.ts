/**
 * Choice of training goals: a rule gives each family its share of a step's draws from the run's experience, which is
 * kept among the policy's notes and so part of every checkpoint. A step's draws are a function of settings, seed, step
 * and notes.
 */
import type { Task } from '../../envs/env.ts';
import type { Notes, Texts } from '../common/note-list.ts';
import { groupBy, mean } from '../common/numbers.ts';
import { permutation, uniform } from '../common/random.ts';
import type { Trajectory } from '../episode/trajectory.ts';
import { goalMetric } from '../metrics/metrics.ts';
import { type TaskSource, taskKey } from '../schedule/tasks.ts';
import { type Draw, type FamilyTasks, familiesOf, isSameDraw } from './families.ts';
import { Levels } from './levels.ts';
import { Parts } from './parts.ts';
import { proposals } from './proposer.ts';
import { type GoalsSettings, ruleOf } from './registry.ts';
import { Retries } from './retries.ts';
import type { Family } from './rule.ts';
import { Skills, skillText } from './skills.ts';
import { type Success, Successes } from './successes.ts';

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
  private readonly successes: Successes;
  private readonly parts: Parts;
  private readonly skills: Skills;
  /** Draws of the step by the keys of their tasks. */
  private drawn = new Map<string, Draw>();
  /** Turns beyond the horizon by the keys of their tasks. */
  private more = new Map<string, number>();
  /** The same by draw. */
  private beyond = new Map<string, number>();
  /** Keys of the step's tasks that are parts of others. */
  private practised = new Set<string>();
  private counted = { drawn: 0, repeated: 0, relabelled: 0 };
  private shares: number[] = [];
  /** Weight of each family's episodes, before they are divided by their mean. */
  private weights: number[] = [];
  private step = 0;

  private constructor(
    private readonly tasksOf: readonly FamilyTasks[],
    /** Number of the experiment's own families; new ones follow. */
    private readonly ownCount: number,
    private readonly settings: GoalsSettings,
    private readonly seed: number,
    private readonly notes: Notes,
    texts: Texts,
  ) {
    this.rule = ruleOf(settings);
    this.retries = new Retries(settings, notes);
    this.successes = new Successes(settings, texts, seed);
    this.parts = new Parts(settings, notes, texts);
    this.skills = new Skills(settings, texts);
    const replay = this.rule.replay?.(settings);
    this.levels = replay ? new Levels(replay, notes, seed) : null;
    this.families = tasksOf.map(({ name, weight, tasks }) => ({ ...unknown, name, weight, size: tasks.length }));
  }

  /** Throws GoalsError if the tasks have no such families. */
  static of(
    sources: readonly TaskSource[],
    settings: GoalsSettings,
    seed: number,
    { notes, texts }: { notes: Notes; texts: Texts },
    /** New families, which a rule gives no share. */
    invented: readonly FamilyTasks[] = [],
  ): Goals {
    const own = familiesOf(sources, settings.by, seed);
    return new Goals([...own, ...invented], own.length, settings, seed, notes, texts);
  }

  /** Begins a step from what the steps before it committed. */
  begin(step: number): void {
    this.step = step;
    this.drawn = new Map();
    this.more = new Map();
    this.beyond = new Map();
    this.practised = new Set();
    this.counted = { drawn: 0, repeated: 0, relabelled: 0 };
    this.families = this.tasksOf.map(({ name, weight, tasks }) => {
      const note = (what: string) => this.notes.get(`goals.${what}.${name}`);
      const known = Object.fromEntries(counts.map((what) => [what, note(what) ?? 0])) as Pick<
        Family,
        (typeof counts)[number]
      >;
      return { name, weight, size: tasks.length, ...known, last: note('last') ?? null };
    });
    this.retries.begin();
    this.levels?.begin();
    this.successes.begin();
    this.parts.begin();
    this.skills.begin();
    this.weights = this.families.map(({ tries, successes }) => {
      const failureRate = (1 + tries - successes) / (2 + tries);
      return failureRate ** this.settings.familyWeight;
    });
    this.shares = normalised(this.rule.shares(this.families, this.settings, step), this.families);
  }

  /** Tasks of the step's `groups` groups. If a world draws instances, each draw has `siblings` groups. */
  tasks(groups: number, wave = 0, siblings = 1): Task[] {
    const each = this.tasksOf.some(({ isDrawn }) => isDrawn) ? siblings : 1;
    const practised = wave === 0 ? this.practise(groups / each, each) : [];
    const number = (groups - practised.length) / each;
    const repeats = this.repeats(number, wave);
    const invented =
      wave === 0
        ? this.invent(Math.min(number - repeats.length, Math.floor(this.settings.inventedShare * number)))
        : [];
    const draws = [...this.newDraws(number - repeats.length - invented.length, wave), ...repeats, ...invented];
    this.counted.drawn += draws.length;
    this.counted.repeated += repeats.length;
    // Minibatches are cut in the order of the groups: each has its share of the families.
    const order = permutation(draws.length, this.seed, STREAM_MIX, this.step, wave);
    const drawn = Array.from(order).flatMap((i) =>
      Array.from({ length: each }, (_, member) => this.task(draws[i], each, member)),
    );
    return [...practised, ...drawn];
  }

  /** Turns that a task of this step gets beyond the horizon. */
  turnsBeyond(task: Task): number {
    return this.more.get(taskKey(task)) ?? 0;
  }

  /**
   * A kept success for each group of the step whose task has one, by the group's number. It was kept before the group
   * was played, as unbiased weights require.
   */
  replays(played: readonly Trajectory[]): Map<number, Trajectory> {
    const found = new Map<number, Trajectory>();
    if (this.settings.keptShare === 0) return found;
    for (const [group, [{ task, horizon }]] of groupBy(played, (each) => each.group)) {
      const kept = this.successes.of(task, horizon, this.step);
      if (kept) found.set(group, kept);
    }
    return found;
  }

  /** Weight of each trajectory by its family, 1 on average; null: all weigh the same. */
  weightsOf(trajectories: readonly Trajectory[]): number[] | null {
    if (this.settings.familyWeight === 0) return null;
    const own = trajectories.map(({ task }) => {
      const draw = this.drawn.get(taskKey(task));
      return draw ? this.weights[draw.family] : 1;
    });
    const middle = mean(own);
    return own.map((each) => each / middle);
  }

  /** Kept successes that this step distils; none in most steps. */
  distilled(): Success[] {
    const { distilEvery, distilEpisodes } = this.settings;
    if (distilEvery === 0 || this.step % distilEvery !== 0) return [];
    return this.successes.sample(distilEpisodes, this.step);
  }

  /** Takes the step's episodes. Those in which the world failed, and those of other tasks, do not count. */
  observe(trajectories: readonly Trajectory[]): void {
    const outcomes = new Map<string, Outcome>();
    for (const { task, success, score, ending } of trajectories) {
      const draw = this.drawn.get(taskKey(task));
      if (!draw || ending === 'world-failure') continue;
      const key = keyOf(draw);
      const outcome = outcomes.get(key) ?? { draw, successes: 0, scores: [] };
      if (success) outcome.successes++;
      outcome.scores.push(score);
      outcomes.set(key, outcome);
    }
    this.skills.observe(trajectories);
    this.keep(trajectories);
    this.observeParts(trajectories);
    for (const { draw, successes, scores } of outcomes.values()) {
      this.retries.observe(draw, this.step, successes > 0);
      this.levels?.observe(draw, this.step, spread(scores));
    }
    this.families.forEach((family, index) => {
      const own = [...outcomes.values()].filter(({ draw }) => draw.family === index);
      if (own.length) this.learn(family, own);
    });
  }

  /**
   * Groups of the step in which every episode failed. `draw`: the draw of the group's task; null if it was not drawn.
   * Returns none if the settings use neither parts nor relabelled episodes.
   */
  failedGroups(played: readonly Trajectory[]): { task: Task; draw: Draw | null; members: Trajectory[] }[] {
    if (this.settings.partsShare === 0 && this.settings.relabels === 0) return [];
    const groups = groupBy(
      played.filter(({ ending }) => ending !== 'world-failure'),
      ({ group }) => group,
    );
    return [...groups.values()]
      .filter((members) => members.every(({ success }) => !success))
      .map((members) => ({
        task: members[0].task,
        draw: this.drawn.get(taskKey(members[0].task)) ?? null,
        members,
      }));
  }

  /** Maximum number of episodes of a step that may be relabelled. */
  get relabelsAtMost(): number {
    return this.settings.relabels;
  }

  /** Takes the parts of a failed task, unless some of them still wait. */
  divide(draw: Draw, parts: readonly Task[]): void {
    if (this.settings.partsShare > 0 && !this.parts.isDivided(draw)) this.parts.divide(draw, parts, this.step);
  }

  /** Keeps an episode that reached a part of its task. */
  keepRelabelled(trajectory: Trajectory): void {
    this.counted.relabelled++;
    this.skills.learn(trajectory, this.step);
    if (this.settings.keep > 0)
      this.successes.add({ trajectory, ...ofParts(trajectory.task), failed: null, rate: 0, last: this.step });
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
      ...(this.settings.partsShare > 0 && { goalsParts: this.parts.size, goalsPartsSolved: this.parts.solved }),
      ...(this.settings.skills > 0 && { goalsSkills: this.skills.all.length, goalsSkillTurns: this.skills.share }),
      ...Object.fromEntries(this.skills.all.map((each) => [goalMetric('skill', skillText(each)), each.uses])),
      ...(this.settings.relabels > 0 && { goalsRelabelled: this.counted.relabelled }),
      ...(this.settings.keep > 0 && { goalsKept: this.successes.all.length }),
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
    this.successes.commit();
    this.parts.commit();
    this.skills.commit();
  }

  /** Earlier draws among a step's `number`: failed tasks, tasks with a kept success, and those of level replay. */
  private repeats(number: number, wave: number): Draw[] {
    const { keptShare, retryTurns } = this.settings;
    const due = wave === 0 ? this.retries.due(this.step, number) : [];
    for (const draw of due) this.extend(draw, retryTurns * this.retries.failuresOf(draw));
    const kept = wave === 0 ? this.successes.repeats(Math.floor(keptShare * number)) : [];
    const first = unique([...due, ...kept]).slice(0, number);
    return unique([...first, ...(this.levels?.repeated(this.step, number - first.length, wave) ?? [])]);
  }

  /** Draws of new families. */
  private invent(count: number): Draw[] {
    const chosen = proposals(this.families.slice(this.ownCount), count, [this.seed, this.step]);
    return chosen.map((place) => {
      const family = this.ownCount + place;
      return { family, before: this.families[family].draws++ };
    });
  }

  private extend(draw: Draw, turns: number): void {
    if (turns > 0) this.beyond.set(keyOf(draw), turns);
  }

  /** Keeps successes of the step's groups. */
  private keep(trajectories: readonly Trajectory[]): void {
    if (this.settings.keep === 0) return;
    const played = trajectories.filter(({ ending }) => ending !== 'world-failure');
    for (const members of groupBy(played, ({ group }) => group).values()) {
      const { task } = members[0];
      const draw = this.drawn.get(taskKey(task));
      if (draw) this.successes.observe(members, this.step, { draw, family: this.families[draw.family].name });
      else if (this.practised.has(taskKey(task))) this.successes.observe(members, this.step, ofParts(task));
    }
  }

  /** Tasks of parts that are due, as many as whole draws of `each` groups have room for. */
  private practise(number: number, each: number): Task[] {
    const due = this.parts.due(this.step, each * Math.floor(this.settings.partsShare * number));
    const whole = due.slice(0, due.length - (due.length % each));
    this.practised = new Set(whole.map(taskKey));
    return whole;
  }

  private observeParts(trajectories: readonly Trajectory[]): void {
    const played = trajectories.filter(
      ({ task, ending }) => ending !== 'world-failure' && this.practised.has(taskKey(task)),
    );
    for (const members of groupBy(played, ({ task }) => taskKey(task)).values()) {
      const solved = members.some(({ success }) => success);
      for (const each of members) if (each.success) this.skills.learn(each, this.step);
      const whole = this.parts.observe(members[0].task, this.step, solved);
      if (whole) this.retries.hurry(whole, this.step);
    }
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
    const turns = this.beyond.get(keyOf(draw));
    if (turns) this.more.set(taskKey(task), turns);
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

const keyOf = ({ family, before }: Draw): string => `${family} ${before}`;

/** Draws without repetitions. */
const unique = (draws: readonly Draw[]): Draw[] =>
  draws.filter((draw, i) => draws.findIndex((each) => isSameDraw(each, draw)) === i);

/** Kept successes at parts form a family of their own in each world. */
const ofParts = ({ world }: Task) => ({ draw: null, family: `${world}, parts` });

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
