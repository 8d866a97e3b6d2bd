/**
 * Parts of failed tasks: tasks of the world's own that lie between the start and the goal. They are practised until they
 * are solved or given up; a task whose parts are all solved is tried again at once.
 */
import type { Task } from '../../envs/env.ts';
import type { Notes, Texts } from '../common/note-list.ts';
import { taskKey } from '../schedule/tasks.ts';
import { type Draw, isSameDraw } from './families.ts';

/** Maximum number of parts that wait. Those of the task that was divided first leave a full list. */
const mostParts = 128;

const name = 'goals.parts';

export interface Part {
  task: Task;
  /** Draw of the whole task. */
  whole: Draw;
  failures: number;
  /** First step in which it may be drawn. */
  due: number;
}

export class Parts {
  private waiting: Part[] = [];
  /** Parts that were solved, since the run began. */
  solved = 0;

  constructor(
    private readonly settings: { partsShare: number; retryGap: number; retryMost: number },
    private readonly notes: Notes,
    private readonly texts: Texts,
  ) {}

  get size(): number {
    return this.waiting.length;
  }

  /** Reads what earlier steps committed. */
  begin(): void {
    this.waiting = JSON.parse(this.texts.get(name) ?? '[]') as Part[];
    this.solved = this.notes.get(`${name}.solved`) ?? 0;
  }

  /** Tasks of parts that are due, the longest waiting first, at most `count`. */
  due(step: number, count: number): Task[] {
    const due = this.waiting.filter((each) => each.due <= step).sort((a, b) => a.due - b.due);
    return due.slice(0, count).map(({ task }) => task);
  }

  isDivided(whole: Draw): boolean {
    return this.waiting.some((each) => isSameDraw(each.whole, whole));
  }

  divide(whole: Draw, parts: readonly Task[], step: number): void {
    const known = new Set(this.waiting.map(({ task }) => taskKey(task)));
    const added = parts.filter((task) => !known.has(taskKey(task)));
    this.waiting.push(...added.map((task) => ({ task, whole, failures: 0, due: step + 1 })));
    this.waiting = this.waiting.slice(-mostParts);
  }

  /**
   * Takes the outcome of a group. Returns the draw of the whole task if this was its last part and was solved; else
   * null.
   */
  observe(task: Task, step: number, success: boolean): Draw | null {
    const part = this.waiting.find((each) => taskKey(each.task) === taskKey(task));
    if (!part) return null;
    const failures = part.failures + (success ? 0 : 1);
    if (success) this.solved++;
    if (success || failures >= this.settings.retryMost) this.waiting = this.waiting.filter((each) => each !== part);
    else Object.assign(part, { failures, due: step + this.settings.retryGap * 2 ** (failures - 1) });
    return success && !this.isDivided(part.whole) ? part.whole : null;
  }

  commit(): void {
    if (this.settings.partsShare === 0) return;
    this.texts.set(name, JSON.stringify(this.waiting));
    this.notes.set(`${name}.solved`, this.solved);
  }
}
