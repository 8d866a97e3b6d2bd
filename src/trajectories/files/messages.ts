/**
 * The two spellings of a conversation: AgentGym's and ShareGPT's `{from, value, loss}`, and OpenAI's `{role, content}`. A message
 * keeps the object that it came as, so that what is read is written as it was.
 */
import * as v from 'valibot';
import type { Json } from '../../envs/env.ts';
import type { JsonObject, Message } from './record.ts';

const speakers = {
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
  system: 'system',
  tool: 'tool',
  // LLaMA-Factory's, for calls of tools and what they answer.
  function_call: 'assistant',
  observation: 'tool',
} as const;
const speakerNames = Object.keys(speakers) as (keyof typeof speakers)[];
/** OpenAI's, with the names that it gave to two of them before and since. */
const roles = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
} as const;
const roleNames = Object.keys(roles) as (keyof typeof roles)[];

/** A value of JSON, as it came. */
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
    /** Null beside a call of a tool, or where a model only thought; a list where a message has parts. */
    content: v.optional(
      v.nullable(v.union([v.string(), v.array(Part)], '"content" must be a text, or a list of parts with a "type"')),
    ),
    /** No part of OpenAI's form: some write it all the same, and so do we. */
    loss: v.optional(v.nullable(v.boolean('"loss" must be true, false or null'))),
    reasoning_content: v.optional(v.nullable(v.string('"reasoning_content" must be a text or null'))),
    /** OpenAI's mark of what is learned: 0 or 1, on an assistant's message. */
    weight: v.optional(v.picklist([0, 1], '"weight" must be 0 or 1')),
    tool_calls: v.optional(v.nullable(v.array(json, '"tool_calls" must be a list'))),
    function_call: v.optional(json),
  },
  json,
);

type RoleFields = v.InferOutput<typeof RoleFieldsSchema>;

/** What a message says in words: of parts those that are text. */
function wordsOf({ content }: Pick<RoleFields, 'content'>): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

/** A message without words says them otherwise: only an assistant may. */
const saysSomething = ({ role, content, tool_calls, function_call, reasoning_content }: RoleFields): boolean =>
  typeof content === 'string' ||
  Array.isArray(content) ||
  (role === 'assistant' && (content === null || Boolean(tool_calls ?? function_call ?? reasoning_content)));

export const RoleMessage = v.pipe(
  RoleFieldsSchema,
  v.check(saysSomething, '"content" must be a text, or null beside a call of a tool'),
);

/** As programs of one's own write them: every message has a text. */
export const TextMessage = v.pipe(
  RoleMessage,
  v.check(({ content }) => typeof content === 'string', '"content" must be a text'),
);

export function fromShareGpt(fields: v.InferOutput<typeof ShareGptMessage>): Message {
  const { from, value, loss } = fields;
  const source = { form: 'from/value', fields: fields as JsonObject };
  return { role: speakers[from], content: value, trained: loss ?? null, reasoning: null, source };
}

/** `loss`: what a file of this kind says of a message that says nothing itself; absent: nothing. */
export function toShareGpt({ role, content, trained, source }: Message, silent: { loss?: null } = {}): JsonObject {
  const from = role === 'user' ? 'human' : role === 'assistant' ? 'gpt' : role;
  const said: JsonObject = trained === null ? { ...silent } : { loss: trained };
  if (source?.form !== 'from/value') return { from, ...said, value: content };
  const unchanged = speakers[source.fields.from as keyof typeof speakers] === role;
  const learned: JsonObject = (source.fields.loss ?? null) === trained ? {} : { loss: trained };
  return { ...source.fields, ...(unchanged ? {} : { from }), ...learned, value: content };
}

export function fromRole(fields: RoleFields): Message {
  const { role, loss, weight, reasoning_content: reasoning } = fields;
  return {
    role: roles[role],
    content: wordsOf(fields),
    trained: loss ?? (weight === undefined ? null : weight === 1),
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

/** AgentGym's clients have two: "Ok.", and "OK. I'll follow your instructions and try my best to solve the task." */
const acknowledged = /^ok\.( I'll follow your instructions.*)?$/is;

/** An instruction with its acknowledgement, as AgentGym's client opens a conversation: no turn of the episode. */
export const isPreface = ([first, second, third]: readonly Message[]): boolean =>
  first?.role === 'user' &&
  second?.role === 'assistant' &&
  third?.role === 'user' &&
  (second.trained === false || acknowledged.test(second.content.trim()));

/** Of each message the turn that it says, from 0; null: it is of the world, or acknowledges an instruction. */
export function turnsOf(messages: readonly Message[]): (number | null)[] {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const preface = isPreface(messages.slice(Math.max(0, first), first + 3)) ? first + 1 : -1;
  let turn = 0;
  return messages.map(({ role }, i) => (role === 'assistant' && i !== preface ? turn++ : null));
}
