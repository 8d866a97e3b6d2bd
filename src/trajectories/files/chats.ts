/**
 * Conversations of other programs: ShareGPT's `{conversations: [{from, value}]}` and OpenAI's fine-tuning lines
 * `{messages: [{role, content}]}` (platform.openai.com/docs/guides/supervised-fine-tuning). Neither names a task or a
 * reward; fields beside the messages are kept.
 */
import * as v from 'valibot';
import { isShareGptList } from './agent-traj.ts';
import { commonLosses, parseFields, type TrajectoryFormat } from './format.ts';
import { fromRole, fromShareGpt, json, RoleMessage, ShareGptMessage, toRole, toShareGpt } from './messages.ts';
import type { JsonObject, Message, TrajectoryRecord } from './record.ts';
import { withCalls } from './tool-calls.ts';

const ShareGpt = v.objectWithRest({ conversations: v.array(ShareGptMessage) }, json);
const OpenAi = v.objectWithRest({ messages: v.array(RoleMessage) }, json);

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
  recognizes: ({ messages, format }) => Array.isArray(messages) && format == null,
  read: (fields) => unnamed('openai-messages', fields, parseFields(OpenAi, fields).messages.map(fromRole)),
  write: (record) => ({ ...kept('openai-messages', record), messages: withCalls(record.messages ?? [], weighed) }),
  loses: (record) => commonLosses(record, { reasoning: true, trained: true }),
};

/** Adds OpenAI's mark of trained messages, which only assistant messages have. */
function weighed(message: Message): JsonObject {
  const fields = toRole(message);
  const { role, trained, source } = message;
  if (role !== 'assistant' || trained === null || source?.form === 'role/content') return fields;
  return { ...fields, weight: Number(trained) };
}
