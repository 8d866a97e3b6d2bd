/**
 * The two forms of a conversation: AgentGym's and ShareGPT's `{from, value, loss}`, and OpenAI's `{role, content}`. A
 * message keeps its original object, so that it is written as it was read.
 */
import * as v from 'valibot';
import type { Json } from '../../envs/env.ts';
import type { JsonObject, Message, TrajectoryRecord } from './record.ts';
import { argumentsText } from './tool-calls.ts';

const speakers = {
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
  system: 'system',
  tool: 'tool',
  // LLaMA-Factory's names for tool calls and their results.
  function_call: 'assistant',
  observation: 'tool',
} as const;
const speakerNames = Object.keys(speakers) as (keyof typeof speakers)[];
/** OpenAI's roles, with the earlier and later names of two of them. */
const roles = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
} as const;
const roleNames = Object.keys(roles) as (keyof typeof roles)[];

/** A JSON value, unchanged. */
export const json = v.custom<Json>(() => true);

export const ShareGptMessage = v.objectWithRest(
  {
    from: v.picklist(
      speakerNames,
      ({ received }) => `"from" must be one of ${speakerNames.join(', ')} (it is ${received})`,
    ),
    value: v.string('"value" must be a text'),
    loss: v.optional(v.nullable(v.boolean('"loss" must be true, false or null'))),
  },
  json,
);

const Part = v.objectWithRest({ type: v.string() }, json);

const RoleFieldsSchema = v.objectWithRest(
  {
    role: v.picklist(roleNames, ({ received }) => `"role" must be one of ${roleNames.join(', ')} (it is ${received})`),
    /** Null beside a tool call or for reasoning only; a list for a message of several parts. */
    content: v.optional(
      v.nullable(v.union([v.string(), v.array(Part)], '"content" must be a text, or a list of parts with a "type"')),
    ),
    /** Not part of OpenAI's form, but some programs write it, as we do. */
    loss: v.optional(v.nullable(v.boolean('"loss" must be true, false or null'))),
    reasoning_content: v.optional(v.nullable(v.string('"reasoning_content" must be a text or null'))),
    /** OpenAI's mark of trained messages: 0 or 1, on an assistant's message. */
    weight: v.nullish(v.picklist([0, 1], '"weight" must be 0 or 1')),
    tool_calls: v.optional(v.nullable(v.array(json, '"tool_calls" must be a list'))),
    function_call: v.nullish(json),
  },
  json,
);

type RoleFields = v.InferOutput<typeof RoleFieldsSchema>;

/** Text of a message: of a list of parts, the text parts. */
function wordsOf({ content }: Pick<RoleFields, 'content'>): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

/** True if a message has content. Only an assistant's message may have it outside `content`. */
const saysSomething = ({ role, content, tool_calls, function_call, reasoning_content }: RoleFields): boolean =>
  typeof content === 'string' ||
  Array.isArray(content) ||
  (role === 'assistant' && (content === null || Boolean(tool_calls ?? function_call ?? reasoning_content)));

export const RoleMessage = v.pipe(
  RoleFieldsSchema,
  v.check(saysSomething, '"content" must be a text, or null beside a call of a tool'),
);

/** Form of programs that always write a text. */
export const TextMessage = v.pipe(
  RoleMessage,
  v.check(({ content }) => typeof content === 'string', '"content" must be a text'),
);

export function fromShareGpt(fields: v.InferOutput<typeof ShareGptMessage>): Message {
  const { from, value, loss } = fields;
  const source = { form: 'from/value', fields: fields as JsonObject };
  return { role: speakers[from], content: value, trained: loss ?? null, reasoning: null, source };
}

/** `silent`: value of `loss` for a message that has none of its own; undefined: nothing is written. */
export function toShareGpt({ role, content, trained, source }: Message, silent?: boolean | null): JsonObject {
  const from = role === 'user' ? 'human' : role === 'assistant' ? 'gpt' : role;
  const mark: JsonObject = trained !== null ? { loss: trained } : silent === undefined ? {} : { loss: silent };
  if (source?.form !== 'from/value') return { from, ...mark, value: content };
  const unchanged = speakers[source.fields.from as keyof typeof speakers] === role;
  const learned: JsonObject = (source.fields.loss ?? null) === trained ? {} : { loss: trained };
  const missing: JsonObject = 'loss' in source.fields || silent === undefined ? {} : { loss: silent };
  return { ...source.fields, ...(unchanged ? {} : { from }), ...missing, ...learned, value: content };
}

