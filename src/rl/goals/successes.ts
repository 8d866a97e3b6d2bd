/**
 * Bounded store of successful episodes: of different tasks, and of a task's different plans. A success of a group in
 * which others failed is kept; where all succeed there is nothing to remember. A full store drops
 * from its largest family the success whose group succeeded most often.
 */
import type { Texts } from '../common/note-list.ts';
import { groupBy } from '../common/numbers.ts';
import { permutation } from '../common/random.ts';
import type { Trajectory } from '../episode/trajectory.ts';
import { taskKey } from '../schedule/tasks.ts';
import { type Draw, isSameDraw } from './families.ts';
import { readTrajectory, writeTrajectory } from './trajectory-text.ts';

/** Maximum number of plans of one task. */
const mostPlans = 3;

const name = 'goals.successes';
const STREAM_KEPT = 0x676f6b70;

/** A kept success. */
export interface Success {
  trajectory: Trajectory;
  /** A failed episode of the same group, for preferences; null: none. */
  failed: Trajectory | null;
  /** Draw that gives its task; null: a task that no draw gives, such as a part of another. */
  draw: Draw | null;
  family: string;
  /** Success rate of its group when it was played last. */
  rate: number;
  /** Step in which its task was played last. */
  last: number;
}

const planOf = ({ turns }: Trajectory): string => turns.map(({ action }) => action).join('\n');

/** A trajectory in which nothing depends on the step that played it. */
const alone = (trajectory: Trajectory): Trajectory => ({
  ...trajectory,
  group: 0,
  member: 0,
  advantage: 0,
  advantages: new Float32Array(0),
});

export class Successes {
  private kept: Success[] = [];
  /** Texts of kept trajectories, each read and written once. */
  private read = new Map<string, Trajectory>();
  private readonly written = new WeakMap<Trajectory, string>();

  constructor(
    private readonly settings: { keep: number },
    private readonly texts: Texts,
    private readonly seed: number,
  ) {}

  get all(): readonly Success[] {
    return this.kept;
  }

  /** Reads what earlier steps committed. */
  begin(): void {
    const written = JSON.parse(this.texts.get(name) ?? '[]') as (Omit<Success, 'trajectory' | 'failed'> & {
      trajectory: string;
      failed: string | null;
    })[];
    this.kept = written.map((each) => ({
      ...each,
      trajectory: this.trajectoryOf(each.trajectory),
      failed: each.failed === null ? null : this.trajectoryOf(each.failed),
    }));
    // Trajectories that left the store are forgotten.
    const inUse = written.flatMap(({ trajectory, failed }) => (failed === null ? [trajectory] : [trajectory, failed]));
    this.read = new Map(inUse.map((text) => [text, this.trajectoryOf(text)]));
  }

  /** Takes a group of one task: its success rate, and its shortest success if only some succeeded. */
  observe(members: readonly Trajectory[], step: number, { draw, family }: Pick<Success, 'draw' | 'family'>): void {
    if (this.settings.keep === 0) return;
    const successes = members.filter(({ success }) => success);
    const rate = successes.length / members.length;
    const key = taskKey(members[0].task);
    for (const each of this.kept) if (taskKey(each.trajectory.task) === key) Object.assign(each, { rate, last: step });
    if (successes.length === 0 || rate === 1) return;
    const shortest = successes.reduce((best, each) => (each.turns.length < best.turns.length ? each : best));
    const failed = members.find(({ success, ending }) => !success && ending !== 'world-failure') ?? null;
    this.add({ trajectory: alone(shortest), failed: failed && alone(failed), draw, family, rate, last: step });
  }

  /** Keeps a success, unless the same plan of the same task is kept. */
  add(success: Success): void {
    const { trajectory } = success;
    const key = taskKey(trajectory.task);
    const same = this.kept.filter((each) => taskKey(each.trajectory.task) === key);
    if (same.some((each) => planOf(each.trajectory) === planOf(trajectory))) return;
    this.kept.push(success);
    // The longest plan of a task is dropped.
    if (same.length >= mostPlans)
      this.remove(
        [...same, success].reduce((a, b) => (b.trajectory.turns.length >= a.trajectory.turns.length ? b : a)),
      );
    if (this.kept.length > this.settings.keep) this.makeRoom();
  }

  /** Draws whose tasks have a kept success, those that succeed least often first; of these the longest waiting. */
  repeats(count: number): Draw[] {
    const sorted = this.kept
      .filter((each): each is Success & { draw: Draw } => each.draw !== null)
      .sort((a, b) => a.last - b.last || a.rate - b.rate);
    const chosen: Draw[] = [];
    for (const { draw } of sorted)
      if (chosen.length < count && !chosen.some((each) => isSameDraw(each, draw))) chosen.push(draw);
    return chosen;
  }

  /** Kept success of a task that fits into `turns` turns, another plan at each step; null: none. */
  of(task: Trajectory['task'], turns: number, step: number): Trajectory | null {
    const key = taskKey(task);
    const plans = this.kept
      .map(({ trajectory }) => trajectory)
      .filter((each) => taskKey(each.task) === key && each.turns.length <= turns);
    return plans.length ? plans[step % plans.length] : null;
  }

  /** `count` kept successes, a random sample of the store. */
  sample(count: number, step: number): Success[] {
    const order = permutation(this.kept.length, this.seed, STREAM_KEPT, step);
    return Array.from(order.subarray(0, count), (i) => this.kept[i]);
  }

  commit(): void {
    if (this.settings.keep === 0) return;
    const written = this.kept.map((each) => ({
      ...each,
      trajectory: this.textOf(each.trajectory),
      failed: each.failed && this.textOf(each.failed),
    }));
    this.texts.set(name, JSON.stringify(written));
  }

  private trajectoryOf(text: string): Trajectory {
    const known = this.read.get(text);
    if (known) return known;
    const trajectory = readTrajectory(text);
    this.read.set(text, trajectory);
    this.written.set(trajectory, text);
    return trajectory;
  }

  private textOf(trajectory: Trajectory): string {
    const text = this.written.get(trajectory) ?? writeTrajectory(trajectory);
    this.written.set(trajectory, text);
    return text;
  }

  private makeRoom(): void {
    const families = [...groupBy(this.kept, ({ family }) => family).values()];
    const largest = families.reduce((most, each) => (each.length > most.length ? each : most));
    this.remove(largest.reduce((easiest, each) => (each.rate > easiest.rate ? each : easiest)));
  }

  private remove(success: Success): void {
    this.kept = this.kept.filter((each) => each !== success);
  }
}
