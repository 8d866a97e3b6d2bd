/**
 * Our own form, one line per trajectory, without loss: tokens as sampled, their sources, log-probabilities and allowed
 * lists, each turn with its reward, task, horizon and ending, and the policy and step of origin. `messages` is for
 * other programs; `trajectory` is for training again.
 */
import * as v from 'valibot';
import type { Json } from '../../envs/env.ts';
import { type Ending, TokenSource, type Trajectory, type Turn } from '../../rl/episode/trajectory.ts';
import { storedWindows, windowsOf } from '../../rl/episode/window.ts';
import { parseFields, type TrajectoryFormat } from './format.ts';
import { fromRole, json, TextMessage, toRole } from './messages.ts';
import { type JsonObject, parseItemId, TrajectoryFileError, withThought } from './record.ts';

export const losslessForm = 'tabgym-trajectory-1';

const whole = v.pipe(v.number(), v.integer());
const wholes = v.array(whole);
/** Numbers that JSON cannot hold are written as text. */
const real = v.union([v.number(), v.picklist(['-Infinity', 'Infinity', 'NaN'])]);
const endings: Ending[] = ['success', 'done', 'horizon', 'context', 'invalid-action', 'world-failure'];

const TurnSchema = v.strictObject({
  action: v.string(),
  thought: v.nullish(v.string()),
  reply: v.nullish(v.string()),
  observation: v.string(),
  reward: real,
  valid: v.boolean(),
  actionStart: whole,
  thoughtEnd: v.nullish(whole),
  actionEnd: whole,
  observationStart: whole,
  observationEnd: whole,
});

const WindowSchema = v.strictObject({
  turn: whole,
  form: v.picklist(['last', 'task', 'memory', 'summary']),
  head: v.nullable(wholes),
  from: whole,
  summary: v.optional(v.strictObject({ text: v.string(), start: whole, end: whole })),
});

const TrajectorySchema = v.looseObject({
  task: v.looseObject({ world: v.string(), id: whole }),
  group: whole,
  member: whole,
  prompt: v.string(),
  promptLength: whole,
  tokens: wholes,
  source: wholes,
  turnOf: wholes,
  logprob: v.array(real),
  choices: v.nullable(v.strictObject({ position: wholes, offsets: wholes, tokens: wholes })),
  turns: v.array(TurnSchema),
  /** Absent: every turn read the whole episode. */
  windows: v.nullish(v.array(WindowSchema)),
  score: real,
  success: v.boolean(),
  ending: v.picklist(endings),
  horizon: whole,
  oracleTurns: v.nullable(whole),
  /** Absent in files from before credit was stored per token. */
  advantages: v.nullish(v.array(real)),
});

type TrajectoryFields = v.InferOutput<typeof TrajectorySchema>;

const sources: readonly number[] = Object.values(TokenSource);
const within = (values: readonly number[], least: number, end: number) =>
  values.every((value) => value >= least && value < end);

/** Contradiction between the columns of one trajectory; null: none. */
function contradiction({
  tokens,
  source,
  turnOf,
  logprob,
  choices,
  turns,
  windows,
  promptLength,
}: TrajectoryFields): string | null {
  const { length } = tokens;
  if (source.length !== length || turnOf.length !== length || logprob.length !== length)
    return `tokens, source, turnOf and logprob must be of one length (they have ${length}, ${source.length}, ${turnOf.length}, ${logprob.length})`;
  if (!within(tokens, 0, 2 ** 31)) return 'tokens must be ids of tokens, from 0';
  if (!source.every((value) => sources.includes(value))) return `source must be of ${sources.join(', ')}`;
  // An episode that ran out of room after a thought has tokens of a turn that never came.
  if (!within(turnOf, -1, turns.length + 1)) return 'turnOf must name turns that there are, or -1';
  if (promptLength < 0 || promptLength > length) return 'promptLength must lie within the tokens';
  const spans = turns.flatMap((turn) => [turn.actionStart, turn.actionEnd, turn.observationStart, turn.observationEnd]);
  if (!within(spans, 0, length + 1)) return 'a turn must lie within the tokens';
  if (!areWindows(windows ?? [], turns.length, promptLength, length))
    return 'windows must begin at rising turns, within the tokens after the prompt';
  if (!choices) return null;
  const { position, offsets, tokens: allowed } = choices;
  const rising = offsets.every((offset, i) => offset >= (offsets[i - 1] ?? 0));
  return offsets.length === position.length + 1 &&
    rising &&
    offsets.at(-1) === allowed.length &&
    within(position, 0, length)
    ? null
    : 'choices must name positions of the tokens, with an offset for each and one more';
}

/** True if the windows follow one another among the turns. */
function areWindows(
  windows: NonNullable<TrajectoryFields['windows']>,
  turns: number,
  least: number,
  length: number,
): boolean {
  return windows.every(({ turn, from, head, summary }, i) => {
    const before = windows[i - 1] ?? { turn: 0, from: least };
    const rises = turn > before.turn && turn <= turns && from >= before.from && from <= length;
    const summarised =
      !summary || (summary.start >= before.from && summary.start <= summary.end && summary.end === from);
    return rises && summarised && (head === null || (head.length > 0 && within(head, 0, 2 ** 31)));
  });
}

/** Checks that a trajectory's columns fit each other. Throws TrajectoryFileError. */
function lawful(fields: TrajectoryFields): TrajectoryFields {
  const problem = contradiction(fields);
  if (problem) throw new TrajectoryFileError(`trajectory: ${problem}`);
  return fields;
}

