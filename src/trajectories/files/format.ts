/** Interface of a format of trajectory files. Each format is a module beside this file, listed in `registry.ts`. */
import * as v from 'valibot';
import { otherParts } from './messages.ts';
import type { JsonObject, TrajectoryRecord } from './record.ts';
import { TrajectoryFileError } from './record.ts';

export interface TrajectoryFormat {
  name: string;
  label: string;
  /** One sentence: the program that writes it and where it is described. */
  summary: string;
  /** Layout of records in a file: one array, an object per line, or one object per file. */
  container: 'array' | 'lines' | 'object';
  /** True if an object looks like a record of this format. The first such format in the registry reads it. */
  recognizes(fields: JsonObject): boolean;
  /** True for AgentGym's episodes: every record of such a file has their fields. */
  isAgentGym?: true;
  /** Field whose absence makes a record of AgentGym's look like this format; absent: none. */
  lacks?: 'item_id' | 'conversations';
  /** Throws TrajectoryFileError by path and reason. */
  read(fields: JsonObject): TrajectoryRecord;
  write(record: TrajectoryRecord): JsonObject;
  /** Parts of the record that the format cannot hold, as sentences; empty: none. */
  loses(record: TrajectoryRecord): string[];
}

/** The value itself, or an error that names the first wrong field. Defaults of the schema are not filled in. */
export function parseFields<S extends v.GenericSchema>(schema: S, fields: JsonObject): v.InferOutput<S> {
  const result = v.safeParse(schema, fields, { abortEarly: true });
  // The output lacks keys such as `constructor`, which valibot leaves out.
  if (result.success) return fields as v.InferOutput<S>;
  const [issue] = result.issues;
  const path = issue.path?.map(({ key }) => String(key)).join('.') ?? '';
  const words = issue.message.startsWith('Invalid key') ? 'it is missing' : issue.message;
  throw new TrajectoryFileError(path ? `${path}: ${words}` : words);
}

/** Parts of a record that most formats cannot hold. */
export function commonLosses(
  { itemId, reward, success, messages }: TrajectoryRecord,
  has: {
    itemId?: boolean;
    reward?: boolean;
    success?: boolean;
    trained?: boolean;
    reasoning?: boolean;
    parts?: boolean;
  },
): string[] {
  const losses: string[] = [];
  if (itemId !== null && !has.itemId) losses.push('its task');
  if (reward !== null && !has.reward) losses.push('its reward');
  if (success !== null && !has.success) losses.push('whether it succeeded');
  if (messages?.some(({ trained }) => trained !== null) && !has.trained) losses.push('the marks of learned messages');
  if (messages?.some(({ reasoning }) => reasoning !== null) && !has.reasoning) losses.push('separate thoughts');
  if (messages?.some((message) => otherParts(message).length > 0) && !has.parts)
    losses.push('parts of messages that are no texts');
  return losses;
}
