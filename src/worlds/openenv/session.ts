/**
 * OpenEnv's frames (github.com/meta-pytorch/OpenEnv, BSD-3-Clause): one socket is one session is one world. A server has a number of
 * places, often one: who finds none waits until one of ours is free, or asks again where others hold them all.
 */
import * as v from 'valibot';
import type { Json } from '../../envs/env.ts';
import { AnswerError, ServerError } from '../../envs/transport/http.ts';
import { JsonSocket, type SocketOptions } from '../../envs/transport/socket.ts';
import type { Observation } from './observation.ts';

/** The server has no place free. */
export class CapacityError extends ServerError {
  override name = 'CapacityError';
  constructor(
    message: string,
    /** Of the server; null: it does not say. */
    readonly places: number | null,
  ) {
    super(message);
  }
}

/** The server refuses what an action holds; the session goes on. */
export class RefusedActionError extends ServerError {
  override name = 'RefusedActionError';
}

const FrameSchema = v.object({ type: v.string(), data: v.optional(v.record(v.string(), v.unknown()), {}) });
const ObservedSchema = v.object({
  observation: v.record(v.string(), v.unknown()),
  reward: v.optional(v.nullable(v.union([v.number(), v.boolean()])), null),
  done: v.optional(v.boolean(), false),
});

export interface Observed {
  observation: Observation;
  reward: number;
  done: boolean;
}

const glimpse = (value: unknown) => JSON.stringify(value).slice(0, 160);

function errorOf(data: { [key: string]: unknown }): ServerError {
  const { code = '', message = '' } = data as { code?: string; message?: string };
  const said = String(message).slice(0, 500);
  if (code === 'CAPACITY_REACHED') {
    const places = typeof data.max_sessions === 'number' ? data.max_sessions : null;
    const taken = places === null ? 'all places of the server are' : `all ${places} places of the server are`;
    return new CapacityError(places === 1 ? 'the one place of the server is taken' : `${taken} taken`, places);
  }
  if (code === 'VALIDATION_ERROR') return new RefusedActionError(said);
  return new AnswerError(`the server says ${code || 'that something is wrong'}: ${said}`, 0);
}

export class OpenEnvSession {
  constructor(private readonly socket: JsonSocket) {}

  static async open(address: string, options?: SocketOptions, signal?: AbortSignal): Promise<OpenEnvSession> {
    return new OpenEnvSession(await JsonSocket.open(address, options, signal));
  }

  get closed(): boolean {
    return this.socket.closed;
  }

  reset(data: { [key: string]: Json }, signal?: AbortSignal): Promise<Observed> {
    return this.ask({ type: 'reset', data }, signal);
  }

  step(action: { [field: string]: Json }, signal?: AbortSignal): Promise<Observed> {
    return this.ask({ type: 'step', data: action }, signal);
  }

  /** Any answer but that there is no place. */
  async ping(signal?: AbortSignal): Promise<void> {
    const frame = v.safeParse(FrameSchema, await this.socket.ask({ type: 'state' }, signal));
    if (!frame.success) throw new AnswerError('the socket answers, but in no frames of OpenEnv', 0);
    const error = frame.output.type === 'error' ? errorOf(frame.output.data) : null;
    if (error instanceof CapacityError) throw error;
  }

  close(): void {
    this.socket.close();
  }

  private async ask(message: object, signal?: AbortSignal): Promise<Observed> {
    const answer = await this.socket.ask(message, signal);
    const frame = v.safeParse(FrameSchema, answer);
    if (frame.success && frame.output.type === 'error') throw errorOf(frame.output.data);
    const observed =
      frame.success && frame.output.type === 'observation' ? v.safeParse(ObservedSchema, frame.output.data) : null;
    if (!observed?.success) throw new AnswerError(`the server answered no observation: ${glimpse(answer)}`, 0);
    const { observation, reward, done } = observed.output;
    return { observation, reward: Number(reward ?? 0), done };
  }
}

/** How long whoever finds no place waits before asking again, and in all where none of ours is in use. */
const AGAIN_MS = 2000;
const PATIENCE_MS = 60_000;

interface PoolOptions extends SocketOptions {
  againMs?: number;
  patienceMs?: number;
}

/** Sessions of one server: idle ones are used again, and where there is no place, who asks waits. */
export class SessionPool {
  private readonly idle: OpenEnvSession[] = [];
  private readonly inUse = new Set<OpenEnvSession>();
  private readonly waiting: (() => void)[] = [];
  private over = false;
  /** Places of the server, as far as it said. */
  places: number | null = null;

  constructor(
    private readonly address: string,
    private readonly options: PoolOptions = {},
  ) {}

  /** A session in which an episode has begun. */
  async begin(
    data: { [key: string]: Json },
    signal?: AbortSignal,
  ): Promise<{ session: OpenEnvSession; observed: Observed }> {
    const { againMs = AGAIN_MS, patienceMs = PATIENCE_MS } = this.options;
    for (let waited = 0; ; ) {
      const session = this.idle.pop() ?? (await OpenEnvSession.open(this.address, this.options, signal));
      this.inUse.add(session);
      try {
        return { session, observed: await session.reset(data, signal) };
      } catch (error) {
        this.drop(session);
        if (!(error instanceof CapacityError)) throw error;
        this.places = error.places ?? this.places;
        // Our own episodes end some day; of others' nobody knows.
        waited = this.inUse.size > 0 ? 0 : waited + againMs;
        if (waited > patienceMs || this.over) throw error;
      }
      await this.placeOrTime(againMs, signal);
    }
  }

  /** Its episode is over: it is there for the next one. */
  give(session: OpenEnvSession): void {
    if (!this.inUse.delete(session)) return;
    if (!session.closed && !this.over) this.idle.push(session);
    this.wake();
  }

  /** It cannot be used again. */
  drop(session: OpenEnvSession): void {
    session.close();
    if (this.inUse.delete(session)) this.wake();
  }

  close(): void {
    this.over = true;
    for (const session of [...this.idle, ...this.inUse]) session.close();
    this.idle.length = 0;
    for (const wake of this.waiting.splice(0)) wake();
  }

  private wake(): void {
    this.waiting.shift()?.();
  }

  private placeOrTime(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        const at = this.waiting.indexOf(done);
        if (at >= 0) this.waiting.splice(at, 1);
        resolve();
      };
      const abort = () => {
        done();
        reject(signal!.reason);
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.push(done);
    });
  }
}
