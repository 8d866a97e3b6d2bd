/**
 * OpenEnv's protocol (github.com/meta-pytorch/OpenEnv, BSD-3-Clause): each socket is one session with one world. A
 * server accepts a limited number of sessions, often one. If none is free, a new episode waits for one of our own
 * sessions, or retries if other clients hold them all.
 */
import * as v from 'valibot';
import type { Json } from '../../envs/env.ts';
import { AnswerError, ServerError } from '../../envs/transport/http.ts';
import { JsonSocket, type SocketOptions } from '../../envs/transport/socket.ts';
import type { Observation } from './observation.ts';
import type { ServerTool } from './schema.ts';

/** All sessions of the server are in use. */
export class CapacityError extends ServerError {
  override name = 'CapacityError';
  constructor(
    message: string,
    /** Maximum number of sessions of the server, or null if it is unknown. */
    readonly places: number | null,
  ) {
    super(message);
  }
}

/** The server refused an action's content; the session continues. */
export class RefusedActionError extends ServerError {
  override name = 'RefusedActionError';
}

const FrameSchema = v.object({ type: v.string(), data: v.optional(v.record(v.string(), v.unknown()), {}) });
const ObservedSchema = v.object({
  observation: v.record(v.string(), v.unknown()),
  reward: v.optional(v.nullable(v.union([v.pipe(v.number(), v.finite()), v.boolean()])), null),
  done: v.optional(v.boolean(), false),
});

export interface Observed {
  observation: Observation;
  reward: number;
  done: boolean;
}

/** Answer to `tools/list`. The reference writes the schema of the arguments under either name. */
const ToolsSchema = v.object({
  result: v.object({
    tools: v.array(
      v.object({
        name: v.string(),
        description: v.optional(v.nullable(v.string()), ''),
        inputSchema: v.optional(v.record(v.string(), v.unknown())),
        input_schema: v.optional(v.record(v.string(), v.unknown())),
      }),
    ),
  }),
});
/** Problems that Pydantic found in a message. */
const ProblemsSchema = v.array(v.object({ loc: v.array(v.union([v.string(), v.number()])), msg: v.string() }));

const glimpse = (value: unknown) => JSON.stringify(value).slice(0, 160);

function errorOf(data: { [key: string]: unknown }): ServerError {
  const [code, text] = [data.code, data.message].map((value) => (typeof value === 'string' ? value.slice(0, 500) : ''));
  if (code === 'CAPACITY_REACHED') {
    const places = typeof data.max_sessions === 'number' ? data.max_sessions : null;
    const taken = places === null ? 'all sessions of the server are' : `all ${places} sessions of the server are`;
    return new CapacityError(places === 1 ? 'the only session of the server is in use' : `${taken} in use`, places);
  }
  if (code === 'VALIDATION_ERROR') return new RefusedActionError(`${text}${problemsIn(data.errors)}`);
  return new AnswerError(`the server reports ${code || 'an error'}: ${text}`, 0);
}

/** The reference's message is "Invalid message", and the reasons lie beside it. */
function problemsIn(errors: unknown): string {
  const read = v.safeParse(ProblemsSchema, errors);
  if (!read.success || !read.output.length) return '';
  return `: ${read.output.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')}`.slice(0, 500);
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

  /** Resolves if the server answers in OpenEnv's protocol and has a free session. */
  async ping(signal?: AbortSignal): Promise<void> {
    const frame = v.safeParse(FrameSchema, await this.socket.ask({ type: 'state' }, signal));
    if (!frame.success) throw new AnswerError('the socket answers, but not with frames of OpenEnv', 0);
    const error = frame.output.type === 'error' ? errorOf(frame.output.data) : null;
    if (error instanceof CapacityError) throw error;
  }

  /** Tools of an MCP environment; null: the server has none. */
  async tools(signal?: AbortSignal): Promise<ServerTool[] | null> {
    const data = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const frame = v.safeParse(FrameSchema, await this.socket.ask({ type: 'mcp', data }, signal));
    const read = frame.success && frame.output.type === 'mcp' ? v.safeParse(ToolsSchema, frame.output.data) : null;
    if (!read?.success || !read.output.result.tools.length) return null;
    return read.output.result.tools.map(({ name, description, inputSchema, input_schema }) => ({
      name,
      description: description ?? '',
      parameters: (inputSchema ?? input_schema ?? {}) as Json,
    }));
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
    if (!observed?.success) throw new AnswerError(`the server's answer is not an observation: ${glimpse(answer)}`, 0);
    const { observation, reward, done } = observed.output;
    return { observation, reward: Number(reward ?? 0), done };
  }
}

/** Interval between retries for a free session, and the longest wait while none of our own sessions is in use. */
const AGAIN_MS = 2000;
const PATIENCE_MS = 60_000;

interface PoolOptions extends SocketOptions {
  againMs?: number;
  patienceMs?: number;
}

/** Sessions of one server. Idle sessions are reused; when the server has no free session, callers wait. */
export class SessionPool {
  private readonly idle: OpenEnvSession[] = [];
  private readonly inUse = new Set<OpenEnvSession>();
  private readonly waiting: (() => void)[] = [];
  private closed = false;
  /** Maximum number of sessions of the server, once it has reported it. */
  places: number | null = null;

  constructor(
    private readonly address: string,
    private readonly options: PoolOptions = {},
  ) {}

  /** Begins an episode in a free session. */
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
        // While one of our own sessions is in use it will become free, so only waiting for other clients is limited.
        waited = this.inUse.size > 0 ? 0 : waited + againMs;
        if (waited > patienceMs || this.closed) throw error;
      }
      await this.waitForPlace(againMs, signal);
    }
  }

  /** Returns a session whose episode is over, for reuse. */
  giveBack(session: OpenEnvSession): void {
    if (!this.inUse.delete(session)) return;
    if (!session.closed && !this.closed) this.idle.push(session);
    this.wake();
  }

  /** Closes a session that cannot be reused. */
  drop(session: OpenEnvSession): void {
    session.close();
    if (this.inUse.delete(session)) this.wake();
  }

  close(): void {
    this.closed = true;
    for (const session of [...this.idle, ...this.inUse]) session.close();
    this.idle.length = 0;
    for (const wake of this.waiting.splice(0)) wake();
  }

  private wake(): void {
    this.waiting.shift()?.();
  }

  private waitForPlace(ms: number, signal?: AbortSignal): Promise<void> {
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
