/**
 * Conversations of other programs: ShareGPT's `{conversations: [{from, value}]}` and OpenAI's fine-tuning lines
 * `{messages: [{role, content}]}` (platform.openai.com/docs/guides/supervised-fine-tuning), also as the `{prompt,
 * completion}` of TRL and verifiers. None names a task; fields beside the messages are kept. LLaMA-Factory writes the
 * system's message in a field of its own.
 */
import * as v from 'valibot';
import { isShareGptList } from './agent-traj.ts';
import { commonLosses, parseFields, type TrajectoryFormat } from './format.ts';
import { fromRole, fromShareGpt, json, RoleMessage, ShareGptMessage, toRole, toShareGpt } from './messages.ts';
import { type JsonObject, type Message, TrajectoryFileError, type TrajectoryRecord } from './record.ts';
import { withCalls } from './tool-calls.ts';

const ShareGpt = v.objectWithRest({ conversations: v.array(ShareGptMessage) }, json);

/** A prompt and its completion (TRL, verifiers): the replies of the prompt are examples, which are not trained on. */
const Completion = v.objectWithRest(
  {
    prompt: v.array(RoleMessage, 'prompt must be a list of messages'),
    completion: v.array(RoleMessage, 'completion must be a list of messages'),
    reward: v.nullish(v.number('reward must be a number')),
    /** False: the completion is an example of what not to do. */
    label: v.nullish(v.boolean('label must be true or false')),
  },
  json,
);

const isCompletion = ({ prompt, completion }: JsonObject) => Array.isArray(prompt) && Array.isArray(completion);

const unnamed = (form: string, fields: JsonObject, messages: Message[]): TrajectoryRecord => ({
  itemId: null,
  world: null,
  item: null,
  messages: [...systemOf(fields, messages), ...messages],
  reward: null,
  success: null,
  source: { form, fields },
});

/** The system's message of a field beside the others. */
function systemOf({ system }: JsonObject, [first]: readonly Message[]): Message[] {
  if (typeof system !== 'string' || system === '' || first?.role === 'system') return [];
  return [{ role: 'system', content: system, trained: null, reasoning: null, source: null }];
}

const kept = (form: string, { source }: TrajectoryRecord) => (source?.form === form ? source.fields : {});

/** The messages of a record's list, without a system's message that the kept fields have. */
function listed({ messages }: TrajectoryRecord, { system }: JsonObject): Message[] {
  const [first, ...rest] = messages ?? [];
  const isKept = first?.role === 'system' && !first.source && first.content === system;
  return isKept ? rest : (messages ?? []);
}

/** A conversation with two ends (LLaMA-Factory) is no example of either. */
const isPreference = ({ chosen, rejected }: JsonObject) => chosen != null && rejected != null;

export const shareGpt: TrajectoryFormat = {
  name: 'sharegpt',
  label: 'ShareGPT',
  summary: 'Conversations between human and gpt, as many tools for fine-tuning read them.',
  container: 'array',
  lacks: 'item_id',
  recognizes: ({ conversations, item_id, chosen, messages }) =>
    item_id == null &&
    chosen == null &&
    Array.isArray(conversations) &&
    isShareGptList(conversations) &&
    (conversations.length > 0 || !isFilled(messages)),
  read(fields) {
    checkLists(fields);
    return unnamed('sharegpt', fields, parseFields(ShareGpt, fields).conversations.map(fromShareGpt));
  },
  write(record) {
    const fields = kept('sharegpt', record);
    return withList(
      fields,
      'conversations',
      listed(record, fields).map((message) => toShareGpt(message)),
    );
  },
  loses: (record) => commonLosses(record, { trained: true }),
};

