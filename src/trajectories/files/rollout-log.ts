/**
 * Rollout logs of AgentGym-RL (`rollout_log_dir/stepN/RANK.json`): an array of `{item_id, conversations, reward}`. The
 * item is a bare number (its world is lost), and the first messages are instruction and acknowledgement.
 * github.com/WooooDyy/AgentGym-RL.
 */
import * as v from 'valibot';
import { commonLosses, parseFields, type TrajectoryFormat } from './format.ts';
import { fromRole, json, TextMessage, toRole } from './messages.ts';
import { parseItemId } from './record.ts';

const Schema = v.objectWithRest(
  {
    item_id: v.pipe(v.number('item_id must be a whole number'), v.integer('item_id must be a whole number')),
    conversations: v.array(TextMessage, 'conversations must be a list of messages'),
    reward: v.nullable(v.number('reward must be a number')),
  },
  json,
);

export const rolloutLog: TrajectoryFormat = {
  name: 'agentgym-rl-rollouts',
  label: "AgentGym-RL's rollout log",
  summary: 'The episodes of a training or evaluation step, as vllm_rollout.py writes them.',
  container: 'array',
  isAgentGym: true,
  recognizes: ({ item_id, conversations, reward }) =>
    typeof item_id === 'number' && Array.isArray(conversations) && reward !== undefined,
  read(fields) {
    const { item_id, conversations, reward } = parseFields(Schema, fields);
    const source = { form: 'agentgym-rl-rollouts', fields };
    const itemId = String(item_id);
    return { itemId, ...parseItemId(itemId), messages: conversations.map(fromRole), reward, success: null, source };
  },
  write({ itemId, item, messages, reward, source }) {
    const kept = source?.form === 'agentgym-rl-rollouts' ? source.fields : {};
    const item_id = kept.item_id ?? item ?? parseItemId(itemId).item ?? -1;
    return { ...kept, item_id, conversations: (messages ?? []).map(toRole), reward: reward ?? 0 };
  },
  loses(record) {
    const losses = commonLosses(record, { itemId: true, reward: true, reasoning: true, parts: true });
    return record.world === null ? losses : ['its world: only the number of its item', ...losses];
  },
};
