/**
 * OpenEnv's routes of a served world. As upstream, `POST /reset`, `POST /step` and `GET /state` each open a session for
 * that one request; episodes are played over the socket. `/mcp` keeps its sessions by id.
 */
import * as v from 'valibot';
import { WorldError } from '../../envs/env.ts';
import { SessionLimit } from '../../envs/serving/form.ts';
import { parseBody, Unreadable, UnreadableBody } from '../agentgym/fields.ts';
import { parseMessage, shown } from '../messages.ts';
import type { Answer, Handler, Request } from '../router.ts';
import type { ServedWorld } from '../served-world.ts';
import { CloseCode, type OpenConversation } from '../sockets.ts';
import { metadataOf, openApiOf, schemas } from './descriptions.ts';
import { EnvSession, InvalidMessage, NotNow, readMessage } from './episode.ts';
import { answerMessage, errorFrame, refusalOf } from './frames.ts';
import { answerRpc, RpcCode, RpcError, type RpcSessions } from './rpc.ts';

type Report = (error: unknown) => void;
type Params = { [name: string]: unknown };

const json = (status: number, value: unknown): Answer => ({ status, json: value });
const always =
  (value: unknown): Handler =>
  async () =>
    json(200, value);

async function inOwnWorld<T>(served: ServedWorld, call: (session: EnvSession) => Promise<T>): Promise<T> {
  const session = new EnvSession(served);
  try {
    return await call(session);
  } finally {
    session.close();
  }
}

/** `POST /step` and tool calls without a session act in the first task. */
const firstTask = { split: 'train', index: 0 };

function failureOf(error: unknown, report: Report): Answer {
  if (error instanceof InvalidMessage) return json(422, { detail: error.errors.length ? error.errors : error.message });
  if (error instanceof Unreadable) return json(422, { detail: error.problems });
  if (error instanceof UnreadableBody) return json(400, { detail: error.message });
  if (error instanceof SessionLimit)
    return json(503, { detail: error.message, active_sessions: error.active, max_sessions: error.most });
  report(error);
  const known = error instanceof WorldError || error instanceof NotNow;
  return json(500, { detail: known ? error.message : 'Internal Server Error' });
}

const guarded =
  (report: Report, handler: Handler): Handler =>
  (request) =>
    handler(request).catch((error) => failureOf(error, report));

const bodyOf = ({ body, contentType }: Request) => parseBody(body, contentType) ?? {};
const StepSchema = v.object({ action: v.record(v.string(), v.unknown()) });

const reset =
  (served: ServedWorld): Handler =>
  async (request) =>
    json(200, await inOwnWorld(served, (session) => session.reset(bodyOf(request))));

const step =
  (served: ServedWorld): Handler =>
  async (request) => {
    const { action } = readMessage(StepSchema, bodyOf(request), 'request');
    return json(
      200,
      await inOwnWorld(served, async (session) => {
        await session.reset(firstTask);
        return session.step(action);
      }),
    );
  };

const state =
  (served: ServedWorld): Handler =>
  async () =>
    json(200, await inOwnWorld(served, async (session) => session.state()));

/** Sessions made by `openenv/session/create`. */
class RpcRegister implements RpcSessions {
  private readonly sessions = new Map<string, EnvSession>();

  constructor(private readonly served: ServedWorld) {}

  get module() {
    return this.served.module;
  }

  async create(params: Params): Promise<unknown> {
    const session_id = crypto.randomUUID();
    const session = new EnvSession(this.served, () => this.sessions.delete(session_id));
    try {
      const begun = await session.reset(params);
      this.sessions.set(session_id, session);
      return { session_id, ...begun };
    } catch (error) {
      session.close();
      throw error;
    }
  }

  close(params: Params): unknown {
    const session = this.find(params.session_id);
    session.close();
    this.sessions.delete(String(params.session_id));
    return { session_id: params.session_id, closed: true };
  }

