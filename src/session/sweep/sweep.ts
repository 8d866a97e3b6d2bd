/**
 * A sweep's life: its runs take turns on one device, the one with the fewest steps next, so that all their curves grow
 * side by side. Each run has a session of its own and commits every step, so an interruption loses at most one step of
 * one run. Runs that fit into memory together keep their engines and train one step each; otherwise one engine is open
 * at a time, for enough steps that opening it takes a small share of the time.
 */
import { groupBy } from '../../rl/common/numbers.ts';
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import type { RunStatus, SessionEvent, SweepState } from '../protocol.ts';
import { evaluates } from '../run/schedule.ts';
import { Session, type SessionParts } from '../run/session.ts';
import { remainingMs } from './sweep-estimate.ts';
import type { SweepRun } from './sweep-runs.ts';

/** Maximum number of open engines: each has its worlds' workers in addition to its buffers. */
const MOST_OPEN_ENGINES = 8;
const OPEN_ENGINES_BYTES = 2 ** 30;
/** Maximum share of a turn that opening an engine may take. */
const OPENING_SHARE = 0.1;
const MOST_STEPS_A_TURN = 50;
const RECENT = 8;

interface Member {
  run: SweepRun;
  step: number;
  recent: { step: number; ms: number }[];
  session: Session | null;
  /** Milliseconds that opening the engine took. */
  openMs: number;
  failure: string | null;
}

/** Every run of a sweep failed. */
class SweepError extends Error {
  override name = 'SweepError';
}

export class SweepSession {
  status: RunStatus = 'idle';
  private detail = '';
  private readonly members: Member[];
  private readonly reported = new Set<string>();
  private running: Promise<void> | null = null;
  private pauseAsked = false;
  private current: Member | null = null;
  private keepsEngines = false;
  /** Milliseconds of the latest evaluations. */
  private evaluations: number[] = [];

  /** `records`: the steps of each run so far, for an estimate of the time before the first step. */
  constructor(
    readonly id: string,
    runs: readonly { run: SweepRun; records: readonly StepRecord[] }[],
    private readonly parts: SessionParts,
  ) {
    this.members = runs.map(({ run, records }) => ({
      run,
      step: run.step,
      recent: records
        .filter(({ metrics }) => metrics.stepMs > 0)
        .slice(-RECENT)
        .map(({ step, metrics }) => ({ step, ms: metrics.stepMs })),
      session: null,
      openMs: 0,
      failure: null,
    }));
  }

  has(runId: string): boolean {
    return this.members.some(({ run }) => run.id === runId);
  }

  get state(): SweepState {
    const sum = (of: (member: Member) => number) => this.members.reduce((total, each) => total + of(each), 0);
    return {
      status: this.status,
      detail: this.detail,
      turn: this.current?.run.id ?? null,
      done: sum(({ step }) => step),
      total: sum(({ run }) => run.experiment.steps),
      remainingMs: this.estimate(),
      failed: this.members.flatMap(({ run, failure }) => (failure ? [{ runId: run.id, message: failure }] : [])),
    };
  }

