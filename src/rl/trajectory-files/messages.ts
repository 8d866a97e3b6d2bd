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
} as const;
const speakerNames = Object.keys(speakers) as (keyof typeof speakers)[];
const roles = ['system', 'user', 'assistant', 'tool'] as const;

/** A value of JSON, as it came. */
export const json = v.custom<Json>(() => true);

export const SpokenMessage = v.objectWithRest(
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

export const RoleMessage = v.objectWithRest(
  {
    role: v.picklist(roles, ({ received }) => `"role" must be one of ${roles.join(', ')} (it is ${received})`),
    content: v.string('"content" must be a text'),
    /** No part of OpenAI's form: some write it all the same, and so do we. */
    loss: v.optional(v.nullable(v.boolean('"loss" must be true, false or null'))),
    reasoning_content: v.optional(v.nullable(v.string('"reasoning_content" must be a text or null'))),
  },
  json,
);

export function fromSpoken(fields: v.InferOutput<typeof SpokenMessage>): Message {
  const { from, value, loss } = fields;
  const source = { form: 'from/value', fields: fields as JsonObject };
  return { role: speakers[from], content: value, trained: loss ?? null, reasoning: null, source };
}

/** `loss`: what a file of this kind says of a message that says nothing itself; absent: nothing. */
export function toSpoken({ role, content, trained, source }: Message, silent: { loss?: null } = {}): JsonObject {
  const from = role === 'user' ? 'human' : role === 'assistant' ? 'gpt' : role;
  const said: JsonObject = trained === null ? { ...silent } : { loss: trained };
  if (source?.form !== 'from/value') return { from, ...said, value: content };
  const unchanged = speakers[source.fields.from as keyof typeof speakers] === role;
  const learned: JsonObject = (source.fields.loss ?? null) === trained ? {} : { loss: trained };
  return { ...source.fields, ...(unchanged ? {} : { from }), ...learned, value: content };
}

export function fromRole(fields: v.InferOutput<typeof RoleMessage>): Message {
  const { role, content, loss, reasoning_content: reasoning } = fields;
  return {
    role,
    content,
    trained: loss ?? null,
    reasoning: reasoning ?? null,
    source: { form: 'role/content', fields: fields as JsonObject },
  };
}

export function toRole({ role, content, reasoning, source }: Message): JsonObject {
  const thought: JsonObject = reasoning === null ? {} : { reasoning_content: reasoning };
  return source?.form === 'role/content'
    ? { ...source.fields, role, content, ...thought }
    : { role, content, ...thought };
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
