/**
 * Conversations of other programs: ShareGPT's `{conversations: [{from, value}]}` and OpenAI's fine-tuning lines
 * `{messages: [{role, content}]}` (platform.openai.com/docs/guides/supervised-fine-tuning), also as the `{prompt,
 * completion}` of TRL and verifiers. None names a task; fields beside the messages are kept.
 */
import * as v from 'valibot';
import { isShareGptList } from './agent-traj.ts';
import { commonLosses, parseFields, type TrajectoryFormat } from './format.ts';
import { fromRole, fromShareGpt, json, RoleMessage, ShareGptMessage, toRole, toShareGpt } from './messages.ts';
import type { JsonObject, Message, TrajectoryRecord } from './record.ts';
import { withCalls } from './tool-calls.ts';

const ShareGpt = v.objectWithRest({ conversations: v.array(ShareGptMessage) }, json);
const OpenAi = v.objectWithRest({ messages: v.array(RoleMessage) }, json);

/** A prompt and its completion (TRL, verifiers): the replies of the prompt are examples, which are not trained on. */
const Completion = v.objectWithRest(
  {
    prompt: v.array(RoleMessage, 'prompt must be a list of messages'),
    completion: v.array(RoleMessage, 'completion must be a list of messages'),
    reward: v.nullish(v.number('reward must be a number')),
  },
  json,
);

const isCompletion = ({ prompt, completion }: JsonObject) => Array.isArray(prompt) && Array.isArray(completion);

const unnamed = (form: string, fields: JsonObject, messages: Message[]): TrajectoryRecord => ({
  itemId: null,
  world: null,
  item: null,
  messages,
  reward: null,
  success: null,
  source: { form, fields },
});

const kept = (form: string, { source }: TrajectoryRecord) => (source?.form === form ? source.fields : {});

export const shareGpt: TrajectoryFormat = {
  name: 'sharegpt',
  label: 'ShareGPT',
  summary: 'Conversations between human and gpt, as many tools for fine-tuning read them.',
  container: 'array',
  lacks: 'item_id',
  recognizes: ({ conversations, item_id }) =>
    item_id == null && Array.isArray(conversations) && isShareGptList(conversations),
  read: (fields) => unnamed('sharegpt', fields, parseFields(ShareGpt, fields).conversations.map(fromShareGpt)),
  write: (record) => ({
    ...kept('sharegpt', record),
    conversations: (record.messages ?? []).map((message) => toShareGpt(message)),
  }),
  loses: (record) => commonLosses(record, { trained: true }),
};

export const openAiMessages: TrajectoryFormat = {
  name: 'openai-messages',
  label: 'OpenAI messages',
  summary: 'One conversation per line, messages by role, in the form for fine-tuning chat models.',
  container: 'lines',
  recognizes: (fields) => fields.format == null && (Array.isArray(fields.messages) || isCompletion(fields)),
  read: (fields) => ({ ...unnamed('openai-messages', fields, messagesOf(fields)), reward: rewardOf(fields) }),
  write: (record) => ({ ...besides(record), messages: withCalls(record.messages ?? [], weighed) }),
  loses: (record) => commonLosses(record, { reasoning: true, trained: true }),
};

function messagesOf(fields: JsonObject): Message[] {
  if (Array.isArray(fields.messages)) return parseFields(OpenAi, fields).messages.map(fromRole);
  const { prompt, completion } = parseFields(Completion, fields);
  const shown = prompt.map(fromRole).map((each) => (each.role === 'assistant' ? { ...each, trained: false } : each));
  return [...shown, ...completion.map(fromRole)];
}

/** Reward of a completion. Other conversations with such a field do not say what it means. */
const rewardOf = (fields: JsonObject) =>
  !Array.isArray(fields.messages) && isCompletion(fields) && typeof fields.reward === 'number' ? fields.reward : null;

/** Fields that a record keeps beside its messages. */
function besides(record: TrajectoryRecord): JsonObject {
  const fields = kept('openai-messages', record);
  if ('messages' in fields) return fields;
  const { prompt: _prompt, completion: _completion, ...rest } = fields;
  return rest;
}

/** Adds OpenAI's mark of trained messages, which only assistant messages have. */
function weighed(message: Message): JsonObject {
  const fields = toRole(message);
  const { role, trained } = message;
  if (role !== 'assistant' || trained === null || fields.loss != null || fields.weight != null) return fields;
  return { ...fields, weight: Number(trained) };
}
