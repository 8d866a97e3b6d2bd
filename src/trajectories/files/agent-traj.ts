/**
 * AgentGym's trajectories (AgentTraj-L, and AgentEvol's `train_iter_i.json` with a reward): an array of
 * `{conversations, item_id}`. https://arxiv.org/abs/2406.04151, github.com/WooooDyy/AgentGym.
 */
import * as v from 'valibot';
import { commonLosses, parseFields, type TrajectoryFormat } from './format.ts';
import { agentGymLosses, fromShareGpt, json, ShareGptMessage, toAgentGym } from './messages.ts';
import { type JsonObject, parseItemId } from './record.ts';

const Schema = v.objectWithRest(
  {
    conversations: v.array(ShareGptMessage, 'conversations must be a list of messages'),
    item_id: v.string('item_id must be a text such as "textcraft_12"'),
    reward: v.nullish(v.number('reward must be a number')),
  },
  json,
);

export const agentTraj: TrajectoryFormat = {
  name: 'agenttraj',
  label: 'AgentTraj',
  summary: "AgentGym's demonstrations: conversations with the messages to be learned marked.",
  container: 'array',
  isAgentGym: true,
  recognizes: ({ conversations, item_id, success }) =>
    typeof item_id === 'string' && Array.isArray(conversations) && success == null && isShareGptList(conversations),
  read(fields) {
    const { conversations, item_id, reward } = parseFields(Schema, fields);
    const source = { form: 'agenttraj', fields };
    const messages = conversations.map(fromShareGpt);
    return { itemId: item_id, ...parseItemId(item_id), messages, reward: reward ?? null, success: null, source };
  },
  write({ itemId, messages, reward, source }) {
    const kept = source?.form === 'agenttraj' ? source.fields : {};
    const conversations = toAgentGym(messages ?? [], source?.form === 'agenttraj');
    return { ...kept, conversations, item_id: itemId ?? '', ...(reward === null ? {} : { reward }) };
  },
  loses: (record) => [
    ...commonLosses(record, { itemId: true, reward: true, trained: true }),
    ...agentGymLosses(record, 'agenttraj'),
  ],
};

/** True for messages in the ShareGPT form: the first has a field `from`. */
export function isShareGptList(conversations: unknown[]): boolean {
  const first = conversations[0] as JsonObject | undefined;
  return first === undefined || (first !== null && typeof first === 'object' && 'from' in first);
}
