/**
 * Finds the task of a run that a record belongs to: by its item's name, by the task in our own form, or, if the file
 * names none, by the first observation. Only training tasks of the run match, so held-out tasks stay held out.
 */
import type { Task, World } from '../../envs/env.ts';
import { worldNamed } from '../../rl/episode/by-world.ts';
import { episodesAtOnce } from '../../rl/episode/players.ts';
import { taskKey } from '../../rl/schedule/tasks.ts';
import { losslessForm } from '../files/lossless.ts';
import type { TrajectoryRecord } from '../files/record.ts';
import { UnmappedError } from './record-play.ts';

const plain = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Task in our own form, with its options; null: another form. */
function ownTask({ source }: TrajectoryRecord): Task | null {
  const trajectory = source?.form === losslessForm ? (source.fields.trajectory as { task?: Task } | null) : null;
  return trajectory?.task ?? null;
}

export class TaskFinder {
  private openings: Promise<Map<string, Task>> | null = null;
  private readonly byName = new Map<string, Task[]>();
  /** First observations of tasks that were looked up by name. */
  private readonly firstObservations = new Map<string, string>();
  private readonly keys: ReadonlySet<string>;

  constructor(
    private readonly worlds: ReadonlyMap<string, World>,
    /** Training tasks of the run. */
    private readonly tasks: readonly Task[],
  ) {
    this.keys = new Set(tasks.map(taskKey));
    for (const task of tasks) {
      const name = `${task.world}_${task.id}`;
      this.byName.set(name, [...(this.byName.get(name) ?? []), task]);
    }
  }

  /** Throws UnmappedError, which gives the record's name and the reason that the run has no such task. */
  async find(record: TrajectoryRecord, opening: string): Promise<Task> {
    const own = ownTask(record);
    if (own && this.keys.has(taskKey(own))) return own;
    const world = record.world ?? own?.world ?? this.onlyWorld();
    if (world !== null && !this.worlds.has(world))
      throw new UnmappedError(`it is of the world ${world}, which the run does not have`);
    return record.item === null || world === null
      ? this.byFirstObservation(plain(opening))
      : this.ofItem(`${world}_${record.item}`, plain(opening));
  }

  /**
   * Task of an item. Several entries of a mixture may have the item under different options; the task with the same
   * first observation as the file is chosen.
   */
  private async ofItem(name: string, words: string): Promise<Task> {
    const candidates = this.byName.get(name) ?? [];
    if (candidates.length === 0)
      throw new UnmappedError(`${name} is not a training task of this run: it is held out, or excluded by the options`);
    for (const task of candidates) if ((await this.openingOf(task)) === words) return task;
    throw new UnmappedError(`${name} begins differently in this run: its options or its numbering differ`);
  }

  private async byFirstObservation(words: string): Promise<Task> {
    const found = (await this.byOpening()).get(words);
    if (!found)
      throw new UnmappedError('it names no task, and no training task of the run begins with its first observation');
    return found;
  }

  private async openingOf(task: Task): Promise<string> {
    const key = taskKey(task);
    const known = this.firstObservations.get(key);
    if (known !== undefined) return known;
    const [{ observation }] = await worldNamed(this.worlds, task.world).reset([0], [task]);
    this.firstObservations.set(key, plain(observation));
    return plain(observation);
  }

  /** A bare number is an item of the run's only world, if it has one. */
  private onlyWorld(): string | null {
    const names = [...new Set(this.tasks.map((task) => task.world))];
    return names.length === 1 ? names[0] : null;
  }

  /** Every training task by its first observation; the first task of each. */
  private byOpening(): Promise<Map<string, Task>> {
    this.openings ??= this.readOpenings();
    return this.openings;
  }

  private async readOpenings(): Promise<Map<string, Task>> {
    const found = new Map<string, Task>();
    for (const name of new Set(this.tasks.map((task) => task.world))) {
      const own = this.tasks.filter((task) => task.world === name);
      for (let first = 0; first < own.length; first += episodesAtOnce) {
        const some = own.slice(first, first + episodesAtOnce);
        const slots = some.map((_, i) => i);
        const feedback = await worldNamed(this.worlds, name).reset(slots, some);
        feedback.forEach(({ observation }, i) => {
          const words = plain(observation);
          if (!found.has(words)) found.set(words, some[i]);
        });
      }
    }
    return found;
  }
}
