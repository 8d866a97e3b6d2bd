/**
 * Rows of other programs in the form of messages: lists that a table stores as text, a bare list of messages, and
 * instructions with an answer (Alpaca's rows and ms-swift's, joined as LLaMA-Factory and ms-swift join them), and OpenAI's
 * preference pairs. What stays unknown is described, so that its owner can rename it.
 */
import type { Json } from '../../envs/env.ts';
import { protectedNumbers } from './big-numbers.ts';
import type { JsonObject } from './record.ts';

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isMessage = (value: unknown): boolean => isObject(value) && ('role' in value || 'from' in value);
const isConversation = (value: unknown): value is JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every(isMessage);

/** Fields with messages, which tables (CSV, Parquet) may hold as text. */
const lists = ['messages', 'conversations', 'conversation', 'prompt', 'completion', 'chosen', 'rejected'];

function listIn(text: string): JsonObject[] | null {
  if (!/^\s*\[\s*\{/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(protectedNumbers(text));
    return isConversation(value) ? value : null;
  } catch {
    return null;
  }
}

/** The system's message, earlier questions with answers, and the last. Null: other fields. */
function fromInstruction(fields: JsonObject): JsonObject | null {
  const { instruction, input, output, query, response, system, history, ...rest } = fields;
  const [ask, more, answer] = isText(instruction) ? [instruction, input, output] : [query, null, response];
  const earlier = history ?? [];
  const isPair = (pair: Json) => Array.isArray(pair) && pair.length === 2 && pair.every(isText);
  if (!isText(ask) || !isText(answer) || !(more == null || isText(more))) return null;
  if (!Array.isArray(earlier) || !earlier.every(isPair) || !(system == null || isText(system))) return null;
  const question = [ask, more].filter(Boolean).join('\n');
  const turns = [...(earlier as [string, string][]), [question, answer]].flatMap(([user, assistant]) => [
    { role: 'user', content: user },
    { role: 'assistant', content: assistant },
  ]);
  return { ...rest, messages: [...(system ? [{ role: 'system', content: system }] : []), ...turns] };
}

/** OpenAI's preference pair. Null: other fields. */
function fromOutputs({ input, preferred_output, non_preferred_output, ...rest }: JsonObject): JsonObject | null {
  const prompt = isObject(input) ? input.messages : null;
  if (!isConversation(prompt) || !Array.isArray(preferred_output) || !Array.isArray(non_preferred_output)) return null;
  return { ...rest, prompt, chosen: preferred_output, rejected: non_preferred_output };
}

/** The record with its messages as lists under the names that the formats read. */
export function withLists(fields: JsonObject): JsonObject {
  const found = lists.flatMap((name) => {
    const list = isText(fields[name]) ? listIn(fields[name]) : null;
    return list ? [[name, list]] : [];
  });
  const all = found.length ? { ...fields, ...Object.fromEntries(found) } : fields;
  return lists.some((name) => Array.isArray(all[name])) ? all : (fromInstruction(all) ?? fromOutputs(all) ?? all);
}

/** A bare list of messages as a record; null: another value. */
export function conversationIn(value: unknown): JsonObject | null {
  if (!isConversation(value)) return null;
  return 'from' in value[0] ? { conversations: value } : { messages: value };
}

/** Place of a list of messages under another name, within two levels. */
function messagesElsewhere(fields: JsonObject): string | undefined {
  const inner = Object.entries(fields).flatMap(([name, value]) =>
    isObject(value) ? Object.entries(value).map(([key, each]) => [`${name}.${key}`, each] as const) : [],
  );
  return [...Object.entries(fields), ...inner].find(
    ([, value]) => isConversation(value) && ('content' in value[0] || 'value' in value[0]),
  )?.[0];
}

/** What to do about a record of no known format; empty: unknown. */
export function remedyFor(fields: JsonObject): string {
  if (isMessage(fields)) return 'It is one message: put the messages of a conversation into a list "messages".';
  if (isConversation(fields.prompt))
    return 'Its list "prompt" needs a list "completion", or the lists "chosen" and "rejected", beside it.';
  const place = messagesElsewhere(fields);
  if (place) return `Its list "${place.slice(0, 80)}" has messages: name it "messages".`;
  const texts = ['prompt', 'completion', 'chosen', 'rejected', 'text'].filter((name) => isText(fields[name]));
  if (texts.some((name) => /^\s*\[\s*\{'/.test(fields[name] as string)))
    return 'A list is stored as Python prints it: write it as JSON (json.dumps).';
  if (texts.length)
    return `Its ${texts.join(' and ')} ${texts.length > 1 ? 'are texts' : 'is a text'}, which trainers read without a chat template: write messages instead.`;
  return '';
}
