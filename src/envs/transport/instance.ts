/**
 * One worker of a pool: matches requests and replies by id, and gives each request a deadline. An instance may be lost;
 * the pool then rebuilds its worlds.
 */
import { type WorldDescription, WorldError } from '../env.ts';
import type { ConnectionSettings } from '../module.ts';
import type { WorldCall, WorldPort, WorldReply, WorldRequest } from './port.ts';

export interface PoolOptions {
  /** Description of the world; the worker finds it in its registry by name. */
  description: WorldDescription;
  /** Address and token of its server, if it has one. */
  settings?: ConnectionSettings;
  /** Starts a worker. */
  spawn: () => Promise<WorldPort>;
  /** Maximum duration of a call. */
  timeoutMs?: number;
  /** Maximum time for a worker to load and open the world. */
  openTimeoutMs?: number;
}

/** The instance is gone or its state is unknown. */
export class InstanceLost extends Error {
  override name = 'InstanceLost';
}

/** The world cancelled a call on request. The instance is intact. */
export class CallAborted extends Error {
  override name = 'CallAborted';
}

export class Instance {
  private readonly waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  private nextId = 0;
  private lostBecause: string | null = null;

  private constructor(private readonly port: WorldPort) {
    port.listen(
      (reply) => this.receive(reply),
      (reason) => this.lose(reason),
    );
  }

  static async start(options: Required<PoolOptions>): Promise<Instance> {
    const instance = new Instance(await options.spawn());
    try {
      await instance.request('open', [options.description.name, options.settings], options.openTimeoutMs);
      return instance;
    } catch (error) {
      instance.terminate();
      throw error instanceof InstanceLost
        ? new WorldError(
            `The worker of world "${options.description.name}" did not start: ${error.message}. Reload and try again.`,
          )
        : error;
    }
  }

  /** `signal`: cancels the call in the worker. The reply is still awaited, because only then is its effect known. */
  call(call: WorldCall, args: unknown[], timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    return this.request(call, args, timeoutMs, signal);
  }

  terminate(): void {
    this.lose('it was terminated');
    this.port.terminate();
  }

  private request(
    call: WorldCall | 'open',
    args: unknown[],
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<unknown> {
    if (this.lostBecause) return Promise.reject(new InstanceLost(this.lostBecause));
    const id = this.nextId++;
    const abort = () => this.port.post({ id, call: 'abort' });
    const answer = new Promise((resolve, reject) => {
      const stopClock = this.startClock(timeoutMs, () => {
        this.waiting.delete(id);
        reject(new InstanceLost(`no answer to ${call} within ${timeoutMs} ms`));
      });
      this.waiting.set(id, {
        resolve: (value) => {
          stopClock();
          resolve(value);
        },
        reject: (error) => {
          stopClock();
          reject(error);
        },
      });
      this.port.post({ id, call, args } as WorldRequest);
    });
    signal?.addEventListener('abort', abort, { once: true });
    return answer.finally(() => signal?.removeEventListener('abort', abort));
  }

  /**
   * If the timer fires a second late, this thread slept or was busy. A reply may be waiting, so the call gets its full
   * time again.
   */
  private startClock(timeoutMs: number, ring: () => void): () => void {
    let timer: ReturnType<typeof setTimeout>;
    const arm = () => {
      const due = Date.now() + timeoutMs;
      timer = setTimeout(() => (Date.now() - due > 1000 ? arm() : ring()), timeoutMs);
    };
    arm();
    return () => clearTimeout(timer);
  }

  private receive(reply: WorldReply): void {
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if (!waiting) return;
    if ('value' in reply) waiting.resolve(reply.value);
    else if ('aborted' in reply) waiting.reject(new CallAborted('the call was cancelled'));
    else waiting.reject(reply.refused ? new WorldError(reply.error) : new InstanceLost(`it trapped: ${reply.error}`));
  }

  private lose(reason: string): void {
    this.lostBecause ??= reason;
    for (const { reject } of this.waiting.values()) reject(new InstanceLost(reason));
    this.waiting.clear();
  }
}
