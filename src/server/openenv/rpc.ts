/**
 * OpenEnv's tools by JSON-RPC 2.0 (`/mcp`): lists and calls them. Only this part of MCP is supported: there is no
 * `initialize`.
 */
import * as v from 'valibot';
import { WorldError } from '../../envs/env.ts';
import type { WorldModule } from '../../envs/module.ts';
import { SessionLimit } from '../../envs/serving/form.ts';
import { actionOfCall, type ToolCall } from '../../envs/tools.ts';
import { shown } from '../messages.ts';
import { toolsOf } from './descriptions.ts';
import { type EnvSession, InvalidMessage, NotNow, type Observed } from './episode.ts';

/** Codes from jsonrpc.org/specification#error_object, and one of the server's own. */
export const RpcCode = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  session: -32000,
} as const;

export class RpcError extends Error {
  override name = 'RpcError';
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Ids are repeated in answers, so they have a bound. */
const IdSchema = v.union([v.pipe(v.string(), v.maxLength(255)), v.number()]);
const RequestSchema = v.object({
  jsonrpc: v.literal('2.0'),
  id: v.nullish(IdSchema),
  method: v.string(),
  params: v.optional(v.record(v.string(), v.unknown()), {}),
});
const CallSchema = v.object({ name: v.string(), arguments: v.nullish(v.record(v.string(), v.unknown())) });

/** Finds the session of a request: the one of its socket, the one named by `session_id`, or a temporary one. */
export interface RpcSessions {
  /** The world whose tools are listed. */
  readonly module: WorldModule;
  /** Runs a call in the session that the parameters name. */
  within<T>(params: { [name: string]: unknown }, call: (session: EnvSession) => Promise<T>): Promise<T>;
  create?(params: { [name: string]: unknown }): Promise<unknown>;
  close?(params: { [name: string]: unknown }): unknown;
}

export async function callTool(session: EnvSession, name: string, given: unknown): Promise<Observed> {
  if (name === 'act') return session.step(given);
  if (name === 'new_episode') return session.reset(given);
  const tools = toolsOf(session.served.module);
  if (tools.some((tool) => tool.name === name))
    return session.step({ message: actionOfCall({ name, arguments: (given ?? {}) as ToolCall['arguments'] }) });
  const known = tools.map((tool) => tool.name).join(', ');
  throw new InvalidMessage(`There is no tool ${shown(name)}. Use one of: ${known}.`);
}

/** The tools with their schema under both names: MCP's `inputSchema` and OpenEnv's `input_schema`. */
const listed = (module: WorldModule) => toolsOf(module).map((tool) => ({ ...tool, inputSchema: tool.input_schema }));

/** A failure in the world is a tool result with `isError`; an invalid request is a protocol error. */
async function answerCall(sessions: RpcSessions, params: { [name: string]: unknown }): Promise<unknown> {
  const read = v.safeParse(CallSchema, params);
  if (!read.success)
    throw new RpcError(RpcCode.params, 'tools/call needs a name and, if the tool takes any, arguments.');
  const { name, arguments: given } = read.output;
  try {
    const observed = await sessions.within(params, (session) => callTool(session, name, given));
    const content = [{ type: 'text', text: observed.observation.text }];
    return { content, structuredContent: observed, isError: false };
  } catch (error) {
    if (error instanceof InvalidMessage) throw new RpcError(RpcCode.params, error.message);
    if (!(error instanceof NotNow || error instanceof WorldError)) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

async function answerMethod(
  sessions: RpcSessions,
  method: string,
  params: { [name: string]: unknown },
): Promise<unknown> {
  if (method === 'tools/list') return { tools: listed(sessions.module) };
  if (method === 'tools/call') return answerCall(sessions, params);
  if (method === 'openenv/session/create' && sessions.create) return sessions.create(params);
  if (method === 'openenv/session/close' && sessions.close) return sessions.close(params);
  throw new RpcError(RpcCode.method, `There is no method ${shown(method)} here.`);
}

function errorOf(error: unknown): { code: number; message: string } {
  if (error instanceof RpcError) return { code: error.code, message: error.message };
  if (error instanceof InvalidMessage) return { code: RpcCode.params, message: error.message };
  if (error instanceof SessionLimit) return { code: RpcCode.session, message: error.message };
  return { code: RpcCode.internal, message: error instanceof WorldError ? error.message : 'Internal error' };
}

/** Returns the answer to a request; an invalid one gets an error. `report` receives failures of the server itself. */
export async function answerRpc(
  sessions: RpcSessions,
  message: unknown,
  report: (error: unknown) => void,
): Promise<object> {
  const read = v.safeParse(RequestSchema, message);
  const given = v.safeParse(IdSchema, (message as { id?: unknown } | null)?.id);
  const id = given.success ? given.output : null;
  try {
    if (!read.success)
      throw new RpcError(
        RpcCode.request,
        'The message must be a JSON-RPC 2.0 request with jsonrpc, method, params and an id of at most 255 characters.',
      );
    return { jsonrpc: '2.0', id, result: await answerMethod(sessions, read.output.method, read.output.params) };
  } catch (error) {
    const failure = errorOf(error);
    if (failure.code === RpcCode.internal) report(error);
    return { jsonrpc: '2.0', id, error: failure };
  }
}
