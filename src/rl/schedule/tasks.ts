/**
 * Tasks of a training step and of an evaluation: pure functions of the seed and the step. Training goes through each
 * world's tasks in shuffled epochs, without replacement; nothing needs to be saved.
 */
import type { Draw, Json, Task } from '../../envs/env.ts';
import { hashText } from '../../envs/hash.ts';
import { groupBy } from '../common/numbers.ts';
import { hash, permutation } from '../common/random.ts';

/** One entry of the mixture, with its tasks. */
export interface TaskSource {
  weight: number;
  tasks: readonly Task[];
  /** Returns another instance of a task at each draw. Absent: a task is always the same. */
  drawn?(task: Task, draw: Draw): Task;
}

class TaskError extends Error {
  override name = 'TaskError';
}

/** A task to watch: the number of an evaluated task of a split, or `task` itself. */
export interface WatchedTask {
  split: 'train' | 'test';
  taskIndex: number;
  task?: Task;
}

/** Task by number. Numbers past the last task start over from the first. Undefined if there is none. */
export const taskAt = (tasks: readonly Task[], number: number): Task | undefined => tasks.at(number % tasks.length);

const STREAM_EPOCH = 0x65706f63;
const STREAM_DRAW = 0x64726177;
const STREAM_FIXED = 0x66697865;
const STREAM_SHARE = 0x73686172;
/** Exceeds the draws of any run: 2^32 steps of 256 groups are still counted exactly. */
const WAVE_DRAWS = 2 ** 40;

/**
 * Source of draw number `draw`, and the number of its earlier draws. Sources take turns in proportion to their weights,
 * off by at most one draw: the first takes its share of the draws, and the rest share the others in the same way.
 */
export function drawSource(weights: readonly number[], draw: number): { source: number; before: number } {
  let rest = weights.reduce((sum, weight) => sum + weight, 0);
  let n = draw;
  for (let source = 0; source < weights.length; source++) {
    const share = rest > 0 ? Math.min(1, weights[source] / rest) : 1;
    const before = Math.floor(n * share);
    if (share === 1 || Math.floor((n + 1) * share) > before) return { source, before };
    n -= before;
    rest -= weights[source];
  }
  return { source: weights.length - 1, before: n };
}

/** Shuffled epochs of a list. Keeps the last permutation, because neighbouring draws share it. */
export class Epochs {
  private epoch = -1;
  private order: Int32Array = new Int32Array(0);
  private readonly keys: readonly number[];

  /** `keys`: keys of the permutations, before the number of the epoch. */
  constructor(
    private readonly tasks: readonly Task[],
    ...keys: number[]
  ) {
    this.keys = keys;
  }

  task(n: number): Task {
    const { tasks } = this;
    const epoch = Math.floor(n / tasks.length);
    if (epoch !== this.epoch) {
      this.order = permutation(tasks.length, ...this.keys, epoch);
      this.epoch = epoch;
    }
    return tasks[this.order[n % tasks.length]];
  }
}

export class TaskSampler {
  private readonly sources: TaskSource[];
  private readonly epochs: Epochs[];

  constructor(
    sources: readonly TaskSource[],
    private readonly seed: number,
  ) {
    this.sources = sources.filter((source) => source.weight > 0);
    if (this.sources.length === 0) throw new TaskError('No world has a weight above 0: give at least one.');
    if (this.sources.some((source) => source.tasks.length === 0)) {
      throw new TaskError('A world has no training task under its options: widen them.');
    }
    this.epochs = this.sources.map((source, index) => new Epochs(source.tasks, seed, STREAM_EPOCH, index));
  }

  /**
   * Tasks of a step, counted from 1. A later wave draws from positions beyond those of all steps. If a source draws
   * instances, each draw is used for `siblings` groups; `groups` is a multiple of that number.
   */
  step(step: number, groups: number, wave = 0, siblings = 1): Task[] {
    const each = this.sources.some((source) => source.drawn) ? siblings : 1;
    const weights = this.sources.map((source) => source.weight);
    const draws = groups / each;
    return Array.from({ length: draws }, (_, draw) => {
      const { source, before } = drawSource(weights, wave * WAVE_DRAWS + (step - 1) * draws + draw);
      return Array.from({ length: each }, (_, member) => this.task(source, before, each, member));
    }).flat();
  }

