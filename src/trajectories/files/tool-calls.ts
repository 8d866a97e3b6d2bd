/**
 * Calls of tools in replies of our own episodes, as OpenAI's messages have them: a reply that ends with one call in
 * Hermes' marks (`<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, as Qwen's templates write it) becomes
 * `tool_calls`, and the world's answer a message of the role `tool`.
 */
import type { JsonObject, Message } from './record.ts';

interface Call {
  words: string;
  name: string;
  arguments: object;
}

const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Arguments of a call as JSON. Some servers and files give an object, and null or an empty text for none. */
export const argumentsText = (given: unknown): string =>
  typeof given === 'string' ? given.trim() || '{}' : JSON.stringify(given ?? {});

/** The call that ends a reply; null: none, or several. */
function callIn(reply: string): Call | null {
  const [words, call, ...more] = reply.split('<tool_call>');
  if (call === undefined || more.length > 0 || !call.trimEnd().endsWith('</tool_call>')) return null;
  try {
    const value: unknown = JSON.parse(call.slice(0, call.lastIndexOf('</tool_call>')));
    if (!isObject(value) || typeof value.name !== 'string' || !isObject(value.arguments)) return null;
    return { words: words.trimEnd(), name: value.name, arguments: value.arguments };
  } catch {
    return null;
  }
}

/** Messages in OpenAI's form. `write`: the form of a message without calls. Messages read in that form are unchanged. */
export function withCalls(messages: readonly Message[], write: (message: Message) => JsonObject): JsonObject[] {
  let asked: string | null = null;
  return messages.map((message, i) => {
    const fields = write(message);
    const answered = asked;
    asked = null;
    if (message.source?.form === 'role/content' && 'tool_calls' in message.source.fields) return fields;
    if (message.role === 'user' && answered !== null) return { ...fields, role: 'tool', tool_call_id: answered };
    const call = message.role === 'assistant' ? callIn(message.content) : null;
    if (!call) return fields;
    asked = `call_${i}`;
    const { name, arguments: given } = call;
    const written = { id: asked, type: 'function', function: { name, arguments: JSON.stringify(given) } };
    return { ...fields, content: call.words, tool_calls: [written] };
  });
}
