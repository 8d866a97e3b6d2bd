/**
 * Keeps one worker answering: it is pinged every second, and one that has been silent too long is ended, its pending calls
 * rejected, and another started in its place. Knows neither workers nor the trainer: both are given.
 */
import { msg } from '@lit/localize';

const TICK_MS = 1000;
/**
 * Ticks of silence after which a worker counts as dead: more than the longest work that it does in one piece (packing a run for
 * export). Ticks, not time: a page that slept or was frozen has not waited.
 */
export const SILENT_TICKS = 60;
/** Workers lost without an answer between, before the supervisor gives up. */
export const MOST_STARTS = 3;

/** The worker that was to answer this call is gone; what was asked may or may not have been done. */
export class RestartedError extends Error {
  override name = 'RestartedError';
}

/** A worker that runs. */
export interface Spawned<Api> {
  api: Api;
  terminate(): void;
}

export interface Supervision<Api> {
  spawn(): Spawned<Api>;
  ping(api: Api): Promise<unknown>;
  every(tick: () => void, ms: number): unknown;
  /** A worker was started in another's place. */
  onRestart(): void;
  /** No worker answers any more. */
  onGivenUp(error: Error): void;
}

type Method = (...args: unknown[]) => Promise<unknown>;

export class Supervisor<Api extends object> {
  /** Calls go to the worker of the moment. */
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
      // A proxy that has every method would be taken for a promise.
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
      .then(() => this.heard(worker))
      .catch(() => {});
  }

  private heard(worker: Spawned<Api>) {
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
      msg('The trainer does not answer. Reload the page; the run goes on from its last committed step.'),
    );
    this.supervision.onGivenUp(this.givenUp);
  }
}
