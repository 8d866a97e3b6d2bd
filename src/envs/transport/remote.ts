/**
 * A guarded world over a network (a server, a proxy, a frame): every call has a deadline, each slot is called
 * separately, and the failure of a slot's call ends that slot's episode as a world failure. There is no worker and no
 * replay, because the other end cannot be restarted from here.
 */
import {
  type Advice,
  adviceOf,
  type Feedback,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
  type WorldView,
} from '../env.ts';
import { type ConnectionSettings, connectionOf, type WorldModule } from '../module.ts';
import { failed } from './pool.ts';

const DEFAULT_TIMEOUT_MS = 60_000;

/** True if the caller cancelled: the call rejects with the signal's reason. */
const givenUp = (signal?: AbortSignal) => signal?.aborted ?? false;

/** Maximum number of characters of a failure: a server's own words may be part of it. */
const mostReason = 1000;
const reasonOf = (error: unknown) => (error as Error).message.slice(0, mostReason);

/** Open one with `RemoteWorld.open()`. */
export class RemoteWorld implements World {
  /** Failure of each slot's episode, until it is reset. */
  private readonly failures = new Map<number, string>();

  constructor(
    private readonly module: Pick<WorldModule, 'title' | 'connection'>,
    private readonly world: World,
  ) {}

  static async open(module: WorldModule, settings: ConnectionSettings = {}): Promise<RemoteWorld> {
    return new RemoteWorld(module, await module.open(connectionOf(module, settings)));
  }

  describe(): WorldDescription {
    return this.world.describe();
  }

  tasks(options: WorldOptions, split: Split, signal?: AbortSignal): Promise<Task[]> {
    return this.once('list its tasks', (limited) => this.world.tasks(options, split, limited), signal);
  }

  view(slot: number, signal?: AbortSignal): Promise<WorldView> {
    return this.once('be viewed', (limited) => this.world.view(slot, limited), signal);
  }

  reset(slots: readonly number[], tasks: readonly Task[], signal?: AbortSignal): Promise<Feedback[]> {
    return Promise.all(
      slots.map((slot, k) => {
        this.failures.delete(slot);
        return this.move(slot, (limited) => this.world.reset([slot], [tasks[k]], limited), signal);
      }),
    );
  }

  step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]> {
    return Promise.all(
      slots.map((slot, k) => {
        const failure = this.failures.get(slot);
        if (failure !== undefined) return failed(failure);
        return this.move(slot, (limited) => this.world.step([slot], [actions[k]], limited), signal);
      }),
    );
  }

  /** Null if the world has no advice, or did not answer. */
  advise(slots: readonly number[], signal?: AbortSignal): Promise<(Advice | null)[]> {
    const ask = async (slot: number) => {
      try {
        return (await this.bounded((limited) => adviceOf(this.world, [slot], limited), signal))[0];
      } catch (error) {
        if (givenUp(signal)) throw error;
        return null;
      }
    };
    return Promise.all(slots.map((slot) => (this.failures.has(slot) ? null : ask(slot))));
  }

  /** Null if the world has no plan, or did not answer. */
  oracle(slots: readonly number[], signal?: AbortSignal): Promise<(string[] | null)[]> {
    const ask = async (slot: number) => {
      try {
        return (await this.bounded((limited) => this.world.oracle([slot], limited), signal))[0];
      } catch (error) {
        if (givenUp(signal)) throw error;
        return null;
      }
    };
    return Promise.all(slots.map((slot) => (this.failures.has(slot) ? null : ask(slot))));
  }

  leave(slots: readonly number[]): void {
    this.world.leave?.(slots);
  }

  close(): Promise<void> {
    return this.world.close();
  }

  private async move(
    slot: number,
    call: (signal: AbortSignal) => Promise<Feedback[]>,
    signal?: AbortSignal,
  ): Promise<Feedback> {
    try {
      const [feedback] = await this.bounded(call, signal);
      if (feedback.failure !== undefined) this.failures.set(slot, feedback.failure);
      return feedback;
    } catch (error) {
      if (givenUp(signal) || error instanceof WorldError) throw error;
      const failure = `The world failed: ${reasonOf(error)}.`;
      this.failures.set(slot, failure);
      return failed(failure);
    }
  }

  private async once<T>(what: string, call: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await this.bounded(call, signal);
    } catch (error) {
      if (givenUp(signal) || error instanceof WorldError) throw error;
      throw new WorldError(
        `${this.module.title} could not ${what}: ${reasonOf(error)}. Check that its server is running.`,
      );
    }
  }

  /** Runs a call with its deadline, at which it ends even if the world ignores its signal. */
  private async bounded<T>(call: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = this.module.connection;
    const control = new AbortController();
    return new Promise<T>((resolve, reject) => {
      const end = (reason: unknown) => {
        control.abort(reason);
        reject(reason);
      };
      const timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      const abort = () => end(signal!.reason);
      signal?.addEventListener('abort', abort, { once: true });
      call(control.signal)
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
        });
    });
  }
}