const Schema = v.objectWithRest(
  {
    format: v.literal(losslessForm),
    item_id: v.nullable(v.string()),
    messages: v.nullable(v.array(TextMessage)),
    reward: v.nullable(v.number()),
    success: v.nullable(v.boolean()),
    trajectory: v.nullable(TrajectorySchema),
    origin: v.optional(json),
  },
  json,
);

/** Leaves out null fields: some programs write null in one record for a field that only other records have. */
const withoutNulls = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const toReal = (value: number): Json => (Number.isFinite(value) ? value : String(value));
const fromReal = (value: number | string): number => Number(value);

type Columns = 'tokens' | 'source' | 'turnOf' | 'logprob' | 'choices' | 'turns' | 'windows' | 'score' | 'advantages';

/** A trajectory as JSON: each f32 as the shortest number that reads back as the same f32. */
export function trajectoryToJson(trajectory: Trajectory): JsonObject {
  const { tokens, source, turnOf, logprob, choices, turns, windows, score, advantages, ...rest } = trajectory;
  return {
    ...(rest as unknown as JsonObject),
    tokens: [...tokens],
    source: [...source],
    turnOf: [...turnOf],
    logprob: Array.from(logprob, toReal),
    choices: choices && {
      position: [...choices.position],
      offsets: [...choices.offsets],
      tokens: [...choices.tokens],
    },
    turns: turns.map((turn) => ({ ...turn, reward: toReal(turn.reward) }) as unknown as Json),
    ...(windows && { windows: storedWindows(windows) }),
    score: toReal(score),
    advantages: Array.from(advantages, toReal),
  };
}

export function trajectoryFromJson(fields: JsonObject): Trajectory {
  const { tokens, source, turnOf, logprob, choices, turns, windows, score, advantages, ...rest } = lawful(
    parseFields(TrajectorySchema, fields),
  );
  return {
    ...(rest as unknown as Omit<Trajectory, Columns>),
    tokens: Int32Array.from(tokens),
    source: Uint8Array.from(source),
    turnOf: Int16Array.from(turnOf),
    logprob: Float32Array.from(logprob, fromReal),
    choices: choices && {
      position: Int32Array.from(choices.position),
      offsets: Int32Array.from(choices.offsets),
      tokens: Int32Array.from(choices.tokens),
    },
    turns: turns.map((turn) => ({ ...withoutNulls(turn), reward: fromReal(turn.reward) }) as Turn),
    ...(windows && { windows: windowsOf(windows) }),
    score: fromReal(score),
    advantages: Float32Array.from(advantages ?? [], fromReal),
  };
}

export const lossless: TrajectoryFormat = {
  name: losslessForm,
  label: 'Tabgym',
  summary:
    'Own form of Tabgym, one trajectory per line: tokens, log-probabilities, rewards of each turn, without loss.',
  container: 'lines',
  recognizes: ({ format }) => format === losslessForm,
  read(fields) {
    const { item_id, messages, reward, success, trajectory } = parseFields(Schema, fields);
    if (trajectory) lawful(trajectory);
    return {
      itemId: item_id,
      ...parseItemId(item_id),
      messages: messages?.map(fromRole) ?? null,
      reward,
      success,
      ...stepOf(fields),
      source: { form: losslessForm, fields },
    };
  },
  write({ itemId, messages, reward, success, source }) {
    const kept = source?.form === losslessForm ? source.fields : { trajectory: null };
    const trainedMessages = messages?.map((message) => withTrained(toRole(message), message.trained)) ?? null;
    return { format: losslessForm, item_id: itemId, messages: trainedMessages, reward, success, ...restOf(kept) };
  },
  loses: () => [],
};

const withTrained = (message: JsonObject, trained: boolean | null): JsonObject =>
  trained === null ? message : { ...message, loss: trained };

/** Training step of origin. */
function stepOf({ origin }: JsonObject): { step?: number } {
  const step = origin !== null && typeof origin === 'object' && !Array.isArray(origin) ? origin.step : undefined;
  return typeof step === 'number' && Number.isSafeInteger(step) && step >= 0 && step < 2 ** 32 - 1 ? { step } : {};
}

function restOf(fields: JsonObject): JsonObject {
  const { format: _f, item_id: _i, messages: _m, reward: _r, success: _s, ...rest } = fields;
  return rest;
}

/** One of our trajectories as a record: its messages are the world's observations and the policy's replies. */
export function recordOf(trajectory: Trajectory, origin: JsonObject = {}) {
  const itemId = `${trajectory.task.world}_${trajectory.task.id}`;
  const messages = [
    { role: 'user', content: trajectory.prompt },
    ...trajectory.turns.flatMap(({ action, thought, reply, observation }, i, all) => [
      { role: 'assistant', content: reply ?? (thought === undefined ? action : withThought(thought, action)) },
      // An episode may have ended without an answer to its last action.
      ...(observation === '' && i === all.length - 1 ? [] : [{ role: 'user', content: observation }]),
    ]),
  ];
  const reward = Number.isFinite(trajectory.score) ? trajectory.score : null;
  return lossless.read({
    format: losslessForm,
    item_id: itemId,
    messages,
    reward,
    success: trajectory.success,
    trajectory: trajectoryToJson(trajectory),
    origin,
  });
}
