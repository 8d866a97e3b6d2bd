/**
 * Output of AgentGym's evaluation scripts: `{conversations, item_id, reward, success}`, one per line (`base_eval.py`),
 * or one object per file with roles (`openai_eval.py`). success is 1 if the reward is 1. github.com/WooooDyy/AgentGym,
 * agentenv/examples/basic.
 */
import * as v from 'valibot';
import { isShareGptList } from './agent-traj.ts';
import { commonLosses, parseFields, type TrajectoryFormat } from './format.ts';
import {
  agentGymLosses,
  fromRole,
  fromShareGpt,
  json,
  RoleMessage,
  ShareGptMessage,
  toAgentGym,
  toRole,
} from './messages.ts';
import { type JsonObject, type Message, parseItemId, type TrajectoryRecord } from './record.ts';

const outcome = {
  item_id: v.string('item_id must be a text such as "textcraft_12"'),
  reward: v.nullable(v.number('reward must be a number')),
  success: v.nullable(v.union([v.boolean(), v.picklist([0, 1])], 'success must be 0 or 1')),
};
const FromValueRecord = v.objectWithRest({ conversations: v.array(ShareGptMessage), ...outcome }, json);
const Roles = v.objectWithRest({ conversations: v.array(RoleMessage), ...outcome }, json);

function record(form: string, fields: JsonObject, messages: Message[]): TrajectoryRecord {
  const { item_id, reward, success } = fields as v.InferOutput<typeof FromValueRecord>;
  return {
    itemId: item_id,
    ...parseItemId(item_id),
    messages,
    reward,
    success: success === null ? null : Boolean(success),
    source: { form, fields },
  };
}

function outcomeOf(form: string, { itemId, reward, success, source }: TrajectoryRecord): JsonObject {
  const kept = source?.form === form ? source.fields : {};
  const solved = success ?? reward === 1;
  // 1 and true are equal in Python; each is written as it was read.
  const same = kept.success !== undefined && Boolean(kept.success) === solved;
  return { ...kept, item_id: itemId ?? '', reward: reward ?? 0, success: same ? kept.success : Number(solved) };
}

const isOutcome = ({ item_id, reward, success }: JsonObject) =>
  typeof item_id === 'string' && reward !== undefined && success !== undefined;

export const evaluationLog: TrajectoryFormat = {
  name: 'agentgym-eval',
  label: "AgentGym's evaluation log",
  summary: 'One episode per line, with its reward and success, as base_eval.py writes it.',
  container: 'lines',
  isAgentGym: true,
  recognizes: (fields) =>
    isOutcome(fields) && Array.isArray(fields.conversations) && isShareGptList(fields.conversations),
  read: (fields) =>
    record('agentgym-eval', fields, parseFields(FromValueRecord, fields).conversations.map(fromShareGpt)),
  write: (each) => ({
    ...outcomeOf('agentgym-eval', each),
    conversations: toAgentGym(each.messages ?? [], each.source?.form === 'agentgym-eval'),
  }),
  loses: (each) => [
    ...commonLosses(each, { itemId: true, reward: true, success: true, trained: true }),
    ...agentGymLosses(each, 'agentgym-eval'),
  ],
};

export const apiEvaluation: TrajectoryFormat = {
  name: 'agentgym-api-eval',
  label: "AgentGym's evaluation of an API model",
  summary: 'One episode per file, messages by role with separate reasoning, as openai_eval.py writes it.',
  container: 'object',
  isAgentGym: true,
  recognizes: (fields) =>
    isOutcome(fields) && Array.isArray(fields.conversations) && !isShareGptList(fields.conversations),
  read: (fields) => record('agentgym-api-eval', fields, parseFields(Roles, fields).conversations.map(fromRole)),
  write: (each) => ({
    ...outcomeOf('agentgym-api-eval', each),
    conversations: (each.messages ?? []).map(toRole),
  }),
  loses: (each) => commonLosses(each, { itemId: true, reward: true, success: true, reasoning: true, parts: true }),
};