  /**
   * The first `count` training tasks of a fixed order, each once, sources in proportion to their weights. If a source
   * draws instances, each task is one fixed instance. Throws TaskError if there are fewer tasks.
   */
  fixed(count: number): Task[] {
    const weights = this.sources.map((source) => source.weight);
    const total = this.sources.reduce((sum, { tasks }) => sum + tasks.length, 0);
    if (count > total)
      throw new TaskError(
        `${count} different training tasks are needed for demonstrations and for the goals to stop on, but there are ${total}: lower algorithm.demonstrations or algorithm.stopping.goals.`,
      );
    const orders = this.sources.map(({ tasks }, source) => permutation(tasks.length, this.seed, STREAM_FIXED, source));
    const chosen: Task[] = [];
    for (let draw = 0; chosen.length < count; draw++) {
      const { source, before } = drawSource(weights, draw);
      const { tasks, drawn } = this.sources[source];
      // This source is used up; the others fill the rest.
      if (before >= tasks.length) continue;
      const task = tasks[orders[source][before]];
      chosen.push(drawn ? drawn(task, { key: hash(this.seed, STREAM_FIXED, source, before), member: 0 }) : task);
    }
    return chosen;
  }

  /** This step's share of a list, counted from 1: shuffled epochs, without replacement within an epoch. */
  share(tasks: readonly Task[], step: number, count: number): Task[] {
    const n = Math.min(count, tasks.length);
    const epochs = new Epochs(tasks, this.seed, STREAM_SHARE);
    return Array.from({ length: n }, (_, i) => epochs.task((step - 1) * n + i));
  }

  /** A source without instances gives another task for each sibling. */
  private task(source: number, before: number, siblings: number, member: number): Task {
    const { drawn } = this.sources[source];
    if (!drawn) return this.epochs[source].task(before * siblings + member);
    return drawn(this.epochs[source].task(before), { key: hash(this.seed, STREAM_DRAW, source, before), member });
  }
}

/**
 * All tasks in turn until there are `episodes`. For fewer episodes than tasks: evenly spaced tasks of a list in which
 * those of one world and stratum stand together, so that each has its share whatever order the world lists them in.
 */
export function evaluationTasks(tasks: readonly Task[], episodes: number): Task[] {
  if (tasks.length === 0) return [];
  if (episodes >= tasks.length) return Array.from({ length: episodes }, (_, i) => tasks[i % tasks.length]);
  const together = [...groupBy(tasks, ({ world, strata }) => JSON.stringify([world, strata])).values()].flat();
  return Array.from({ length: episodes }, (_, i) => together[Math.floor((i * tasks.length) / episodes)]);
}

/** Key of a task: equal keys are equal tasks. */
export function taskKey(task: Task): string {
  return `${task.world} ${task.id} ${JSON.stringify(sorted(task.options))}`;
}

/** Hash of a list of tasks, in their order. */
export const hashOfTasks = (tasks: readonly Task[]): number => hash(...tasks.map((task) => hashText(taskKey(task))));

function sorted(options: { [key: string]: Json }): [string, Json][] {
  return Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Strata that an evaluation of these tasks reports of each: its own; if they are of several worlds, its world and its
 * own in that world, for example "maze" and "maze, rooms 3".
 */
export function reportedStrata(tasks: readonly Task[]): string[][] {
  if (new Set(tasks.map(({ world }) => world)).size < 2) return tasks.map(strataOf);
  return tasks.map((task) => [task.world, ...strataOf(task).map((each) => `${task.world}, ${each}`)]);
}

/** Strata of a task as text, for example "depth 1". */
export function strataOf(task: Task): string[] {
  return Object.entries(task.strata).map(([name, value]) => `${name} ${value}`);
}
