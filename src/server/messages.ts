/**
 * JSON messages of OpenEnv, JSON-RPC and OpenAI's protocol, and the texts of theirs that an answer repeats. AgentGym's
 * bodies are read as Python reads them (`agentgym/json.ts`).
 */
import { parseJsonText } from '../envs/transport/json-text.ts';

/** Maximum depth of nested lists and objects. Messages of these protocols need fewer than ten. */
const mostNested = 100;
/** Maximum number of characters of a name or an id that an answer repeats. */
const mostShown = 200;

/** Parses a message. Throws a `SyntaxError` for one that is not JSON or is nested too deeply. */
export const parseMessage = (text: string): unknown => parseJsonText(text, mostNested);

/** The beginning of a text of a message, as far as an answer repeats it. */
export const brief = (text: string): string => text.slice(0, mostShown);

/** A value of a message, as an error repeats it. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length <= mostShown ? text : `${brief(text)}… [cut: it has ${text.length} characters]`;
}
