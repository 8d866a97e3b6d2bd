/**
 * Adds the elapsed and the remaining time to progress. Passes on a new task or count at once, other reports (tokens,
 * turns) at most ten times a second, and the last one again every second, so that the time advances during a long piece
 * of work.
 */
import type { Progress } from './protocol.ts';

const LEAST_MS = 100;
/** Tasks of every step. */
const stepTasks: readonly string[] = ['trajectories', 'episodes', 'scores', 'updates'];
/** An estimate needs this much of the task. */
const ESTIMATE_AFTER_MS = 2000;

const shareOf = ({ done, total, fraction }: Progress) => fraction ?? (total ? done / total : 0);

export class ProgressMeter {
  private current: Progress | null = null;
  private startedAt = 0;
  /** Time and share from which the estimate counts: the task's beginning, or that of its last part. */
  private from = { at: 0, share: 0 };
  /** Time and share of the newest report whose share differs from that of the one before. */
  private advanced = { at: 0, share: 0 };
  private emittedAt = Number.NEGATIVE_INFINITY;
  private pending = false;
  /** Milliseconds of each task of this step and of the step before, in order. */
  private durations = new Map<string, number>();
  private before: ReadonlyMap<string, number> = new Map();

  /** `now`: a clock in milliseconds that stands still while the work does. */
  constructor(
    private readonly emit: (progress: Progress | null) => void,
    private readonly now: () => number,
  ) {}

  report(progress: Progress | null): void {
    const now = this.now();
    const isNew = progress?.what !== this.current?.what;
    const counts = progress?.done !== this.current?.done;
    if (isNew) this.begin(progress, now);
    this.current = progress;
    if (progress) this.advance(shareOf(progress), now);
    if (isNew || counts || !progress || now - this.emittedAt >= LEAST_MS) this.send(now);
    else this.pending = true;
  }

  /** Call it every second. */
  tick(): void {
    const now = this.now();
    if (this.current && (this.pending || now - this.emittedAt >= 1000)) this.send(now);
  }

  /** Call it when a step ends: the estimates of the next one use its durations. */
  endStep(): void {
    this.report(null);
    this.before = this.durations;
    this.durations = new Map();
  }

  private begin(progress: Progress | null, now: number): void {
    if (this.current) this.durations.set(this.current.what, now - this.startedAt);
    this.startedAt = now;
    this.from = { at: now, share: progress ? shareOf(progress) : 0 };
    this.advanced = this.from;
  }

  /** A share that falls begins another part of the task, such as a second wave of episodes. */
  private advance(share: number, now: number): void {
    if (share < this.advanced.share) this.from = { at: now, share };
    if (share !== this.advanced.share) this.advanced = { at: now, share };
  }

  private send(now: number): void {
    this.emittedAt = now;
    this.pending = false;
    const { current } = this;
    this.emit(current && { ...current, elapsedMs: now - this.startedAt, remainingMs: this.remaining(current, now) });
  }

  /** Remaining time of the task, and of the tasks that followed it in the step before. Null: not known yet. */
  private remaining({ what }: Progress, now: number): number | null {
    const { at, share } = this.advanced;
    const { from } = this;
    if (share <= from.share || at - from.at < ESTIMATE_AFTER_MS) return null;
    const whole = ((at - from.at) / (share - from.share)) * (1 - from.share);
    const left = Math.max(0, from.at + whole - now);
    const names = [...this.before.keys()].filter((name) => stepTasks.includes(name));
    const later = names.slice(names.indexOf(what) + 1);
    return names.includes(what) ? later.reduce((sum, name) => sum + this.before.get(name)!, left) : left;
  }
}
