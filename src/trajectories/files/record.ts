/** A trajectory of a file, whatever its format, and what can be wrong with one. Knows no format. */
import type { Json } from '../../envs/env.ts';

export type JsonObject = { [key: string]: Json };

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** Whether an imitation learns it; null: the file does not say. */
  trained: boolean | null;
  /** What a model thought before it answered, where that stands apart. */
  reasoning: string | null;
  /** As it stood in the file, and in whose spelling: written in the same one it comes back as it was. */
  source: Source | null;
}

/** An object of a file, with all its fields. */
export interface Source {
  form: string;
  fields: JsonObject;
}

export interface TrajectoryRecord {
  /** As the file names it ("textcraft_12"); null: it does not. */
  itemId: string | null;
  /** The world, and the number of the item in it, where the id tells. */
  world: string | null;
  item: number | null;
  /** Null: the file names tasks only. */
  messages: Message[] | null;
  reward: number | null;
  success: boolean | null;
  /** The training step that it is of, where the file says. */
  step?: number;
  source: Source | null;
}

/** A file or a record that cannot be read as what it claims to be. */
export class TrajectoryFileError extends Error {
  override name = 'TrajectoryFileError';
}

/** One record that was passed over. */
export interface RecordProblem {
  /** From 1. */
  line: number;
  message: string;
}

/** "babyai_12" is item 12 of BabyAI. A number alone names no world. AgentGym's rule: what follows the last underscore. */
export function parseItemId(itemId: string | number | null): Pick<TrajectoryRecord, 'world' | 'item'> {
  const text = itemId === null ? '' : String(itemId);
  const [, world, digits] = /^(?:(.+)_)?(\d{1,15})$/.exec(text) ?? [];
  return { world: world ?? null, item: digits === undefined ? null : Number(digits) };
}

/** A turn in words, as AgentGym's clients write one: what was thought, then what is done. */
export const withThought = (thought: string, action: string): string => `Thought:\n${thought}\n\nAction:\n${action}`;

/** What was thought before the action, of a reply that says so; undefined: it does not. */
export const thoughtIn = (reply: string): string | undefined => /^\s*Thought:([\s\S]*?)Action:/.exec(reply)?.[1].trim();
