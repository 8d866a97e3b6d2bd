/** What a format of trajectory files is; each is a module beside this file, and `registry.ts` lists them. */
import * as v from 'valibot';
import type { JsonObject, TrajectoryRecord } from './record.ts';
import { TrajectoryFileError } from './record.ts';

export interface TrajectoryFormat {
  name: string;
  label: string;
  /** One sentence: whose it is, and where it is described. */
  summary: string;
  /** How records lie in a file: one array, an object a line, or one object a file. */
  container: 'array' | 'lines' | 'object';
  /** Whether an object looks like a record of this format rather than of another. The first in the registry that says so reads it. */
  recognizes(fields: JsonObject): boolean;
  /** Of AgentGym's episodes: a file of them has their fields in every record. */
  isAgentGym?: true;
  /** The field that a record of AgentGym's has lost where it looks like one of this format; absent: none does. */
  lacks?: 'item_id' | 'conversations';
  /** Throws TrajectoryFileError by path and reason. */
  read(fields: JsonObject): TrajectoryRecord;
  write(record: TrajectoryRecord): JsonObject;
  /** What this record has and the format cannot say, in words; empty: nothing. */
  loses(record: TrajectoryRecord): string[];
}

/** The value, or an error that names the first field that is wrong. */
export function checked<S extends v.GenericSchema>(schema: S, fields: JsonObject): v.InferOutput<S> {
  const result = v.safeParse(schema, fields, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = issue.path?.map(({ key }) => String(key)).join('.') ?? '';
  throw new TrajectoryFileError(path ? `${path}: ${issue.message}` : issue.message);
}

/** What most formats cannot say of a record. */
export function commonLosses(
  { itemId, reward, success, messages }: TrajectoryRecord,
  has: { itemId?: boolean; reward?: boolean; success?: boolean; trained?: boolean; reasoning?: boolean },
): string[] {
  const losses: string[] = [];
  if (itemId !== null && !has.itemId) losses.push('which task it is');
  if (reward !== null && !has.reward) losses.push('its reward');
  if (success !== null && !has.success) losses.push('whether it succeeded');
  if (messages?.some(({ trained }) => trained !== null) && !has.trained) losses.push('which messages are learned');
  if (messages?.some(({ reasoning }) => reasoning !== null) && !has.reasoning) losses.push('thoughts that stand apart');
  return losses;
}
