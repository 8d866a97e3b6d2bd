/**
 * The sessions of one server: their number, their idle time, and the slot of its world that each has. Independent of
 * protocols: AgentGym's numbered ids and OpenEnv's sockets are both sessions here.
 */
import { SessionLimit } from '../envs/serving/form.ts';

export interface SessionLimits {
  /** Maximum number of sessions, over all worlds together. */
  sessions: number;
  /** Seconds without a call after which a session is closed. */
  idleSeconds: number;
}

/** Slots of a world. Freed numbers are reused, so that they stay small. */
export class Slots {
  private readonly free: number[] = [];
  private next = 0;

  take(): number {
    return this.free.pop() ?? this.next++;
  }

  giveBack(slot: number): void {
    this.free.push(slot);
  }
}

export interface Tracked {
  /** Number of running calls. A session with any is not idle. */
  busy: number;
  lastCall: number;
  /** Ends the session without a request of its client; `idle` is true if it idled too long. */
  end(idle: boolean): void;
}

const sweepsInIdleTime = 4;
const longestSweepMs = 60_000;

export class SessionLedger {
  private readonly open = new Set<Tracked>();
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(
    readonly limits: SessionLimits,
    private readonly now: () => number = Date.now,
  ) {
    const everyMs = Math.min((limits.idleSeconds * 1000) / sweepsInIdleTime, longestSweepMs);
    this.timer = setInterval(() => this.sweep(), everyMs);
    this.timer.unref();
  }

  get active(): number {
    return this.open.size;
  }

  /** Registers a session. Throws `SessionLimit` if the server is full. */
  begin(end: Tracked['end']): Tracked {
    const { sessions } = this.limits;
    if (this.open.size >= sessions) this.sweep();
    if (this.open.size >= sessions) throw new SessionLimit(this.open.size, sessions);
    const tracked = { busy: 0, lastCall: this.now(), end };
    this.open.add(tracked);
    return tracked;
  }

  forget(tracked: Tracked): void {
    this.open.delete(tracked);
  }

  /** Runs a call of a session. The session does not count as idle while the call runs. */
  async during<T>(tracked: Tracked, call: () => Promise<T>): Promise<T> {
    tracked.busy++;
    try {
      return await call();
    } finally {
      tracked.busy--;
      tracked.lastCall = this.now();
    }
  }

  touch(tracked: Tracked): void {
    tracked.lastCall = this.now();
  }

  /** Ends the sessions that have idled too long. */
  sweep(): void {
    const before = this.now() - this.limits.idleSeconds * 1000;
    for (const tracked of this.open) if (tracked.busy === 0 && tracked.lastCall <= before) tracked.end(true);
  }

  close(): void {
    clearInterval(this.timer);
    for (const tracked of [...this.open]) tracked.end(false);
  }
}