/**
 * Messages in AgentGym's form. AgentGym's trainers that read `loss` train on messages with true and read null as false.
 * So a reply without a mark of its own gets true, and the acknowledgement of an instruction false, as in AgentTraj-L.
 * The only speakers are human and gpt, because bc_trainer.py trains on the messages of all others as if they were the
 * model's, and AgentGym-RL's sft_dataset.py refuses `tool`. So system messages and the results of tools become human,
 * and calls of tools are written as text.
 */
export function toAgentGym(messages: readonly Message[], isOwn: boolean): JsonObject[] {
  // A record in this form is written as it was read.
  if (isOwn) return messages.map((message) => toShareGpt(message));
  const turns = turnsOf(messages);
  return messages.map((message, i) => {
    if (message.role !== 'assistant') return { ...toShareGpt({ ...message, role: 'user' }, null), from: 'human' };
    return { ...toShareGpt(withCallTexts(message), turns[i] !== null), from: 'gpt' };
  });
}

/** Parts of a record's messages that AgentGym's form cannot hold, in words. */
export function agentGymLosses({ messages, source }: Pick<TrajectoryRecord, 'messages' | 'source'>, form: string) {
  if (source?.form === form || !messages?.some(({ role }) => role === 'system' || role === 'tool')) return [];
  return ['the roles system and tool, which AgentGym does not have (its trainers would learn them)'];
}

export function fromRole(fields: RoleFields): Message {
  const { role, loss, weight, reasoning_content: reasoning } = fields;
  return {
    role: roles[role],
    content: wordsOf(fields),
    trained: loss ?? (weight == null ? null : weight === 1),
    reasoning: reasoning ?? null,
    source: { form: 'role/content', fields: fields as JsonObject },
  };
}

export function toRole({ role, content, reasoning, source }: Message): JsonObject {
  const thought: JsonObject = reasoning === null ? {} : { reasoning_content: reasoning };
  if (source?.form !== 'role/content') return { role, content, ...thought };
  const came = source.fields as RoleFields;
  return {
    ...source.fields,
    ...(roles[came.role] === role ? {} : { role }),
    ...(wordsOf(came) === content ? {} : { content }),
    ...thought,
  };
}

interface ToolCall {
  name?: unknown;
  arguments?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

/**
 * Calls of a message in OpenAI's form, each as the text `name(arguments)` with the arguments as JSON, `{}` if there are
 * none; null: one of them has no name. A message without calls has none.
 */
export function callTexts({ source }: Message): string[] | null {
  if (source?.form !== 'role/content') return [];
  const { tool_calls, function_call } = source.fields as {
    tool_calls?: (ToolCall | null)[] | null;
    function_call?: ToolCall | null;
  };
  const calls = [...(tool_calls ?? []), ...(function_call ? [function_call] : [])];
  const texts = calls.map((call) => {
    const { name, arguments: given } = call?.function ?? call ?? {};
    return typeof name === 'string' ? `${name}(${argumentsText(given)})` : null;
  });
  return texts.includes(null) ? null : (texts as string[]);
}

/** The message with its calls of tools as text behind its own; unchanged if one of them has no name. */
export function withCallTexts(message: Message): Message {
  const calls = callTexts(message) ?? [];
  if (calls.length === 0) return message;
  return { ...message, content: [message.content, ...calls].filter((part) => part.trim()).join('\n') };
}

/** AgentGym's clients have two: "Ok.", and "OK. I'll follow your instructions and try my best to solve the task." */
const acknowledged = /^ok\.( I'll follow your instructions.*)?$/is;

/**
 * True for an instruction with its acknowledgement, which opens a conversation of AgentGym's client and is not a turn.
 */
export const isPreface = ([first, second, third]: readonly Message[]): boolean =>
  first?.role === 'user' &&
  second?.role === 'assistant' &&
  third?.role === 'user' &&
  (second.trained === false || acknowledged.test(second.content.trim()));

/** Turn of each message, from 0; null for messages of the world and acknowledgements. */
export function turnsOf(messages: readonly Message[]): (number | null)[] {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const preface = isPreface(messages.slice(Math.max(0, first), first + 3)) ? first + 1 : -1;
  let turn = 0;
  return messages.map(({ role }, i) => (role === 'assistant' && i !== preface ? turn++ : null));
}
