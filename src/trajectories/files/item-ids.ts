/**
 * Lists of tasks without episodes: AgentEval (`{item_id, conversations: null}`) and AgentGym-RL's training and test ids
 * (`{item_id}`). https://arxiv.org/abs/2406.04151 and https://arxiv.org/abs/2509.08755.
 */
import * as v from 'valibot';
import { commonLosses, parseFields, type TrajectoryFormat } from './format.ts';
import { json } from './messages.ts';
import { parseItemId, type TrajectoryRecord } from './record.ts';

const itemId = { item_id: v.string('item_id must be a text such as "textcraft_12"') };
const Ids = v.objectWithRest(itemId, json);
const WithNull = v.objectWithRest({ ...itemId, conversations: v.null('conversations must be null') }, json);

const named = (form: string, fields: v.InferOutput<typeof Ids>): TrajectoryRecord => ({
  itemId: fields.item_id,
  ...parseItemId(fields.item_id),
  messages: null,
  reward: null,
  success: null,
  source: { form, fields },
});

const losses = (record: TrajectoryRecord) => [
  ...(record.messages ? ['its messages'] : []),
  ...commonLosses({ ...record, messages: null }, { itemId: true }),
];

export const agentEval: TrajectoryFormat = {
  name: 'agenteval',
  label: 'AgentEval',
  summary: "AgentGym's evaluation items: tasks to be played.",
  container: 'array',
  lacks: 'conversations',
  recognizes: ({ item_id, conversations }) => typeof item_id === 'string' && conversations === null,
  read: (fields) => named('agenteval', parseFields(WithNull, fields)),
  write: ({ itemId: id, source }) => ({
    ...(source?.form === 'agenteval' ? source.fields : {}),
    item_id: id ?? '',
    conversations: null,
  }),
  loses: losses,
};

export const itemIds: TrajectoryFormat = {
  name: 'agentgym-rl-ids',
  label: "AgentGym-RL's item ids",
  summary: 'The tasks of a training or test split.',
  container: 'array',
  lacks: 'conversations',
  // A record with an outcome belongs to an episode whose messages are missing.
  recognizes: ({ item_id, conversations, messages, reward, success }) =>
    typeof item_id === 'string' && [conversations, messages, reward, success].every((field) => field == null),
  read: (fields) => named('agentgym-rl-ids', parseFields(Ids, fields)),
  write: ({ itemId: id, source }) => ({
    ...(source?.form === 'agentgym-rl-ids' ? source.fields : {}),
    item_id: id ?? '',
  }),
  loses: losses,
};