  within<T>(params: Params, call: (session: EnvSession) => Promise<T>): Promise<T> {
    if (params.session_id !== undefined) return call(this.find(params.session_id));
    return inOwnWorld(this.served, async (session) => {
      await session.reset(firstTask);
      return call(session);
    });
  }

  private find(id: unknown): EnvSession {
    const session = typeof id === 'string' ? this.sessions.get(id) : undefined;
    if (session) return session;
    throw new RpcError(
      RpcCode.session,
      `There is no session ${shown(id)}: it never existed, was closed, or idled for over ${this.served.ledger.limits.idleSeconds} s. Create a new one.`,
    );
  }
}

function rpc(served: ServedWorld, report: Report): Handler {
  const register = new RpcRegister(served);
  return async ({ body }) => {
    let message: unknown;
    try {
      message = parseMessage(String(body ?? ''));
    } catch (error) {
      const failure = { code: RpcCode.parse, message: `The request is not valid JSON: ${(error as Error).message}` };
      return json(200, { jsonrpc: '2.0', id: null, error: failure });
    }
    return json(200, await answerRpc(register, message, report));
  };
}

/** Routes by method and path, relative to a world's prefix. */
export function openEnvRoutes(served: ServedWorld, report: Report): [method: 'GET' | 'POST', path: string, Handler][] {
  return [
    ['POST', '/reset', guarded(report, reset(served))],
    ['POST', '/step', guarded(report, step(served))],
    ['GET', '/state', guarded(report, state(served))],
    ['GET', '/health', always({ status: 'healthy' })],
    ['GET', '/metadata', always(metadataOf(served.module))],
    ['GET', '/schema', always(schemas)],
    ['GET', '/openapi.json', always(openApiOf(served.module))],
    ['POST', '/mcp', rpc(served, report)],
  ];
}

/** Opens a session that lives as long as its socket. */
function socketSession(
  served: ServedWorld,
  answer: (session: EnvSession, text: string) => Promise<object | null>,
): OpenConversation {
  return (hang) => {
    try {
      const session = new EnvSession(served, (idle) => {
        const why = idle
          ? `No message arrived for ${served.ledger.limits.idleSeconds} s, so the session was closed.`
          : 'The server was closed.';
        hang(errorFrame('SESSION_ERROR', why), idle ? CloseCode.policy : CloseCode.goingAway, idle ? 'idle' : 'closed');
      });
      return { answer: (text) => answer(session, text), end: () => session.close() };
    } catch (error) {
      return { refusal: refusalOf(error) };
    }
  };
}

/** The sockets at `/ws` and `/mcp`. */
export function openEnvSockets(served: ServedWorld, report: Report): [path: string, OpenConversation][] {
  const rpcAnswer = async (session: EnvSession, text: string) => {
    let message: unknown;
    try {
      message = parseMessage(text);
    } catch (error) {
      const failure = { code: RpcCode.parse, message: `The request is not valid JSON: ${(error as Error).message}` };
      return { jsonrpc: '2.0', id: null, error: failure };
    }
    return answerRpc({ module: served.module, within: (_params, call) => call(session) }, message, report);
  };
  return [
    ['/ws', socketSession(served, (session, text) => answerMessage(session, text, report))],
    ['/mcp', socketSession(served, rpcAnswer)],
  ];
}

const resetKeys = ['seed', 'episode_id', 'split', 'index'];

/**
 * True if a request at a path of both protocols is OpenEnv's: a reset without a field of AgentGym's, a step whose
 * action is an object, a state without a session.
 */
export function isOpenEnvs(path: string, agentGymFields: readonly string[], request: Request): boolean {
  if (path === '/state') return !agentGymFields.some((name) => name in request.query);
  let body: unknown;
  try {
    body = parseBody(request.body, request.contentType);
  } catch {
    return false;
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return false;
  if (path === '/step')
    return !agentGymFields.some((name) => name !== 'action' && name in body) && isObject((body as Params).action);
  return Object.keys(body).every((key) => resetKeys.includes(key) && !agentGymFields.includes(key));
}

const isObject = (value: unknown) => value !== null && typeof value === 'object' && !Array.isArray(value);