  /** Trains every run to its end, or until paused. Rejects if every run failed. */
  train(): Promise<void> {
    if (this.running) return this.running;
    this.pauseAsked = false;
    for (const member of this.members) member.failure = null;
    this.running = this.life().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  /** Resolves when the step in progress is committed, or dropped because it takes longer than a moment. */
  async pause(): Promise<void> {
    // The sweep may end while a step is waited for.
    const { running } = this;
    if (!running) return;
    const pausing = this.status === 'pausing';
    this.pauseAsked = true;
    if (!pausing) this.setStatus('pausing');
    const session = this.current?.session;
    await session?.pause({ holds: true });
    await session?.close();
    await running.catch(() => {});
  }

  /** Drops the step in progress and releases the device. */
  async close(): Promise<void> {
    this.pauseAsked = true;
    await Promise.all(this.members.map(({ session }) => session?.close()));
    await this.running?.catch(() => {});
  }

  private async life(): Promise<void> {
    this.hint('wake-lock');
    this.setStatus('preparing');
    try {
      this.keepsEngines = await this.fitInMemory();
      this.setStatus('running');
      for (let next = this.hindmost(); next && !this.pauseAsked; next = this.hindmost()) await this.turn(next);
      this.end();
    } finally {
      this.current = null;
      await Promise.all(this.members.map((member) => this.closeSession(member)));
      this.hint('wake-unlock');
    }
  }

  private end(): void {
    const failed = this.members.filter(({ failure }) => failure);
    // Runs that failed for one reason are named once, before it.
    const message = [...groupBy(failed, ({ failure }) => failure)]
      .map(([failure, members]) => `${members.map(({ run }) => run.name).join('; ')}: ${failure}`)
      .join('\n');
    if (this.left().length) this.setStatus('paused', this.detail);
    else this.setStatus(failed.length ? 'failed' : 'finished', message);
    if (failed.length === this.members.length) throw new SweepError(message);
  }

  private left(): Member[] {
    return this.members.filter(({ step, run, failure }) => !failure && step < run.experiment.steps);
  }

  private async fitInMemory(): Promise<boolean> {
    const runs = this.left();
    if (runs.length > MOST_OPEN_ENGINES) return false;
    let bytes = 0;
    for (const { run } of runs) bytes += (await this.parts.engines.plan(run.experiment)).total;
    return bytes <= OPEN_ENGINES_BYTES;
  }

  /** The unfinished run with the fewest steps, the first of several. */
  private hindmost(): Member | undefined {
    return this.left().reduce<Member | undefined>(
      (least, each) => (least && least.step <= each.step ? least : each),
      undefined,
    );
  }

  private async turn(member: Member): Promise<void> {
    const before = member.step;
    this.current = member;
    const session = this.sessionOf(member);
    const started = Date.now();
    try {
      await session.train({ steps: this.stepsOf(member) });
      this.timed(member, before, Date.now() - started);
    } catch (error) {
      member.failure = (error as Error).message;
    }
    if (member.failure || !this.keepsEngines) await this.closeSession(member);
    // A full disk or a second tab pauses the run: the next run would have the same problem.
    if (!member.failure && member.step === before) this.pauseAsked = true;
    this.emitState();
  }

  private stepsOf({ openMs, recent }: Member): number {
    const last = recent.at(-1);
    if (this.keepsEngines || !last) return 1;
    const steps = Math.ceil(openMs / OPENING_SHARE / Math.max(1, last.ms));
    return Math.max(1, Math.min(MOST_STEPS_A_TURN, steps));
  }

  /**
   * Counts the part of a turn's time that its steps did not take: as evaluations, or, if there were none, as the
   * opening of the engine.
   */
  private timed(member: Member, before: number, ms: number): void {
    const { experiment } = member.run;
    const steps = member.recent.filter(({ step }) => step > before);
    const beyond = Math.max(0, ms - steps.reduce((sum, each) => sum + each.ms, 0));
    const first = before === 0 && evaluates(experiment, 0) ? 1 : 0;
    const evaluated = steps.filter(({ step }) => evaluates(experiment, step)).length + first;
    if (!evaluated) member.openMs = beyond;
    else this.evaluations = [...this.evaluations, beyond / evaluated].slice(-RECENT);
  }

  private estimate(): number | null {
    const { evaluations } = this;
    const evaluationMs = evaluations.reduce((sum, ms) => sum + ms, 0) / Math.max(1, evaluations.length);
    const runs = this.members.filter(({ failure }) => !failure);
    return remainingMs(
      runs.map(({ run, step, recent }) => ({ experiment: run.experiment, variant: run.sweep.variant, step, recent })),
      evaluationMs,
    );
  }

  private sessionOf(member: Member): Session {
    const { run } = member;
    member.session ??= new Session(run.id, run.experiment, {
      ...this.parts,
      emit: (event) => this.forward(member, event),
    });
    return member.session;
  }

  private async closeSession(member: Member): Promise<void> {
    const { session } = member;
    member.session = null;
    await session?.close();
  }

  /**
   * Forwards a member's events, equal notices only once. The sweep reports its own status and wake-lock hints instead
   * of a member's.
   */
  private forward(member: Member, event: SessionEvent): void {
    if (event.type === 'status') {
      if (event.status === 'paused' && event.detail) this.detail = event.detail;
      return;
    }
    if (event.type === 'hint' && event.hint !== 'persist-storage') return;
    if (event.type === 'notice' || event.type === 'hint') {
      const words = event.type === 'notice' ? event.message : event.hint;
      if (this.reported.has(words)) return;
      this.reported.add(words);
    }
    if (event.type === 'step') this.stepped(member, event.record);
    this.parts.emit(event);
  }

  private stepped(member: Member, { step, metrics }: StepRecord): void {
    member.step = step;
    if (metrics.stepMs > 0) member.recent = [...member.recent, { step, ms: metrics.stepMs }].slice(-MOST_STEPS_A_TURN);
    this.emitState();
  }

  private hint(hint: 'wake-lock' | 'wake-unlock'): void {
    this.parts.emit({ type: 'hint', runId: this.members[0].run.id, hint });
  }

  private setStatus(status: RunStatus, detail = ''): void {
    this.status = status;
    this.detail = detail;
    this.emitState();
  }

  private emitState(): void {
    this.parts.emit({ type: 'sweep', sweepId: this.id, state: this.state });
  }
}
