/** Tasks that all episodes of a group failed: tried again after growing gaps, with more turns, then given up. */
import { type Notes, readList, writeList } from '../common/note-list.ts';
import { type Draw, isSameDraw } from './families.ts';

/** Maximum number of tasks that wait for a repeat. */
const mostWaiting = 256;

const fields = ['family', 'before', 'failures', 'due'] as const;
type Waiting = Record<(typeof fields)[number], number>;

const prefix = 'goals.retry';
const counts = ['solved', 'givenUp'] as const;

export interface RetrySettings {
  retryShare: number;
  retryGap: number;
  retryMost: number;
}

export class Retries {
  private waiting: Waiting[] = [];
  /** Tasks that were solved at a repeat, and tasks that were given up, since the run began. */
  solved = 0;
  givenUp = 0;

  constructor(
    private readonly settings: RetrySettings,
    private readonly notes: Notes,
  ) {}

  get size(): number {
    return this.waiting.length;
  }

  /** Reads what earlier steps committed. */
  begin(): void {
    this.waiting = readList(this.notes, prefix, fields);
    for (const name of counts) this[name] = this.notes.get(`goals.${name}`) ?? 0;
  }

  /** Draws that are due, the longest waiting first, for at most the share of a step's `draws`. */
  due(step: number, draws: number): Draw[] {
    const most = Math.floor(this.settings.retryShare * draws);
    const due = this.waiting.filter((each) => each.due <= step).sort((a, b) => a.due - b.due || a.before - b.before);
    return due.slice(0, most).map(({ family, before }) => ({ family, before }));
  }

  /** Failures of a waiting draw: 1 after its group's first failure; 0: it does not wait. */
  failuresOf(draw: Draw): number {
    const known = this.waiting.find((each) => isSameDraw(each, draw));
    return known ? known.failures + 1 : 0;
  }

  /** Takes the outcome of a draw: true if at least one episode of its groups succeeded. */
  observe(draw: Draw, step: number, success: boolean): void {
    if (this.settings.retryShare === 0) return;
    const known = this.waiting.find((each) => isSameDraw(each, draw));
    if (success) {
      if (known) this.solved++;
      this.remove(known);
      return;
    }
    const failures = (known?.failures ?? -1) + 1;
    this.remove(known);
    // The first failure is no repeat. A full list gives up the task that failed most often.
    if (failures >= this.settings.retryMost) this.givenUp++;
    else this.waiting.push({ ...draw, failures, due: step + this.settings.retryGap * 2 ** failures });
    if (this.waiting.length <= mostWaiting) return;
    this.givenUp++;
    this.remove(this.waiting.reduce((worst, each) => (each.failures > worst.failures ? each : worst)));
  }

  /** A waiting draw is due at once. */
  hurry(draw: Draw, step: number): void {
    const known = this.waiting.find((each) => isSameDraw(each, draw));
    if (known) known.due = step + 1;
  }

  commit(): void {
    writeList(this.notes, prefix, fields, this.waiting);
    for (const name of counts) this.notes.set(`goals.${name}`, this[name]);
  }

  private remove(entry: Waiting | undefined): void {
    this.waiting = this.waiting.filter((each) => each !== entry);
  }
}