export const openAiMessages: TrajectoryFormat = {
  name: 'openai-messages',
  label: 'OpenAI messages',
  summary: 'One conversation per line, messages by role, in the form for fine-tuning chat models.',
  container: 'lines',
  recognizes: (fields) =>
    fields.format == null && !isPreference(fields) && (listIn(fields) !== undefined || isCompletion(fields)),
  read(fields) {
    checkLists(fields);
    return { ...unnamed('openai-messages', fields, messagesOf(fields)), ...outcomeOf(fields) };
  },
  write: (record) => {
    const fields = kept('openai-messages', record);
    const { prompt: _prompt, completion: _completion, ...rest } = fields;
    const list = listIn(fields);
    return withList(list ? fields : rest, list ?? 'messages', withCalls(listed(record, fields), weighed));
  },
  loses: (record) => commonLosses(record, { reasoning: true, trained: true, parts: true }),
};

const isFilled = (list: unknown): list is unknown[] => Array.isArray(list) && list.length > 0;
const listNames = ['messages', 'conversations', 'conversation'] as const;

/** Throws TrajectoryFileError for two lists that are different conversations: trainers read one or the other. */
function checkLists(fields: JsonObject): void {
  const [first, second] = listNames.filter((name) => isFilled(fields[name]));
  if (!second || sameTexts(fields[first] as unknown[], fields[second] as unknown[])) return;
  throw new TrajectoryFileError(`its lists "${first}" and "${second}" are different conversations: take one out`);
}

/** The fields with this list, and without another one that no longer has the same texts. */
function withList(fields: JsonObject, name: (typeof listNames)[number], list: readonly JsonObject[]): JsonObject {
  const stale = listNames.filter((each) => each !== name && isFilled(fields[each]) && !sameTexts(fields[each], list));
  const others = Object.entries(fields).filter(([each]) => !stale.some((one) => one === each));
  return { ...Object.fromEntries(others), [name]: [...list] };
}

/** True if two lists have the same texts in turn, in either form of messages. */
function sameTexts(a: readonly unknown[], b: readonly unknown[]): boolean {
  const textOf = (message: unknown) => {
    const { content, value } = Object(message) as { content?: unknown; value?: unknown };
    return JSON.stringify(content ?? value);
  };
  return a.length === b.length && a.every((message, k) => textOf(message) === textOf(b[k]));
}

/**
 * Field with the messages. Many files name it as ShareGPT does, LMSYS and WildChat in the singular; with a reward or an id
 * such a record is AgentGym's. Tables have empty lists in the columns that a row does not use.
 */
function listIn(fields: JsonObject): (typeof listNames)[number] | undefined {
  const isNamed = fields.item_id != null || fields.reward != null;
  const found = listNames.filter(
    (name) =>
      Array.isArray(fields[name]) && (name === 'messages' || (!isNamed && !isShareGptList(fields[name] as unknown[]))),
  );
  return found.find((name) => isFilled(fields[name])) ?? found[0];
}

function messagesOf(fields: JsonObject): Message[] {
  const list = listIn(fields);
  if (list) return parseFields(v.objectWithRest({ [list]: v.array(RoleMessage) }, json), fields)[list].map(fromRole);
  const { prompt, completion } = parseFields(Completion, fields);
  const shown = prompt.map(fromRole).map((each) => (each.role === 'assistant' ? { ...each, trained: false } : each));
  return [...shown, ...completion.map(fromRole)];
}

/**
 * Reward and label of a completion; LLaMA-Factory's label of a conversation. Other conversations with such fields do not
 * say what they mean.
 */
function outcomeOf(fields: JsonObject): Pick<TrajectoryRecord, 'reward' | 'success'> {
  const { reward, label, kto_tag } = fields;
  const has = !listIn(fields);
  const mark = has ? label : kto_tag;
  return {
    reward: has && typeof reward === 'number' ? reward : null,
    success: typeof mark === 'boolean' ? mark : null,
  };
}

/** Adds OpenAI's mark of trained messages, which only assistant messages have. */
function weighed(message: Message): JsonObject {
  const fields = toRole(message);
  const { role, trained } = message;
  if (role !== 'assistant' || trained === null || fields.loss != null || fields.weight != null) return fields;
  return { ...fields, weight: Number(trained) };
}
