/**
 * OpenEnv's messages over a socket: one answer to each, in order. Handles frames and a session; independent of sockets.
 */
import { WorldError } from '../../envs/env.ts';
import { SessionLimit } from '../../envs/serving/form.ts';
import { parseMessage, shown } from '../messages.ts';
import { toolsOf } from './descriptions.ts';
import { type EnvSession, InvalidMessage, NotNow, type Observed } from './episode.ts';
import { answerRpc, callTool } from './rpc.ts';

export type ErrorCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  // The socket is closed after the errors below.
  | 'CAPACITY_REACHED'
  | 'FACTORY_ERROR'
  | 'SESSION_ERROR';

export interface Frame {
  type: string;
  data: object;
}

export const errorFrame = (code: ErrorCode, message: string, more: object = {}): Frame => ({
  type: 'error',
  data: { message, code, ...more },
});

/** Message that refuses a connection for which no session could be opened. */
export function refusalOf(error: unknown): Frame {
  if (error instanceof SessionLimit)
    return errorFrame('CAPACITY_REACHED', error.message, { active_sessions: error.active, max_sessions: error.most });
  return errorFrame('FACTORY_ERROR', error instanceof Error ? error.message : String(error));
}

const observation = (data: object): Frame => ({ type: 'observation', data });

/** A tool call counts as an action: its result is returned as an observation. */
async function stepOrTool(session: EnvSession, data: unknown): Promise<object> {
  const { type, tool_name, arguments: given } = (data ?? {}) as { [key: string]: unknown };
  if (type === 'list_tools')
    return { observation: { tools: toolsOf(session.served.module) }, reward: null, done: false };
  if (type !== 'call_tool') return session.step(data);
  if (typeof tool_name !== 'string') throw new InvalidMessage('A call_tool action must have a tool_name.');
  return asToolResult(tool_name, () => callTool(session, tool_name, given));
}

async function asToolResult(tool_name: string, call: () => Promise<Observed>): Promise<object> {
  try {
    const { observation: result, reward, done } = await call();
    return { observation: { tool_name, result, error: null }, reward, done };
  } catch (error) {
    if (!(error instanceof NotNow || error instanceof InvalidMessage)) throw error;
    const failure = { error_type: error.name, message: error.message };
    return { observation: { tool_name, result: null, error: failure }, reward: null, done: false };
  }
}

type Answerer = (session: EnvSession, data: unknown, report: (error: unknown) => void) => Promise<Frame>;

const answerers: { readonly [type: string]: Answerer } = {
  reset: async (session, data) => observation(await session.reset(data)),
  step: async (session, data) => observation(await stepOrTool(session, data)),
  state: async (session) => ({ type: 'state', data: session.state() as object }),
  mcp: async (session, data, report) => ({
    type: 'mcp',
    data: await answerRpc({ module: session.served.module, within: (_params, call) => call(session) }, data, report),
  }),
};

function failureOf(error: unknown, report: (error: unknown) => void): Frame {
  if (error instanceof InvalidMessage) return errorFrame('VALIDATION_ERROR', error.message, { errors: error.errors });
  if (error instanceof NotNow || error instanceof WorldError) return errorFrame('EXECUTION_ERROR', error.message);
  report(error);
  return errorFrame('EXECUTION_ERROR', 'The server failed on this message: see its log.');
}

function parse(text: string): { type?: unknown; data?: unknown } | Frame {
  try {
    const message = parseMessage(text);
    if (message !== null && typeof message === 'object' && !Array.isArray(message)) return message;
    return errorFrame('VALIDATION_ERROR', 'A message must be an object with a type and data.');
  } catch (error) {
    return errorFrame('INVALID_JSON', `The message is not valid JSON: ${(error as Error).message}`);
  }
}

/** Returns the answer to a message, or null if the client closes the session. */
export async function answerMessage(
  session: EnvSession,
  text: string,
  report: (error: unknown) => void,
): Promise<Frame | null> {
  const message = parse(text);
  if (message.type === 'error') return message as Frame;
  if (message.type === 'close') return null;
  const answerer =
    typeof message.type === 'string' && Object.hasOwn(answerers, message.type) ? answerers[message.type] : null;
  if (!answerer) {
    const known = [...Object.keys(answerers), 'close'].join(', ');
    return errorFrame('UNKNOWN_TYPE', `Unknown message type ${shown(message.type)}. Use one of: ${known}.`);
  }
  try {
    return await answerer(session, message.data, report);
  } catch (error) {
    return failureOf(error, report);
  }
}
