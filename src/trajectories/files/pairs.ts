/**
 * Preference pairs: two episodes of one task, the better and the worse, after the messages that both begin with.
 * AgentGym's own form (`make_dpo_dataset.py`: an array of `{id, prompt, chosen, rejected}` in from/value) and TRL's
 * (`{prompt, chosen, rejected}` in role/content, huggingface.co/docs/trl/dataset_formats), in which both conversations
 * may repeat the prompt, which then is a text or absent. A pair is read as its chosen episode; the other one stays beside
 * it in the file.
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

const three = <S extends v.GenericSchema>(message: S) => ({
  prompt: v.array(message, 'prompt must be a list of messages'),
  chosen: v.array(message, 'chosen must be a list of messages'),
  rejected: v.array(message, 'rejected must be a list of messages'),
});
const FromValuePair = v.objectWithRest(
  {
    id: v.nullable(v.pipe(v.number('id must be a whole number'), v.integer('id must be a whole number'))),
    ...three(ShareGptMessage),
  },
  json,
);
const Roles = v.objectWithRest(three(RoleMessage), json);
const Whole = v.objectWithRest(
  {
    chosen: v.pipe(
      v.array(RoleMessage),
      v.check(([first]) => first?.role !== 'assistant', 'chosen lacks its prompt'),
    ),
    rejected: v.array(RoleMessage),
  },
  json,
);

const promptOf = ({ prompt }: JsonObject) => (Array.isArray(prompt) ? prompt : []);
const isPair = ({ prompt, chosen, rejected }: JsonObject): boolean =>
  (prompt == null || typeof prompt === 'string' || Array.isArray(prompt)) &&
  Array.isArray(chosen) &&
  Array.isArray(rejected);
const isSpokenPair = (fields: JsonObject) =>
  isPair(fields) && Array.isArray(fields.prompt) && isShareGptList(fields.prompt) && 'id' in fields;

const pairRecord = (form: string, fields: JsonObject, messages: Message[]): TrajectoryRecord => {
  const itemId = typeof fields.id === 'number' ? String(fields.id) : null;
  return { itemId, ...parseItemId(itemId), messages, reward: null, success: null, source: { form, fields } };
};

/**
 * Number of messages before the first one that may be trained on: AgentGym's instruction, its acknowledgement, the
 * first observation.
 */
function promptLength(messages: readonly Message[]): number {
  const learnt = messages.findIndex(({ role, trained }) => role === 'assistant' && trained !== false);
  const first = learnt < 0 ? messages.length : learnt;
  const acknowledged = messages[first + 1]?.role === 'user' && /^ok\b/i.test(messages[first]?.content.trim() ?? '');
  return acknowledged ? first + 2 : first;
}

function fieldsOf(
  form: string,
  { messages, source }: TrajectoryRecord,
  write: (messages: readonly Message[]) => JsonObject[],
) {
  const own = source?.form === form ? source.fields : null;
  const all = messages ?? [];
  const cut = own ? promptOf(own).length : promptLength(all);
  const written = write(all);
  return {
    ...(own ?? { rejected: [] }),
    ...(own && !Array.isArray(own.prompt) ? {} : { prompt: written.slice(0, cut) }),
    chosen: written.slice(cut),
  };
}

const losses = (form: string, record: TrajectoryRecord, has: Parameters<typeof commonLosses>[1]) =>
  record.source?.form === form ? [] : ['an episode that it was preferred to', ...commonLosses(record, has)];

export const agentGymDpo: TrajectoryFormat = {
  name: 'agentgym-dpo',
  label: "AgentGym's preference pairs",
  summary: 'Two episodes of one task, the better and the worse, as make_dpo_dataset.py writes them.',
  container: 'array',
  recognizes: isSpokenPair,
  read(fields) {
    const { prompt, chosen } = parseFields(FromValuePair, fields);
    return pairRecord('agentgym-dpo', fields, [...prompt, ...chosen].map(fromShareGpt));
  },
  write: (record) => ({
    id: record.item ?? -1,
    ...fieldsOf('agentgym-dpo', record, (messages) => toAgentGym(messages, record.source?.form === 'agentgym-dpo')),
  }),
  loses: (record) => {
    const lost = [
      ...losses('agentgym-dpo', record, { itemId: true, trained: true }),
      ...agentGymLosses(record, 'agentgym-dpo'),
    ];
    return record.world === null ? lost : ['the world of its task', ...lost];
  },
};

export const trlPreference: TrajectoryFormat = {
  name: 'trl-preference',
  label: "TRL's preference pairs",
  summary: 'Two conversations behind one prompt, the better and the worse, as TRL and others train on.',
  container: 'lines',
  recognizes: (fields) => isPair(fields) && !isSpokenPair(fields),
  read(fields) {
    const { prompt, chosen } = Array.isArray(fields.prompt)
      ? parseFields(Roles, fields)
      : { prompt: [], chosen: parseFields(Whole, fields).chosen };
    return { ...pairRecord('trl-preference', fields, [...prompt, ...chosen].map(fromRole)), ...nameless };
  },
  write: (record) => fieldsOf('trl-preference', record, (messages) => messages.map(toRole)),
  loses: (record) => losses('trl-preference', record, { reasoning: true, parts: true }),
};

const nameless = { itemId: null, world: null, item: null };

/** The other episode of a pair, as a record of its own; null: not a pair. */
export function rejectedOf(record: TrajectoryRecord): TrajectoryRecord | null {
  const { source } = record;
  if (source?.form !== agentGymDpo.name && source?.form !== trlPreference.name) return null;
  const all = [...promptOf(source.fields), ...(source.fields.rejected as JsonObject[])] as JsonObject[];
  const messages =
    source.form === agentGymDpo.name
      ? all.map((each) => fromShareGpt(each as Parameters<typeof fromShareGpt>[0]))
      : all.map((each) => fromRole(each as Parameters<typeof fromRole>[0]));
  return { ...record, messages, source: null };
}

/** Value of an episode for choosing between two: its reward, or its success; null: unknown. */
export const outcomeValue = ({ reward, success }: Pick<TrajectoryRecord, 'reward' | 'success'>): number | null =>
  reward ?? (success === null ? null : Number(success));

/** One line of a file of pairs; null: the two episodes begin differently. */
export function pairFields(
  better: TrajectoryRecord,
  worse: TrajectoryRecord,
  format: typeof agentGymDpo,
): JsonObject | null {
  const good = better.messages ?? [];
  const bad = worse.messages ?? [];
  const cut = promptLength(good);
  const same = good.slice(0, cut).every(({ role, content }, i) => bad[i]?.role === role && bad[i].content === content);
  const both = good.length > cut && bad.length > cut && cut === promptLength(bad);
  if (!same || cut === 0 || !both) return null;
  const { prompt, chosen, ...rest } = format.write({ ...better, source: null });
  const { chosen: rejected } = format.write({ ...worse, source: null });
  return { ...rest, prompt, chosen, rejected };
}
