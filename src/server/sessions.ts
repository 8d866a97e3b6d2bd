/**
 * The sessions of one server: how many there may be, how long they may be idle, and which slot of its world each has. Knows no
 * protocol: AgentGym's counted ids and OpenEnv's sockets are both sessions here.
 */
import { SessionLimit } from '../envs/serving/form.ts';

export interface SessionLimits {
  /** Most sessions of all worlds together. */
  sessions: number;
  /** After so many seconds without a call a session is closed. */
  idleSeconds: number;
}

/** Slots of a world: the numbers given back are handed out again, so that they stay small. */
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
  /** Calls under way: a session that works is not idle. */
  busy: number;
  lastCall: number;
  /** Closes it; `idle`: it was not asked for. */
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

  /** Throws `SessionLimit` where there is no room for one more. */
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

  /** Runs a call of a session, which is not idle meanwhile. */
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

  /** Closes what has been idle for too long. */
  sweep(): void {
    const before = this.now() - this.limits.idleSeconds * 1000;
    for (const tracked of this.open) if (tracked.busy === 0 && tracked.lastCall <= before) tracked.end(true);
  }

  close(): void {
    clearInterval(this.timer);
    for (const tracked of [...this.open]) tracked.end(false);
  }
}
