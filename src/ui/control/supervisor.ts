/**
 * Keeps one worker responsive: pings it every second, and replaces it after too long a silence, rejecting its pending
 * calls. Independent of the trainer and of the Worker API, both of which its caller provides.
 */
import { msg } from '@lit/localize';

const TICK_MS = 1000;
/**
 * Ticks of silence after which a worker counts as dead: longer than the longest uninterrupted work (packing a run for
 * export). Counted in ticks, because a page that slept or was frozen has no ticks.
 */
export const SILENT_TICKS = 60;
/** Number of workers lost in a row, with no answer in between, after which the supervisor gives up. */
export const MOST_STARTS = 3;

/** The worker was replaced before it answered this call. The call may or may not have taken effect. */
export class RestartedError extends Error {
  override name = 'RestartedError';
}

/** A running worker. */
export interface Spawned<Api> {
  api: Api;
  terminate(): void;
}

export interface Supervision<Api> {
  spawn(): Spawned<Api>;
  ping(api: Api): Promise<unknown>;
  every(tick: () => void, ms: number): unknown;
  /** Called after a worker was replaced. */
  onRestart(): void;
  /** Called when no worker answers any more. */
  onGivenUp(error: Error): void;
}

type Method = (...args: unknown[]) => Promise<unknown>;

export class Supervisor<Api extends object> {
  /** API whose calls go to the current worker. */
  readonly api: Api;
  private worker: Spawned<Api>;
  private pending = new Set<(error: Error) => void>();
  private silent = 0;
  private asked = false;
  private unanswered = 0;
  private givenUp: Error | null = null;

  constructor(private readonly supervision: Supervision<Api>) {
    this.worker = supervision.spawn();
    this.api = new Proxy({} as Api, {
      // With a `then` method the proxy would be treated as a promise.
      get: (_, name) => (name === 'then' ? undefined : (...args: unknown[]) => this.call(name as keyof Api, args)),
    });
    supervision.every(() => this.tick(), TICK_MS);
  }

  private call(name: keyof Api, args: unknown[]): Promise<unknown> {
    const { pending, givenUp } = this;
    if (givenUp) return Promise.reject(givenUp);
    return new Promise((resolve, reject) => {
      pending.add(reject);
      (this.worker.api[name] as Method)(...args)
        .then(resolve, reject)
        .finally(() => pending.delete(reject));
    });
  }

  private tick() {
    if (this.givenUp) return;
    if (!this.asked) return this.ask();
    if (++this.silent >= SILENT_TICKS) this.restart();
  }

  private ask() {
    const { worker } = this;
    this.asked = true;
    this.supervision
      .ping(worker.api)
      .then(() => this.answered(worker))
      .catch(() => {});
  }

  private answered(worker: Spawned<Api>) {
    if (worker !== this.worker) return;
    this.asked = false;
    this.silent = 0;
    this.unanswered = 0;
  }

  private restart() {
    const { pending } = this;
    this.worker.terminate();
    this.pending = new Set();
    this.asked = false;
    this.silent = 0;
    if (++this.unanswered >= MOST_STARTS) this.giveUp();
    else this.worker = this.supervision.spawn();
    const error = new RestartedError(msg('The trainer stopped answering before this was done. Try again.'));
    for (const reject of pending) reject(this.givenUp ?? error);
    if (!this.givenUp) this.supervision.onRestart();
  }

  private giveUp() {
    this.givenUp = new Error(
      msg('The trainer does not answer. Reload the page; the run continues from its last committed step.'),
    );
    this.supervision.onGivenUp(this.givenUp);
  }
}
