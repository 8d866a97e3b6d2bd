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
  // ms-swift's, and those of conversations with other assistants.
  tool_call: 'assistant',
  tool_response: 'tool',
  function_response: 'tool',
  chatgpt: 'assistant',
  bing: 'assistant',
  bard: 'assistant',
  model: 'assistant',
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
  // ms-swift's, Llama's, Gemma's and AgentBench's.
  tool_call: 'assistant',
  tool_response: 'tool',
  ipython: 'tool',
  model: 'assistant',
  agent: 'assistant',
} as const;
const roleNames = Object.keys(roles) as (keyof typeof roles)[];

/** A JSON value, unchanged. */
export const json = v.custom<Json>(() => true);

/** Marks of what is trained on; the first that a message has counts. */
const marks = {
  /** AgentGym's and ms-swift's. */
  loss: v.optional(v.nullable(v.boolean('"loss" must be true, false or null'))),
  /** OpenAI's, Mistral's and axolotl's mark, on an assistant's message. */
  weight: v.nullish(v.picklist([0, 1], '"weight" must be 0 or 1')),
  /** Axolotl's. */
  train: v.nullish(v.boolean('"train" must be true, false or null')),
  training: v.nullish(v.boolean('"training" must be true, false or null')),
  train_detail: v.nullish(v.array(v.never(), '"train_detail" marks parts of a message, which are not read')),
};

type Marks = { readonly [mark in 'loss' | 'weight' | 'train' | 'training']?: boolean | number | null };

/** True if a message's marks train on it; null: it has none. */
function markOf({ loss, weight, train, training }: Marks): boolean | null {
  const mark = loss ?? weight ?? train ?? training;
  return mark == null ? null : Boolean(mark);
}

export const ShareGptMessage = v.objectWithRest(
  {
    from: v.picklist(
      speakerNames,
      ({ received }) => `"from" must be one of ${speakerNames.join(', ')} (it is ${received})`,
    ),
    value: v.string('"value" must be a text'),
    ...marks,
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
    ...marks,
    reasoning_content: v.optional(v.nullable(v.string('"reasoning_content" must be a text or null'))),
    tool_calls: v.optional(v.nullable(v.array(json, '"tool_calls" must be a list'))),
    function_call: v.nullish(json),
  },
  json,
);

type RoleFields = v.InferOutput<typeof RoleFieldsSchema>;

/** Types of parts whose texts are the message. */
const textParts: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);
const thoughtParts: ReadonlySet<unknown> = new Set(['thinking', 'reasoning']);

const partsOf = ({ content }: Pick<RoleFields, 'content'>) => (Array.isArray(content) ? content : []);

/** Text of a message: of a list of parts, the text parts. */
function wordsOf(fields: Pick<RoleFields, 'content'>): string {
  if (typeof fields.content === 'string') return fields.content;
  const parts = partsOf(fields).filter(({ type }) => textParts.has(type));
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

/** Thought of a message: a field (named otherwise by vLLM and OpenRouter, and for gpt-oss), or parts. */
function thoughtOf(fields: RoleFields): string | null {
  const { reasoning_content, reasoning, thinking } = fields;
  const field = [reasoning_content, reasoning, thinking].find((each) => typeof each === 'string');
  if (typeof field === 'string') return field;
  const thoughts = partsOf(fields).filter(({ type }) => thoughtParts.has(type));
  const texts = thoughts
    .map(({ text, thinking: inner, reasoning: own }) => text ?? inner ?? own)
    .filter((each) => typeof each === 'string');
  return texts.length ? texts.join('\n') : null;
}

/** Types of a message's parts that are neither texts nor thoughts, such as images and calls in Anthropic's form. */
export function otherParts({ source }: Message): string[] {
  if (source?.form !== 'role/content') return [];
  const types = partsOf(source.fields as RoleFields).map(({ type }) => type);
  return [...new Set(types.filter((type) => !textParts.has(type) && !thoughtParts.has(type)))];
}

/** True if a message has content. Only an assistant's message may have it outside `content`. */
const saysSomething = (fields: RoleFields): boolean => {
  const { role, content, tool_calls, function_call } = fields;
  if (typeof content === 'string' || Array.isArray(content)) return true;
  return role === 'assistant' && (content === null || Boolean(tool_calls ?? function_call ?? thoughtOf(fields)));
};

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
  const { from, value } = fields;
  const source = { form: 'from/value', fields: fields as JsonObject };
  return { role: speakers[from], content: value, trained: markOf(fields), reasoning: null, source };
}

/** `silent`: value of `loss` for a message that has none of its own; undefined: nothing is written. */
export function toShareGpt({ role, content, trained, source }: Message, silent?: boolean | null): JsonObject {
  const from = role === 'user' ? 'human' : role === 'assistant' ? 'gpt' : role;
  const mark: JsonObject = trained !== null ? { loss: trained } : silent === undefined ? {} : { loss: silent };
  if (source?.form !== 'from/value') return { from, ...mark, value: content };
  const unchanged = speakers[source.fields.from as keyof typeof speakers] === role;
  const learned: JsonObject = markOf(source.fields as Marks) === trained ? {} : { loss: trained };
  const missing: JsonObject = 'loss' in source.fields || silent === undefined ? {} : { loss: trained ?? silent };
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
  return {
    role: roles[fields.role],
    content: wordsOf(fields),
    trained: markOf(fields),
    reasoning: thoughtOf(fields),
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
    ...(thoughtOf(came) === reasoning ? {} : thought),
  };
}

interface ToolCall {
  name?: unknown;
  arguments?: unknown;
  /** Inspect writes the name here. */
  function?: { name?: unknown; arguments?: unknown } | string | null;
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
    const inner = call?.function;
    const { name, arguments: given } = typeof inner === 'string' ? { ...call, name: inner } : (inner ?? call ?? {});
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
