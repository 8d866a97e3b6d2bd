/**
 * Checks of stored trajectories: the fields that every reader uses have their types, and the numbers of the columns
 * point inside them. The bytes may come from a run's file that somebody else wrote.
 */
import * as v from 'valibot';
import type { Ending, Trajectory, Window } from '../../rl/episode/trajectory.ts';
import { TokenSource } from '../../rl/episode/trajectory.ts';
import { plainRecord } from '../../store/plain-record.ts';

const whole = (least: number) => v.pipe(v.number(), v.integer(), v.minValue(least));
const text = v.string();
/** JSON has no NaN and no infinity: they are written as null. */
const realOrNull = v.nullable(v.number());

const task = v.looseObject({
  world: text,
  id: v.number(),
  options: v.record(text, v.unknown()),
  strata: plainRecord(text, v.union([v.number(), text])),
});

const turn = v.looseObject({
  action: text,
  observation: text,
  valid: v.boolean(),
  reply: v.optional(text),
  thought: v.optional(text),
  thoughtEnd: v.optional(whole(0)),
});

const forms = ['last', 'task', 'memory', 'summary'] as const satisfies readonly Window['form'][];
const window = v.looseObject({
  turn: whole(0),
  form: v.picklist(forms),
  head: v.nullable(v.array(whole(0))),
  from: whole(0),
  summary: v.optional(v.looseObject({ text, start: whole(0), end: whole(0) })),
});

const endings = [
  'success',
  'done',
  'horizon',
  'context',
  'invalid-action',
  'world-failure',
] as const satisfies readonly Ending[];

const words = v.looseObject({
  task,
  group: whole(0),
  member: whole(0),
  prompt: text,
  promptLength: whole(0),
  turns: v.array(turn),
  branch: v.optional(v.looseObject({ member: whole(0), turns: whole(0) })),
  windows: v.optional(v.array(window)),
  rewards: v.optional(v.looseObject({ total: realOrNull, parts: plainRecord(text, realOrNull) })),
  success: v.boolean(),
  ending: v.picklist(endings),
  failure: v.optional(text),
  horizon: realOrNull,
  oracleTurns: realOrNull,
  length: whole(0),
  choiceRows: whole(-1),
  choiceTokens: whole(0),
  credited: v.optional(whole(0)),
});

const longestPath = 100;

/** Name of the first field of an episode's texts and counts that has a wrong value; null: there is none. */
export function wrongField(given: unknown): string | null {
  const result = v.safeParse(words, given, { abortEarly: true });
  return result.success ? null : (v.getDotPath(result.issues[0]) ?? 'episode').slice(0, longestPath);
}

const isAscending = (list: Int32Array, from: number, to: number) =>
  list.every((value, i) => value >= (i === 0 ? from : list[i - 1]) && value <= to);

/** Name of the first column of an episode with a number that points outside it; null: there is none. */
export function wrongColumn({
  tokens,
  source,
  turnOf,
  turns,
  branch,
  promptLength,
  choices,
}: Trajectory): string | null {
  const { length } = tokens;
  if (branch && branch.turns > turns.length) return 'branch.turns';
  if (promptLength > length) return 'promptLength';
  if (!source.every((each) => each <= TokenSource.template)) return 'source';
  // An episode that ran out of room after a thought has tokens of a turn that never came.
  if (!turnOf.every((each) => each >= -1 && each <= turns.length)) return 'turnOf';
  const ranges = turns.map((each) =>
    Int32Array.of(each.actionStart, each.actionEnd, each.observationStart, each.observationEnd),
  );
  const wrong = ranges.findIndex((range) => !isAscending(range, 0, length));
  if (wrong >= 0) return `turns.${wrong}`;
  if (!choices) return null;
  if (!isAscending(choices.position, 0, length - 1)) return 'choices.position';
  const { offsets } = choices;
  const isWhole = isAscending(offsets, 0, choices.tokens.length) && offsets.at(-1) === choices.tokens.length;
  return isWhole && offsets[0] === 0 ? null : 'choices.offsets';
}
